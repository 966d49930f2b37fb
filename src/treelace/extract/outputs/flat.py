"""Tables as plain typed columns, for CSV, JSON lines, Parquet, SQLite, Arrow and pandas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treelace.extract.cells.cell import Cell
from treelace.extract.outputs.table_data import TableData
from treelace.extract.types import TEXT, ColumnType, FlatColumn, type_named
from treelace.named import unique_names

__all__ = ["FlatColumn", "flatten"]


def flatten(tables: Sequence[TableData], *, pages: Sequence[str] | None = None) -> list[FlatColumn]:
    """The columns of these tables, one below the other; equal names are one column.

    A column `price` of type price becomes `price` (a number), `price currency` and `price text`;
    every other column that is not text keeps its raw text beside it too (`born`, `born text`), and
    one with links has `… link`. `pages` names the page of each table, in a column `page`. Columns
    whose types do not go together over the tables are text.

    >>> import treelace as tl
    >>> page = tl.parse("<ul><li><b>tea</b> <i>€ 3</i><li><b>milk</b> <i>€ 2</i></ul>")
    >>> flat = flatten(tl.extract(page)[:1])
    >>> [(column.name, column.type, column.values) for column in flat][1:3]
    [('price', 'number', (3.0, 2.0)), ('price currency', 'text', ('€', '€'))]
    """
    kinds: dict[str, set[str]] = {}
    for column in (column for table in tables for column in table.columns):
        kinds.setdefault(column.name, set()).add(column.type)
    places = [
        {column.name: number for number, column in reversed(list(enumerate(table.columns)))}
        for table in tables
    ]
    made: list[FlatColumn] = []
    if pages is not None:
        made.append(
            FlatColumn(
                "page",
                "text",
                tuple(page for page, table in zip(pages, tables, strict=True) for _ in table.cells),
            )
        )
    for name, its in kinds.items():
        made += _parts(
            name,
            its,
            [
                cell
                for table, place in zip(tables, places, strict=True)
                for cell in _cells(table, place.get(name))
            ],
        )
    return _with_names_once(made)


def _cells(table: TableData, number: int | None) -> list[Cell | None]:
    return [None if number is None else row[number] for row in table.cells]


def _parts(name: str, types: set[str], cells: list[Cell | None]) -> list[FlatColumn]:
    """The column with its companions, its raw text unless it is text itself, and its links."""
    values = [None if cell is None else cell.value for cell in cells]
    texts = tuple(None if cell is None else cell.text for cell in cells)
    made = _common_type(types).store(name, values, texts)
    if made[0].type != "text":
        made.append(FlatColumn(f"{name} text", "text", texts))
    links = tuple(None if cell is None else cell.link for cell in cells)
    if any(link is not None for link in links):
        made.append(FlatColumn(f"{name} link", "text", links))
    return made


def _common_type(names: set[str]) -> ColumnType:
    """The type that columns of one name share over several tables; text where they do not."""
    types = [type_named(name) for name in sorted(names)]
    for one in types:
        if names == {one.name, one.stores_also}:
            return one
    return types[0] if len(types) == 1 or all(it.is_plain_number for it in types) else TEXT


def _with_names_once(columns: list[FlatColumn]) -> list[FlatColumn]:
    """Numbers a name that is there already: a page's own column may be called `price text`."""
    names = unique_names(column.name for column in columns)
    return [
        column if column.name == name else replace(column, name=name)
        for name, column in zip(names, columns, strict=True)
    ]
