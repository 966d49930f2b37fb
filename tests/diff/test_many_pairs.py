"""The laws of deltas on a hundred thousand random pairs: plain random trees, quick to make, a
version each that was changed at random.
"""

from __future__ import annotations

from random import Random

import pytest

from treelace import _kernel
from treelace.diff import Delta, diff
from treelace.diff.three_way_merge import merge
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Kind, Tree

PIECES = 20
PAIRS_A_PIECE = 5_000

Row = tuple[int, int, tuple[str, str, str], str, list[tuple[tuple[str, str, str], str]], int]
NONE = ("", "", "")


def random_node(random: Random) -> Row:
    """A node at depth 0, to be put somewhere."""
    kind = random.choice(
        [
            Kind.ELEMENT,
            Kind.ELEMENT,
            Kind.ELEMENT,
            Kind.TEXT,
            Kind.TEXT,
            Kind.COMMENT,
            Kind.INSTRUCTION,
        ]
    )
    words = " ".join(
        random.choices(
            ["tea", "milk", "jam", "ünï", "\U0001f375", "\n ", "a longer piece of text"],
            k=random.randrange(1, 4),
        )
    )
    if kind == Kind.ELEMENT:
        names = random.sample(["k", "l", "m", "class"], k=random.choice([0, 0, 1, 2, 3]))
        attributes = [(("", "", name), random.choice(["1", "2", "some value"])) for name in names]
        return (
            int(kind),
            0,
            random.choice([("", "", "a"), ("", "", "b"), ("", "", "rec"), ("p", "urn:p", "c")]),
            "",
            attributes,
            0,
        )
    return (int(kind), 0, ("", "", "pi") if kind == Kind.INSTRUCTION else NONE, words, [], 0)


def random_rows(random: Random, most: int) -> list[Row]:
    """A document of up to `most` nodes below its root; half of it is copied from itself, as pages
    repeat themselves.
    """
    rows = [at(random_node(Random(0)), 1)]
    rows[0] = (int(Kind.ELEMENT), 1, ("", "", "root"), "", [], 0)
    for _ in range(random.randrange(most)):
        end = random.randrange(len(rows))
        piece = (
            subtree(rows, end)
            if end and random.random() < 0.5 and len(rows) < most
            else [at(random_node(random), rows[end][1])]
        )
        put(rows, piece, random)
    return rows


def at(row: Row, depth: int) -> Row:
    return (row[0], depth, *row[2:])


def subtree(rows: list[Row], top: int) -> list[Row]:
    end = top + 1
    while end < len(rows) and rows[end][1] > rows[top][1]:
        end += 1
    return rows[top:end]


def put(rows: list[Row], piece: list[Row], random: Random) -> None:
    """Puts a subtree before a random node, or as the first child of a random element."""
    place = random.randrange(1, len(rows) + 1)
    before = rows[place - 1]
    depth = (
        before[1] + 1
        if before[0] == Kind.ELEMENT and (random.random() < 0.6 or before[1] == 1)
        else max(2, before[1])
    )
    if place < len(rows):
        depth = max(depth, rows[place][1])
    if depth > before[1] + (before[0] == Kind.ELEMENT):
        depth = before[1]
    shift = depth - piece[0][1]
    rows[place:place] = [at(row, row[1] + shift) for row in piece]


def changed(rows: list[Row], random: Random) -> list[Row]:
    """A version with up to six changes: deleted, moved, inserted subtrees, other texts, attributes
    and names.
    """
    rows = list(rows)
    for _ in range(random.randrange(7)):
        index = random.randrange(len(rows))
        row = rows[index]
        match random.randrange(6):
            case 0 | 1 if index:
                piece = subtree(rows, index)
                del rows[index : index + len(piece)]
                if random.random() < 0.6:
                    put(rows, piece, random)
            case 2:
                put(rows, [at(random_node(random), 2)], random)
            case 3 if row[0] != Kind.ELEMENT:
                rows[index] = (*row[:3], row[3] + " more", *row[4:])
            case 4 if row[0] == Kind.ELEMENT:
                rows[index] = (*row[:4], random_node(random)[4], row[5])
            case _ if row[0] == Kind.ELEMENT:
                rows[index] = (*row[:2], ("", "", random.choice("abcd")), *row[3:])
    return rows


def tree_of(rows: list[Row], *, is_html: bool) -> Tree:
    return Tree(_kernel.tree_from_rows(rows, is_html, False, DEFAULT_LIMITS))


def holds(
    first: Tree, second: Tree, third: Tree, *, matcher: str, order_moves: bool, merges: bool
) -> None:
    delta = diff(first, second, matcher=matcher, order_moves=order_moves)
    made, xids = delta.apply_with_xids(first)
    assert made == second and xids == delta.new_xids(second)
    assert (~delta).apply(second) == first
    assert ~~delta == delta
    following = diff(second, third, matcher=matcher, xids=xids)
    both = delta | following
    assert both.apply(first) == third and (~both).apply(third) == first
    assert Delta.from_bytes(following.to_bytes()) == following
    assert Delta.from_xml(delta.to_xml()) == delta
    if merges:
        assert merge(first, second, first).tree == second
        assert merge(first, second, second).tree == second


def run(seed: int, pairs: int) -> None:
    random = Random(f"many pairs/{seed}")
    for number in range(pairs):
        is_html = random.random() < 0.3
        rows = random_rows(random, 16)
        second, third = (
            changed(rows, random),
            changed(rows, random) if random.random() < 0.8 else random_rows(random, 12),
        )
        trees = [tree_of(it, is_html=is_html) for it in (rows, second, third)]
        matcher = random.choice(["document", "document", "buld", "lace"])
        try:
            holds(
                *trees, matcher=matcher, order_moves=random.random() < 0.8, merges=number % 5 == 0
            )
        except Exception as error:
            raise AssertionError(
                f"pair {number} of piece {seed} with {matcher}: {[tree.to_xml() for tree in trees]}"
            ) from error


def test_some_pairs() -> None:
    run(seed=-1, pairs=200)


@pytest.mark.slow
@pytest.mark.parametrize("piece", range(PIECES))
def test_many_pairs(piece: int) -> None:
    run(piece, PAIRS_A_PIECE)
