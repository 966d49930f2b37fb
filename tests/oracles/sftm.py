"""SFTM by the book: the equations of Brisset et al. §4 over dictionaries of all pairs, elements as
numbers in document order.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treelace import Node, Tree

Pair = tuple[int, int]


def elements(tree: Tree) -> list[Node]:
    return list(tree.elements)


def parents(tree: Tree) -> list[int | None]:
    number = {node.index: i for i, node in enumerate(elements(tree))}
    return [number.get(node.parent.index) if node.parent else None for node in elements(tree)]


def child_counts(tree: Tree) -> list[int]:
    return [sum(child.is_element for child in node.children) for node in elements(tree)]


def xpath(node: Node) -> str:
    """Absolute path; ranks where there are several siblings of that name."""
    if node.parent is None:
        return ""
    brothers = [
        child for child in node.parent.children if child.is_element and child.name == node.name
    ]
    rank = f"[{[b.index for b in brothers].index(node.index) + 1}]" if len(brothers) > 1 else ""
    return f"{xpath(node.parent)}/{node.name.local}{rank}"


def tokens(node: Node) -> set[str]:
    """Equation 10, the kinds of token kept apart."""
    found = {f"path {xpath(node)}", f"tag {node.name.local}"}
    for name, value in node.attributes.items():
        found.add(f"name {name}")
        found |= {f"word {name} {word}" for word in re.split(r"[\W_]+", value) if word}
    return found


def initial(old: Tree, new: Tree, alpha: float = 0.5) -> dict[Pair, float]:
    """Equations 3 and 4."""
    left, right = [tokens(node) for node in elements(old)], [tokens(node) for node in elements(new)]
    count = Counter(token for one in left for token in one)
    most = math.floor(len(left) ** alpha)
    idf = {token: math.log(len(left) / times) for token, times in count.items() if times <= most}
    scores = {}
    for i, mine in enumerate(left):
        for j, yours in enumerate(right):
            score = sum(idf.get(token, 0.0) for token in sorted(mine & yours))
            if score > 0:
                scores[i, j] = score
    return scores


def propagated(
    scores: dict[Pair, float], old: Tree, new: Tree, down: tuple[float, ...], up: tuple[float, ...]
) -> dict[Pair, float]:
    """Equations 5 and 6, both from the scores before the step."""
    above, below = parents(old), parents(new)
    for w, v in zip(down, up, strict=True):
        after = dict(scores)
        for (i, j), score in scores.items():
            p, q = above[i], below[j]
            if p is None or q is None:
                continue
            after[i, j] += w * scores.get((p, q), 0.0)
            after[p, q] = after.get((p, q), 0.0) + v * score
        scores = after
    return scores


def similarities(
    old: Tree,
    new: Tree,
    *,
    alpha: float = 0.5,
    down: tuple[float, ...] = (0.4, 0.04, 0.004),
    up: tuple[float, ...] = (0.8, 0.08, 0.008),
) -> dict[Pair, float]:
    """s of equation 7 for every pair that has an edge."""
    left, right = child_counts(old), child_counts(new)
    result = {}
    for (i, j), score in propagated(initial(old, new, alpha), old, new, down, up).items():
        a, b = left[i], right[j]
        result[i, j] = score * (1 - (abs(a - b) / max(a, b) if max(a, b) else 0.0))
    return result


def greedy(
    scores: dict[Pair, float], old: int, new: int, no_match: float
) -> tuple[list[Pair], float]:
    """The first matching of the walk, and c(M) / |M| with the no-match edges."""
    edges = sorted((1 / (1 + s), 0, i, j) for (i, j), s in scores.items())
    edges = sorted(
        [
            *edges,
            *((no_match, 1, i, -1) for i in range(old)),
            *((no_match, 1, old, j) for j in range(new)),
        ]
    )
    free_old, free_new, pairs, costs = set(range(old)), set(range(new)), [], []
    for cost, alone, i, j in edges:
        ends = ({i} & free_old if not (alone and j >= 0) else set(), {j} & free_new)
        if alone:
            if not (ends[0] or ends[1]):
                continue
        elif not (ends[0] and ends[1]):
            continue
        free_old -= ends[0]
        free_new -= ends[1]
        costs.append(cost)
        if not alone:
            pairs.append((i, j))
    return sorted(pairs), sum(costs) / len(costs) if costs else 0.0
