"""`records`, the default extractor: many candidates, a learnt ranking, columns by alignment. Its parts are imported when it is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from treelace.extract.assemble import Region, assemble
from treelace.extract.view import PageView

if TYPE_CHECKING:
    from treelace.extract.candidates import Records as Roots
    from treelace.extract.ranking import Ranked, Weights
    from treelace.extract.table import Table
    from treelace.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """Many ways to see a list, the one a person would want first; the default.

    1. Candidates: children of a parent that are alike by structure, tag, class or class word, adjacent or not; groups of siblings that
       start at a head element or stand between separators; the same joined over parents with one path; variants without what is odd.
    2. Ranking: some fifty features of each (how many, how much of the page's text, how alike, how full of links, how distinct, what stands
       beside them, …), weighed by a linear model. The weights were learnt from labelled pages by `experiments/records`, which also
       says how good they are on sites they were not learnt from.
    3. Columns: texts that read as one are one cell; cells are lined up by path, class, kind and order.

    At most `most` tables come back; later ones may be other readings of the first. `confidence` is the belief in a table and in those
    that share four fifths of its texts with it. Not promised: that the first is right where a page has several lists worth having. Time
    O(n · depth) for the candidates, linear in the nodes for each level of a page.

    >>> from treelace import parse
    >>> page = parse("<nav><a>Home</a> <a>Shop</a></nav><ul><li><h3>Tea</h3><p>3.20</p><li><h3>Milk</h3><p>1.10</p><li><h3>Jam</h3><p>2.75</p></ul>")
    >>> Records().extract(page)[0].rows
    [['Tea', '3.20'], ['Milk', '1.10'], ['Jam', '2.75']]
    """

    name: ClassVar[str] = "records"
    most: int = 10
    url: str = ""

    def extract(self, tree: Tree) -> list[Table]:
        """The tables, the likeliest first."""
        from treelace.extract.columns import line_up

        view = PageView.of(tree, url=self.url)
        tables = [assemble(view, region, line_up(view, region.records)) for region in self.regions(view)]
        if tables and tree.select("script[type^='application/ld+json' i]", limit=1):
            from treelace.extract.structured import structured_items
            from treelace.extract.structured_tables import named_by_data

            return named_by_data(tables, structured_items(tree, url=self.url))
        return tables

    def regions(self, view: PageView, *, weights: Weights | None = None) -> list[Region]:
        """The regions, the likeliest first, each set of texts once; `weights` are for who learns other ones."""
        from treelace.extract.ranking import ranked

        order = ranked(view, weights=weights)
        chosen: dict[tuple[tuple[int, ...], ...], Roots] = {}
        for one in order:
            records = _without_headers(view, one.candidate.records)
            key = tuple(tuple(text for root in record for text in view.texts_in(root)) for record in records)
            if key not in chosen:
                chosen[key] = records
            if len(chosen) == self.most:
                break
        texts = [_texts(view, one.candidate.records) for one in order[:40]]
        return [Region(records, _confidence(_texts(view, records), texts, order)) for records in chosen.values()]


def _without_headers(view: PageView, records: Roots) -> Roots:
    """Records without the rows that name the columns of a table (all cells `th`, or in `thead`), where two other records stay."""
    if not any(len(record) == 1 and view.tags[record[0]] == "tr" for record in records):
        return records
    kept = tuple(record for record in records if not (len(record) == 1 and _is_header(view, record[0])))
    return kept if len(kept) > 1 else records


def _is_header(view: PageView, row: int) -> bool:
    cells = view.below(row)
    return view.tags[view.parents[row]] == "thead" or (bool(cells) and all(view.tags[cell] == "th" for cell in cells))


def _texts(view: PageView, records: Roots) -> set[int]:
    return {text for record in records for root in record for text in view.texts_in(root)}


def _confidence(mine: set[int], texts: list[set[int]], order: list[Ranked]) -> float:
    """The belief in all candidates that are nearly this one."""
    near = sum(one.belief for one, other in zip(order, texts, strict=False) if len(mine & other) >= 0.8 * len(mine | other))
    return round(min(1.0, near), 3)
