"""What columns are called where classes say nothing, and records that stand side by side in rows of
cells.
"""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.extract.page.page_view import PageView
from treelace.extract.records.side_by_side import grid_records, side_by_side_records
from treelace.testing.shop import open_shop

THINGS = [
    ("Tea", "€3.20", "2026-03-01", "Replies: 2"),
    ("Milk", "€1.10", "2026-03-02", "Replies: 14"),
    ("Jam", "€2.75", "2026-03-05", "Replies: 0"),
]


def names(rows: str) -> list[str]:
    return [column.name for column in tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0].columns]


def test_columns_without_a_name_of_their_own_are_called_by_what_they_hold():
    rows = "".join(
        f"<li><div><a href=/{n}>{n}</a></div><p>{p}</p><span>{d}</span><em>{r}</em></li>"
        for n, p, d, r in THINGS
    )
    assert names(rows) == ["title", "price", "date", "Replies"]


def test_the_page_s_own_words_come_first():
    rows = "".join(
        f"<li><h3>{n}</h3><a href=/{n}>about {n}</a><p class=cost>{p}</p><time>{d}</time></li>"
        for n, p, d, _ in THINGS
    )
    assert names(rows) == ["title", "text", "cost", "time"]


def test_links_that_all_say_the_same_are_no_titles():
    rows = "".join(f"<li><p>{n}</p><a href=/{n}>more</a></li>" for n, *_ in THINGS)
    assert "title" not in names(rows)


@pytest.mark.parametrize(
    "day",
    [open_shop().days[0], open_shop().days[2], open_shop().redesign],
    ids=["first", "third", "redesigned"],
)
def test_records_in_rows_of_cells_are_told_apart(day):
    table = tl.extract(tl.parse(day.page("/gifts")))[0]
    assert table.rows == [[product.name, product.price] for product in day.gifts]
    assert [column.type for column in table.columns] == ["text", "price"]


def lanes(rows: str, size: int) -> list[list[str]] | None:
    page = tl.parse(f"<table>{rows}</table>")
    found = [row.index for row in page.select("tr")]
    made = side_by_side_records(
        PageView.of(page), [tuple(found[at : at + size]) for at in range(0, len(found), size)]
    )
    return made and [[page[cell].text for cell in record] for record in made.records]


def test_a_record_of_two_rows_is_one_record():
    classes = "".join(
        f"<tr><td class=n>{n}<td class=p>{p}<tr><td class=d>{d}<td class=r>{r}"
        for n, p, d, r in THINGS
    )
    plain = "".join(f"<tr><td>{n}<td>{p}<tr><td>{d}<td>{r}" for n, p, d, r in THINGS)
    assert lanes(classes, 2) is None and lanes(plain, 2) is None


def test_a_last_row_that_is_not_full_keeps_its_records():
    names_and_prices = [f"<td>thing {n}" for n in range(7)], [f"<td>€{n}.50" for n in range(7)]
    rows = "".join(
        f"<tr>{''.join(part[at : at + 3])}" for at in (0, 3, 6) for part in names_and_prices
    )
    assert lanes(rows, 2) == [[f"thing {n}", f"€{n}.50"] for n in range(7)]


def test_what_a_program_made_of_a_class_is_no_name():
    rows = "".join(
        f"<li><b class='OfferTitle-ejgREu eFKTtX'>{n}</b><i class=kfKhmg>{p}</i></li>"
        for n, p, *_ in THINGS
    )
    assert names(rows) == ["title", "price"]


def test_a_grid_is_read_cell_by_cell():
    cell = "<td><a href=/{0}><img src={0}.png></a><p><a href=/{0}>{0}</a></p><p>€{1}.50</p></td>"
    rows = "".join(
        f"<tr>{''.join(cell.format(f'thing {n}', n) for n in range(at, min(at + 3, 7)))}</tr>"
        for at in (0, 3, 6)
    )
    page = tl.parse(f"<table>{rows}</table>")
    assert [row[-1] for row in tl.extract(page)[0].rows] == [f"€{n}.50" for n in range(7)]
    table = "".join(
        f"<tr><td><a href=/{n}>{n}</a> <b>new</b></td><td>{p} <i>each</i></td></tr>"
        for n, p, *_ in THINGS
    )
    assert (
        grid_records(
            PageView.of(tl.parse(f"<table>{table}</table>")),
            [(row.index,) for row in tl.parse(f"<table>{table}</table>").select("tr")],
        )
        is None
    )


def test_a_price_and_its_cents_are_one_cell():
    rows = "".join(
        f"<li><h3>thing {n}</h3><div class=price>{n}69,<span"
        f" class=decimal>0{n}</span></div><p>({n})</p></li>"
        for n in range(1, 5)
    )
    table = tl.extract(tl.parse(f"<html lang=de><ul>{rows}</ul>"))[0]
    assert [row[1] for row in table.rows] == ["169,01", "269,02", "369,03", "469,04"]


def test_class_words_that_say_how_a_thing_looks_are_no_names():
    rows = "".join(
        f"<li><h3>{n}</h3><p class='margin-none underline'>{d} here</p>"
        f"<i class=fluid>by {n}</i></li>"
        for n, _, d, _ in THINGS
    )
    assert names(rows) == ["title", "text", "text 2"]


def test_a_header_names_its_column_without_a_colon_and_without_its_explanation():
    rows = "".join(f"<tr><td>{n}</td><td>{p}</td></tr>" for n, p, *_ in THINGS)
    heads = f"<tr><th>Case name:</th><th>Fee<span>{'what it means, ' * 9}</span></th></tr>"
    table = tl.extract(tl.parse(f"<table>{heads}{rows}</table>"))[0]
    assert [column.name for column in table.columns] == ["Case name", "Fee"]
