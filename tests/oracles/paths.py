"""Tag and path measures, from their definitions: lists of strings, counters, and an assignment
solver for the best pairing.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from scipy.optimize import linear_sum_assignment

from treelace import Kind, Node, Tree


def label(node: Node) -> str:
    return "[text]" if node.kind == Kind.TEXT else node.tag


def counts(node: Node, texts: bool) -> bool:
    return node.is_element or (
        texts and node.kind == Kind.TEXT and node.text.strip(" \t\n\r\f") != ""
    )


def nodes(tree: Tree, texts: bool) -> list[Node]:
    return [node for node in tree if counts(node, texts)]


def path(node: Node) -> tuple[str, ...]:
    above = path(node.parent) if node.parent is not None and node.parent.is_element else ()
    return (*above, label(node))


def tags(tree: Tree, texts: bool = False) -> Counter[str]:
    return Counter(label(node) for node in nodes(tree, texts))


def node_paths(tree: Tree, texts: bool = True) -> list[tuple[str, ...]]:
    return [path(node) for node in nodes(tree, texts)]


def leaf_paths(tree: Tree, texts: bool = True) -> list[tuple[str, ...]]:
    return [
        path(node)
        for node in nodes(tree, texts)
        if not any(counts(child, texts) for child in node.children)
    ]


def shingles(tree: Tree, window: int, texts: bool = True) -> list[tuple[tuple[str, ...], ...]]:
    tokens = node_paths(tree, texts)
    if 0 < len(tokens) < window:
        return [tuple(tokens)]
    return [tuple(tokens[i : i + window]) for i in range(len(tokens) - window + 1)]


def over(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(1)


def set_jaccard(left: Counter, right: Counter) -> Fraction:
    return over(len(set(left) & set(right)), len(set(left) | set(right)))


def bag_jaccard(left: Counter, right: Counter) -> Fraction:
    return over((left & right).total(), (left | right).total())


def bag_dice(left: Counter, right: Counter) -> Fraction:
    return over(2 * (left & right).total(), left.total() + right.total())


def set_containment(left: Counter, right: Counter) -> Fraction:
    return over(len(set(left) & set(right)), len(set(left)))


def bag_containment(left: Counter, right: Counter) -> Fraction:
    return over((left & right).total(), left.total())


def best_pairing(
    left: Tree, right: Tree, weight=lambda depth: Fraction(1), texts: bool = True
) -> Fraction:
    """Root-to-leaf paths paired one to one so that the weight of shared leading nodes is greatest;
    that, twice, over all weights.
    """
    a, b = leaf_paths(left, texts), leaf_paths(right, texts)
    whole = sum((weight(depth) for one in a + b for depth in range(len(one))), Fraction(0))
    if not whole:
        return Fraction(1)
    if not a or not b:
        return Fraction(0)
    gain = [[shared_weight(x, y, weight) for y in b] for x in a]
    rows, columns = linear_sum_assignment(np.array(gain, dtype=float), maximize=True)
    return 2 * sum((gain[i][j] for i, j in zip(rows, columns, strict=True)), Fraction(0)) / whole


def shared_weight(x: tuple[str, ...], y: tuple[str, ...], weight) -> Fraction:
    total = Fraction(0)
    for depth, (one, other) in enumerate(zip(x, y, strict=False)):
        if one != other:
            break
        total += weight(depth)
    return total
