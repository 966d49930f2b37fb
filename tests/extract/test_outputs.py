"""Tables read by others: CSV, JSON lines, SQLite, Parquet; pandas, Polars and DuckDB through the
Arrow stream; lxml.
"""

from __future__ import annotations

import csv
import gc
import json
import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treelace as tl
from treelace.extract.outputs import FlatColumn, flatten, to_csv, to_jsonl, to_parquet, to_sqlite
from treelace.extract.outputs import arrow as arrow_module
from treelace.extract.outputs.arrow import ArrowColumns
from treelace.extract.outputs.pandas import to_pandas

PAGE = (
    "<html lang=de><table><tr><th>Name<th>Preis<th>Stück<th>Seit<th>Anteil"
    "<tr><td><a href=/t>Tee</a><td>3,20 €<td>12<td>2026-11-15<td>12,5 %"
    "<tr><td><a href=/m>Milch</a><td>1.110,00 €<td>7<td>2025-01-31<td>7 %"
    "<tr><td><a>Brot</a><td>2,75 €<td><td>2024-02-29<td>80 %</table>"
)


@pytest.fixture
def table() -> tl.Table:
    return tl.extract(tl.parse(PAGE), url="https://shop.example/")[0]


def test_the_flat_columns(table: tl.Table) -> None:
    columns = {column.name: (column.type, column.values) for column in flatten([table])}
    assert columns["Name"] == ("text", ("Tee", "Milch", "Brot"))
    assert columns["Name link"] == (
        "text",
        ("https://shop.example/t", "https://shop.example/m", None),
    )
    assert columns["Preis"] == ("number", (3.2, 1110.0, 2.75))
    assert columns["Preis currency"] == ("text", ("€", "€", "€"))
    assert columns["Preis text"] == ("text", ("3,20 €", "1.110,00 €", "2,75 €"))
    assert columns["Stück"] == ("integer", (12, 7, None))
    assert columns["Seit"] == ("date", (date(2026, 11, 15), date(2025, 1, 31), date(2024, 2, 29)))
    assert columns["Anteil"] == ("number", (12.5, 7.0, 80.0))


def test_tables_of_several_pages_stand_one_below_the_other(table: tl.Table) -> None:
    other = table.choose(["Name", "Preis=Price"])
    columns = {column.name: column.values for column in flatten([table, other], pages=["a", "b"])}
    assert columns["page"] == ("a",) * 3 + ("b",) * 3
    assert columns["Name"] == ("Tee", "Milch", "Brot") * 2
    assert columns["Preis"] == (3.2, 1110.0, 2.75, None, None, None)
    as_text = replace(
        table, columns=tuple(replace(column, type="text") for column in table.columns)
    )
    assert {column.name: column.type for column in flatten([table, as_text])}["Preis"] == "text"


def test_csv_and_json_lines(table: tl.Table) -> None:
    rows = list(csv.DictReader(to_csv(flatten([table])).splitlines()))
    assert rows[2]["Name"] == "Brot"
    assert rows[2]["Stück"] == rows[2]["Name link"] == ""
    assert rows[0]["Seit"] == "2026-11-15"
    lines = [json.loads(line) for line in to_jsonl(flatten([table])).splitlines()]
    assert lines[1]["Preis"] == 1110.0
    assert lines[2]["Stück"] is None
    assert to_csv([]) == to_jsonl([]) == ""


def test_sqlite(table: tl.Table, tmp_path: Path) -> None:
    file = tmp_path / "shop.sqlite"
    file.write_bytes(to_sqlite(flatten([table])))
    database = sqlite3.connect(file)
    assert database.execute(
        'SELECT sum("Preis"), min("Seit"), typeof(max("Stück")) FROM records'
    ).fetchall() == [(1115.95, "2024-02-29", "integer")]
    database.close()
    assert to_sqlite([])[:6] == b"SQLite"
    same = [
        FlatColumn("a", "text", ("x",)),
        FlatColumn("A", "text", ("y",)),
        FlatColumn('q"q', "text", ("z",)),
    ]
    file.write_bytes(to_sqlite(same))
    database = sqlite3.connect(file)
    assert database.execute("SELECT * FROM records").fetchall() == [("x", "y", "z")]
    database.close()


def moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


ALL = (
    FlatColumn("text", "text", ("tea", None, "ä€😀", "")),
    FlatColumn("integer", "integer", (1, None, -(2**63), 2**63 - 1)),
    FlatColumn("number", "number", (1.5, None, -0.25, 1e300)),
    FlatColumn("bool", "bool", (True, None, False, True)),
    FlatColumn("date", "date", (date(2026, 11, 15), None, date(1, 1, 1), date(1969, 12, 31))),
    FlatColumn(
        "time",
        "timestamp",
        tuple(map(moment, ("2026-11-15T10:30", "", "1901-01-01", "1970-01-01T00:00:00.000001"))),
    ),
    FlatColumn(
        "moment",
        "timestamp in UTC",
        (datetime(2026, 11, 15, 10, tzinfo=UTC), None, None, datetime(1999, 1, 1, tzinfo=UTC)),
    ),
    FlatColumn("long", "duration", (timedelta(minutes=80), None, timedelta(0), timedelta(days=-1))),
    FlatColumn("whole", "integer", (1, 2, 3, 4)),
)


def rows(columns: tuple[FlatColumn, ...]) -> list[tuple[Any, ...]]:
    return list(zip(*(column.values for column in columns), strict=True))


def test_polars_reads_the_stream() -> None:
    frame = polars.DataFrame(ArrowColumns(ALL))
    assert frame.rows() == rows(ALL)
    assert str(frame.schema["moment"]).count("UTC") == 1


def test_duckdb_reads_the_stream(table: tl.Table) -> None:
    columns = ArrowColumns(ALL)
    answer = duckdb.sql(
        "SELECT text, integer, number, bool, date, time, long, whole FROM columns"
    ).fetchall()
    assert answer == [row[:6] + row[7:] for row in rows(ALL)]
    goods = table  # noqa: F841 - DuckDB finds it by its name
    assert duckdb.sql(
        'SELECT "Name", "Preis" FROM goods ORDER BY "Preis" DESC LIMIT 1'
    ).fetchall() == [("Milch", 1110.0)]
    assert columns.columns == ALL


def test_parquet(tmp_path: Path) -> None:
    file = tmp_path / "all.parquet"
    file.write_bytes(to_parquet(ALL))
    assert polars.read_parquet(file).rows() == rows(ALL)
    assert duckdb.sql(f"SELECT count(*), sum(number) FROM '{file}'").fetchall()[0][0] == 4


def test_pandas(table: tl.Table) -> None:
    frame = to_pandas(ALL)
    assert str(frame["integer"].dtype) == "Int64"
    assert frame["integer"][3] == 2**63 - 1
    assert str(frame["bool"].dtype) == "boolean"
    assert frame["date"][0] == pandas.Timestamp(2026, 11, 15)
    assert frame["moment"][0] == pandas.Timestamp("2026-11-15 10:00", tz="UTC")
    assert frame["long"][0] == pandas.Timedelta(minutes=80)
    assert frame.isna().sum().tolist() == [1, 1, 1, 1, 1, 1, 2, 1, 0]
    assert table.to_pandas()["Preis"].sum() == 1115.95
    assert table.to_pandas()["Name"].tolist() == ["Tee", "Milch", "Brot"]


def test_pandas_reads_the_stream_where_pyarrow_is(table: tl.Table) -> None:
    pytest.importorskip("pyarrow", reason="pandas reads Arrow streams through pyarrow")
    assert pandas.DataFrame.from_arrow(table)["Preis"].sum() == 1115.95


def test_no_stream_leaves_anything_behind(table: tl.Table) -> None:
    gc.collect()
    kept, streams = len(arrow_module._KEPT), len(arrow_module._STREAMS)
    table.__arrow_c_stream__()  # never read
    frame = polars.DataFrame(table)
    part = frame["Preis"]
    del frame
    assert part.sum() == 1115.95  # a column outlives its table
    del part
    gc.collect()
    assert (len(arrow_module._KEPT), len(arrow_module._STREAMS)) == (kept, streams)


def test_a_frame_that_is_alive_at_exit_does_no_harm() -> None:
    program = (
        "import polars, duckdb, treelace as tl\ngoods = tl.extract(tl.parse('<ul><li><b>tea</b>"
        " <i>3</i><li><b>milk</b> <i>2</i></ul>'))[0]\nframe = polars.DataFrame(goods); relation ="
        " duckdb.sql('FROM goods'); stream = goods.__arrow_c_stream__()\nprint(frame.height)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


VALUES = {
    "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "bool": st.booleans(),
    "date": st.dates(),
}


@settings(max_examples=60)
@given(st.data(), st.integers(0, 20))
def test_what_goes_into_the_stream_comes_out(data: st.DataObject, length: int) -> None:
    columns = tuple(
        FlatColumn(
            kind,
            kind,
            tuple(data.draw(st.lists(st.none() | values, min_size=length, max_size=length))),
        )  # type: ignore[arg-type]
        for kind, values in VALUES.items()
    )
    assert polars.DataFrame(ArrowColumns(columns)).rows() == rows(columns)


def test_a_cell_is_an_lxml_element_and_has_its_paths(table: tl.Table) -> None:
    cell = table.cells[1][0]
    assert cell is not None
    assert cell.xpath == cell.node.xpath
    assert cell.node.tree.select(cell.css or "")[0] == cell.node
    document = cell.node.tree.to_lxml()
    element = cell.to_lxml(document)
    assert (element.tag, element.text) == ("a", "Milch")
    assert cell.to_lxml(document) is element
    assert cell.to_lxml().text == "Milch"
