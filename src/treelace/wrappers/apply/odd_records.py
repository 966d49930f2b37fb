"""Records that are built unlike the others of their list, and of which it is known what is what.

One record of a list has lost its element, so that its parts stand among the others, or an advert
was put into it. A pattern reads what records have in common and is wrong about such a one. Where a
repair has proved what stands in it, the file keeps how it is built (what its top elements are
called, and a digest of all names inside) with the column of each place; a record that is built just
so is read by that, whatever the pattern says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b

from treelace.tree import Tree
from treelace.wrappers.apply.records import called, path_of

BETWEEN = " + "
"""What stands between the names of a record's top nodes."""

OddRecords = Mapping[str, Mapping[str, str]]
"""By how a record is built the columns of the places in it; an empty name: none."""


def names_of(build: str) -> tuple[str, ...]:
    """What the top nodes of records built so are called."""
    return tuple(build.rpartition(" ")[0].split(BETWEEN))


def build_of(tree: Tree, roots: Sequence[int]) -> str:
    """How a record is built: the names of its top nodes, and a digest of those inside.

    >>> from treelace import parse
    >>> page = parse("<li class=a><b>tea</b></li><li class=a><b>milk</b></li><li class=a>jam</li>")
    >>> first, second, third = (build_of(page, [node.index]) for node in page.select("li"))
    >>> first == second, first == third, names_of(first)
    (True, False, ('li.a',))
    """
    digest = blake2b(digest_size=4)
    for root in roots:
        base = tree.depth(root)
        for node in range(root, tree.end(root)):
            if name := called(tree, node):
                digest.update(f"{tree.depth(node) - base} {name}\n".encode())
    return f"{BETWEEN.join(called(tree, root) for root in roots)} {digest.hexdigest()}"


def known_places(tree: Tree, roots: Sequence[int], odd: OddRecords) -> Mapping[str, str] | None:
    """The columns of the places in a record that is built as one that is known; else None."""
    names = BETWEEN.join(called(tree, root) for root in roots)
    if not any(build.startswith(f"{names} ") for build in odd):
        return None
    return odd.get(build_of(tree, roots))


def with_odd_records(
    tree: Tree, records: Sequence[Sequence[int]], odd: OddRecords
) -> list[list[int]]:
    """The records, and those beside them that are built as ones that are known: siblings that are
    called so, one after the other. What other records had of them they lose.
    """
    lengths: dict[str, set[int]] = {}
    for build in odd:
        names = names_of(build)
        lengths.setdefault(names[0], set()).add(len(names))
    found: list[list[int]] = []
    for parent in sorted({tree.parent(record[0]) or 0 for record in records}):
        children = visible_children(tree, parent)
        at = 0
        while at < len(children):
            sizes = sorted(lengths.get(called(tree, children[at]), ()), reverse=True)
            runs = (children[at : at + size] for size in sizes)
            run = next((run for run in runs if known_places(tree, run, odd) is not None), None)
            if run is not None:
                found.append(run)
            at += len(run or [0])
    taken = {root for run in found for root in run}
    others = ([root for root in record if root not in taken] for record in records)
    return sorted([*filter(None, others), *found])


def visible_children(tree: Tree, parent: int) -> list[int]:
    """The elements and texts right inside an element."""
    return [child for child in tree.children(parent) if called(tree, child)]


def columns_of_places(
    tree: Tree,
    roots: Sequence[int],
    places: Mapping[str, str],
    leaves: Collection[int],
    numbers: Mapping[str, int],
) -> dict[int, int]:
    """The column (-1: none) of each leaf whose place is known."""
    paths = {leaf: path_of(tree, roots, leaf) for leaf in leaves}
    return {leaf: numbers.get(places[path], -1) for leaf, path in paths.items() if path in places}
