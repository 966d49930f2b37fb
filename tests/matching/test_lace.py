"""lace on small pages where the answer is plain, and on trees made to hurt."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from tests.strategies import trees
from treelace import Tree, parse
from treelace.matching.matchers.lace import Lace
from treelace.matching.matching import Matching

ITEMS = "".join(
    f"<li class=item><a href=/p/{i}>thing {i}</a> <b class=price>{i * 7} euro</b>"
    for i in range(12)
)
PAGE = (
    "<title>shop</title><div id=top><h1>Things</h1><p>all of them</p></div><ul"
    f" class=list>{ITEMS}</ul><p class=end>the end</p>"
)


def _partners(matching: Matching, tag: str) -> dict[str, str | None]:
    """For each old element of this name: its text, and the text of its partner."""
    partner = dict(matching.pairs)
    elements = [node for node in matching.old_tree.elements if node.tag == tag]
    return {
        node.text: matching.new_tree[partner[node.index]].text if node.index in partner else None
        for node in elements
    }


def test_a_row_that_is_gone_has_no_partner_and_the_others_keep_theirs() -> None:
    gone = PAGE.replace("<li class=item><a href=/p/4>thing 4</a> <b class=price>28 euro</b>", "")
    partners = _partners(Lace().match(parse(PAGE), parse(gone)), "a")
    assert partners.pop("thing 4") is None
    assert all(old == new for old, new in partners.items())


def test_rows_in_another_order_are_found() -> None:
    rows = ITEMS.split("<li")[1:]
    turned = PAGE.replace(ITEMS, "".join("<li" + row for row in rows[6:] + rows[:6]))
    partners = _partners(Lace().match(parse(PAGE), parse(turned)), "li")
    assert all(old == new for old, new in partners.items())


def test_subtrees_under_another_parent_are_found() -> None:
    rows = [f"<li{row}" for row in ITEMS.split("<li")[1:]]
    old = PAGE + "<div class=sold><p>sold out:</p><ol><li>none as yet</li></ol></div>"
    moved = "".join(rows[i] for i in (2, 5, 8))
    new = old.replace(
        ITEMS, "".join(row for i, row in enumerate(rows) if i not in (2, 5, 8))
    ).replace("<ol>", f"<ol>{moved}")
    partners = _partners(Lace().match(parse(old), parse(new)), "a")
    assert all(before == after for before, after in partners.items())


def test_a_wrapper_around_everything_is_nobodys_partner() -> None:
    wrapped = PAGE.replace("<div id=top>", "<div><div id=top>") + "</div>"
    matching = Lace().match(parse(PAGE), parse(wrapped))
    old, new = matching.old_tree, matching.new_tree
    partner = dict(matching.pairs)
    assert len(list(old.elements)) == len(list(new.elements)) - 1
    assert all(node.attributes == new[partner[node.index]].attributes for node in old.elements)


def test_renamed_tags_and_classes_are_learnt() -> None:
    redesigned = PAGE.replace("<ul class=list>", "<menu class=x1>").replace("</ul>", "</menu>")
    redesigned = (
        redesigned.replace("class=price", "class=x2")
        .replace("<b ", "<strong ")
        .replace("</b>", "</strong>")
        .replace("class=item", "class=x3")
    )
    matching = Lace().match(parse(PAGE), parse(redesigned))
    assert len(matching.pairs) == len(matching.old_tree)
    names = {matching.old_tree[i].tag: matching.new_tree[j].tag for i, j in matching.pairs}
    assert (names["ul"], names["b"]) == ("menu", "strong")


def test_without_texts_other_texts_change_nothing() -> None:
    changed = PAGE.replace("<h1>", "<h2>").replace("</h1>", "</h2>")
    matcher = Lace(text=False)
    assert (
        matcher.match(parse(PAGE), parse(changed)).pairs
        == matcher.match(parse(PAGE), parse(changed.replace("thing", "Ding"))).pairs
    )


def test_confidence_is_a_probability_and_low_where_there_is_a_twin() -> None:
    twins = "<ul><li>one</li><li>same</li><li>same</li></ul>"
    matching = Lace().match(parse(twins), parse("<ul><li>one</li><li>same</li></ul><p>more</p>"))
    sure = dict(zip(matching.old.tolist(), matching.confidence.tolist(), strict=True))
    assert all(0 <= value <= 1 for value in sure.values())
    one, *same = (node.index for node in matching.old_tree.elements if node.tag == "li")
    assert sure[one] > max(sure[index] for index in same if index in sure)


@given(trees(), trees())
def test_it_answers_on_any_two_trees(old: Tree, new: Tree) -> None:
    matching = Lace().match(old, new)
    assert matching == Lace().match(old, new)
    assert (0, 0) in matching.pairs


def _chain(depth: int) -> Tree:
    return parse("<a>" * depth + "</a>" * depth, format="xml")


def _star(leaves: int) -> Tree:
    return parse("<r>" + "<a/>" * leaves + "</r>", format="xml")


def _rows(count: int) -> Tree:
    return parse("<ul>" + "<li>same</li>" * count + "</ul>", format="html")


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        pytest.param(
            lambda: parse("", format="html"), lambda: parse("<p>x", format="html"), 4, id="empty"
        ),
        pytest.param(
            lambda: Tree.from_brackets(""),
            lambda: Tree.from_brackets("{a}"),
            1,
            id="nothing at all",
        ),
        pytest.param(
            lambda: Tree.from_brackets("{a}"),
            lambda: Tree.from_brackets("{a{b}}"),
            2,
            id="one node",
        ),
        pytest.param(
            lambda: _chain(100_000), lambda: _chain(99_999), 100_000, id="a chain 100,000 deep"
        ),
        pytest.param(
            lambda: _star(100_000), lambda: _star(99_999), 100_001, id="a star of 100,000 leaves"
        ),
        pytest.param(
            lambda: _rows(5_000),
            lambda: _rows(4_999),
            4 + 2 * 4_999 + 1,
            id="5,000 identical siblings",
        ),
    ],
)
def test_trees_made_to_hurt(old: object, new: object, pairs: int) -> None:
    assert callable(old)
    assert callable(new)
    before, after = old(), new()
    start = time.process_time()
    matching = Lace().match(before, after)
    assert time.process_time() - start < 10
    assert len(matching.pairs) == pairs
    partners = [j for _, j in matching.pairs]
    assert partners == sorted(partners)
