"""The mutation operators of the SFTM paper (Brisset et al., §5.1), and two that it lacks.

Each operator is a function that changes the page around one element and answers what it did, or
None where it cannot be applied; then nothing has changed. *Content* is the element's own text;
*anywhere* is any element of the body that can hold markup.

remove                  the element and all below it go
duplicate               a copy of the subtree, itself mutated, is put anywhere in the page
wrap                    the element is put into a new ``div``
unwrap                  the element goes, its children stay in its place
swap                    the element changes places with one of its siblings
attribute-remove        one attribute goes
attribute-remove-words  some words of one attribute value go, at least one
content-replace         every text becomes another one of about its length
content-remove          the texts go
content-remove-words    some words of the texts go, at least one
content-change-letters  a few letters of the texts become others
move                    the subtree is put anywhere else in the page  (not in the paper)
attribute-add           a new attribute with one to three words       (not in the paper)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any, TypeAlias

from treelace.testing.document import Element, Leaf

Facts: TypeAlias = dict[str, Any]
Operator: TypeAlias = Callable[[Element, "Page"], Facts | None]

FIXED = frozenset({"html", "head", "body"})
"""Elements that every page has once: they are never operated on."""


@dataclass(eq=False, slots=True)
class Page:
    """What an operator sees besides its element: the page, chance, and how to mutate a copy."""

    top: Element
    random: Random
    mutate: Callable[[Element], object]
    largest: int
    places: list[Element] = field(init=False)
    gone: set[int] = field(default_factory=set)
    """Which elements (by `id`; whoever made the page keeps them alive) no longer stand in it."""

    def __post_init__(self) -> None:
        body = next((element for element in self.top.elements() if element.tag == "body"), self.top)
        self.places = [element for element in body.elements() if element.holds_markup] or [self.top]

    def holds(self, element: Element) -> bool:
        """Whether the element, which once stood in the page, still does."""
        return id(element) not in self.gone

    def is_small(self, element: Element) -> bool:
        """Whether the subtree is small enough to come, go or wander as a whole."""
        return sum(1 for _ in islice(element.elements(), self.largest + 1)) <= self.largest

    def anywhere(self) -> Element:
        """A random element of the body (or of the page without one) that can hold markup."""
        for _ in range(100):
            place = self.random.choice(self.places)
            if self.holds(place):
                return place
        return self.top


_WORD = re.compile(r"\w+")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def remove(element: Element, page: Page) -> Facts | None:
    if not page.is_small(element):
        return None
    element.detach()
    page.gone.update(map(id, element.elements()))
    return {}


def duplicate(element: Element, page: Page) -> Facts | None:
    if not page.is_small(element):
        return None
    place = page.anywhere()
    copy = element.copy()
    page.mutate(copy)
    place.insert(page.random.randint(0, len(place.children)), copy)
    return {"into": place.mark}


def wrap(element: Element, page: Page) -> Facts | None:
    box = Element("div")
    parent, position = element.parent, element.position()
    assert parent is not None
    parent.children[position] = box
    box.parent = parent
    box.append(element)
    return {}


def unwrap(element: Element, page: Page) -> Facts | None:
    if not element.children:
        return None
    parent, position = element.parent, element.position()
    assert parent is not None
    for child in element.children:
        child.parent = parent
    parent.children[position : position + 1] = element.children
    element.children, element.parent = [], None
    page.gone.add(id(element))
    return {}


def swap(element: Element, page: Page) -> Facts | None:
    assert element.parent is not None
    siblings = element.parent.children
    here = element.position()
    others = [i for i, child in enumerate(siblings) if isinstance(child, Element) and i != here]
    if not others:
        return None
    there = page.random.choice(others)
    other = siblings[there]
    siblings[here], siblings[there] = other, element
    return {"with": other.mark if isinstance(other, Element) else None}


def attribute_remove(element: Element, page: Page) -> Facts | None:
    if not element.attributes:
        return None
    name = page.random.choice(list(element.attributes))
    del element.attributes[name]
    return {"name": name}


def attribute_remove_words(element: Element, page: Page) -> Facts | None:
    names = [name for name, value in element.attributes.items() if _WORD.search(value)]
    if not names:
        return None
    name = page.random.choice(names)
    element.attributes[name] = _fewer_words(element.attributes[name], page.random)
    return {"name": name}


def content_replace(element: Element, page: Page) -> Facts | None:
    for text in element.texts():
        length = max(1, round(len(text.text.strip()) * page.random.uniform(0.8, 1.2)))
        text.text = _babble(length, page.random)
    return {} if element.texts() else None


def content_remove(element: Element, page: Page) -> Facts | None:
    if not element.texts():
        return None
    element.children = [
        child for child in element.children if not (isinstance(child, Leaf) and child.text)
    ]
    return {}


def content_remove_words(element: Element, page: Page) -> Facts | None:
    texts = [text for text in element.texts() if _WORD.search(text.text)]
    for text in texts:
        text.text = _fewer_words(text.text, page.random)
    return {} if texts else None


def content_change_letters(element: Element, page: Page) -> Facts | None:
    texts = [text for text in element.texts() if any(map(str.isalnum, text.text))]
    for text in texts:
        places = [i for i, letter in enumerate(text.text) if letter.isalnum()]
        letters = list(text.text)
        for i in page.random.sample(
            places, min(len(places), page.random.randint(1, 1 + len(places) // 8))
        ):
            letters[i] = page.random.choice(_LETTERS)
        text.text = "".join(letters)
    return {} if texts else None


def move(element: Element, page: Page) -> Facts | None:
    if not page.is_small(element):
        return None
    inside = set(map(id, element.elements()))
    for _ in range(20):
        place = page.anywhere()
        if id(place) not in inside and place is not element.parent:
            element.detach()
            place.insert(page.random.randint(0, len(place.children)), element)
            return {
                "into": place.mark,
                "elements": [below.mark for below in element.elements() if below.mark is not None],
            }
    return None


def attribute_add(element: Element, page: Page) -> Facts | None:
    made = [f"{prefix}-{_word(page.random)}" for prefix in ("data", "aria")]
    name = page.random.choice(["class", "id", "title", "style", "role", *made])
    if name in element.attributes:
        return None
    element.attributes[name] = " ".join(
        _word(page.random) for _ in range(page.random.randint(1, 3))
    )
    return {"name": name}


_ATTRIBUTES = (attribute_remove, attribute_remove_words)
_CONTENT = (content_replace, content_remove, content_remove_words, content_change_letters)

PAPER: dict[str, Operator] = {
    operator.__name__.replace("_", "-"): operator
    for operator in (remove, duplicate, wrap, unwrap, swap, *_ATTRIBUTES, *_CONTENT)
}
"""The eleven operators of the paper."""

OPERATORS: dict[str, Operator] = PAPER | {"move": move, "attribute-add": attribute_add}
"""All of them."""


def _fewer_words(text: str, random: Random) -> str:
    count = len(_WORD.findall(text))
    gone = set(random.sample(range(count), random.randint(1, count)))
    number = iter(range(count))
    return " ".join(_WORD.sub(lambda word: "" if next(number) in gone else word[0], text).split())


def _word(random: Random) -> str:
    return "".join(random.choice(_LETTERS) for _ in range(random.randint(2, 9)))


def _babble(length: int, random: Random) -> str:
    words = [_word(random) for _ in range(length // 3 + 1)]
    return " ".join(words)[:length].strip()
