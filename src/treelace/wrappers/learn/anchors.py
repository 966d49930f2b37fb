"""Anchors: several ways to find the same elements again, those that outlive most changes first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from treelace.tree import Tree
from treelace.wrappers.apply.page import leaf_in

MAX_ANCHORS = 5
"""Selectors that are kept for the records of a list."""

MAX_COLUMN_SELECTORS = 2
"""Selectors that are kept for a column."""

_WORD = re.compile(r"-?[A-Za-z_][\w-]*")


def record_anchors(tree: Tree, heads: Sequence[int], *, share: float = 1.0) -> list[str]:
    """Selectors that find all of these elements, the best first: those that find nothing else
    before those that find more; then those by class or `itemprop`, those inside an element with an
    id, those by path.

    What an anchor finds too much is sifted by the pattern when it is applied. With a `share` below
    1 an anchor may miss some of the elements, and what most of them are called counts. Empty only
    where there are no elements.
    """
    wanted = set(heads)
    found: list[tuple[float, int, str]] = []
    answers: dict[str, set[int]] = {}
    for order, selector in enumerate(_candidates(tree, heads, share)):
        if selector not in answers:
            answers[selector] = {node.index for node in tree.select(selector)}
            _judge(found, wanted, answers[selector], order, selector, share)
    if share < 1:
        best = sorted(found, key=lambda one: (-round(one[0], 2), one[1]))[:4]
        for number, (_, _, left) in enumerate(best):
            for _, _, right in best[number + 1 :]:
                _judge(
                    found,
                    wanted,
                    answers[left] | answers[right],
                    len(answers) + number,
                    f"{left}, {right}",
                    share,
                )
    found.sort(key=lambda one: (-round(one[0], 2), one[1]))
    return [f"css:{selector}" for _, _, selector in found[:MAX_ANCHORS]]


def _judge(
    found: list[tuple[float, int, str]],
    wanted: set[int],
    answer: set[int],
    order: int,
    selector: str,
    share: float,
) -> None:
    """Adds a selector that finds enough, with its F1."""
    hits = len(wanted & answer)
    if answer and hits >= share * len(wanted):
        found.append((2 * hits / (len(wanted) + len(answer)), order, selector))


def column_anchors(trees: Sequence[Tree], nodes: Mapping[int, int], label: str = "") -> list[str]:
    """Ways to find a leaf again: by id, `itemprop` or class of its element, or by its label.

    `nodes` has the leaf's node on each page that has it. An anchor finds exactly that on each of
    them, and nothing on the others.
    """
    found: list[str] = []
    page, node = next(iter(nodes.items()))
    for selector in _holders(trees[page], node):
        if all(_finds(tree, selector, nodes.get(number)) for number, tree in enumerate(trees)):
            found.append(f"css:{selector}")
            if len(found) == MAX_COLUMN_SELECTORS:
                break
    if label:
        found.append(f"label:{label}")
    return found


def _holders(tree: Tree, node: int) -> Iterator[str]:
    above: int | None = node if tree.kind(node) == 1 else tree.parent(node)
    for _ in range(3):
        if above is None or above == 0:
            return
        tag = tree.local_name(above)
        identity = tree.attribute(above, "id")
        if identity and _WORD.fullmatch(identity) and not any(map(str.isdigit, identity)):
            yield f"{tag}#{identity}"
        kind = tree.attribute(above, "itemprop")
        if kind and _WORD.fullmatch(kind):
            yield f'{tag}[itemprop="{kind}"]'
        for word in (tree.attribute(above, "class") or "").split():
            if _WORD.fullmatch(word):
                yield f"{tag}.{word}"
        above = tree.parent(above)


def _finds(tree: Tree, selector: str, node: int | None) -> bool:
    answer = tree.select(selector, limit=2)
    if node is None or len(answer) != 1:
        return node is None and not answer
    return leaf_in(tree, answer[0].index) == node


def holder_name(tree: Tree, leaf: int) -> str:
    """What the element that holds a leaf is called, tag and classes; of a plain link or mark with
    the element around it. Empty without a class.
    """
    name, above = "", leaf if tree.kind(leaf) == 1 else tree.parent(leaf)
    for _ in range(2):
        if not above:
            return ""
        classes = sorted((tree.attribute(above, "class") or "").split())
        name = (
            tree.local_name(above)
            + "".join(f".{word}" for word in classes)
            + (f" {name}" if name else "")
        )
        if classes:
            return name
        above = tree.parent(above)
    return ""


def _candidates(tree: Tree, heads: Sequence[int], share: float) -> Iterator[str]:
    if not heads:
        return
    own = _own(tree, heads, share)
    counts = Counter(tree.parent(head) or 0 for head in heads)
    parents = sorted(counts) if share == 1 else [parent for parent, _ in counts.most_common(1)]
    above = _own(tree, parents, share) if parents != [0] else []
    outer = _within(tree, [head for head in heads if share == 1 or tree.parent(head) in parents])
    tag = Counter(tree.local_name(head) for head in heads).most_common(1)[0][0]
    tags = sorted({tree.local_name(head) for head in heads})
    for name in own:
        for around in above:
            yield f"{around} > {name}"
        yield name
        for around in outer:
            yield f"{around} {name}"
    for around in (*above, *outer):
        yield ", ".join(f"{around} > {each}" for each in tags)
        yield ", ".join(f"{around} {each}" for each in tags)
    if len(counts) == 1:
        yield f"{_path(tree, parents[0])} > {tag if len(tags) == 1 else '*'}"
    steps = [*_path(tree, parents[0], numbered=False).split(" > "), tag]
    for number in (len(steps), 4, 3, 2):
        yield " > ".join(steps[-number:])
    yield ", ".join(tags)
    yield tag


def element_selectors(tree: Tree, node: int) -> Iterator[str]:
    """Selectors for an element: by its classes and attributes, inside its ancestors, by its tag."""
    parent = tree.parent(node)
    above = _own(tree, [parent], 1.0) if parent else []
    for name in _own(tree, [node], 1.0):
        yield name
        yield from (f"{around} > {name}" for around in above)
    yield from (f"{around} > {tree.local_name(node)}" for around in above)


def _own(tree: Tree, nodes: Sequence[int], share: float) -> list[str]:
    """Tag with shared classes, one class or an attribute, as (this share of) the elements have."""
    least = share * len(nodes)
    tags = Counter(tree.local_name(node) for node in nodes)
    top, number = tags.most_common(1)[0]
    tag = top if number >= least else "*"
    words = Counter(
        word
        for node in nodes
        for word in set((tree.attribute(node, "class") or "").split())
        if _WORD.fullmatch(word)
    )
    classes = {word for word, number in words.items() if number >= least}
    found = []
    if classes:
        found.append(tag + "".join(f".{word}" for word in sorted(classes)[:3]))
        found += [f"{tag}.{word}" for word in sorted(classes) if f"{tag}.{word}" != found[0]][:3]
    for name in ("itemtype", "itemprop", "role", "data-testid"):
        values = {tree.attribute(node, name) for node in nodes}
        value = values.pop() if len(values) == 1 else None
        if value and '"' not in value and "\\" not in value:
            found.append(f'{tag}[{name}="{value}"]')
    identity = tree.attribute(nodes[0], "id") if len(nodes) == 1 else None
    if identity and _WORD.fullmatch(identity):
        found.insert(0, f"#{identity}")
    return found


def _within(tree: Tree, heads: Sequence[int]) -> list[str]:
    """Elements around all heads with an id or a class of their own, the nearest first."""
    above, found = tree.parent(heads[0]), list[str]()
    while above and len(found) < 3:
        if all(above <= head < tree.end(above) for head in heads):
            identity = tree.attribute(above, "id")
            if identity and _WORD.fullmatch(identity):
                found.append(f"#{identity}")
            else:
                for word in (tree.attribute(above, "class") or "").split():
                    if _WORD.fullmatch(word) and len(tree.select(f".{word}", limit=2)) == 1:
                        found.append(f".{word}")
                        break
        above = tree.parent(above)
    return found


def _path(tree: Tree, node: int, *, numbered: bool = True) -> str:
    """The tags from the root to an element, with its position among siblings of the same tag."""
    steps = list[str]()
    while node:
        tag, parent = tree.local_name(node), tree.parent(node) or 0
        same = [
            child
            for child in tree.children(parent)
            if tree.kind(child) == 1 and tree.local_name(child) == tag
        ]
        steps.append(
            f"{tag}:nth-of-type({same.index(node) + 1})" if numbered and len(same) > 1 else tag
        )
        node = parent
    return " > ".join(reversed(steps))
