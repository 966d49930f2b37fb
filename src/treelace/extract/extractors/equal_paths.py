"""Lists by equal tag paths: the simplest extractor that is honest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace.extract.build_table import Region, build_table
from treelace.extract.page.page_view import PageView
from treelace.extract.table import Table
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualPaths:
    """Records are siblings with the same tag; a column is a path of tags inside them.

    A region is a parent with at least `least` children of one tag that hold text; its weight is the
    number of columns that at least half of the records fill, times the number of records. Not in
    any paper: the baseline that all others must beat. Time linear in the nodes for each level. It
    does not see records of several siblings or images, and takes two elements of one path in a
    record as two columns, numbered.

    >>> from treelace import parse
    >>> page = parse("<ul><li><a>one</a><i>1</i><li><a>two</a></ul><p>text")
    >>> EqualPaths().extract(page)
    [<Table: 2 rows × 2 columns (a, i) in html/body/ul>]
    """

    name: ClassVar[str] = "equal-paths"
    least: int = 2
    url: str = ""

    def extract(self, tree: Tree) -> list[Table]:
        """The tables, heaviest first; ties in document order."""
        view = PageView.of(tree, url=self.url)
        weighed = []
        for children in view.children:
            by_tag: dict[str, list[int]] = {}
            for child in children:
                if view.text_count(child) and view.tags[child] != "#text":
                    by_tag.setdefault(view.tags[child], []).append(child)
            for records in by_tag.values():
                if len(records) >= self.least:
                    weight, table = _table(view, records)
                    weighed.append((-weight, records[0], table))
        weighed.sort(key=lambda entry: entry[:2])
        return [table for _, _, table in weighed]


def _table(view: PageView, records: list[int]) -> tuple[int, Table]:
    rows = [_by_path(view, record) for record in records]
    names = list(dict.fromkeys(name for row in rows for name in row))
    filled = sum(2 * sum(name in row for row in rows) >= len(rows) for name in names)
    distinct = {tuple(view.texts[text] for text in row.values()) for row in rows}
    region = Region(
        tuple((record,) for record in records),
        round(len(distinct) / len(rows) * filled / len(names), 3),
    )
    numbers = {name: number for number, name in enumerate(names)}
    columns = [{numbers[name]: (text,) for name, text in row.items()} for row in rows]
    return filled * len(distinct), build_table(view, region, columns, names=names)


def _by_path(view: PageView, record: int) -> dict[str, int]:
    """The texts of a record by their path of tags; repeated paths are numbered from 2."""
    found: dict[str, int] = {}
    last: dict[str, int] = {}
    for text in view.texts_in(record):
        path, above = [], view.parents[text]
        while above > record:
            path.append(view.tags[above])
            above = view.parents[above]
        name = plain = "/".join(reversed(path)) or "text"
        number = last.get(plain, 1)
        while name in found:
            number += 1
            name = f"{plain}.{number}"
        last[plain] = number
        found[name] = text
    return found
