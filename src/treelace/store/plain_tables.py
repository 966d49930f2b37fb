"""Tables of a page as the store keeps them: plain values with the identities of their nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treelace.store.database_values import database_value

if TYPE_CHECKING:
    from treelace.extract import Table
    from treelace.store.body import Body


@dataclass(frozen=True, slots=True)
class PlainRow:
    """A record on a page: its values by column, the XID of each column's cell, and its own."""

    values: Mapping[str, Any]
    nodes: Mapping[str, int]
    node: int


@dataclass(frozen=True, slots=True)
class PlainTable:
    """The columns of a table with their types, and its rows. Made where the page is at hand, so
    that whoever writes has nothing left to work out.
    """

    types: Mapping[str, str]
    rows: tuple[PlainRow, ...]

    @classmethod
    def of(cls, table: Table, body: Body) -> PlainTable:
        """What a table of a version says. O(cells)."""
        from treelace.extract.outputs.flat import flatten

        flat = flatten([table])
        xids = body.xids.of
        rows = []
        for number, cells in enumerate(table.cells):
            nodes = {
                column.name: int(xids[cell.node.index])
                for column, cell in zip(table.columns, cells, strict=True)
                if cell is not None
            }
            own = table.records[number] if table.records else ()
            node = int(xids[own[0].index]) if own else next(iter(nodes.values()), 0)
            rows.append(
                PlainRow(
                    {column.name: database_value(column.values[number]) for column in flat},
                    nodes,
                    node,
                )
            )
        return cls({column.name: column.type for column in flat}, tuple(rows))

    def links(self) -> Iterator[str]:
        """Where its records lead to."""
        names = [name for name in self.types if name.endswith(" link")]
        for row in self.rows:
            yield from (row.values[name] for name in names if row.values[name])


def plain_tables(tables: Sequence[Table], body: Body) -> tuple[PlainTable, ...]:
    """What the tables of a version say."""
    return tuple(PlainTable.of(table, body) for table in tables)


def rows_of(table: Table) -> list[dict[str, Any]]:
    """The values of an extracted table, record by record, as they are stored."""
    from treelace.extract.outputs.flat import flatten

    flat = flatten([table])
    return [
        {column.name: database_value(column.values[number]) for column in flat}
        for number in range(len(table))
    ]
