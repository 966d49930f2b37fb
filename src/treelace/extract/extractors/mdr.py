"""MDR: records are runs of adjacent subtrees with similar tag strings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from treelace.extract.build_table import Region, build_table
from treelace.extract.page.page_view import PageView
from treelace.extract.table import Table
from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Mdr:
    """Records as adjacent subtrees with similar tag strings (Liu, Grossman, Zhai; KDD 2003).

    Runs of 1 to `most` children of a parent (generalized nodes) are compared with the next run by
    the normalised edit distance of their tag strings; at most `threshold` apart, they are of one
    region. Records are then the generalized nodes, or what they hold: the cells of a row, the i-th
    cells of several rows. Left-over rows and lists cut in two are taken in. The paper stops at the
    outermost region; with `nested`, lists inside records are tables of their own.

    Of two combinations the paper's procedure takes the one that covers more children, by however
    little. A heading and six paragraphs then are one generalized node, the next seven paragraphs
    another, because long tag strings forgive more than short ones: on search results of the paper's
    time hardly a record is right. Here a larger combination has to cover more than `least_gain`
    times what the smaller one covers. Where both cover the same, the paper takes the smaller one,
    so that a title row and a text row that are alike are two records; with `prefer_equal` the
    larger ones win if they, and only they, are equal to each other. `least_gain=1` and
    `prefer_equal=False` are the procedure as printed.

    The paper ends with records: a table has one column, `record`, with all items of a record. It
    does not rank regions: ours come by the amount of text. Time: for a node with m children
    O(`most`² · m) comparisons, each O(n²/64) in the length of its tag strings.

    >>> from treelace import parse
    >>> Mdr().extract(parse("<ul><li><a>one</a> <i>1</i><li><a>two</a> <i>2</i></ul>"))[0].rows
    [['one 1'], ['two 2']]
    """

    name: ClassVar[str] = "mdr"
    most: int = 10
    threshold: float = 0.3
    nested: bool = True
    least_gain: float = 4.0
    prefer_equal: bool = True
    url: str = ""

    def extract(self, tree: Tree) -> list[Table]:
        """The tables, the one with most text first; ties in document order."""
        view = PageView.of(tree, url=self.url)
        return [
            build_table(
                view,
                region,
                [{0: view.items_in(record)} for record in region.records],
                names=["record"],
            )
            for region in self.regions(view)
        ]

    def regions(self, view: PageView) -> list[Region]:
        """The regions with their records, those without text left out, before alignment."""
        from treelace.extract.extractors.depta_steps.data_regions import (
            TagTree,
            data_regions,
            records_of,
        )

        tags = TagTree.of(view)
        found = data_regions(
            tags,
            most=self.most,
            threshold=self.threshold,
            nested=self.nested,
            least_gain=self.least_gain,
            prefer_equal=self.prefer_equal,
        )
        return by_text(view, records_of(tags, found, threshold=self.threshold))


def by_text(view: PageView, lists: Sequence[Sequence[tuple[int, ...]]]) -> list[Region]:
    """Lists of records as regions, most text first; without empty records and single ones."""
    kept = [
        [record for record in records if any(view.text_count(root) for root in record)]
        for records in lists
    ]
    amounts = [
        sum(
            len(view.texts[text])
            for record in records
            for root in record
            for text in view.texts_in(root)
        )
        for records in kept
    ]
    order = sorted(
        (number for number, records in enumerate(kept) if len(records) > 1),
        key=lambda number: (-amounts[number], kept[number][0]),
    )
    whole = sum(len(text) for text in view.texts.values())
    return [Region(tuple(kept[number]), round(amounts[number] / whole, 3)) for number in order]
