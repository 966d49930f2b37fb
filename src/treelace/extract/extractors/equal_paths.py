"""Lists by equal tag paths: the simplest extractor that is honest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from treelace.extract.table import Cell, Column, Table
from treelace.tree import Kind, Node

if TYPE_CHECKING:
    from treelace.tree import Tree

_UNSEEN = frozenset(["script", "style", "noscript", "template", "head", "iframe", "svg", "select", "textarea"])


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualPaths:
    """Records are siblings with the same tag; a column is a path of tags inside them.

    A region is a parent with at least `least` children of one tag that hold text; its weight is the number of columns that at
    least half of the records fill, times the number of records. Not in any paper: the baseline that all others must beat.
    Time linear in the nodes. It does not see records of several siblings, and takes two elements of one path in a record as
    two columns, numbered.

    >>> from treelace import parse
    >>> page = parse("<ul><li><a>one</a><i>1</i><li><a>two</a></ul><p>text")
    >>> EqualPaths().extract(page)
    [<Table: 2 rows × 2 columns (a, i) in html/body/ul>]
    """

    name: ClassVar[str] = "equal-paths"
    least: int = 2

    def extract(self, tree: Tree) -> list[Table]:
        """The tables, heaviest first; ties in document order."""
        regions: dict[tuple[int, str], list[Node]] = {}
        for node in tree.elements:
            if node.parent is not None and not node.in_template:
                regions.setdefault((node.parent.index, node.tag), []).append(node)
        weighed = []
        for records in regions.values():
            cells = [_cells(record) for record in records]
            cells = [row for row in cells if row]
            if len(cells) >= self.least:
                table, weight = _table(records[0], cells)
                weighed.append((-weight, records[0].index, table))
        weighed.sort(key=lambda entry: entry[:2])
        return [table for _, _, table in weighed]


def _cells(record: Node) -> dict[str, Cell]:
    """The texts of a record by their path of tags; the second text of a path gets the number 2, and so on."""
    found: dict[str, Cell] = {}
    hidden_until = 0
    for node in record.descendants:
        if node.index < hidden_until:
            continue
        if node.is_element and node.tag in _UNSEEN:
            hidden_until = int(node.tree.ends[node.index])
        elif node.kind is Kind.TEXT and (text := " ".join(node.text.split())):
            holder = node.parent
            assert holder is not None, "a text has a parent"
            name = path = _path_inside(holder, record)
            number = 2
            while name in found:
                name, number = f"{path}.{number}", number + 1
            found[name] = Cell(text, holder)
    return found


def _path_inside(holder: Node, record: Node) -> str:
    tags = [node.tag for node in [holder, *holder.ancestors] if node.index > record.index]
    return "/".join(reversed(tags)) or "text"


def _table(first: Node, cells: list[dict[str, Cell]]) -> tuple[Table, int]:
    names = list(dict.fromkeys(name for row in cells for name in row))
    filled = sum(2 * sum(name in row for row in cells) >= len(cells) for name in names)
    distinct = {tuple(cell.text for cell in row.values()) for row in cells}
    place = "/".join(reversed([node.tag for node in first.ancestors if node.is_element]))
    body = tuple(tuple(row.get(name) for name in names) for row in cells)
    confidence = round(len(distinct) / len(cells) * filled / max(len(names), 1), 3)
    return Table(tuple(Column(name) for name in names), body, place, confidence), filled * len(distinct)
