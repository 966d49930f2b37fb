"""MDR-2 by the paper's figures: the tree of Figures 3 and 4, the gap rule, and records that do not
stand side by side (Figures 6 and 7).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Treelace
from treelace import Tree, UsageError, extract, parse
from treelace.extract.extractors.depta_steps.data_regions import TagTree, data_regions, records_of
from treelace.extract.extractors.depta_steps.visual_tree import keeps_gaps, visual_tag_tree
from treelace.extract.page.page_view import PageView
from treelace.render.boxes import Box, Boxes


def boxes(*edges: tuple[float, float, float, float] | None) -> Boxes:
    """By left, right, top, bottom, as Figure 3 has them."""
    made = {
        number: Box(one[0], one[2], one[1] - one[0], one[3] - one[2])
        for number, one in enumerate(edges)
        if one
    }
    return Boxes(made, (1000, 1000), len(edges))


FIGURE_3 = boxes(
    (100, 300, 200, 400),
    (100, 300, 200, 300),
    (100, 200, 200, 300),
    (200, 300, 200, 300),
    (100, 300, 300, 400),
    (100, 200, 300, 400),
    (200, 300, 300, 400),
)


@pytest.mark.parametrize(
    "text",
    [
        "{table{tr{td}{td}}{tr{td}{td}}}",
        "{table{tr{td{td{tr{td{td}}}}}}}",
        "{table{tr}{td}{td}{tr}{td}{td}}",
    ],
)
def test_figures_3_and_4_the_tree_is_what_the_boxes_say_whatever_the_tags_do(text: str):
    tags = visual_tag_tree(PageView.of(Tree.from_brackets(text)), FIGURE_3)
    assert tags.children[1:] == [[2, 5], [3, 4], [], [], [6, 7], [], []]
    assert tags.levels[1] == 3
    assert tags.ends[2] == 5
    first, last = tags.part((2, 5))
    assert last - first == 6


def test_what_is_not_rendered_stays_where_its_tags_put_it():
    tags = visual_tag_tree(
        PageView.of(Tree.from_brackets("{a{b{c}}{d}}")),
        boxes((0, 10, 0, 10), None, (0, 5, 0, 5), (0, 5, 5, 10)),
    )
    assert tags.children[1:] == [[2, 4], [3], [], []]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        pytest.param(
            "{p{a{img}}{b}}",
            boxes((0, 99, 0, 60), (0, 50, 41, 60), (0, 50, 0, 60), (50, 99, 41, 60)),
            id="a picture higher than its line",
        ),
        pytest.param(
            "{tbody{tr{td}{td}}{tr{td}}}",
            boxes(
                (0, 99, 0, 40),
                (0, 99, 0, 20),
                (0, 50, 0, 40),
                (50, 99, 0, 20),
                (0, 99, 20, 40),
                (50, 99, 20, 40),
            ),
            id="a cell over two rows",
        ),
        pytest.param(
            "{div{p{b}}{p}}",
            boxes((0, 99, 0, 40), (-9, 99, 0, 20), (-9, 50, 0, 20), (-9, 99, 20, 40)),
            id="a margin below nought",
        ),
        pytest.param(
            "{div{p}{i{b}}{p}}",
            boxes(
                (0, 99, 0, 40), (0, 99, 0, 20), (0, 99, 60, 60), (0, 99, 80, 80), (0, 99, 20, 40)
            ),
            id="empty",
        ),
    ],
)
def test_boxes_that_neither_contain_each_other_nor_lie_apart_leave_it_to_the_tags(
    text: str, seen: Boxes
):
    view = PageView.of(Tree.from_brackets(text))
    assert visual_tag_tree(view, seen).children == TagTree.of(view).children


def test_an_empty_element_at_the_end_of_a_record_makes_no_gap():
    view = PageView.of(Tree.from_brackets("{div{p}{i}{p}{i}{p}{i}}"))
    seen = boxes(
        (0, 99, 0, 90),
        (0, 99, 0, 10),
        (0, 99, 26, 26),
        (0, 99, 26, 36),
        (0, 99, 52, 52),
        (0, 99, 52, 62),
        (0, 99, 78, 78),
    )
    assert keeps_gaps(visual_tag_tree(view, seen), [(2, 3), (4, 5), (6, 7)])


R, Q = "{tr{td{b}}{td{b}}}", "{tr{td{p}{i}{i}}{td{p}{i}{i}}}"
FALSE = f"{{body{{h1}}{R}{Q}{R}{Q}{{hr}}}}"


def rows(tops: list[float], text: str = FALSE) -> tuple[Tree, Boxes]:
    """The page with each child of the body 10 high at these tops, everything below it inside it,
    side by side.
    """
    tree = Tree.from_brackets(text)
    made: dict[int, Box] = {0: Box(0, 0, 1000, 1000)}
    numbers = {node.index: node.element_index for node in tree.elements}
    for top, child in zip(tops, tree.element(0).children, strict=True):
        waiting = [(child, Box(0, top, 900, 10))]
        while waiting:
            node, box = waiting.pop()
            made[numbers[node.index]] = box  # type: ignore[index]
            wide = box.width / (len(node.children) or 1)
            waiting += [
                (below, Box(box.x + wide * at, box.y, wide - 4, box.height))
                for at, below in enumerate(node.children)
            ]
    return tree, Boxes(made, (1000, 1000), len(numbers))


def found(tree: Tree, seen: Boxes) -> list[tuple[int, int, int]]:
    tags = visual_tag_tree(PageView.of(tree), seen)
    return [
        (region.size, region.start, region.covered)
        for region in data_regions(tags, rule=keeps_gaps)
    ]


def test_the_gap_rule_breaks_a_false_combination():
    """FACTS 6.3 (c): without gaps the heading is taken in: (3, 1, 6). On the page the rows of a
    record stand closer than the records.
    """
    tree, seen = rows([0, 50, 61, 100, 111, 150])
    assert [
        (one.size, one.start, one.covered) for one in data_regions(TagTree.of(PageView.of(tree)))
    ] == [(3, 1, 6)]
    assert found(tree, seen) == [(2, 2, 4)]


def test_figure_6_rows_of_names_and_rows_of_descriptions_are_records_by_cell():
    tree, seen = rows([0, 50, 61, 100, 111, 150])
    tags = visual_tag_tree(PageView.of(tree), seen)
    (records,) = records_of(tags, data_regions(tags, rule=keeps_gaps))
    first, second, third, fourth = tags.children[1][1:5]
    pairs = [
        (top, bottom)
        for top, bottom in zip(
            tags.children[first] + tags.children[third],
            tags.children[second] + tags.children[fourth],
            strict=True,
        )
    ]
    assert records == pairs


def test_figure_7_two_regions_side_by_side_are_one_list_of_records():
    """Row 1 and row 2 are not alike, but each is a region of two: g1 and G1, g2 and G2 are the
    records.
    """
    names = "{tr{td{b{u}}}{td{b{u}}}}"
    texts = "{tr{td{p{i}{i}}{ul{li}{li}}}{td{p{i}{i}}{ul{li}{li}}}}"
    tags = TagTree.of(PageView.of(Tree.from_brackets(f"{{table{names}{texts}}}")))
    regions = data_regions(tags)
    assert [(region.size, region.covered) for region in regions] == [(1, 2), (1, 2)]
    (records,) = records_of(tags, regions)
    row1, row2 = tags.children[1]
    assert records == list(zip(tags.children[row1], tags.children[row2], strict=True))


def test_gaps_that_fit_change_nothing():
    tree, seen = rows([0, 11, 22, 40, 51, 62])
    assert found(tree, seen) == [(3, 1, 6)]


def test_without_boxes_it_is_mdr():
    page = parse("<div>" + "<p><b>a</b><i>1</i></p><p><u>x</u></p>" * 3 + "</div>")
    assert extract(page, extractor="mdr2") == extract(page, extractor="mdr")


def test_a_text_shown_elsewhere_stands_in_one_record():
    """A box that leaves its element: its record would be inside another, so the list is left out
    rather than told twice.
    """
    page = parse("<ul><li><b>one</b><i>1</i><li><b>two</b><i>2</i></ul>", fragment=True)
    count = len(list(page.elements))
    flat = Boxes(
        {number: Box(0, 20 * number, 100, 10) for number in range(count)}, (100, 100), count
    )
    for table in extract(page, extractor="mdr2", boxes=flat):
        texts = [
            item.node.index
            for row in table.cells
            for cell in row
            if cell
            for item in cell.items
            if item.kind == "text"
        ]
        assert len(texts) == len(set(texts))


def test_boxes_from_a_file(treelace: Treelace, tmp_path: Path):
    page = "<body>" + "".join(f"<p><b>name {n}</b></p><div><i>{n}.50</i></div>" for n in range(3))
    (tmp_path / "page.html").write_text(page)
    elements = list(parse(page).elements)
    tops = {
        node.index: 30 * number + 11 * (node.tag == "div")
        for tag in ("p", "div")
        for number, node in enumerate(parse(page).select(tag))
    }
    entries: list[list[float] | None] = []
    for node in elements:
        top = tops.get(node.index, tops.get(node.parent.index) if node.parent else None)
        entries.append(
            [0, 0, 500, 500]
            if node.tag in ("html", "body")
            else None
            if top is None
            else [0, top, 100, 10]
        )
    (tmp_path / "boxes.json").write_text(json.dumps({"viewport": [500, 500], "boxes": entries}))
    done = treelace(
        "extract", "page.html", "--extractor", "mdr2", "--boxes", "boxes.json", "--to", "json"
    )
    assert done.returncode == 0, done.stderr
    assert [record["texts"] for record in json.loads(done.stdout)["regions"][0]["records"]] == [
        [f"name {n}", f"{n}.50"] for n in range(3)
    ]
    assert "is mdr" in treelace("extract", "page.html", "--extractor", "mdr2").stderr
    (tmp_path / "boxes.json").write_text('{"viewport": [1, 1], "boxes": [null]}')
    done = treelace("extract", "page.html", "--extractor", "mdr2", "--boxes", "boxes.json")
    assert done.returncode == 2
    assert "render it again" in done.stderr


def test_boxes_of_another_page_are_refused():
    with pytest.raises(UsageError, match="render it again"):
        extract(parse("<p>x"), extractor="depta", boxes=Boxes({}, (1, 1), 7))


def test_depta_takes_pictures_with_and_without_a_source_for_two_shapes():
    rows = (
        "<li><img src=/1.png><b>one</b> <i>1</i>",
        "<li><img><b>two</b> <i>2</i>",
        "<li><img src=/3.png><b>three</b> <i>3</i>",
    )
    table = extract(parse(f"<ul>{''.join(rows)}</ul>"), extractor="depta")[0]
    assert [row[-2:] for row in table.rows] == [["one", "1"], ["two", "2"], ["three", "3"]]
    assert [row[0] is None for row in table.cells] == [False, True, False]
