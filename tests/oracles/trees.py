"""Plain trees for oracles: nested tuples (label, children), random ones, and bracket notation."""

from __future__ import annotations

import random

from tests.oracles.zhang_shasha import PlainTree


def brackets(tree: PlainTree) -> str:
    """`{a{b}{c}}`."""
    label, children = tree
    return "{" + label + "".join(map(brackets, children)) + "}"


def plain(text: str) -> PlainTree:
    """Reads bracket notation without escapes."""
    stack: list[tuple[str, list[PlainTree]]] = [("", [])]
    for piece in text.replace("}", "}\0").replace("{", "\0{").split("\0"):
        if piece.startswith("{"):
            closed = piece.endswith("}")
            stack.append((piece[1:].removesuffix("}"), []))
            if not closed:
                continue
        elif piece != "}":
            continue
        label, children = stack.pop()
        stack[-1][1].append((label, tuple(children)))
    return stack[0][1][0]


def random_tree(
    rng: random.Random, nodes: int, labels: str = "abc", bend: float = 0.0
) -> PlainTree:
    """A random tree: each node hangs under a random earlier one, near the last one with probability
    `bend` (deep trees).
    """
    parents = [0] + [
        rng.randrange(max(0, i - 2), i) if rng.random() < bend else rng.randrange(i)
        for i in range(1, nodes)
    ]
    children: list[list[int]] = [[] for _ in range(nodes)]
    for i in range(1, nodes):
        siblings = children[parents[i]]
        siblings.insert(rng.randrange(len(siblings) + 1), i)

    def build(i: int) -> PlainTree:
        return (rng.choice(labels), tuple(build(child) for child in children[i]))

    return build(0)
