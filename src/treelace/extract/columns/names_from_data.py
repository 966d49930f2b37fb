"""Better names for the columns of found tables, by what the page says about itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treelace.extract.cells.cell import Cell
from treelace.extract.page.structured_data import StructuredItem, common_items
from treelace.extract.table import Table
from treelace.extract.types import Price

MIN_SHARE_SAID = 0.6
"""Share of a column's texts that must be said by one property before the column takes its name."""

_UNNAMING_PROPERTIES = frozenset(
    ["position", "url", "type", "priceCurrency", "offers.priceCurrency", "image", "id"]
)
"""Properties that name no column: they repeat, or are addresses."""


def named_by_data(tables: Sequence[Table], items: Sequence[StructuredItem]) -> list[Table]:
    """Tables with columns named after the JSON-LD property that says the same texts."""
    described = [
        group
        for (source, _), group in common_items(items).items()
        if source == "json-ld" and len(group) > 1
    ]
    return [_renamed(table, described) for table in tables] if described else list(tables)


def _renamed(table: Table, described: Sequence[Sequence[StructuredItem]]) -> Table:
    names = [column.name for column in table.columns]
    for number in range(len(names)):
        cells = [row[number] for row in table.cells if row[number] is not None]
        keys = [_key(cell) for cell in cells if cell is not None]
        best, found = MIN_SHARE_SAID * len(table), ""
        for group in described:
            said: dict[str, set[str]] = {}
            for item in group:
                for one in item.statements:
                    if one.name not in _UNNAMING_PROPERTIES:
                        said.setdefault(one.name, set()).add(_plain(one.text))
            for name, texts in said.items():
                count = sum(key in texts for key in keys)
                if count >= best and len(set(keys)) > 1:
                    best, found = count + 0.5, name.rsplit(".", 1)[-1]
        if found and found not in names:
            names[number] = found
    if names == [column.name for column in table.columns]:
        return table
    return replace(
        table,
        columns=tuple(
            replace(column, name=name) for column, name in zip(table.columns, names, strict=True)
        ),
    )


def _key(cell: Cell) -> str:
    value = cell.value
    return _plain(str(value.amount)) if isinstance(value, Price) else _plain(cell.text)


def _plain(text: str) -> str:
    """A text to be compared: small letters, single spaces, numbers without noughts at the end."""
    text = " ".join(text.lower().split())
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
