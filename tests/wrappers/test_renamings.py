"""The old pattern in the words of a new design."""

from __future__ import annotations

from collections import Counter

import treelace as tl
from treelace.matching import match
from treelace.wrappers import Wrapper
from treelace.wrappers.model.form import RowForm
from treelace.wrappers.repair.renamings import PagePair, Renamings, keys_of

THINGS = [
    ("green tea", "3.20"),
    ("whole milk", "1.10"),
    ("plum jam", "2.75"),
    ("sea salt", "0.40"),
    ("brown rice", "5.15"),
]


def old() -> tl.Tree:
    return tl.parse(
        "<ul id=all>"
        + "".join(
            f"<li class='item new'><h3>{name}</h3><b class=price>{price}</b></li>"
            for name, price in THINGS
        )
        + "</ul>"
    )


def new(odd: int = -1) -> tl.Tree:
    rows = [
        f"<article class='q7 z2'><h2>{name}</h2><em class=c1>{price}</em></article>"
        for name, price in THINGS
    ]
    if odd >= 0:
        rows[odd] = rows[odd].replace("article", "aside").replace("c1", "other")
    return tl.parse(f"<section id=all>{''.join(rows)}</section>")


def words(after: tl.Tree) -> Renamings:
    before = old()
    matching = match(before, after, matcher="lace")
    return Renamings(
        [
            PagePair(
                before,
                after,
                dict(zip(matching.old.tolist(), matching.new.tolist(), strict=True)),
            )
        ]
    )


def test_tags_and_keys_are_called_as_matched_elements_are():
    known = words(new())
    assert known.tags["li"] == "article"
    assert known.keys[".price"] == ".c0"
    assert known.keys["#all"] == "#all"
    assert {known.keys[".item"], known.keys[".new"]} == {".q0", ".z0"}
    row = known.row(RowForm(1, "li", keys=(".item", ".gone"), wrap="b"), Counter())
    assert (row.tag, row.keys, row.wrap) == ("article", (known.keys[".item"],), "em")


def test_what_happened_to_one_element_only_changes_nothing():
    known = words(new(odd=2))
    assert known.tags["li"] == "article"
    assert known.keys[".price"] == ".c0"


def test_keys_are_those_of_the_pattern():
    tree = tl.parse("<p id=n12 class='a b7' itemprop=name>x</p>")
    assert keys_of(tree, tree.select("p")[0].index) == {"#n0", ".a", ".b0", "@name"}


def test_a_repair_keeps_what_the_old_pattern_knew():
    """Fields that only one of the learnt pages has are read on new pages, too, where they were on a
    page of the repair.
    """

    def page(name: str, price: str, fax: str, *, is_new: bool = False) -> tl.Tree:
        tag, line = ("section", "q1") if is_new else ("div", "line")
        more = f"<{tag} class={line}>Fax:</{tag}><{tag} class={line}>{fax}</{tag}>" if fax else ""
        return tl.parse(
            f"<body><h1>{name}</h1>{more}<{tag} class={line}>Price:</{tag}><{tag}"
            f" class={line}>{price}</{tag}></body>"
        )

    pages = [
        page("Big kettle", "39.90 €", "0123"),
        page("Small pot", "19.90 €", ""),
        page("Blue jug", "9.90 €", "0456"),
    ]
    wrapper = Wrapper.learn(pages, kind="detail")
    repair = wrapper.repair(pages[0], page("Big kettle", "41.50 €", "0987", is_new=True))
    assert repair.wrapper is not None
    table = repair.wrapper.apply(page("Old cup", "4.10 €", "", is_new=True), force=True)[0]
    row = {
        column.name: cell.text
        for column, cell in zip(table.columns, table.cells[0], strict=True)
        if cell
    }
    assert row == {"title": "Old cup", "Price": "4.10 €"}
