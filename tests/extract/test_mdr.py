"""MDR by the exact cases: comparisons, regions, records; and against the definition on random tag
strings.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treelace import Tree, extract, parse
from treelace.extract.extractors.depta_steps.data_regions import (
    TagTree,
    comparisons,
    data_regions,
    records_of,
)
from treelace.extract.extractors.depta_steps.tag_strings import normalised_distance
from treelace.extract.extractors.mdr import Mdr
from treelace.extract.page.page_view import PageView

A = "{table{tr{td{img}}{td{a}{b}}}{tr{td{img}}{td{a}{b}}}{tr{td{img}}{td{a}}}{tr{td{hr}}}}"
R, Q = "{tr{td{b}}{td{b}}}", "{tr{td{p}{i}{i}}{td{p}{i}{i}}}"
B = f"{{table{R}{Q}{R}{Q}}}"
C = f"{{body{{h1}}{R}{Q}{R}{Q}{{hr}}}}"
D = "{div{p{s}}{ul{li{a{x}}}{li{a{x}}{i}}{li{a{x}}}}{hr}}"


def regions(text: str) -> list[tuple[str, int, int, int]]:
    tree = Tree.from_brackets(text)
    return [
        (tree[region.parent].tag, region.size, region.start, region.covered)
        for region in data_regions(TagTree.of(PageView.of(tree)))
    ]


def test_ten_children_and_runs_of_three_are_21_comparisons():
    made = list(comparisons(10, 3))
    assert len(made) == len(set(made)) == 21
    assert [(size, sum(1 for other, _ in made if other == size)) for size in (1, 2, 3)] == [
        (1, 9),
        (2, 7),
        (3, 5),
    ]


def test_distances_of_rows():
    tags = TagTree.of(PageView.of(Tree.from_brackets(A)))
    rows = tags.children[1]
    assert [
        round(tags.distance((left,), (right,)), 4) for left, right in itertools.pairwise(rows)
    ] == [0, 0.1818, 0.75]
    assert tags.distance((rows[0], rows[1]), (rows[2], rows[3])) == 0.5


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (A, [("table", 1, 1, 3)]),
        (B, [("table", 2, 1, 4)]),
        (C, [("body", 3, 1, 6)]),  # a false combination, the kind that the gap rule of MDR-2 is for
        (D, [("ul", 1, 1, 3)]),
    ],
    ids="abcd",
)
def test_regions(text: str, wanted: list[tuple[str, int, int, int]]):
    assert regions(text) == wanted


def test_cells_of_two_rows_are_one_record():
    tree = Tree.from_brackets(B)
    tags = TagTree.of(PageView.of(tree))
    (records,) = records_of(tags, data_regions(tags))
    first, second = tags.children[1][:2]
    assert len(records) == 4
    assert records[0] == (tags.children[first][0], tags.children[second][0])


def rows(text: str) -> list[list[str | None]]:
    return extract(parse(text), extractor="mdr")[0].rows


def test_a_grid_gives_its_cells_and_the_left_over_row():
    cell = "<td><b>{0}</b><p><i>{0}</i></p></td>"
    page = (
        "<table><tr>"
        + "<tr>".join("".join(cell.format(name) for name in row) for row in ("abcd", "efgh", "i"))
        + "</table>"
    )
    assert [row[0] for row in rows(page)] == [f"{name} {name}" for name in "abcdefghi"]


def test_rows_of_a_data_table_are_records():
    assert rows("<table><tr><td>a<td>1<tr><td>b<td>2<tr><td>c<td>3</table>") == [
        ["a 1"],
        ["b 2"],
        ["c 3"],
    ]


def test_a_list_cut_in_two_is_joined():
    names = "".join(f"<tr><td><p><b>n{n}</b></p></tr>" for n in range(3))
    prices = "".join(f"<tr><td><ul><li>p{n}<li>x<li>y<li>z</ul></tr>" for n in range(3))
    assert rows(f"<table>{names}{prices}</table>")[0] == ["n0 p0 x y z"]


def test_nested_records_are_tables_of_their_own():
    inner = "<ul>" + "".join(f"<li><b>{n}</b></li>" for n in range(4)) + "</ul>"
    page = parse(f"<div><div><h2>A</h2>{inner}</div><div><h2>B</h2>{inner}</div></div>")
    assert [len(table) for table in extract(page, extractor="mdr")] == [2, 4, 4]
    assert [len(table) for table in extract(page, extractor="mdr", nested=False)] == [2]


def plain_distance(left: list[int], right: list[int]) -> int:
    row = list(range(len(right) + 1))
    for i, one in enumerate(left, start=1):
        last, row[0] = row[0], i
        for j, other in enumerate(right, start=1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (one != other))
    return row[-1]


STRINGS = st.lists(st.integers(0, 3), max_size=90)


@given(STRINGS, STRINGS)
def test_the_bit_vectors_agree_with_the_table(left: list[int], right: list[int]):
    total = len(left) + len(right)
    assert normalised_distance(left, right) == (
        2 * plain_distance(left, right) / total if total else 0.0
    )
    assert normalised_distance(left, right) == normalised_distance(right, left)


def test_a_larger_combination_has_to_cover_far_more() -> None:
    """Search results as they were written about 1999: a heading, then a paragraph a result."""
    result = "<p><a href=#>title</a><br>two lines of text<br><i>address</i></p>"
    odd = "<p><a href=#>title</a><br><b>new</b><br>text<br><i>address</i><br><b>more</b></p>"
    page = parse(f"<body><h3>Results</h3>{result * 10}{odd}{result * 2}</body>")
    printed = Mdr(least_gain=1.0, prefer_equal=False).extract(page)
    assert len(printed[0].rows) == 2  # the heading and six results, then seven
    assert len(Mdr().extract(page)[0].rows) >= 10


def test_rows_that_take_turns_are_one_record() -> None:
    """A title row and a text row, alike by their tags: neighbours are .22 apart, couples 0."""
    rows = "".join(
        f"<tr><td>{n}.</td><td><a href=#>title {n}</a></td><td>date</td></tr>"
        f"<tr><td></td><td>text {n}</td><td></td></tr>"
        for n in range(4)
    )
    page = parse(f"<table>{rows}</table>")
    printed = Mdr(prefer_equal=False).extract(page)[0]
    assert [row[0] for row in printed.rows[:2]] == ["0. title 0 date", "text 0"]
    couples = Mdr().extract(page)[0]
    assert [row[0] for row in couples.rows] == [f"{n}. title {n} date text {n}" for n in range(4)]


def test_equal_rows_stay_single() -> None:
    rows = "".join(f"<tr><td>{n}</td><td><b>title {n}</b></td></tr>" for n in range(6))
    assert len(Mdr().extract(parse(f"<table>{rows}</table>"))[0].rows) == 6
