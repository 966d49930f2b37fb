"""Flesca's signals from their definitions: tags as strings, codes from a list, sums written out,
the transform in O(n²).
"""

from __future__ import annotations

import cmath
import math
from fractions import Fraction

from treelace import Name, Node, Tree

XMLNS = "http://www.w3.org/2000/xmlns/"

Tag = tuple[
    str, bool, tuple[str, ...]
]  # name, is an end tag, the open start tags (as path of names)


def skeleton(tree: Tree, attributes: bool) -> list[Tag]:
    out: list[Tag] = []

    def visit(node: Node, above: tuple[str, ...]) -> None:
        out.append((node.tag, False, above))
        inside = (*above, node.tag)
        if attributes:
            names = [Name(*parts[:3]) for parts in node.tree._core.attributes(node.index)]
            for name in sorted(
                (name for name in names if name.namespace != XMLNS),
                key=lambda name: (name.local, name.namespace),
            ):
                out.extend(
                    [
                        (f"ATTRIB@{name.expanded}", False, inside),
                        (f"ATTRIB@{name.expanded}", True, inside),
                    ]
                )
        for child in node.children:
            if child.is_element:
                visit(child, inside)
        out.append((node.tag, True, above))

    for child in tree.document.children:
        if child.is_element:
            visit(child, ())
    return out


def code_keys(tags: list[Tag], tag_encoding: str) -> list[object]:
    """What each tag's code stands for; None for code 0."""
    if tag_encoding == "direct":
        return [name for name, _, _ in tags]
    if tag_encoding == "nested":
        return [(*above, name) for name, _, above in tags]
    pairs = [(tags[i][:2], tags[i + 1][:2]) for i in range(len(tags) - 1)]
    return [*pairs, None] if tags else []


def numbering(documents: list[list[Tag]], tag_encoding: str) -> dict[object, int]:
    """Numbers by first appearance over the documents, in the order given."""
    numbers: dict[object, int] = {}
    for tags in documents:
        for key in code_keys(tags, tag_encoding):
            if key is not None:
                numbers.setdefault(key, len(numbers) + 1)
    return numbers


def series(
    tags: list[Tag],
    numbers: dict[object, int],
    document: str,
    tag_encoding: str,
    ends: str,
    max_depth: int,
    base: int,
) -> list[Fraction]:
    def code(i: int) -> int:
        key = code_keys(tags, tag_encoding)[i]
        if key is None:
            return 0
        if tags[i][1] and tag_encoding != "pairwise":
            return 0 if ends == "null" else -numbers[key]
        return numbers[key]

    codes = [code(i) for i in range(len(tags))]
    if document == "trivial":
        return [Fraction(c) for c in codes]
    if document == "linear":
        return [Fraction(sum(codes[: i + 1])) for i in range(len(codes))]
    out: list[Fraction] = []
    open_tags: list[
        tuple[int, int]
    ] = []  # (code, level) of every start tag whose end tag has not come yet
    for i, (_, is_end, above) in enumerate(tags):
        level = len(above)
        if is_end:
            open_tags.pop()
        digits = [*open_tags, (codes[i], level)]
        out.append(
            sum(
                (Fraction(c) * Fraction(base) ** (max_depth - deep) for c, deep in digits),
                Fraction(0),
            )
        )
        if not is_end:
            open_tags.append((codes[i], level))
    return out


def magnitudes(values: list[float], points: int) -> list[float]:
    padded = [*values, *[0.0] * (points - len(values))]
    return [
        abs(sum(x * cmath.exp(-2j * cmath.pi * k * t / points) for t, x in enumerate(padded)))
        for k in range(points)
    ]


def union_distance(left: list[float], right: list[float]) -> float:
    """The distance with magnitudes interpolated to the union of both grids."""
    first, second = magnitudes(left, len(left)), magnitudes(right, len(right))
    grid = sorted({Fraction(k, len(one)) for one in (left, right) for k in range(len(one))})
    half = grid[1 : len(grid) // 2 + 1]
    return math.sqrt(sum((interpolated(first, at) - interpolated(second, at)) ** 2 for at in half))


def interpolated(values: list[float], at: Fraction) -> float:
    if not values:
        return 0.0
    place = at * len(values)
    below = math.floor(place)
    part = float(place - below)
    return values[below % len(values)] * (1 - part) + values[(below + 1) % len(values)] * part


def power_distance(left: list[float], right: list[float]) -> float:
    longest = max(len(left), len(right))
    if longest == 0:
        return 0.0
    points = 1 << (longest - 1).bit_length()
    first, second = magnitudes(left, points), magnitudes(right, points)
    return math.sqrt(sum((first[k] - second[k]) ** 2 for k in range(1, points // 2 + 1)))


def warping(left: list[float], right: list[float]) -> float:
    """Every cell of the table, as the recurrence says."""
    if not left or not right:
        return 0.0 if not left and not right else math.inf
    best: dict[tuple[int, int], float] = {}
    for i, x in enumerate(left):
        for j, y in enumerate(right):
            before = [
                best[cell] for cell in ((i - 1, j - 1), (i - 1, j), (i, j - 1)) if cell in best
            ]
            best[i, j] = abs(x - y) + (min(before) if before else 0.0)
    return best[len(left) - 1, len(right) - 1]
