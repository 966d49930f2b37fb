"""Words of classes and labels that mean something: what a column is called by them."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from treelace.extract.locales import all_words, languages

LAYOUT_WORDS = frozenset(
    "text txt item items row col column cell content container wrapper wrap inner outer block box"
    " left right top bottom first last odd even clearfix clear small large big bold main body media"
    " list result results info data value label field meta link span div margin padding none flex"
    " grid fluid full hidden visually reader screen only underline unstyled muted white black dark"
    " light rich module toggle dropdown icon btn sym symbol font weight display align center match"
    " primary secondary bar".split()
)
"""Class words that say how something looks or where it stands, not what it is."""

_THINGS_WITH_NAMES = frozenset(
    "author seller publisher channel company brand location category team player court judge party"
    " country".split()
)

_STYLE_WORDS = frozenset(
    "area code color colour cover day id labels length level number pos position shop size state"
    " status store type weight stock by user available model cat name".split()
)
"""Words that mean something only at the end of a class: `product-size`, but not `size-small`."""

_PROPERTY_WORDS = {
    "recipeingredient": "ingredient",
    "ingredients": "ingredient",
    "recipeinstructions": "step",
    "datepublished": "date",
    "datecreated": "date",
    "uploaddate": "date",
    "articlebody": "text",
    "articlesection": "section",
    "ratingvalue": "rating",
    "reviewcount": "reviews",
    "commentcount": "comments",
}
"""What a person says for properties of schema.org, these in small letters."""

_INGREDIENT_PARTS = {
    "amount": "quantity",
    "quantity": "quantity",
    "unit": "unit",
    "name": "ingredient",
}
"""What words after `ingredient` in a class mean: `wprm-recipe-ingredient-amount`."""

_RECORD_WORDS = {
    "ingredient": "ingredient",
    "ingredients": "ingredient",
    "instruction": "step",
    "instructions": "step",
    "directions": "step",
    "step": "step",
    "steps": "step",
}
"""Words in the classes of a list that say what one of its records is."""


@cache
def _meanings() -> dict[str, str]:
    """What each word that has a meaning names: `byline` an `author`."""
    return {
        word: name
        for language in reversed(list(languages().values()))
        for name, words in language.meanings.items()
        for word in words.split()
    }


@cache
def price_words() -> frozenset[str]:
    """Words near prices that say nothing else: `our`, `price`, `now`, `was`."""
    return frozenset(all_words(lambda it: f"{it.price_words} {it.former} {it.price_prefixes}"))


@cache
def action_words() -> frozenset[str]:
    """Words that buttons are made of."""
    return frozenset(all_words(lambda it: it.actions))


def meaning_of(text: str) -> str:
    """What a column is called by a label of one word; empty where it means nothing known."""
    return _meanings().get(text.lower().strip(" :"), "")


def class_words(name: str) -> list[str]:
    """The words of a class, in small letters: `bookPrice`, `book-price` have two."""
    return re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


@lru_cache(maxsize=4096)
def class_meaning(classes: tuple[str, ...]) -> str:
    """What a column is called by the first class that has a word with a meaning; of several words
    the last, which in English is the noun; the name of an author or a place is the author, the
    place.

    >>> class_meaning(("mt-2", "bookPriceNow")), class_meaning(("venue-title",))
    ('price', 'location')
    """
    for name in classes:
        words = class_words(name)
        if part := _ingredient_part(words):
            return part
        found = [
            meaning
            for at, word in enumerate(words, 1)
            if (meaning := _meanings().get(word)) and (at == len(words) or word not in _STYLE_WORDS)
        ]
        if found:
            if found[-1] == "title" and len(found) > 1 and found[-2] in _THINGS_WITH_NAMES:
                return found[-2]
            return found[-1]
    return ""


def _ingredient_part(words: list[str]) -> str:
    is_part = len(words) > 1 and words[-2] in ("ingredient", "ingredients")
    return _INGREDIENT_PARTS.get(words[-1], "") if is_part else ""


def property_word(name: str) -> str:
    """A property without its vocabulary, in a person's word where that is another.

    >>> property_word("https://schema.org/datePublished"), property_word("og:title")
    ('date', 'title')
    """
    word = name.rsplit("/", 1)[-1].rsplit(":", 1)[-1]
    return _PROPERTY_WORDS.get(word.lower(), word)


def record_word(classes: tuple[str, ...]) -> str:
    """What a record is by classes of its list, empty where they do not say it.

    >>> record_word(("mt-2", "recipe__ingredients-list")), record_word(("cards",))
    ('ingredient', '')
    """
    words = (word for name in classes for word in class_words(name))
    return next((_RECORD_WORDS[word] for word in words if word in _RECORD_WORDS), "")
