"""Table: the records of one region of a page, in columns; every cell knows where it is from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from treelace import look
from treelace.errors import UsageError
from treelace.extract.cells.cell import Cell, Column, Grid, Item
from treelace.extract.cells.value_text import value_text
from treelace.named import unique_names
from treelace.tree import Node, Tree

if TYPE_CHECKING:  # types bring every language along
    from treelace.extract.types import ColumnType

__all__ = ["Cell", "Column", "Item", "Table"]

MAX_CELL_WIDTH = 48
"""Characters of a cell that `str(table)` shows."""

MIN_CELL_WIDTH = 12
"""Characters that a column keeps in a narrow terminal."""

MAX_NOTEBOOK_ROWS = 200
"""Rows that a notebook shows."""

MAX_NOTEBOOK_NODES = 50_000
"""Nodes of a page up to which a notebook shows the page too, with the records marked."""


@dataclass(frozen=True, slots=True)
class Table:
    """Records of one region. `cells[r][c]` is the cell of record r in column c, None where the
    record has none.

    `records[r]` are the nodes of record r: mostly one, several where a record is made of siblings.
    `place` names the element around them all; `confidence` says how sure it is that this is what a
    person would want from the page. `full` is the same table with the columns that were left out
    (copies, buttons, labels), None where none could be; `left_out` are their numbers there.
    """

    columns: Sequence[Column]
    cells: Sequence[tuple[Cell | None, ...]]
    place: str
    confidence: float
    records: Sequence[tuple[Node, ...]] = ()
    full: Table | None = field(default=None, compare=False)
    left_out: Sequence[int] = field(default=(), compare=False)

    @classmethod
    def from_records(cls, page: Tree, records: Iterable[Mapping[str, object]]) -> Table:
        """A table of plain records that someone's own code found on a page: columns in the order
        they first come up, types found as in every other table.

        A value that is a node of the page is its text, and knows its place (and where it leads, if
        it is a link); anything else is the text it prints as, and stands nowhere in particular.
        None is no value.

        >>> import treelace as tl
        >>> page = tl.parse("<ul><li><b>Assam</b> €4.20<li><b>Sencha</b> €6.00</ul>")
        >>> rows = [(row.select("b")[0], row.text.split()[-1]) for row in page.select("li")]
        >>> tl.Table.from_records(page, [{"name": name, "price": price} for name, price in rows])
        <Table: 2 rows × 2 columns (name, price) in html>
        """
        from treelace.extract.locales import locale_of
        from treelace.extract.types.inference import typed_cells

        rows = [dict(record) for record in records]
        root = next((node for node in page.document.children if node.is_element), page.document)
        columns, cells = [], []
        for name in dict.fromkeys(name for row in rows for name in row):
            kind, made = typed_cells([_cell(root, row.get(name)) for row in rows], locale_of(page))
            columns.append(Column(str(name), kind))
            cells.append(made)
        return cls(tuple(columns), tuple(zip(*cells, strict=True)), root.tag, 1.0)

    @property
    def with_all_columns(self) -> Table:
        """The table with every column of its records."""
        return self.full or self

    @property
    def rows(self) -> list[list[str | None]]:
        """The texts, row by row."""
        if isinstance(self.cells, Grid):
            return self.cells.texts
        return [[None if cell is None else cell.text for cell in row] for row in self.cells]

    @property
    def shown_rows(self) -> list[list[str | None]]:
        """The texts as a person is shown them: without a label or a comma in front."""
        names = [column.name for column in self.columns]
        return [list(map(value_text, row, names)) for row in self.rows]

    def choose(self, names: Sequence[str]) -> Table:
        """The table with these columns only, in this order; `old=new` renames one, `-old` drops
        one. A name that is not there is wrong use.

        Where every name drops one, the other columns stay.

        >>> import treelace as tl
        >>> page = tl.parse("<ul><li><b>tea</b> <i>3</i><li><b>milk</b> <i>2</i></ul>")
        >>> table = tl.extract(page)[0]
        >>> table.choose(["number=price"])
        <Table: 2 rows × 1 column (price) in html/body/ul>
        >>> table.choose(["-title"])
        <Table: 2 rows × 1 column (number) in html/body/ul>
        """
        known = [column.name for column in self.columns]
        if self.full and any(_asked(name, known) not in known for name in names):
            return self.full.choose(names)
        dropped = [
            self._number(name[1:]) for name in names if name.startswith("-") and name not in known
        ]
        kept = [name for name in names if not name.startswith("-") or name in known]
        chosen = []
        for name in kept:
            old, _, new = (name, "", "") if name in known else name.partition("=")
            chosen.append((self._number(old), new or old))
        if not kept:
            chosen = list(enumerate(known))
        chosen = [(number, name) for number, name in chosen if number not in dropped]
        if len({name for _, name in chosen}) < len(chosen):
            raise UsageError(
                f"two columns would have one name: {', '.join(name for _, name in chosen)}"
            )
        columns = tuple(replace(self.columns[number], name=name) for number, name in chosen)
        return replace(
            self,
            columns=columns,
            cells=tuple(tuple(row[number] for number, _ in chosen) for row in self.cells),
            full=None,
            left_out=(),
        )

    def named_by(self, examples: Mapping[str, str]) -> Table | None:
        """The table with the columns that hold these values called by their names, which come
        first; None where some value is in no column. A value is the text of a cell as it reads,
        with or without its label.

        >>> import treelace as tl
        >>> table = tl.extract("<ul><li><b>tea</b> <i>€3</i><li><b>jam</b> <i>€2</i></ul>")[0]
        >>> table.named_by({"cost": "€2", "what": "jam"})
        <Table: 2 rows × 2 columns (cost, what) in html/body/ul>
        """
        found: dict[str, int] = {}
        for name, value in examples.items():
            wanted = _plain(value)
            at = next(
                (
                    number
                    for rows in zip(self.rows, self.shown_rows, strict=True)
                    for number, texts in enumerate(zip(*rows, strict=True))
                    if number not in found.values() and wanted in map(_plain, filter(None, texts))
                ),
                None,
            )
            if at is None:
                return self.full.named_by(examples) if self.full else None
            found[name] = at
        names = {number: name for name, number in found.items()}
        rest = [number for number in range(len(self.columns)) if number not in names]
        taken = [names.get(number, self.columns[number].name) for number in [*names, *rest]]
        fresh = unique_names(taken)
        order = [*names, *rest]
        return replace(
            self,
            columns=tuple(
                replace(self.columns[number], name=name)
                for number, name in zip(order, fresh, strict=True)
            ),
            cells=tuple(tuple(row[number] for number in order) for row in self.cells),
            full=None,
            left_out=(),
        )

    def with_locale(self, locale: str) -> Table:
        """The table with types and values read as this locale writes numbers and dates: `de`,
        `en-US`, whatever the page says it is.

        >>> import treelace as tl
        >>> page = tl.parse("<ul><li><b>tea</b> <i>1.204</i><li><b>milk</b> <i>3.000</i></ul>")
        >>> table = tl.extract(page)[0]
        >>> [row[1].value for row in table.cells]
        [1.204, 3.0]
        >>> [row[1].value for row in table.with_locale("de").cells]
        [1204, 3000]
        """
        from treelace.extract.locales import Locale
        from treelace.extract.types.inference import typed_cells

        chosen = Locale.chosen(locale)
        made = [
            typed_cells([row[number] for row in self.cells], chosen)
            for number in range(len(self.columns))
        ]
        columns = tuple(
            replace(column, type=kind) for column, (kind, _) in zip(self.columns, made, strict=True)
        )
        return replace(
            self,
            columns=columns,
            cells=tuple(zip(*(cells for _, cells in made), strict=True)),
            full=self.full and self.full.with_locale(locale),
        )

    def _number(self, name: str) -> int:
        known = [column.name for column in self.columns]
        if name not in known:
            raise UsageError(f"no column is called {name!r}; there are: {', '.join(known)}")
        return known.index(name)

    def to_pandas(self) -> Any:
        """A pandas data frame with the columns of `outputs.flatten`: values, raw texts, links."""
        from treelace.extract.outputs.flat import flatten
        from treelace.extract.outputs.pandas import to_pandas

        return to_pandas(flatten([self]))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for Arrow readers: `polars.DataFrame(goods)`, `duckdb.sql("FROM goods")`."""
        from treelace.extract.outputs.arrow import ArrowColumns
        from treelace.extract.outputs.flat import flatten

        return ArrowColumns(tuple(flatten([self]))).__arrow_c_stream__(requested_schema)

    def misfits(self, name: str) -> list[int]:
        """The rows, from 0, whose cell in this column has a text that does not read as its type,
        and does not say either that there is no value.

        >>> import treelace as tl
        >>> rows = "".join(f"<li><b>tea {n}</b> <i>€{n}</i>" for n in range(1, 55))
        >>> others = "<li><b>jam</b> <i>on request</i><li><b>salt</b> <i>by the spoon</i>"
        >>> table = tl.extract(f"<ul>{rows}{others}</ul>")[0]
        >>> table.columns[1], table.misfits("price")
        (Column(name='price', type='price'), [55])
        """
        from treelace.extract.types.no_value import says_no_value

        at = self._number(name)
        return [
            row
            for row, cells in enumerate(self.cells)
            if (cell := cells[at]) is not None
            and cell.value is None
            and not says_no_value(cell.text)
        ]

    def to_json(self) -> dict[str, Any]:
        """The form of `extract --to json`: confidence, columns, and for each record its texts, the
        column of each, and its cells. Columns that were left out are counted after the others; a
        column says which rows do not read as its type (`misfits`).
        """
        from treelace.extract.types import type_named

        types = [type_named(column.type) for column in self.columns]
        full = self.with_all_columns
        left_out = [full.columns[number] for number in self.left_out]
        others = [tuple(row[number] for number in self.left_out) for row in full.cells]
        said = {
            "confidence": self.confidence,
            "place": self.place,
            "columns": [
                _column(column) | ({"misfits": rows} if (rows := self.misfits(column.name)) else {})
                for column in self.columns
            ],
            "records": [
                self._record(row, types, more) for row, more in zip(self.cells, others, strict=True)
            ],
        }
        return said | ({"left out": [_column(it) for it in left_out]} if left_out else {})

    def _record(
        self,
        row: tuple[Cell | None, ...],
        types: Sequence[ColumnType],
        others: tuple[Cell | None, ...],
    ) -> dict[str, Any]:
        texts = [
            (item.node.index, item.text, number)
            for number, cell in enumerate([*row, *others])
            if cell
            for item in cell.items
            if item.kind == "text"
        ]
        texts.sort()
        cells: dict[str, Any] = {}
        for column, its, cell in zip(self.columns, types, row, strict=True):
            if cell is not None:
                cells[column.name] = {
                    "value": None,
                    "text": cell.text,
                    "node": cell.node.element_index,
                    **its.to_json(cell.value),
                }
                if cell.link is not None:
                    cells[column.name]["link"] = cell.link
        return {
            "texts": [text for _, text, _ in texts],
            "cols": [number for _, _, number in texts],
            "cells": cells,
        }

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return (
            f"<Table: {_many(len(self.cells), 'row')} × {_many(len(self.columns), 'column')}"
            f" ({names}) in {self.place}>"
        )

    def __str__(self) -> str:
        return self.fitted()

    def fitted(self, width: int = 0) -> str:
        """The table as text, in lines of at most `width` characters (0: as wide as it is).

        The widest columns are cut first; where all are as narrow as can be read, the last ones are
        left out, and a line says which.
        """
        heads = [column.name for column in self.columns]
        body = [[" ".join((text or "").split()) for text in row] for row in self.shown_rows]
        widths = [
            min(MAX_CELL_WIDTH, max(len(row[number]) for row in [heads, *body]))
            for number in range(len(heads))
        ]
        kept = _fit(widths, width) if width else len(widths)
        lines = [
            "  ".join(_cut(text, w).ljust(w) for text, w in zip(row, widths, strict=False)).rstrip()
            for row in (line[:kept] for line in [heads, ["─" * w for w in widths], *body])
        ]
        if left := heads[kept:]:
            lines.append(f"… {_many(len(left), 'more column')}: {', '.join(left)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from treelace.extract.outputs.marked import frame

        heads = [column.name for column in self.columns]
        shown = look.table(heads, self.shown_rows, most_rows=MAX_NOTEBOOK_ROWS, is_coloured=True)
        if self.records and len(tree := self.records[0][0].tree) <= MAX_NOTEBOOK_NODES:
            shown += (
                "<details><summary>on the page</summary><div"
                " style='height:30em;overflow:auto;resize:vertical'>"
                f"{frame(tree, [self], style='width:100%;height:100%')}</div></details>"
            )
        return shown


def _column(column: Column) -> dict[str, Any]:
    return {"name": column.name, "type": column.type}


def _cell(root: Node, value: object) -> Cell | None:
    if value is None:
        return None
    if not isinstance(value, Node):
        return Cell(" ".join(str(value).split()), root)
    text = " ".join(value.text.split())
    items = [Item("text", text, value)]
    if value.is_element and value.attributes.get("href"):
        items.append(Item("link", value.attributes["href"], value))
    return Cell(text, value, tuple(items))


def _asked(name: str, known: Sequence[str]) -> str:
    """The column that a choice such as `old=new` or `-old` is about."""
    return name if name in known else name.removeprefix("-").partition("=")[0]


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _fit(widths: list[int], width: int) -> int:
    """Narrows columns, the widest first, until a line is short enough; how many columns stay."""
    kept = len(widths)
    while kept > 1 and sum(widths[:kept]) + 2 * (kept - 1) > width:
        widest = max(range(kept), key=lambda at: widths[at])
        if widths[widest] > MIN_CELL_WIDTH:
            widths[widest] -= 1
        else:
            kept -= 1
    return kept


def _many(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
