"""Records that no anchor finds, among those that one does."""

from __future__ import annotations

import treelace as tl
from treelace.wrappers import Wrapper
from treelace.wrappers.apply.records import missed_records

THINGS = [
    ("green tea", "3.20"),
    ("whole milk", "1.10"),
    ("plum jam", "2.75"),
    ("sea salt", "0.40"),
    ("brown rice", "5.15"),
    ("oat cake", "1.95"),
]


def row(name: str, price: str) -> str:
    return (
        f"<li class=item><h3>{name}</h3><b class=price>{price}</b><p>{name} of the house</p></li>"
    )


def page(rows: list[str]) -> tl.Tree:
    return tl.parse(f"<body><p>Welcome</p><ul class=things>{''.join(rows)}</ul></body>")


def names(wrapper: Wrapper, tree: tl.Tree) -> list[str | None]:
    table = wrapper.apply(tree, force=True)[0]
    at = [column.name for column in table.columns].index("title")
    return [row[at] for row in table.rows]


def test_a_record_with_another_class_or_a_box_or_in_pieces_is_found_among_the_others():
    wrapper = Wrapper.learn([page([row(*thing) for thing in THINGS])])
    rows = [row(*thing) for thing in THINGS]
    rows[1] = rows[1].replace("class=item", "class=other")
    rows[3] = f"<div>{rows[3]}</div>"
    rows[4] = rows[4].removeprefix("<li class=item>").removesuffix("</li>")
    assert names(wrapper, page(rows)) == [name for name, _ in THINGS]


def test_what_is_no_record_stays_out():
    wrapper = Wrapper.learn([page([row(*thing) for thing in THINGS])])
    rows = [row(*thing) for thing in THINGS]
    rows.insert(2, "<li class=advert><a href=/x>Buy this</a></li>")
    rows.insert(4, "<hr>")
    assert names(wrapper, page(rows)) == [name for name, _ in THINGS]


def test_candidates_are_single_siblings_first_and_then_what_is_left_of_a_gap():
    tree = tl.parse("<ul><li>1</li><li>2</li><b>3</b><i>4</i><li>5</li></ul>")
    bold, italic = (tree.select(tag)[0].index for tag in ("b", "i"))
    asked: list[list[list[int]]] = []

    def fits(candidates: list[list[int]]) -> list[float]:
        asked.append(candidates)
        return [float(len(roots) == 2) for roots in candidates]

    assert missed_records(tree, [[node.index] for node in tree.select("li")], 0.5, fits) == [
        ([bold, italic], 1.0)
    ]
    assert asked == [[[bold], [italic]], [[bold, italic]]]
