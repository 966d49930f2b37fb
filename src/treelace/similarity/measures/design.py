"""`structure`, held to the paths: pages of one design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treelace.similarity.measures.structure import Structure


@dataclass(frozen=True, slots=True, kw_only=True)
class Design(Structure):
    """How likely two pages share a design: `structure`, at most their share of common paths.

    With F₇ the paths of `structure`:

        sim = min(structure(left, right), J(F₇(left), F₇(right)))

    Pages made with one set of classes and attributes can still be laid out in two ways, and a page
    laid out in one way can change its classes: of one design are those that agree in both. What
    clusters are found by, unless told otherwise.

    Time O(n), comparing O(facts) or O(slots). Symmetric. One element put around the whole page
    makes another design: for the same page in a new wrapper ask `structure`. Not a metric.

    >>> from treelace import parse
    >>> page = parse("<ul class=shop><li>1</ul>")
    >>> wrapped = parse("<div><ul class=shop><li>1</ul></div>")
    >>> [round(it.similarity(page, wrapped), 2) for it in (Structure(), Design())]
    [0.65, 0.38]
    """

    name: ClassVar[str] = "design"

    @property
    def comparison(self) -> str:
        """The smaller of the families' tally and the vote of the paths, or its estimate."""
        return "design" if self.slots is None else "design-sketch"
