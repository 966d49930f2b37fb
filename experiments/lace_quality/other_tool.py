"""A second mutation tool, written from §5.1 of the SFTM paper alone, over lxml: what does `lace` do
on mutants that are not of our making?

Nothing is shared with `treelace mutate`. What the paper leaves open is a field of `Reading`; the
readings measured are in `READINGS`. The page is read by lxml, every element gets a signature
attribute, operations change the lxml tree, and the written page is parsed by treelace. Truth is
read from that parse of the still signed mutant; then the signatures are cut out of the text, and
the page must keep its shape.
"""

from __future__ import annotations

import copy
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import lxml.etree
import lxml.html

from treelace import Tree, parse
from treelace.tree.write import to_html

Element: TypeAlias = Any
"""An element of lxml, which has no types."""

SIGNATURE = "mutation-signature"
RATIOS = (0.05, 0.1, 0.2, 0.3, 0.5)
CATEGORIES = {
    "structure": ("remove", "duplicate", "wrap", "unwrap", "swap"),
    "attribute": ("attribute: remove", "attribute: remove words"),
    "content": (
        "content: replace",
        "content: remove",
        "content: remove words",
        "content: change letters",
    ),
}
_FIXED = {"html", "head", "body", "frameset"}
_CHILDLESS = set(
    "area base br col embed hr img input link meta param source track wbr iframe noembed noframes"
    " plaintext script style textarea title xmp".split()
)

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that lxml reads from a page and refuses to write into one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way to fill in what the paper leaves open.

    By default an operation counts as one mutated element whatever its size, operators are drawn
    evenly, copies go anywhere under the body, any two siblings may be swapped, the content of an
    element is all text directly in it, and elements of the head are mutated too.
    """

    counts_subtrees: bool = False
    """Elements that go with a removed or a copied one count as mutated, as do both of a swap; what
    would pass the ratio is not done.
    """
    draws_category_first: bool = False
    """Structure, attribute and content are equally likely, then the operators in them."""
    copies_near: bool = False
    """A copy goes among the siblings of its original."""
    swaps_neighbours: bool = False
    first_text_only: bool = False
    """Content is the text before the first child only (`element.text` of lxml)."""
    spares_head: bool = False
    largest: int | None = None
    """Larger subtrees are not removed nor duplicated."""


READINGS = {
    "tool-a": Reading(),
    "tool-b": Reading(counts_subtrees=True, draws_category_first=True),
    "tool-c": Reading(
        copies_near=True, swaps_neighbours=True, first_text_only=True, spares_head=True
    ),
    "tool-d": Reading(draws_category_first=True, largest=30),
}
SOURCES = ("report", "fresh")
"""The splits whose originals are mutated."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A page and its mutant, without signatures; which element is which; what was done, in order:
    (operator, signature of the element).
    """

    original: str
    mutant: str
    truth: list[tuple[int, int]]
    operations: list[tuple[str, int]]


def mutate(page: str, ratio: float, seed: int, reading: Reading, *, tries: int = 20) -> Mutant:
    """Mutates a page.

    The parser drops the fourth of four equal formatting elements that were left open; signatures
    make them unequal. Where the shape without signatures is another one for such a reason, the draw
    is thrown away, and the next one taken.
    """
    root = lxml.html.document_fromstring(
        _NOT_XML.sub("", page).encode(),
        parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True),
    )
    for number, element in enumerate(root.iter(lxml.etree.Element)):
        element.set(SIGNATURE, str(number))
    doctype = root.getroottree().docinfo.doctype
    original = _written(root, doctype)
    for attempt in range(tries):
        changed = copy.deepcopy(root)
        work = _Work(changed, reading, random.Random(f"{seed}/{attempt}"))
        work.mutate(changed, ratio)
        mutant = _written(changed, doctype)
        if _keeps_shape(original) and _keeps_shape(mutant):
            return Mutant(
                _without_signatures(original),
                _without_signatures(mutant),
                _truth(original, mutant),
                work.done,
            )
    raise ValueError(
        f"no mutant of this page keeps its shape without signatures, after {tries} tries"
    )


def make(folder: Path, split: str) -> None:
    """Writes the mutants of one of `READINGS` that `folder` lacks, from the originals there."""
    reading = READINGS[split]
    originals = (
        path
        for source in SOURCES
        for path in sorted((folder / source / "base").glob("*-05/original.html"))
    )
    for path in originals:
        page = path.read_text()
        name = path.parent.name.rpartition("-")[0]
        for ratio in RATIOS:
            target = folder / split / "base" / f"{name}-{round(100 * ratio):02d}"
            if (target / "meta.json").exists():
                continue
            mutant = mutate(page, ratio, seed=round(100 * ratio), reading=reading)
            target.mkdir(parents=True, exist_ok=True)
            (target / "original.html").write_text(mutant.original)
            (target / "mutant.html").write_text(mutant.mutant)
            (target / "truth.json").write_text(json.dumps(mutant.truth))
            elements = sum(
                element.element_index is not None
                for element in parse(mutant.original, format="html").elements
            )
            facts = {
                "ratio": ratio,
                "elements_original": elements,
                "kind": "base",
                "moved": [],
                "operations": mutant.operations,
            }
            (target / "meta.json").write_text(json.dumps(facts))


@dataclass(slots=True)
class _Work:
    """The mutation of one page."""

    root: Element
    reading: Reading
    random: random.Random
    done: list[tuple[str, int]] = field(default_factory=list)

    def mutate(self, top: Element, ratio: float) -> None:
        """Mutates the given share of the elements under `top`, itself included: the page, or a
        copy, in which nothing is duplicated again.

        (With copies of copies a deep page grows without end: an element has more than ten elements
        above it that may be copied.)
        """
        elements = list(top.iter(lxml.etree.Element))
        left = round(ratio * len(elements))
        if self.reading.spares_head:
            elements = [
                element
                for element in elements
                if not any(above.tag == "head" for above in (element, *element.iterancestors()))
            ]
        self.random.shuffle(elements)
        for element in elements:
            if left <= 0:
                return
            if element is not top and not any(above is top for above in element.iterancestors()):
                continue
            for operator in self._operators():
                cost = self._cost(operator, element)
                if cost <= left and self._apply(operator, element, ratio):
                    left -= cost
                    break

    def _operators(self) -> Iterator[str]:
        """All operators, in the order in which they are tried on an element."""
        groups = (
            list(CATEGORIES.values())
            if self.reading.draws_category_first
            else [tuple(name for group in CATEGORIES.values() for name in group)]
        )
        for group in self.random.sample(groups, len(groups)):
            yield from self.random.sample(group, len(group))

    def _cost(self, operator: str, element: Element) -> int:
        if not self.reading.counts_subtrees:
            return 1
        if operator in ("remove", "duplicate"):
            return _size(element)
        return 2 if operator == "swap" else 1

    def _apply(self, operator: str, element: Element, ratio: float) -> bool:
        """Does it, if this element can take it."""
        signature = int(
            element.get(SIGNATURE, -1)
        )  # in a copy, wrappers and older copies have none
        category, _, rest = operator.rpartition(": ")
        if category == "attribute":
            is_done = self._attribute(element, rest)
        elif category == "content":
            is_done = self._content(element, rest)
        elif (
            element.tag in _FIXED
            or element.getparent() is None
            or (operator in ("remove", "duplicate") and self._is_too_large(element))
        ):
            is_done = False
        elif operator == "duplicate":
            is_done = element.getroottree().getroot() is self.root and self._duplicate(
                element, ratio
            )
        else:
            structure: dict[str, Callable[[Element], bool]] = {
                "remove": _remove,
                "wrap": _wrap,
                "unwrap": _unwrap,
                "swap": self._swap,
            }
            is_done = structure[operator](element)
        if is_done:
            self.done.append((operator, signature))
        return is_done

    def _is_too_large(self, element: Element) -> bool:
        return self.reading.largest is not None and _size(element) > self.reading.largest

    def _duplicate(self, element: Element, ratio: float) -> bool:
        twin = copy.deepcopy(element)
        twin.tail = None
        _Work(self.root, self.reading, self.random).mutate(twin, ratio)
        for inside in twin.iter(lxml.etree.Element):
            inside.attrib.pop(SIGNATURE, None)
        if self.reading.copies_near:
            parent = element.getparent()
        else:
            body = next(iter(self.root.findall("body")), self.root)
            parent = self.random.choice(
                [inside for inside in body.iter(lxml.etree.Element) if inside.tag not in _CHILDLESS]
            )
        parent.insert(self.random.randint(0, len(parent)), twin)
        return True

    def _swap(self, element: Element) -> bool:
        siblings = [sibling for sibling in element.getparent() if isinstance(sibling.tag, str)]
        place = siblings.index(element)
        others = (
            [siblings[i] for i in (place - 1, place + 1) if 0 <= i < len(siblings)]
            if self.reading.swaps_neighbours
            else siblings
        )
        others = [sibling for sibling in others if sibling is not element]
        if not others:
            return False
        _exchange(element, self.random.choice(others))
        return True

    def _attribute(self, element: Element, operator: str) -> bool:
        names = [
            name
            for name in element.attrib
            if name != SIGNATURE and (operator == "remove" or element.get(name).split())
        ]
        if not names:
            return False
        name = self.random.choice(names)
        if operator == "remove":
            del element.attrib[name]
        else:
            element.set(name, self._fewer_words(element.get(name)))
        return True

    def _content(self, element: Element, operator: str) -> bool:
        places = [
            (holder, side)
            for holder, side in self._texts(element)
            if (getattr(holder, side) or "").strip()
        ]
        for holder, side in places:
            setattr(holder, side, self._new_text(getattr(holder, side), operator))
        return bool(places)

    def _texts(self, element: Element) -> Iterator[tuple[Element, str]]:
        """Where lxml keeps the text that is this element's content."""
        yield element, "text"
        if not self.reading.first_text_only:
            yield from ((child, "tail") for child in element)

    def _new_text(self, text: str, operator: str) -> str:
        if operator == "remove":
            return ""
        if operator == "remove words":
            return self._fewer_words(text)
        if operator == "change letters":
            letters = list(text)
            places = [i for i, letter in enumerate(letters) if not letter.isspace()]
            for i in self.random.sample(
                places, self.random.randint(1, max(1, min(5, len(places) // 3)))
            ):
                letters[i] = self.random.choice(string.ascii_letters)
            return "".join(letters)
        length = max(1, round(len(text.strip()) * self.random.uniform(0.8, 1.2)))
        words = ""
        while len(words) < length:
            words += (
                "".join(self.random.choices(string.ascii_lowercase, k=self.random.randint(2, 9)))
                + " "
            )
        return words[:length]

    def _fewer_words(self, text: str) -> str:
        words = text.split()
        gone = set(self.random.sample(range(len(words)), self.random.randint(1, len(words))))
        return " ".join(word for i, word in enumerate(words) if i not in gone)


def _size(element: Element) -> int:
    return sum(1 for _ in element.iter(lxml.etree.Element))


def _remove(element: Element) -> bool:
    element.drop_tree()
    return True


def _wrap(element: Element) -> bool:
    parent, place, tail = element.getparent(), element.getparent().index(element), element.tail
    box = element.makeelement("div")
    parent[place] = box
    element.tail = None
    box.append(element)
    box.tail = tail
    return True


def _unwrap(element: Element) -> bool:
    if not any(isinstance(child.tag, str) for child in element):
        return False
    element.drop_tag()
    return True


def _exchange(one: Element, other: Element) -> None:
    """Two siblings change places; the text between children stays where it is."""
    parent = one.getparent()
    first, second = sorted((one, other), key=parent.index)
    where, tails = parent.index(second), (first.tail, second.tail)
    parent[parent.index(first)] = second
    parent.insert(where, first)
    second.tail, first.tail = tails


def _written(root: Element, doctype: str) -> str:
    """The signed page as treelace reads and writes it, until that changes nothing more."""
    text: str = lxml.html.tostring(
        root, encoding="unicode", doctype=doctype or None, include_meta_content_type=True
    )
    for _ in range(5):
        before, text = text, to_html(parse(text, format="html"))
        if text == before:
            break
    return text


def _without_signatures(text: str) -> str:
    return re.sub(rf' {SIGNATURE}="\d+"', "", text)


def _keeps_shape(signed: str) -> bool:
    trees = (parse(text, format="html") for text in (signed, _without_signatures(signed)))
    old, new = (([node.tag for node in tree.elements], tree.parents.tolist()) for tree in trees)
    return old == new


def _truth(original: str, mutant: str) -> list[tuple[int, int]]:
    """Pairs of element indexes. The parser may make two elements of one: the first is the one
    meant.
    """
    old, new = (_places(parse(text, format="html")) for text in (original, mutant))
    return sorted((place, new[signature]) for signature, place in old.items() if signature in new)


def _places(tree: Tree) -> dict[str, int]:
    places: dict[str, int] = {}
    for element in tree.elements:
        signature = element.attribute(SIGNATURE)
        if signature is not None and element.element_index is not None:
            places.setdefault(signature, element.element_index)
    return places
