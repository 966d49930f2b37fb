"""The default extractor on pages made to be hard in one way each."""

from __future__ import annotations

import time

import pytest

import treelace as tl
from treelace.extract import extract
from treelace.extract.columns.alignment import line_up
from treelace.extract.page.page_view import PageView
from treelace.extract.regions.candidates import NAMES, candidates

MENU = (
    "<nav><ul>"
    + "".join(
        f"<li><a href=/{name}>{name.title()}</a></li>"
        for name in ("home", "shop", "news", "about", "contact", "help")
    )
    + "</ul></nav>"
)
WORDS = ["Assam", "Sencha", "Rooibos", "Earl Grey", "Oolong", "Matcha"]


def goods(row: str) -> str:
    return "".join(
        row.format(n=number, w=word, w2=word.lower() + " with a light and floral taste")
        for number, word in enumerate(WORDS, start=1)
    )


def firsts(page: str) -> list[str | None]:
    return [row[0] for row in extract(tl.parse(MENU + page))[0].rows]


def test_an_advert_does_not_break_a_list():
    row = "<div class=item><h3><a href={n}>{w}</a></h3><p>{w2}</p><b>{n}.20</b></div>"
    parts = [row.format(n=number, w=word, w2=word) for number, word in enumerate(WORDS)]
    page = (
        "<main>"
        + "".join(parts[:3])
        + "<div class=ad><table><tr><td>Buy now!</table></div>"
        + "".join(parts[3:])
        + "</main>"
    )
    assert firsts(page) == WORDS


def test_records_of_several_siblings():
    table = extract(
        tl.parse(
            MENU
            + "<dl>"
            + goods("<dt><a href={n}>{w}</a></dt><dd>{w2}</dd><dd>{n}.20 EUR</dd>")
            + "</dl>"
        )
    )[0]
    assert [row[0] for row in table.rows] == WORDS
    assert {len(nodes) for nodes in table.records} == {3}


def test_records_between_rules():
    page = "<div>" + goods("<b><a href={n}>{w}</a></b><br>{w2}<br><i>{n}.20</i><hr>") + "</div>"
    assert [row[0] for row in extract(tl.parse(page))[0].rows] == WORDS


def test_cells_of_a_grid_are_joined_over_rows():
    cells = [
        f"<td><a href={n}><img src={n}.png></a><h4>{word}</h4><p>{n}.20 EUR</p></td>"
        for n, word in enumerate(WORDS)
    ]
    rows = ["".join(cells[:2]), "".join(cells[2:4]), "".join(cells[4:])]
    page = f"<table><tr>{'</tr><tr>'.join(rows)}</tr></table>"
    texts = [
        [text for text in row if text and not text.endswith(".png")]
        for row in extract(tl.parse(MENU + page))[0].rows
    ]
    assert texts == [[word, f"{n}.20 EUR"] for n, word in enumerate(WORDS)]
    assert len(extract(tl.parse(MENU + page))[0].columns) == 3


def test_a_table_has_its_headers_as_names():
    page = "<table><tr><th>Name<th>Born<th>Field</tr>" + "".join(
        f"<tr><td><a href={n}>{word}</a><td>18{n}0<td>{word.lower()}</tr>"
        for n, word in enumerate(WORDS)
    )
    table = extract(tl.parse(page))[0]
    assert [column.name for column in table.columns] == ["Name", "Born", "Field"]
    assert len(table) == 6


def test_font_around_blocks_is_passed_over():
    page = (
        "<body><font size=2>"
        + goods("<p><a href={n}>{w}</a> <font color=red>{w2}</font></p>")
        + "</font>"
    )
    assert firsts(page) == WORDS


@pytest.mark.parametrize("mark", ["b", "span class=hit", "kw", "em"])
def test_marked_words_do_not_cut_a_snippet(mark: str):
    cut = [
        f"{w} is <{mark}>tea</{mark.split()[0]}> " * (1 + number % 3) + "and more"
        for number, w in enumerate(WORDS)
    ]
    page = (
        "<div>"
        + "".join(
            f"<div class=r><h3><a href=x>{w}</a></h3><div class=s>{text}</div></div>"
            for w, text in zip(WORDS, cut, strict=True)
        )
        + "</div>"
    )
    table = extract(tl.parse(MENU + page))[0]
    assert [len(row) for row in table.rows] == [2] * 6
    assert table.rows[0][1] == "Assam is tea and more"


def test_optional_cells_leave_gaps_and_do_not_shift():
    rows = [
        "<li><h3>{w}</h3><p class=old>9.99</p><p class=now>{n}.20</p></li>",
        "<li><h3>{w}</h3><p class=now>{n}.20</p></li>",
    ]
    page = (
        "<ul>"
        + "".join(rows[number % 2].format(n=number, w=word) for number, word in enumerate(WORDS))
        + "</ul>"
    )
    table = extract(tl.parse(page))[0]
    assert [column.name for column in table.columns] == ["title", "number", "number 2"]
    assert [row[1] for row in table.rows] == ["9.99", None] * 3


def test_a_label_belongs_to_its_value():
    page = "<ul>" + goods("<li><h3>{w}</h3><p><b>Price:</b> <span>{n}.20</span></p></li>") + "</ul>"
    assert extract(tl.parse(page))[0].rows[0] == ["Assam", "Price: 1.20"]


def test_lists_in_cells_are_one_cell():
    page = (
        "<ul>"
        + "".join(
            f"<li><h3>{w}</h3><p>"
            + "".join(f"<a href=t>{t}</a> " for t in "abc"[: 1 + n % 3])
            + "</p></li>"
            for n, w in enumerate(WORDS)
        )
        + "</ul>"
    )
    assert [row[1] for row in extract(tl.parse(page))[0].rows] == ["a", "a b", "a b c"] * 2


def test_every_feature_has_a_name_and_is_a_number():
    view = PageView.of(tl.parse(MENU + "<ul>" + goods("<li><a href={n}>{w}</a> {n}.20") + "</ul>"))
    found = candidates(view)
    assert found.features.shape == (len(found), len(NAMES))
    assert abs(found.features).max() < 1e6


def test_columns_hold_every_item_once():
    view = PageView.of(
        tl.parse(
            "<ul>" + goods("<li><img src=a.png>{w}<br>{w2} <b>{n}</b> x <a href=1>y</a>") + "</ul>"
        )
    )
    records = [(item.index,) for item in view.tree.select("li")]
    for record, row in zip(records, line_up(view, records), strict=True):
        assert sorted(node for nodes in row.values() for node in nodes) == view.items_in(record)


@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><td>" * 1000 + "x",
        "<ul>" + "<li><b>a</b> 1" * 50_000 + "</ul>",
        "<ul>"
        + "".join(f"<li class='c{n // 2}'><b>a</b> <i>{n}</i>" for n in range(20_000))
        + "</ul>",
        "<div>" + "<p>" * 5_000 + "<div><p>x</div>" * 50,
        "<script>var a = 1</script>",
        "<frameset><frame src=a.html><frame src=b.html></frameset>",
    ],
    ids=[
        "nested tables",
        "many rows",
        "rows of many classes",
        "empty paragraphs",
        "script only",
        "frames",
    ],
)
def test_pages_made_to_hurt_are_answered_in_bounded_time(page: str):
    tree = tl.parse(page, format="html")
    start = time.process_time()
    for table in extract(tree)[:1]:
        assert len(table.columns) == len(table.cells[0])
    assert time.process_time() - start < 20


def test_brackets_and_commas_go_with_their_neighbours():
    page = (
        "<ul>"
        + goods(
            "<li><h3>{w}</h3><p><span class=when>May {n}</span>, <span class=kind>leaf</span> (<a"
            " href=x class=site>tea.example</a>)</p></li>"
        )
        + "</ul>"
    )
    table = extract(tl.parse(page))[0]
    assert table.rows[0] == ["Assam", "May 1", "leaf", "tea.example"]
    assert [item.text for item in table.cells[0][3].items if item.kind == "text"] == [
        "(",
        "tea.example",
        ")",
    ]  # type: ignore[union-attr]


def test_a_list_far_down_is_found():
    table = extract(
        tl.parse(
            "<div>" * 3_000 + "<ul>" + goods("<li><a href={n}>{w}</a> <i>{n}.20</i>") + "</ul>"
        )
    )[0]
    assert [row[0] for row in table.rows] == WORDS


COMPARED = (
    "<table><tr><td></td><th><a href=a>Alpha</a></th><th><a href=b>Beta</a></th><th><a"
    " href=c>Gamma</a></th></tr>"
    "<tr><th>Price</th><td>€ 30.00</td><td>€ 45.50</td><td>€"
    " 61.00</td></tr><tr><th>Weight</th><td>1.2 kg</td><td>0.9 kg</td><td>2 kg</td></tr>"
    "<tr><th>Colour</th><td>red</td><td>sea"
    " blue</td><td>black</td></tr>"
    "<tr><th>Bluetooth</th><td>yes</td><td>no</td><td>yes</td></tr></table>"
)


def test_the_columns_of_a_comparison_table_are_records():
    tables = extract(tl.parse(MENU + COMPARED))
    table = tables[0]
    assert [column.name for column in table.columns] == [
        "name",
        "Price",
        "Weight",
        "Colour",
        "Bluetooth",
    ]
    assert table.rows[1] == ["Beta", "€ 45.50", "0.9 kg", "sea blue", "no"]
    assert [column.type for column in table.columns] == ["text", "price", "text", "text", "bool"]
    assert len(table.records[0]) == 5
    assert table.cells[2][0] is not None
    assert table.cells[2][0].link == "c"
    assert sum(len(other.records[0]) == 5 for other in tables) == 1


@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><th>Name<th>Price<th>Weight<th>New"
        + goods("<tr><td>{w}<td>€ {n}.20<td>{n} kg<td>yes")
        + "</table>",
        "<table><tr><th>Year<th>2024<th>2025<th>2026"
        + goods("<tr><th>{w}<td>{n}<td>2{n}<td>3{n}")
        + "</table>",
        "<table>" + goods("<tr><td>{w}<td>leaf<td>green<td>mild") + "</table>",
        (
            "<table><tr><td>Price<td colspan=2>€ 3<td>€ 4<tr><td>Weight<td>1 kg<td>2 kg<td>3"
            " kg<tr><td>Radio<td>yes<td>no<td>no</table>"
        ),
    ],
    ids=["rows are records", "numbers alone", "words alone", "cells over several columns"],
)
def test_other_tables_keep_their_rows(page: str):
    assert all(len(roots) == 1 for roots in extract(tl.parse(page))[0].records)


def test_a_value_that_is_a_link_in_some_records_is_one_column():
    names = [f"<a href=x>{word}</a>" if number % 2 else word for number, word in enumerate(WORDS)]
    rows = "".join(
        f"<tr><td>{name}<td>{number}.20<td><i>kg</i></tr>" for number, name in enumerate(names)
    )
    table = extract(tl.parse(f"<table><tr><th>Name<th>Price<th>Unit</tr>{rows}</table>"))[0]
    assert [row[0] for row in table.rows] == WORDS
    assert [column.name for column in table.columns] == ["Name", "Price", "Unit"]
    assert [cell.link for cell, *_ in table.cells if cell] == [None, "x"] * 3


def test_a_column_of_a_sure_list_is_no_list_of_its_own():
    rows = "".join(
        f"<li><a href=/{tea}>{tea}</a> <b>€{price}</b>"
        for tea, price in (("Assam", "3.20"), ("Sencha", "4.10"), ("Oolong", "5.00"))
    )
    tables = extract(f"<h1>Teas</h1><ul>{rows}</ul>")
    assert [table.rows for table in tables] == [
        [["Assam", "€3.20"], ["Sencha", "€4.10"], ["Oolong", "€5.00"]]
    ]
