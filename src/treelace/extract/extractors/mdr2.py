"""MDR-2: MDR on the tree that a browser shows, with the gap rule."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from treelace.extract.build_table import Region
from treelace.extract.extractors.mdr import Mdr, by_text
from treelace.extract.page.page_view import PageView

if TYPE_CHECKING:
    from treelace.render import Boxes


@dataclass(frozen=True, slots=True, kw_only=True)
class Mdr2(Mdr):
    """MDR with visual cues (Zhai & Liu; WWW 2005, §3): the tag tree is built by which box contains
    which on the rendered page, and a combination of siblings is a record only if no gap between
    records is smaller than a gap within one.

    `boxes` are the element boxes of this very page (`treelace.render.render`, or a box file).
    Without them it is `mdr`, exactly. Records that overlap in the page's own tree (a box shown
    outside its element) are left out: a text stands in one record. Time as `mdr`.

    >>> from treelace import parse
    >>> Mdr2().extract(parse("<ul><li><a>one</a> <i>1</i><li><a>two</a> <i>2</i></ul>"))[0].rows
    [['one 1'], ['two 2']]
    """

    name: ClassVar[str] = "mdr2"
    boxes: Boxes | None = None

    def regions(self, view: PageView) -> list[Region]:
        """The regions with their records, those without text left out."""
        if self.boxes is None:
            return Mdr.regions(self, view)
        from treelace.extract.extractors.depta_steps.data_regions import data_regions, records_of
        from treelace.extract.extractors.depta_steps.visual_tree import keeps_gaps, visual_tag_tree

        tags = visual_tag_tree(view, self.boxes)
        found = data_regions(
            tags,
            most=self.most,
            threshold=self.threshold,
            nested=self.nested,
            rule=keeps_gaps,
            least_gain=self.least_gain,
            prefer_equal=self.prefer_equal,
        )
        lists = records_of(tags, found, threshold=self.threshold)
        return by_text(view, [records for records in lists if not _overlap(view, records)])


def _overlap(view: PageView, records: list[tuple[int, ...]]) -> bool:
    spans = sorted((root, view.ends[root]) for record in records for root in record)
    return any(start < end for (_, end), (start, _) in pairwise(spans))
