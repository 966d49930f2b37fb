"""The default extractor: many candidates, a learnt ranking, aligned columns; loaded lazily."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from treelace.errors import UsageError
from treelace.extract.build_table import Region, build_table
from treelace.extract.cells.lazy_tuple import LazyTuple
from treelace.extract.columns.alignment import Slots
from treelace.extract.outputs.table_data import MIN_SURE_CONFIDENCE
from treelace.extract.page.page_view import PageView
from treelace.tree.json_documents import is_json_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract.page.structured_data import StructuredItem
    from treelace.extract.regions.ranking import Trees
    from treelace.extract.table import Table
    from treelace.tree import Tree

LOOKED_AT = 200
"""Candidates that tables are chosen from, the likeliest ones."""

FEWEST_TEXTS_OF_RECORD = 12
"""Texts of a page from which on it may have a record of its own; a list alone has none."""

TAKEN = 0.9
"""What a table loses of its confidence where a table before it has all of its texts, or it all of
that one's.
"""

SAYS_SOMETHING = "script[type^='application/ld+json' i], [itemscope], meta[property^='og:']"
"""Where a page says something about itself for machines."""

SAME = 0.95
"""Share of texts in common (intersection over union) from which on two lists are one."""

WHOLE = (1.3, 0.87, 0.13)
"""When a list under several parents (one a year, one a heading) comes in the place of a part of it,
with the confidence of that: it has so many times the records, they are so alike beside those of
the part, and so are the odds that it is right.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """Many ways to see a list, the one a person would want first; the default.

    1. Candidates: children of a parent that are alike by structure, tag, class or class word,
       adjacent or not; groups of siblings that start at a head element or stand between separators;
       the same joined over parents with one path; variants without what is odd.
    2. Ranking: some hundred features of each (how many, how much of the page's text, how alike, how
       full of links, how their texts read, what stands beside and above them, …), judged by small
       decision trees. They were learnt from labelled pages of many kinds by `experiments/records`,
       which also says how good they are on sites they were not learnt from.
    3. Columns: texts that read as one are one cell; cells are lined up by path, class, kind and
       order. Of a comparison table the columns are the records; of rows of cells, those of a group
       of rows that stand one below the other.

    At most `most` tables come back, in the order of their `confidence`: how sure it is that a
    person would want this table; below .5 it is likelier that not, and a page of running text has
    nothing above. Lists that share nearly all of their texts come once; another reading of a part
    of a table comes later, with a tenth of its confidence. A part of a list that headings cut comes
    as the whole list, where that is nearly as likely. Not promised: that the first is right
    where a page has several lists worth having. Time O(n · depth) for the candidates, linear in
    the nodes for each level of a page.

    >>> from treelace import parse
    >>> menu = "<nav><a>Home</a> <a>Shop</a></nav>"
    >>> goods = "<li><h3>Tea</h3><p>3.20</p><li><h3>Milk</h3><p>1.10</p><li><h3>Jam</h3><p>2.75</p>"
    >>> Records().extract(parse(f"{menu}<ul>{goods}</ul>"))[0].rows
    [['Tea', '3.20'], ['Milk', '1.10'], ['Jam', '2.75']]
    """

    name: ClassVar[str] = "records"
    most: int = 10
    url: str = ""
    time: str = ""
    """When the page was served, in ISO 8601; without it `3 hours ago` is no date."""

    def extract(self, tree: Tree) -> list[Table]:
        """The tables, the likeliest first."""
        from treelace.extract.records.comparison_tables import comparison_records
        from treelace.extract.records.side_by_side import grid_records, side_by_side_records

        if is_json_tree(tree):
            from treelace.extract.json_tables import json_tables

            return json_tables(tree)[: self.most]
        view = PageView.of(tree, url=self.url, time=_moment(self.time))
        found: dict[tuple[tuple[int, ...], ...], Table] = {}
        for region in self.regions(view):
            turned = (
                comparison_records(view, region.records)
                if tree[region.records[0][0]].tag == "tr"
                else None
            )
            lanes = (
                side_by_side_records(view, region.records)
                if turned is None and len(region.records[0]) > 1
                else None
            )
            grid = (
                grid_records(view, region.records)
                if turned is None and len(region.records[0]) == 1
                else None
            )
            if grid is not None:
                found.setdefault(
                    grid,
                    build_table(view, Region(grid, region.confidence), partial(_slots, view, grid)),
                )
            elif lanes is not None:
                found.setdefault(
                    lanes.records,
                    build_table(view, Region(lanes.records, region.confidence), lanes.columns),
                )
            elif turned is None:
                found[region.records] = build_table(
                    view, region, partial(_slots, view, region.records)
                )
            elif turned.records not in found:  # readings that differ in rows alone are one
                found[turned.records] = build_table(
                    view,
                    Region(turned.records, region.confidence),
                    turned.columns,
                    names=turned.names,
                )
        tables = list(found.values())
        said = self._structured_items(tree)
        if said is not None:
            tables = [_described(table, said) for table in tables]
        return _with_record(view, tables, said, most=self.most)

    def _structured_items(self, tree: Tree) -> Sequence[StructuredItem] | None:
        """What the page says about itself, read at the first look; None where it says nothing."""
        if not tree.select(SAYS_SOMETHING, limit=1):
            return None
        from treelace.extract.page.structured_data import structured_items

        return LazyTuple(lambda: structured_items(tree, url=self.url))

    def regions(self, view: PageView, *, trees: Trees | None = None) -> list[Region]:
        """The regions, the likeliest first, each once; `trees` are for who learns other ones."""
        from treelace.extract.regions.candidates import candidates
        from treelace.extract.regions.ranking import ranking

        found = candidates(view)
        if not found:
            return []
        order, beliefs = ranking(found, trees=trees)
        chosen = found.core.choose(
            order,
            beliefs,
            most=self.most,
            looked_at=LOOKED_AT,
            taken=TAKEN,
            same=SAME,
            whole=WHOLE,
        )
        regions: list[Region] = []
        for records, belief in chosen:
            region = Region(tuple(map(tuple, records)), round(belief, 3))
            if not any(_are_parts(view, region, better) for better in regions):
                regions.append(region)
        return regions


def _moment(written: str) -> datetime | None:
    """The time of a page as it was given."""
    try:
        return datetime.fromisoformat(written) if written else None
    except ValueError:
        raise UsageError(
            f"{written!r} is no time of a page; write it as 2026-03-05T12:00"
        ) from None


def _are_parts(view: PageView, region: Region, better: Region) -> bool:
    """Whether the records are parts of the rows of a list that is sure, row for row: one of its
    columns is no list of its own.
    """
    end = view.tree.end
    return (
        better.confidence >= MIN_SURE_CONFIDENCE
        and len(region.records) == len(better.records)
        and all(
            any(top <= node < end(top) for top in row)
            for record, row in zip(region.records, better.records, strict=True)
            for node in record
        )
    )


def _with_record(
    view: PageView, tables: list[Table], said: Sequence[StructuredItem] | None, *, most: int
) -> list[Table]:
    """The tables with the page's own record among them, all in the order of their confidence; the
    last list makes room for it.
    """
    from treelace.extract.records.one_thing import confidence
    from treelace.extract.records.record_table import RecordTable

    if len(view.text_nodes) < FEWEST_TEXTS_OF_RECORD or most < 2:
        return tables
    sure = confidence(view, tables, said)
    record = RecordTable(view).lazy(round(sure, 3))
    if said is not None:
        record = _described(record, said, is_record=True)
    lists = tables[: most - 1]
    place = sum(table.confidence >= record.confidence for table in lists)
    return [*lists[:place], record, *lists[place:]]


def _slots(view: PageView, records: tuple[tuple[int, ...], ...]) -> Slots:
    from treelace.extract.columns.alignment import slots
    from treelace.extract.columns.joined_columns import joined

    return joined(view, records, slots(view, records))


def _described(table: Table, said: Sequence[StructuredItem], *, is_record: bool = False) -> Table:
    """The table with what the page says about itself beside it, looked at as late as the rest."""
    from treelace.extract.columns.data_beside import DataBeside
    from treelace.extract.columns.data_of_record import RecordInData

    beside = (RecordInData if is_record else DataBeside)(table, said)
    return replace(
        table,
        columns=LazyTuple(lambda: beside.columns),
        cells=LazyTuple(lambda: beside.cells, size=len(table)),
    )
