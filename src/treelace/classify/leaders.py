"""Leader clustering: the simplest way to put pages into classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.similarity import similarity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.similarity import Measure
    from treelace.tree import Tree


def leader_clusters(
    pages: Sequence[Tree], *, measure: str | Measure = "tag-weighted", threshold: float = 0.8
) -> list[int]:
    """The number of each page's class: a page joins the class whose first page it is most like, if
    that is `threshold` or more, and opens a class of its own if not. One pass; the answer depends
    on the order of the pages.

    >>> from treelace import parse
    >>> leader_clusters([parse("<ul><li>a<li>b</ul>"), parse("<ul><li>c<li>d<li>e</ul>"), parse("<table><tr><td>x</table>")])
    [0, 0, 1]
    """
    leaders: list[Tree] = []
    classes = []
    for page in pages:
        alike = [similarity(page, leader, measure=measure) for leader in leaders]
        best = max(alike, default=0.0)
        if not leaders or best < threshold:
            leaders.append(page)
            classes.append(len(leaders) - 1)
        else:
            classes.append(alike.index(best))
    return classes
