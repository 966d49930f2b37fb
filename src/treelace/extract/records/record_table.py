"""The record of a page as a table of one row."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from treelace.extract.build_table import Region, build_table
from treelace.extract.cells.lazy_tuple import LazyTuple
from treelace.extract.columns.naming import ColumnNames
from treelace.extract.columns.value_names import VAGUE_NAMES
from treelace.extract.records.page_pieces import MAX_LABEL_LENGTH, own_label
from treelace.extract.records.page_record import PageRecord, is_like
from treelace.extract.table import Table
from treelace.extract.types.inference import column_type
from treelace.named import unique_names

if TYPE_CHECKING:
    from treelace.extract.page.page_view import PageView


class RecordTable:
    """The table of a page's record, made when it is first looked at.

    >>> import treelace as tl
    >>> from treelace.extract.page.page_view import PageView
    >>> page = tl.parse("<title>Assam</title><h1>Assam</h1><p>Price: <b>€3</b><p>Grams: <b>50</b>")
    >>> RecordTable(PageView.of(page)).lazy(0.5)
    <Table: 1 row × 3 columns (title, Price, Grams) in html/body>
    """

    def __init__(self, view: PageView) -> None:
        self.view = view

    def lazy(self, confidence: float) -> Table:
        """The table with this confidence."""
        return Table(
            LazyTuple(lambda: self.table.columns),
            LazyTuple(lambda: self.table.cells, size=1),
            "html/body",
            confidence,
            LazyTuple(lambda: self.table.records, size=1),
        )

    @cached_property
    def table(self) -> Table:
        """The table, made now."""
        record = PageRecord(self.view)
        items = [record.pieces[number].nodes for number in record.chosen]
        if image := _image(self.view, record):
            items.append([image])
        roots: list[int] = []
        for node in sorted({_holder(self.view, node) for nodes in items for node in nodes}):
            if not roots or node >= self.view.ends[roots[-1]]:
                roots.append(node)
        names = self._names(record, items)
        region = Region((tuple(roots),), 0.0)
        return build_table(self.view, region, [dict(enumerate(items))], names=names)

    def _names(self, record: PageRecord, items: list[list[int]]) -> list[str]:
        """The page's labels; else what the elements say they are, or a name by the type."""
        texts = [record.texts[number] for number in record.chosen]
        kinds = [column_type([text]) for text in texts] + ["image"] * (len(items) - len(texts))
        words = [[text] for text in texts] + [[""]] * (len(items) - len(texts))
        others = ColumnNames(self.view, ((0,),), [[it] for it in items], kinds, words).names
        names = ["title"]
        for number, text, other in zip(record.chosen[1:], texts[1:], others[1:], strict=False):
            piece = record.pieces[number]
            said = piece.label or own_label(text)
            is_vague = other == "title" or other in VAGUE_NAMES
            names.append((said or (piece.heading if is_vague else "") or other)[:MAX_LABEL_LENGTH])
        return unique_names([*names, *others[len(names) :]])


def _holder(view: PageView, node: int) -> int:
    """The outermost element that has this item and no other text: a link is part of its cell."""
    while view.parents[node] and view.text_count(view.parents[node]) <= 1:
        node = view.parents[node]
    return node


def _image(view: PageView, record: PageRecord) -> int | None:
    """The picture of the page's thing: the first whose description is like the title."""
    if record.title is None:
        return None
    title = record.texts[record.title]
    for node in sorted(view.images):
        if is_like(view.tree[node].attribute("alt") or "", title):
            return node
    return None
