"""What every extractor promises, checked over every member of EXTRACTORS."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treelace import Tree, UsageError, parse
from treelace.extract import EXTRACTORS, Table, extract, extractor_named
from treelace.extract.page.page_view import PageView

ROWS = [
    f"<li class=row><img src=/{n}.png><h3><a href=/p/{n}>Thing {n}</a></h3><p class=price>{n}.50"
    " <b>net</b></p></li>"
    for n in range(1, 7)
]
PAGES = {
    "list": (
        f"<nav><a href=/>Home</a> <a href=/shop>Shop</a></nav><ul>{''.join(ROWS)}</ul><p>The end"
    ),
    "table": (
        "<table><tr><th>Name<th>Born<tr><td>Ada<td>1815<tr><td>Alan<td>1912"
        "<tr><td>Grace<td>1906</table>"
    ),
    "grid": (
        "<table><tr>"
        + "<tr>".join("".join(f"<td><b>{n}{m}</b><i>x{n}</i>" for n in range(3)) for m in range(3))
        + "</table>"
    ),
    "siblings": (
        "<dl>" + "".join(f"<dt>Word {n}<dd>Meaning {n} <i>noun</i>" for n in range(5)) + "</dl>"
    ),
    "unseen": (
        "<ul><li>one<script>1</script><li>two<i hidden>2</i><li>three<i style='display:"
        " none'>3</i></ul>"
    ),
    "one": "<p>just one",
    "empty": "",
    "deep": "<div>" * 600 + "<ul><li>a<b>1</b><li>b<b>2</b></ul>",
    "nested": "<ul><li>A<ul><li>a1<li>a2</ul><li>B<ul><li>b1<li>b2</ul></ul>",
}
pytestmark = pytest.mark.parametrize("name", EXTRACTORS)


def check(table: Table, tree: Tree) -> None:
    view = PageView.of(tree)
    assert len(table) >= 1
    assert len(table.cells) == len(table.records)
    assert 0 <= table.confidence <= 1
    names = [column.name for column in table.columns]
    assert len(set(names)) == len(names)
    assert all(len(row) == len(names) for row in table.cells)
    for roots, row in zip(table.records, table.with_all_columns.cells, strict=True):
        placed = [
            item.node.index for cell in row if cell for item in cell.items if item.kind == "text"
        ]
        wanted = [text for root in roots for text in view.texts_in(root.index)]
        assert sorted(placed) == sorted(wanted), (
            "every visible text of a record stands in exactly one cell"
        )
        for cell in row:
            if cell is not None:
                assert cell.node.is_element
                inside = [
                    item.node.index
                    for item in cell.items
                    if item.kind == "text" and any(map(str.isalnum, item.text))
                ]
                assert all(
                    cell.node.index <= index < tree.ends[cell.node.index] for index in inside
                )
        form = table.to_json()["records"][0]
        assert len(form["texts"]) == len(form["cols"])


@pytest.mark.parametrize("page", PAGES)
def test_no_text_is_lost_and_every_cell_knows_its_element(name: str, page: str) -> None:
    tree = parse(PAGES[page], format="html")
    for table in extract(tree, extractor=name):
        check(table, tree)


def test_where_nothing_repeats_there_is_no_table(name: str) -> None:
    assert extract(parse(PAGES["one"]), extractor=name) == []
    assert extract(parse(PAGES["empty"], format="html"), extractor=name) == []


def test_the_list_is_found(name: str) -> None:
    table = extract(parse(PAGES["list"]), extractor=name)[0]
    assert len(table) == 6
    assert all(
        f"Thing {number}" in " ".join(filter(None, row))
        for number, row in enumerate(table.rows, start=1)
    )


def test_the_same_page_gives_the_same_tables(name: str) -> None:
    for page in PAGES.values():
        assert extract(parse(page, format="html"), extractor=name) == extract(
            parse(page, format="html"), extractor=extractor_named(name)
        )


def test_links_are_resolved(name: str) -> None:
    table = extract(parse(PAGES["list"]), extractor=name, url="https://shop.example/a/")[0]
    links = [
        item.text for cell in table.cells[0] if cell for item in cell.items if item.kind == "link"
    ]
    assert links == ["https://shop.example/p/1"]


def test_the_registry_name_is_the_class_name(name: str) -> None:
    assert EXTRACTORS[name].name == name
    assert EXTRACTORS[name].__doc__


def test_an_unknown_option_is_wrong_use(name: str) -> None:
    with pytest.raises(UsageError, match="no_such_option"):
        extractor_named(name, no_such_option=1)


WORDS = st.sampled_from(["tea", "milk", "3.20", "new"])
PIECES = st.recursive(
    WORDS,
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(
            [
                "div",
                "ul",
                "li",
                "p",
                "b",
                "table",
                "tr",
                "td",
                "font",
                "span",
                "a href=x",
                "hr",
                "br",
                "h2",
            ]
        ),
        st.lists(inner, max_size=5),
    ),
    max_leaves=25,
)


@settings(max_examples=40)
@given(st.lists(PIECES, min_size=1, max_size=6), st.integers(1, 3))
def test_the_contract_holds_on_any_page(name: str, pieces: list[str], times: int) -> None:
    tree = parse("".join(pieces) * times, format="html")
    for table in extract(tree, extractor=name):
        check(table, tree)
