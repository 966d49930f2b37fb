"""Both sides of every bound that decides something a user of `extract` sees."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date, timedelta

import pytest

import treelace as tl
from treelace.extract import Table
from treelace.extract import table as table_module
from treelace.extract.explain import MAX_COMPARED_SIBLINGS, nearest_miss
from treelace.extract.locales import Locale
from treelace.extract.outputs import FlatColumn, marked_page, to_sqlite
from treelace.extract.outputs.marked import MAX_SHOWN_ROWS, MAX_SHOWN_TABLES
from treelace.extract.outputs.writers import MAX_SQLITE_COLUMNS
from treelace.extract.page import structured_data
from treelace.extract.page.page_view import PageView
from treelace.extract.page.structured_data import MAX_ITEM_DEPTH, structured_items
from treelace.extract.records.comparison_tables import (
    MAX_FIELDS,
    MAX_LABEL_LENGTH,
    comparison_records,
)
from treelace.extract.records.side_by_side import (
    MAX_CELLS_IN_A_ROW,
    grid_records,
    side_by_side_records,
)
from treelace.extract.structured_tables import structured_tables
from treelace.extract.table import MAX_CELL_WIDTH, MAX_NOTEBOOK_ROWS
from treelace.extract.table_kinds import KINDS
from treelace.extract.types.date import MAX_DATE_LENGTH
from treelace.extract.types.duration import MAX_DURATION_LENGTH
from treelace.extract.types.inference import column_type, column_values
from treelace.extract.types.number import MAX_NUMBER_LENGTH, decimal_mark
from treelace.extract.types.storage import INTEGER_BOUND, narrowest

PAGE = tl.parse("<p>any")


def table(*records: dict[str, str]) -> Table:
    return Table.from_records(PAGE, records)


# types


def test_98_texts_in_a_hundred_make_a_type():
    assert column_type(["7"] * 49 + ["many"]) == "number"
    assert column_type(["7"] * 48 + ["many"]) == "text"
    assert column_type(["2026-03-01"] * 49 + ["2026-02-30"]) == "date"
    assert column_type(["2026-03-01"] * 48 + ["2026-02-30"]) == "text"


def test_long_digits_are_a_code():
    assert column_type(["1" * MAX_NUMBER_LENGTH]) == "number"
    assert column_type(["1" * (MAX_NUMBER_LENGTH + 1)]) == "text"
    assert column_type(["0.5"]) == "number"
    assert column_type(["05"]) == "text"


@pytest.mark.parametrize(
    ("start", "end", "name", "most"),
    [
        ("Born:", "2026-03-01", "date", MAX_DATE_LENGTH),
        ("Time:", "45 min", "duration", MAX_DURATION_LENGTH),
    ],
)
def test_long_texts_are_sentences(start: str, end: str, name: str, most: int):
    spaces = " " * (most - len(start + end))
    assert column_type([start + spaces + end]) == name
    assert column_type([start + spaces + " " + end]) == "text"


def test_years_of_two_digits_start_at_1970():
    assert column_values(["31.12.69", "1.1.70"], "date") == [date(2069, 12, 31), date(1970, 1, 1)]


@pytest.mark.parametrize(
    ("tag", "order"),
    [
        ("en-CA", "YMD"),
        ("en-ZA", "YMD"),
        ("en-US", "MDY"),
        ("en-PH", "MDY"),
        ("en-PR", "MDY"),
        ("en-GB", "DMY"),
        ("en", None),
    ],
)
def test_english_has_three_orders_of_the_day(tag: str, order: str | None):
    assert Locale(tag).day_order == order


def test_a_number_with_both_marks_outweighs_nine_with_one():
    assert decimal_mark(["1.204,50", *["3.5"] * 9], Locale()) == ","
    assert decimal_mark(["1.204,50", *["3.5"] * 10], Locale("en")) == "."
    assert decimal_mark(["1.204,50", *["3.5"] * 10], Locale("de")) == ","
    assert decimal_mark(["1.204,50", *["3.5"] * 11], Locale("de")) == "."


def test_integers_have_64_bits():
    assert narrowest("n", [INTEGER_BOUND - 1, -INTEGER_BOUND]).type == "integer"
    assert narrowest("n", [INTEGER_BOUND]).type == "number"
    assert narrowest("n", [-INTEGER_BOUND - 1]).type == "number"


def test_a_duration_has_no_unit_twice_and_no_overflow():
    assert column_values(["1 h 2 min", "1 h 2 h"], "duration") == [timedelta(minutes=62), None]
    assert column_values(["P999999999D", "P1000000000D"], "duration") == [
        timedelta.max.days * timedelta(days=1),
        None,
    ]


# what is shown and written


def test_long_cells_are_cut_in_a_terminal():
    whole, cut = "x" * MAX_CELL_WIDTH, "x" * (MAX_CELL_WIDTH + 1)
    shown = str(table({"a": whole}, {"a": cut})).split("\n")
    assert shown[-2] == whole
    assert shown[-1] == "x" * (MAX_CELL_WIDTH - 1) + "…"


def test_long_tables_are_cut_in_a_notebook():
    rows = [{"a": "x"}] * MAX_NOTEBOOK_ROWS
    assert "more row" not in table(*rows)._repr_html_()
    assert "… 1 more row<" in table(*rows, {"a": "x"})._repr_html_()


def test_a_large_page_is_not_shown_in_a_notebook(monkeypatch: pytest.MonkeyPatch):
    page = tl.parse("<ul><li><b>tea</b> <i>3</i><li><b>milk</b> <i>2</i></ul>")
    found = tl.extract(page)[0]
    monkeypatch.setattr(table_module, "MAX_NOTEBOOK_NODES", len(page))
    assert "<iframe" in found._repr_html_()
    monkeypatch.setattr(table_module, "MAX_NOTEBOOK_NODES", len(page) - 1)
    assert "<iframe" not in found._repr_html_()


@pytest.mark.parametrize(("count", "said"), [(MAX_SHOWN_ROWS, False), (MAX_SHOWN_ROWS + 1, True)])
def test_long_tables_are_cut_on_a_marked_page(count: int, said: bool):
    rows = "".join(f"<li><b>tea {n}</b> <i>{n}</i></li>" for n in range(count))
    page = tl.parse(f"<ul>{rows}</ul>")
    assert ("… 1 more row<" in marked_page(page, tl.extract(page)[:1])) is said


def test_a_marked_page_shows_a_few_tables():
    lists = "".join(
        f"<ul class=l{n}><li><b>tea</b> <i>{n}</i><li><b>jam</b> <i>{n}{n}</i></ul>"
        for n in range(MAX_SHOWN_TABLES + 1)
    )
    page = tl.parse(lists)
    found = {it.records[0][0].index: it for it in tl.extract(page, most=99) if len(it) == 2}
    apart = [found[li.index] for li in page.select("li:first-child") if li.index in found]
    assert len(apart) == MAX_SHOWN_TABLES + 1
    assert marked_page(page, apart[:-1]).count("<h2>") == MAX_SHOWN_TABLES
    assert marked_page(page, apart).count("<h2>") == MAX_SHOWN_TABLES


@pytest.mark.parametrize("count", [MAX_SQLITE_COLUMNS, MAX_SQLITE_COLUMNS + 1])
def test_sqlite_takes_so_many_columns(count: int):
    columns = [FlatColumn(f"c{n}", "integer", (n,)) for n in range(count)]
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(to_sqlite(columns))
        (row,) = database.execute("SELECT * FROM records").fetchall()
    assert row == tuple(range(MAX_SQLITE_COLUMNS))


# kinds of tables


def linked(text: str, beside: str = "") -> str:
    return f"<li><a href=/x>{text}</a><p>{beside}</p>"


def test_half_of_the_products_have_a_price():
    tea, jam = {"a": "tea", "b": "€3"}, {"a": "jam", "b": "soon"}
    assert KINDS["products"](table(tea, jam))
    assert not KINDS["products"](table(tea, jam, jam))


def test_events_have_a_day_and_words():
    fair, free = {"a": "Tea fair", "b": "2026-03-01"}, {"a": "Jam day", "b": "soon"}
    assert KINDS["events"](table(fair, free))
    assert not KINDS["events"](table(fair, free, free))
    assert KINDS["events"](table({"a": "Fai", "b": "2026-03-01"}))
    assert not KINDS["events"](table({"a": "Fa", "b": "2026-03-01"}))


def kind_of_lists(rows: list[str], kind: str) -> bool:
    page = tl.parse(f"<ul>{''.join(rows)}</ul>")
    records = [
        {"a": row.select("a")[0], "b": row.select("p")[0].text or None} for row in page.select("li")
    ]
    return KINDS[kind](Table.from_records(page, records))


def test_a_paragraph_makes_an_article():
    assert kind_of_lists([linked("Tea", "x" * 80)], "articles")
    assert not kind_of_lists([linked("Tea", "x" * 79)], "articles")


def test_links_have_little_beside_them():
    assert kind_of_lists([linked("Tea", "x" * 19)], "links")
    assert not kind_of_lists([linked("Tea", "x" * 20)], "links")
    bare, more = linked("Tea"), linked("Tea", "x" * 20)
    assert kind_of_lists([bare] * 4 + [more], "links")
    assert not kind_of_lists([bare] * 3 + [more], "links")


# records that are not one element each


def rows_of(page: tl.Tree) -> list[tuple[int, ...]]:
    return [(row.index,) for row in page.select("tr")]


def is_comparison(rows: list[str]) -> bool:
    page = tl.parse(f"<table>{''.join(rows)}</table>")
    return comparison_records(PageView.of(page), rows_of(page)) is not None


COMPARED = ["<tr><td><th>A<th>B", "<tr><th>Price<td>€3<td>€4", "<tr><th>Radio<td>yes<td>no"]


def test_labels_of_a_comparison_are_short():
    assert is_comparison([*COMPARED, f"<tr><th>{'x' * MAX_LABEL_LENGTH}<td>3 kg<td>2 kg"])
    assert not is_comparison([*COMPARED, f"<tr><th>{'x' * (MAX_LABEL_LENGTH + 1)}<td>3 kg<td>2 kg"])


def test_a_comparison_has_not_too_many_fields():
    units = [f"<tr><th>Size {'i' * n}<td>3 {'g' * n}<td>2 {'g' * n}" for n in range(1, 40)]
    more = [f"<tr><th>Y {n}<td>3 a{'b' * (n % 9)}{n}<td>2 a{'b' * (n % 9)}{n}" for n in range(99)]
    rows = [*COMPARED, *units, *more]
    assert is_comparison(rows[:MAX_FIELDS])
    assert not is_comparison(rows[: MAX_FIELDS + 1])


@pytest.mark.parametrize(
    ("other", "agrees"), [("€4 €5 €6", True), ("€4 €5 soon", True), ("€4 soon maybe9", False)]
)
def test_fields_of_a_comparison_agree(other: str, agrees: bool):
    cells = "".join(f"<td>{text}" for text in ["€3", *other.split()])
    page = [
        "<tr><td><th>A<th>B<th>C<th>D",
        f"<tr><th>Price{cells}",
        "<tr><th>In<td>1 kg<td>2 kg<td>3 kg<td>4 lb",
    ]
    assert is_comparison(page) is agrees


@pytest.mark.parametrize("count", [MAX_CELLS_IN_A_ROW, MAX_CELLS_IN_A_ROW + 1])
def test_rows_of_records_have_not_too_many_cells(count: int):
    is_few = count == MAX_CELLS_IN_A_ROW
    lines = ["".join(f"<td>{text}{'x' * (n % 3)}" for n in range(count)) for text in ("Tea", "€3 ")]
    lines[1] = "<td>€3" * count
    page = tl.parse(f"<table><tr>{lines[0]}<tr>{lines[1]}</table>")
    group = tuple(index for (index,) in rows_of(page))
    assert (side_by_side_records(PageView.of(page), [group]) is not None) is is_few
    cells = "<td><a href=/1>Tea</a><p>€3</p>" * count
    page = tl.parse(f"<table><tr>{cells}<tr>{cells}</table>")
    assert (grid_records(PageView.of(page), rows_of(page)) is not None) is is_few


# names, structured data, explanations


@pytest.mark.parametrize(("length", "name"), [(30, "x" * 30), (31, "details")])
def test_short_labels_name_columns(length: int, name: str):
    rows = "".join(f"<li><b>tea {n}</b> <i>{'x' * length}: a{n}</i>" for n in "abc")
    assert name in [column.name for column in tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0].columns]


def test_items_in_items_are_followed_so_deep():
    def deep(levels: int) -> str:
        return '{"a":' * levels + '"x"' + "}" * levels

    def names(levels: int) -> list[str]:
        said = f'{{"@type": "T", "n": "1", "b": {deep(levels)}}}'
        page = tl.parse(f'<script type="application/ld+json">{said}</script>')
        return [one.name for item in structured_items(page) for one in item.statements]

    assert len(names(MAX_ITEM_DEPTH - 1)) == 2
    assert len(names(MAX_ITEM_DEPTH)) == 1


def test_so_many_items_are_read(monkeypatch: pytest.MonkeyPatch):
    page = tl.parse("<p itemscope itemtype=T><b itemprop=n>1</b></p>" * 3)
    monkeypatch.setattr(structured_data, "MAX_ITEMS", 3)
    assert len(structured_items(page)) == 3
    monkeypatch.setattr(structured_data, "MAX_ITEMS", 2)
    assert len(structured_items(page)) == 2
    assert len(structured_tables(page)[0]) == 2


@pytest.mark.parametrize(("told", "name"), [(3, "brand"), (2, "title")])
def test_six_texts_in_ten_must_be_said_to_name_a_column(told: int, name: str):
    brands = ["Assam", "Sencha", "Darjeeling", "Oolong", "Matcha"]
    rows = "".join(f"<li><h3>{brand}</h3><p>{n}</p>" for n, brand in enumerate(brands))
    said = [{"@type": "Product", "brand": brand} for brand in brands[:told]]
    page = tl.parse(
        f'<script type="application/ld+json">{said}</script><ul>{rows}</ul>'.replace("'", '"')
    )
    assert tl.extract(page)[0].columns[0].name == name


@pytest.mark.parametrize("before", [MAX_COMPARED_SIBLINGS - 2, MAX_COMPARED_SIBLINGS - 1])
def test_the_nearest_miss_is_looked_for_among_so_many_siblings(before: int):
    filler = "".join(f"<br id=x{n}>" for n in range(before))
    said = nearest_miss(tl.parse(f"<body>{filler}<p>one<section>two"))
    assert ("are" in said and "alike" in said) is (before == MAX_COMPARED_SIBLINGS - 2)
