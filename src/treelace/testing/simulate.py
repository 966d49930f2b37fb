"""Changed documents with perfect deltas: the simulator of Cobéna, Abiteboul, Marian (§6.1).

Every probability is for each node:

1. **delete** (and **move**): nodes are taken out with all that is below them; what is to move
   waits, and is not touched otherwise;
2. **update**: texts that remain get original text of about their length;
3. **insert, move**: what waits is put below other elements, and elements get original children. A
   tag is copied from a sibling, elements move to where elements of their tag are and texts to where
   texts are, so the distribution of labels stays what it was.

Two texts never come together, or the next parser would read one: a deletion or a move that would
bring two texts together takes the second one with it, and nothing is put where it would. After the
first step there are fewer nodes than at the start; the probabilities of the others are raised to
make up for it.

The truth is the matching by which every node of the old document is followed to its place in the
new one, taken from the new file **as it is parsed**; the perfect delta is built from it, and must
turn the one file into the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from treelace import _kernel
from treelace.diff import Delta, diff
from treelace.errors import DeltaError, UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching import Matching
from treelace.tree import Kind, Tree, parse

_TRIES = 8
_XMLNS = "http://www.w3.org/2000/xmlns/"


@dataclass(frozen=True, slots=True)
class Simulation:
    """A document, its changed version, the true matching and the perfect delta."""

    old: Tree
    new: Tree
    matching: Matching
    delta: Delta
    moved: tuple[int, ...]
    """The old nodes that were moved on purpose."""

    def __repr__(self) -> str:
        return f"<Simulation: {self.delta!r}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chances:
    """How likely each node is to be deleted, updated, given a new child, moved."""

    delete: float = 0.1
    update: float = 0.1
    insert: float = 0.1
    move: float = 0.1

    def __post_init__(self) -> None:
        for name in ("delete", "update", "insert", "move"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(
                    f"a chance of {getattr(self, name)} to {name}: chances are in [0, 1]"
                )


def simulate(
    old: Tree, chances: Chances | None = None, *, seed: int = 0, limits: Limits = DEFAULT_LIMITS
) -> Simulation:
    """A changed version of an XML document, with the truth; the same seed, the same version.

    Linear in nodes beside the delta. `DeltaError` if the perfect delta does not turn the one into
    the other (it is tried).

    >>> from treelace.tree import parse
    >>> old = parse("<list><a>one</a><a>two</a><b><a>three</a><a>four</a></b></list>", format="xml")
    >>> made = simulate(old, Chances(delete=0, update=0.5, insert=0, move=0), seed=1)
    >>> made
    <Simulation: <Delta: 3 updates>>
    >>> made.delta.apply(made.old) == made.new
    True
    """
    if old.is_html:
        raise UsageError("the simulator works on XML documents; for pages there is `mutate`")
    changed = _Changed(old, Random(f"treelace/simulate/{seed}"))
    changed.run(chances or Chances())
    order = list(changed.in_order())
    rows = [
        (int(node.kind), depth, node.name, node.text, node.attributes, 0) for node, depth in order
    ]
    built = Tree(_kernel.tree_from_rows(rows, False, False, limits))
    new = parse(built.to_xml(), format="xml", limits=limits)
    if new != built:
        raise DeltaError(
            "the changed document reads back as another one: it cannot be simulated with a known"
            " truth"
        )
    pairs = [
        (node.index, number)
        for number, (node, _) in enumerate(order, start=1)
        if node.index is not None
    ]
    matching = Matching(old, new, [0, *(i for i, _ in pairs)], [0, *(j for _, j in pairs)])
    delta = diff(old, new, matcher=matching, limits=limits)
    if delta.apply(old, limits=limits) != new:
        raise DeltaError("the perfect delta does not make the new document")
    return Simulation(old, new, matching, delta, tuple(changed.moved))


@dataclass(eq=False, slots=True)
class _Item:
    """A node one may push around."""

    kind: Kind
    name: tuple[str, str, str]
    text: str
    attributes: list[tuple[tuple[str, str, str], str]]
    index: int | None = None
    parent: _Item | None = None
    scope: int = 0
    """The nearest node at or above it that declares namespaces."""
    children: list[_Item] = field(default_factory=list)

    @property
    def is_text(self) -> bool:
        return self.kind == Kind.TEXT

    @property
    def is_element(self) -> bool:
        return self.kind == Kind.ELEMENT


class _Changed:
    """The document while it changes."""

    def __init__(self, tree: Tree, rng: Random) -> None:
        self.rng = rng
        self.words = 0
        self.moved: list[int] = []
        self.came_from: dict[int, int] = {}
        items: list[_Item] = []
        for node, parent in zip(tree, tree.parents.tolist(), strict=True):
            own = "" if node.kind in (Kind.ELEMENT, Kind.DOCUMENT) else tree.own_text(node.index)
            attributes = [
                ((prefix, uri, local), value)
                for prefix, uri, local, value in tree.attribute_rows(node.index)
            ]
            name = node.name
            item = _Item(
                node.kind, (name.prefix, name.namespace, name.local), own, attributes, node.index
            )
            declares = any(uri == _XMLNS for (_, uri, _), _ in attributes)
            if node.index:
                item.parent = items[parent]
                items[parent].children.append(item)
            item.scope = node.index if declares or not node.index else items[parent].scope
            items.append(item)
        self.items = items
        self.root = next(item for item in items if item.is_element)

    def run(self, chances: Chances) -> None:
        waiting = self.take_out(chances)
        left = [item for item, _ in self.in_order()]
        more = (len(self.items) - 1) / max(1, len(left))
        for item in left:
            if item.is_text and item.text.strip() and self.rng.random() < chances.update * more:
                item.text = self.original_text(len(item.text))
        self.put_back(waiting)
        self.insert(min(1.0, chances.insert * more))

    def take_out(self, chances: Chances) -> list[list[_Item]]:
        """Step 1: the runs of siblings that wait to be put elsewhere."""
        waiting = []
        gone: set[int] = set()
        for item in self.items[1:]:
            parent = item.parent
            if id(parent) in gone:
                gone.add(id(item))
                continue
            is_blank = item.is_text and not item.text.strip()
            if (
                item is self.root
                or parent is None
                or parent.kind == Kind.DOCUMENT
                or is_blank
                or not (item.is_element or item.is_text)
            ):
                continue
            draw = self.rng.random()
            if draw >= chances.delete + chances.move:
                continue
            place = next((k for k, child in enumerate(parent.children) if child is item), None)
            if place is None:
                continue
            taken = [item]
            if (
                0 < place < len(parent.children) - 1
                and parent.children[place - 1].is_text
                and parent.children[place + 1].is_text
            ):
                taken.append(parent.children[place + 1])
            del parent.children[place : place + len(taken)]
            self.came_from[id(item)] = parent.scope
            for one in taken:
                one.parent = None
            gone.update(id(one) for one in taken)
            if draw >= chances.delete:
                waiting.append(taken)
        return waiting

    def put_back(self, waiting: list[list[_Item]]) -> None:
        """Step 3, moves: each run goes below a random element that holds its like."""
        like: dict[tuple[str, str, str], list[_Item]] = defaultdict(list)
        elements = [item for item, _ in self.in_order() if item.is_element]
        # where texts are: elements that hold some, and empty ones
        texts = [
            item
            for item in elements
            if not item.children
            or any(child.is_text and child.text.strip() for child in item.children)
        ]
        for item in elements:
            for child in item.children:
                if child.is_element:
                    like[child.name].append(item)
        for run in waiting:
            scope = self.came_from[id(run[0])]
            homes = like.get(run[0].name, []) if run[0].is_element else texts
            others = elements if run[0].is_element else []
            if not (self._put(run, homes, scope) or self._put(run, others, scope)):
                continue  # nowhere to go: it is deleted
            self.moved.extend(item.index for item in run if item.index is not None)
            for item in run:
                for inner in _below(item):
                    if inner.is_element:
                        elements.append(inner)
                        for child in inner.children:
                            if child.is_element:
                                like[child.name].append(inner)

    def _put(self, run: list[_Item], homes: list[_Item], scope: int | None = None) -> bool:
        """Puts a run below one of `homes`, so that no texts meet and (`scope`) prefixes hold."""
        for _ in range(_TRIES if homes else 0):
            home = self.rng.choice(homes)
            if scope is not None and home.scope != scope:
                continue
            place = self.rng.randint(0, len(home.children))
            before = home.children[place - 1] if place else None
            after = home.children[place] if place < len(home.children) else None
            if (before and before.is_text and run[0].is_text) or (
                after and after.is_text and run[-1].is_text
            ):
                continue
            home.children[place:place] = run
            for item in run:
                item.parent = home
            return True
        return False

    def insert(self, chance: float) -> None:
        """Step 3, original content."""
        for item in [item for item, _ in self.in_order() if item.is_element]:
            if self.rng.random() >= chance:
                continue
            siblings = [
                child for child in item.children if child.is_element and child.scope == item.scope
            ]
            if siblings:
                text = _Item(
                    Kind.TEXT, ("", "", ""), self.original_text(self.rng.randint(4, 40)), []
                )
                self._put(
                    [_Item(Kind.ELEMENT, self.rng.choice(siblings).name, "", [], children=[text])],
                    [item],
                )
            elif not item.children:
                self._put(
                    [
                        _Item(
                            Kind.TEXT, ("", "", ""), self.original_text(self.rng.randint(4, 40)), []
                        )
                    ],
                    [item],
                )

    def original_text(self, length: int) -> str:
        """Words that occur nowhere else, about `length` characters of them."""
        words: list[str] = []
        while sum(map(len, words)) + len(words) < min(length, 2000):
            self.words += 1
            words.append(f"orig{self.words:x}")
        return " ".join(words) or f"o{self.words}"

    def in_order(self) -> Iterator[tuple[_Item, int]]:
        """The nodes as they are now, with their depth, the document left out."""
        stack = [(child, 1) for child in reversed(self.items[0].children)]
        while stack:
            item, depth = stack.pop()
            yield item, depth
            stack.extend((child, depth + 1) for child in reversed(item.children))


def _below(item: _Item) -> Iterator[_Item]:
    stack = [item]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(top.children))
