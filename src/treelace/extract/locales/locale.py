"""Locale: a language with its country, and the one a page says it has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from treelace.errors import UsageError
from treelace.extract.locales.language import DayOrder, DecimalMark, Language, languages
from treelace.tree import Tree

_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


@dataclass(frozen=True, slots=True)
class Locale:
    """A language tag (`de`, `en-GB`; empty: not known). `is_set` says that a person chose it: then
    it outweighs what the values look like. `now` is the time of the page, where it is known:
    against it `3 hours ago` is read.

    >>> Locale("de-AT").decimals, Locale("en-US").day_order, Locale("en").day_order
    (',', 'MDY', None)
    """

    tag: str = ""
    is_set: bool = False
    now: datetime | None = None

    @classmethod
    def chosen(cls, tag: str) -> Locale:
        """The locale a person asked for; what is no language tag is wrong use."""
        if not _TAG.fullmatch(tag):
            raise UsageError(
                f"{tag!r} is no locale; write a language, with a country where it matters: de,"
                " en-GB, en-US, pt-BR"
            )
        return cls(tag, is_set=True)

    @property
    def language(self) -> str:
        """The language alone: `de`."""
        return self._parts[0]

    @property
    def country(self) -> str:
        """The country in small letters, empty where none is said: `at`."""
        return next((part for part in self._parts[1:] if len(part) == 2), "")

    @property
    def decimals(self) -> DecimalMark | None:
        """What starts the decimals; None where the language is not known."""
        if not self.tag:
            return None
        habits = self._habits
        return habits.decimal_mark_in.get(self.country, habits.decimal_mark)

    @property
    def day_order(self) -> DayOrder | None:
        """The order of day, month and year in numbers; None if unknown: English alone has two."""
        if not self.tag:
            return None
        habits, country = self._habits, self.country
        if not country:
            return habits.day_order or None
        return habits.day_order_in.get(country, habits.day_order or "DMY")

    @property
    def _habits(self) -> Language:
        return languages().get(self.language) or Language(code=self.language)

    @property
    def _parts(self) -> list[str]:
        return re.split("[-_]", self.tag.lower())


MACHINE = Locale("en", is_set=True)
"""How programs write for programs: a point before decimals, whatever the page's language."""


def locale_of(tree: Tree) -> Locale:
    """The locale a page declares: `lang` of its root, else OpenGraph's, else `meta` headers."""
    places = (
        (":root[lang]", "lang"),
        ("body[lang]", "lang"),
        ("meta[property='og:locale']", "content"),
        ("meta[http-equiv='content-language' i]", "content"),
    )
    for selector, attribute in places:
        for node in tree.select(selector, limit=1):
            found = _TAG.match((node.attribute(attribute) or "").strip())
            if found:
                return Locale(found[0])
    return Locale()
