"""Rows of several tables that have not the same headers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import treelace as tl


def table_of(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{it}</th>" for it in heads)
    body = "".join("<tr>" + "".join(f"<td>{it}</td>" for it in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def rows_together(page: str, count: int) -> list[dict[str, object]]:
    table = next(table for table in tl.extract(tl.parse(page), most=100) if len(table) == count)
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


FIRST = table_of(["target", "notes"], [(f"arm-{n}", f"Linux kernel {n}") for n in range(8)])
SECOND = table_of(
    ["target", "std", "host", "notes"],
    [
        (f"riscv-{n}", "✓*?"[n % 3], f"cpu {n % 4}" if n % 2 else "", f"Board number {n}")
        for n in range(20)
    ],
)


@pytest.mark.parametrize("page", [FIRST + "<h2>More</h2>" + SECOND, SECOND + "<p>and</p>" + FIRST])
def test_a_cell_stands_below_its_header_though_its_table_leaves_columns_out(page: str):
    """The notes of the smaller table stood in the column `std` of the other."""
    rows = {row["target"]: row for row in rows_together(page, 28)}
    heads = ("std", "host", "notes")
    assert [rows["arm-3"][head] for head in heads] == [None, None, "Linux kernel 3"]
    assert [rows["riscv-1"][head] for head in heads] == ["*", "cpu 1", "Board number 1"]


def test_a_year_in_the_header_of_each_table_is_no_column():
    tables = [
        table_of([str(year), "papers"], [(f"May {n}", f"Minutes {year} {n}") for n in range(1, 9)])
        for year in (2017, 2018)
    ]
    rows = rows_together("<h2>Meetings</h2>".join(tables), 16)
    assert all(None not in list(row.values())[:2] for row in rows)


def test_what_stands_in_a_row_and_in_no_cell_is_not_lost():
    """Browsers never make such a tree, XML may be one."""
    page = (FIRST + SECOND).replace("<tr><td>arm-3", "<tr><b>new</b><td>arm-3")
    tables = tl.extract(tl.parse(f"<page>{page}</page>", format="xml"), most=100, all_columns=True)
    rows = next(table.rows for table in tables if len(table) >= 28)
    assert any("new" in str(row) for row in rows)
