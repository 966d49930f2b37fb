"""DEPTA: MDR's records, lined up by partial tree alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from treelace.errors import UsageError
from treelace.extract.build_table import Region, build_table
from treelace.extract.extractors.depta_steps.partial_alignment import (
    Twig,
    centre_tree_alignment,
    partial_tree_alignment,
)
from treelace.extract.extractors.mdr2 import Mdr2
from treelace.extract.page.page_view import PageView

if TYPE_CHECKING:
    from treelace.extract.table import Table
    from treelace.render import Boxes
    from treelace.tree import Tree

ALIGNMENTS = {"partial": partial_tree_alignment, "centre": centre_tree_alignment}


@dataclass(frozen=True, slots=True, kw_only=True)
class Depta:
    """Records by partial tree alignment (Zhai & Liu 2005); MDR-2's with `boxes`, else MDR's.

    Each record becomes a tag tree whose leaves are its items; `partial_tree_alignment` grows a seed
    tree from the record with most items, and a column is a leaf of the seed. An item that finds no
    place gets a column of its own: no text is lost. With `alignment="centre"` the paper's baseline
    is used instead. We differ from the paper in one thing: records of exactly the same shape are
    aligned once and share their columns, left-over ones too.

    >>> from treelace import parse
    >>> rows = "<li><a>one</a><i>1</i><li><a>two</a><i>2</i><li><a>three</a><i>3</i><b>new</b>"
    >>> Depta().extract(parse(f"<ul>{rows}</ul>"))[0].rows
    [['one', '1', None], ['two', '2', None], ['three', '3', 'new']]
    """

    name: ClassVar[str] = "depta"
    most: int = 10
    threshold: float = 0.3
    nested: bool = True
    alignment: Literal["partial", "centre"] = "partial"
    url: str = ""
    boxes: Boxes | None = None

    def __post_init__(self) -> None:
        if self.alignment not in ALIGNMENTS:
            raise UsageError(
                f"no alignment is called {self.alignment!r}; there are: {', '.join(ALIGNMENTS)}"
            )

    def extract(self, tree: Tree) -> list[Table]:
        """The tables, the one with most text first; ties in document order."""
        view = PageView.of(tree, url=self.url)
        regions = Mdr2(
            most=self.most, threshold=self.threshold, nested=self.nested, boxes=self.boxes
        ).regions(view)
        return [
            build_table(view, region, tree_columns(view, region, alignment=self.alignment))
            for region in regions
        ]


def tree_columns(
    view: PageView, region: Region, *, alignment: str = "partial"
) -> list[dict[int, list[int]]]:
    """The items of each record by column number, by the alignment of the records' tag trees."""
    twigs = [_twig(view, record) for record in region.records]
    shapes: dict[str, list[int]] = {}
    for number, twig in enumerate(twigs):
        shapes.setdefault(twig.shape(), []).append(number)
    twins = list(shapes.values())
    found: list[dict[int, list[int]]] = [{} for _ in twigs]
    nodes = [[twig.node for twig in twig.walk()] for twig in twigs]
    places = [{node: place for place, node in enumerate(nodes[numbers[0]])} for numbers in twins]
    for column, members in enumerate(
        ALIGNMENTS[alignment]([twigs[numbers[0]] for numbers in twins]).columns()
    ):
        for kind, node in members.items():
            place = places[kind][node]
            for number in twins[kind]:
                found[number][column] = [nodes[number][place]]
    return found


def _twig(view: PageView, record: tuple[int, ...]) -> Twig:
    """A record as a tree to be aligned, below a root that all records share."""
    top = Twig("#record")
    ahead = [(top, root) for root in reversed(record)]
    while ahead:
        above, node = ahead.pop()
        twig = Twig(view.tags[node], [], node, node in view.texts or node in view.images)
        above.children.append(twig)
        ahead.extend((twig, child) for child in reversed(view.below(node)))
    return top
