"""A redesign: names changed all over a page, the way a new template changes them.

Tags change only into tags that a parser treats alike, so that the page keeps its shape.
"""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from treelace.testing.document import Element

_ALIKE = [
    family.split()
    for family in (
        "div section article main header footer aside nav figure center address",
        "ul ol menu dir",
        "h1 h2 h3 h4 h5 h6",
        "span label cite q dfn kbd var samp abbr bdi time data output ins del sub sup mark",
        "b strong i em u s small big code font tt",
    )
]


def rename_tags(document: Element, random: Random, share: float = 0.5) -> dict[str, str]:
    """Renames `share` of the tags for which there is one alike, everywhere; old name → new name."""
    names = new_tags(
        {element.tag for element in document.elements() if element.is_html}, random, share
    )
    for element in document.elements():
        if element.is_html:
            element.tag = names.get(element.tag, element.tag)
    return names


def new_tags(used: Collection[str], random: Random, share: float = 0.5) -> dict[str, str]:
    """New names for `share` of the tags for which there is one alike."""
    return {
        tag: random.choice([other for other in family if other != tag])
        for family in _ALIKE
        for tag in family
        if tag in used and random.random() < share
    }


def restyle(document: Element, random: Random, share: float = 1.0) -> dict[str, str]:
    """Renames `share` of the classes everywhere; old name → new name."""
    used = sorted(
        {
            word
            for element in document.elements()
            for word in element.attributes.get("class", "").split()
        }
    )
    names = {
        word: f"{random.choice('abcdefghijklmnopqrstuvwxyz')}{random.randrange(16**5):05x}"
        for word in used
        if random.random() < share
    }
    for element in document.elements():
        if "class" in element.attributes:
            element.attributes["class"] = " ".join(
                names.get(word, word) for word in element.attributes["class"].split()
            )
    return names
