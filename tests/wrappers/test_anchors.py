"""Anchors: by what records and cells are found again; and the bound between records and others."""

from __future__ import annotations

from collections import Counter

import pytest

import treelace as tl
from treelace.extract import Cell, Column, Item, Table
from treelace.tree import compile_css, compile_xpath
from treelace.wrappers import Wrapper
from treelace.wrappers.apply.page import Page, leaf_in, leaf_text
from treelace.wrappers.learn.anchors import (
    _within,
    column_anchors,
    element_selectors,
    holder_name,
    record_anchors,
)
from treelace.wrappers.learn.lists import _add_owners, _between, _elected, _whole
from treelace.wrappers.model.form import RowForm
from treelace.wrappers.repair.evidence import _found_rows
from treelace.wrappers.repair.field_columns import _judge_cells
from treelace.wrappers.repair.matched_records import MatchedRecords
from treelace.wrappers.repair.two_readings import has_new_content
from treelace.wrappers.repair.verdict import ColumnRepair

PAGE = tl.parse(
    "<div id=main><section class='shop wide'><ul class=wide><li class='item hot'>"
    "<b class=name>Tea</b><i>3</i><li class=item><b class=name>Jam</b><i>4</i></ul></section></div>"
    "<ol><li>no item</ol><p class=wide>x"
)
ITEMS = [node.index for node in PAGE.select("ul li")]


def text_of(selector: str, page: tl.Tree = PAGE) -> int:
    return page.select(selector)[0].index + 1


def test_what_is_around_all_records_and_has_a_name_of_its_own():
    assert _within(PAGE, ITEMS) == [".shop", "#main"]
    everything = [*ITEMS, PAGE.select("ol li")[0].index]
    assert _within(PAGE, everything) == []
    deep = tl.parse("<div id=a><div id=b><div id=c><div id=d><li>x<li>y")
    assert _within(deep, [node.index for node in deep.select("li")]) == ["#d", "#c", "#b"]
    odd = tl.parse("<div id='1 2' class='3x ok'><li>x<li>y</div>")
    assert _within(odd, [node.index for node in odd.select("li")]) == [".ok"]


def test_anchors_find_all_records_and_the_best_find_nothing_else():
    anchors = record_anchors(PAGE, ITEMS)
    assert anchors[0] == "css:ul.wide > li.item"
    for anchor in anchors:
        assert {node.index for node in PAGE.select(anchor.removeprefix("css:"))} >= set(ITEMS)
    assert record_anchors(PAGE, []) == []


def test_anchors_may_miss_some_of_noisy_records():
    page = tl.parse("<ul>" + "<li class=a>x" * 4 + "<li class=b>y" + "</ul><ul>" + "<li>z" * 20)
    heads = [node.index for node in page.select("li[class]")]
    whole, noisy = record_anchors(page, heads), record_anchors(page, heads, share=0.8)
    assert not any(".a" in anchor for anchor in whole)
    assert any("li.a" in anchor for anchor in noisy)
    assert not any("li.a" in anchor for anchor in record_anchors(page, heads, share=0.81))


def test_a_cell_is_found_by_what_holds_nothing_else():
    one = tl.parse("<p itemprop=price class='big 3d'>3</p><p id=x1>a</p><p id=name><b>b</b></p>")
    two = tl.parse("<p itemprop=price class=big>4</p>")
    price = {0: text_of("[itemprop]", one), 1: text_of("[itemprop]", two)}
    assert column_anchors([one, two], price, "Price") == [
        'css:p[itemprop="price"]',
        "css:p.big",
        "label:Price",
    ]
    assert column_anchors([one], {0: text_of("b", one)}) == ["css:p#name"]
    assert column_anchors([one], {0: text_of("#x1", one)}) == []
    assert column_anchors([one, two], {0: text_of("[itemprop]", one)}) == []


def test_what_holds_a_leaf_is_called_by_tag_and_classes():
    assert holder_name(PAGE, text_of("b.name")) == "b.name"
    assert holder_name(PAGE, text_of("li.hot i")) == "li.hot.item i"
    page = tl.parse("<div class=c><p><b>x</b></p></div>")
    assert holder_name(page, text_of("b", page)) == ""


def test_an_element_is_selected_by_its_own_names_and_those_around_it():
    found = list(element_selectors(PAGE, ITEMS[1]))
    assert found == ["li.item", "ul.wide > li.item", "ul.wide > li"]


def test_the_only_leaf():
    page = tl.parse(
        "<p>one</p><h2>a<b>b</b></h2><i> </i><u> x <s></s></u><img src=a.png><em><img></em>"
    )
    reader = Page(page)

    def leaf(tag: str) -> str | None:
        found = leaf_in(page, page.select(tag)[0].index)
        return None if found is None else leaf_text(page, found)

    assert [leaf(tag) for tag in ("p", "h2", "i", "u", "img")] == ["one", None, None, "x", "a.png"]
    assert reader.only_leaf(compile_css("p")) == text_of("p", page)
    assert reader.only_leaf(compile_css("p, u")) is None
    assert reader.only_leaf(compile_css("h1")) is None
    assert reader.elements(compile_xpath("//u")) == [page.select("u")[0].index]
    assert reader.elements(compile_xpath("count(//u)")) == []
    body = page.select("body")[0].index
    assert [leaf_text(page, at) for at in reader.leaves_in(body)] == [
        "one",
        "a",
        "b",
        "x",
        "a.png",
        "",
    ]
    assert len(reader.texts_in(body)) == 4


@pytest.mark.parametrize(
    ("own", "others", "bound"),
    [
        ([], [0.9], 0.5),
        ([0.5, 0.9], [0.4], 0.5),
        ([0.5, 0.9], [0.5], 0.5),
        ([0.5, 0.9], [0.5, 0.6], 0.75),
        ([0.3, 0.4], [0.1], 0.2),
        ([0.3, 0.9], [0.8, 0.85], 0.875),
        ([0.2, 0.3, 0.4], [0.9], 0.1),
        ([0.2], [], 0.1),
    ],
)
def test_the_bound_that_fewest_are_on_the_wrong_side_of(own, others, bound):
    assert _between(own, others, 0.5) == bound


def test_a_row_gets_the_column_that_enough_of_its_leaves_vote_for():
    assert _elected({1: Counter({2: 10}), 3: Counter({0: 5})}, set()) == {1: 2}
    assert _elected({1: Counter({2: 10}), 3: Counter({2: 1})}, set()) == {1: 2}
    assert _elected({1: Counter({2: 10}), 3: Counter({2: 1})}, {2}) == {1: 2, 3: 2}
    assert _elected({1: Counter({2: 5, 3: 5})}, set()) == {}


def test_records_of_one_element_are_learnt_from_where_most_are():
    assert _whole([[1], [2], [3, 4]]) == [0, 1]
    assert _whole([[1], [3, 4]]) == [0, 1]
    assert _whole([[1, 2], [3, 4], [5]]) == [0, 1, 2]


def test_an_element_belongs_to_the_column_of_all_its_leaves_where_cells_hold_several():
    shape = [(0, "li"), (1, "p"), (2, "#text"), (2, "#text"), (1, "#text")]
    rows = [RowForm(depth, tag) for depth, tag in shape]
    for given, several, owned in (
        ({2: 1, 3: 1, 4: 2}, {1}, {1: 1}),
        ({2: 1, 3: 1, 4: 2}, {2}, {}),
        ({2: 1, 3: 2, 4: 2}, {1, 2}, {}),
        ({2: 1, 4: 1}, {1}, {}),
    ):
        columns = dict(given)
        _add_owners(columns, rows, several)
        assert columns == given | owned
    after = [
        RowForm(depth, tag) for depth, tag in [(0, "li"), (1, "#text"), (1, "p"), (2, "#text")]
    ]
    columns = {1: 2, 3: 1}
    _add_owners(columns, after, {1, 2})
    assert columns == {1: 2, 2: 1, 3: 1}


def read(count: int, otherwise: int, missing: int) -> ColumnRepair:
    """What is said of a column of which so many cells are read as before, otherwise, and not."""
    leaf = PAGE[text_of("li.hot i")]
    cell = Cell("3", leaf, (Item("text", "3", leaf),), 3)
    cells = [({leaf.index}, cell)] * count + [({-1}, cell)] * otherwise
    cells += [({leaf.index}, None)] * missing + [(set(), cell)]
    return _judge_cells(ColumnRepair("price", True, 0.7, ("found",)), cells)


def test_a_repaired_field_is_read_as_it_was():
    fine = read(10, 0, 10)
    assert (fine.is_restored, fine.confidence) == (True, 0.7)
    assert fine.reasons == ("found", "the new wrapper reads 10 of 20 alike")
    few = read(10, 0, 11)
    assert not few.is_restored
    assert few.reasons[-1] == "the new wrapper reads 10 of 21 of them alike"
    wrong = read(5, 5, 0)
    assert not wrong.is_restored
    assert wrong.reasons[-1] == "the new wrapper reads 5 of 10 of them alike, 5 otherwise"


def page_of(texts: list[str]) -> list[Cell | None]:
    node = PAGE[text_of("li.hot i")]
    return [Cell(text, node, (), text) if text else None for text in texts]


@pytest.mark.parametrize(
    ("before", "now", "is_new"),
    [
        ({0: "a", 1: "b"}, ["a", "x"], False),
        ({0: "a", 1: "b", 2: "c"}, ["a", "x", ""], True),
        ({0: "a 1", 1: "b 2"}, ["a 7", "b 8"], False),
        ({0: "a"}, ["b", "a"], True),
        ({0: "a"}, ["a", "new column"], False),
    ],
)
def test_a_record_is_new_content_where_most_of_its_texts_changed(before, now, is_new):
    matched = MatchedRecords([before], [{}], [[]], [{}])
    assert has_new_content(matched, page_of(now), 0) is is_new
    assert has_new_content(matched, page_of(now), None)


@pytest.mark.parametrize(
    ("evidence", "texts", "is_found"),
    [
        ("a b", "a x", True),
        ("a b c", "a x y", False),
        ("a b c", "a b y", True),
        ("a b c d e f g h", "a b x y z x y z", True),
        ("a b c d e f g h", "a x y z x y z x", False),
        ("a", "b", False),
    ],
)
def test_two_of_four_evidence_texts_are_enough(evidence, texts, is_found):
    row = dict(enumerate(f"{letter} word" for letter in evidence.split()))
    cells = tuple(page_of([f"{letter} word" for letter in texts.split()]))
    columns = tuple(Column(str(number), "text") for number in range(len(cells)))
    table = Table(columns, (cells,), "ul", 1.0, ((PAGE[ITEMS[0]],),))
    assert bool(_found_rows([row], table)) is is_found


def test_half_a_character_in_a_file_is_named_and_not_a_crash():
    with pytest.raises(tl.WrapperError, match=r"^wrapper, line 2: expected JSON"):
        Wrapper.from_json('{\n"treelace": "\ud800"}')


def parts(name: str, count: int) -> tl.Tree:
    items = "".join(f"<li><b>{name}{n}</b><i>{n} {name}</i></li>" for n in range(count))
    return tl.parse(f"<body><h1>{name}</h1><ul class=parts>{items}</ul></body>")


def test_a_table_inside_a_page_is_named_and_goes_with_the_page():
    pages = [parts("tea", 4), parts("jam", 1), parts("milk", 3)]
    wrapper = Wrapper.learn(pages)
    assert [(region.name, region.kind) for region in wrapper.regions] == [
        ("main", "page"),
        ("parts", "inner"),
    ]
    repair = wrapper.repair(pages[0], tl.parse("<svg><path/></svg>"))
    assert repair.wrapper is None
    inner = [column for column in repair.columns if column.name.startswith("parts: ")]
    assert [column.reasons for column in inner] == [
        ("the page's own record was not found again",)
    ] * 2
