"""How a page writes numbers and dates: the sign that starts decimals, and the order of day, month
and year.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from treelace.errors import UsageError

if TYPE_CHECKING:
    from treelace.tree import Tree

DayOrder = Literal["DMY", "MDY", "YMD"]

_COMMA_TONGUES = frozenset(
    "af az be bg bs ca cs da de el es et eu fi fr gl hr hu hy id is it ka kk ky lt lv mk nb nl nn"
    " no pl pt ro ru sk sl sq sr sv tr uk uz vi".split()
)
"""Languages that write the decimals after a comma."""

_POINT_PLACES = frozenset(
    "de-ch de-li it-ch es-mx es-us es-gt es-hn es-ni es-pa es-pe es-pr es-sv es-do en".split()
)
"""Places that write a point though their language has a comma elsewhere."""

_YEAR_FIRST = frozenset("zh ja ko hu sv lt mn fa".split())
_MONTH_FIRST = frozenset(["en-us", "en-ph", "en-pr", "es-us", "es-pr"])
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


@dataclass(frozen=True, slots=True)
class Locale:
    """A language tag (`de`, `en-GB`; empty: not known). `is_set` says that a person chose it: then
    it outweighs what the values look like.

    >>> Locale("de-AT").decimals, Locale("en-US").day_order, Locale("en").day_order
    (',', 'MDY', None)
    """

    tag: str = ""
    is_set: bool = False

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
        return re.split("[-_]", self.tag.lower())[0]

    @property
    def decimals(self) -> Literal[".", ","] | None:
        """What starts the decimals; None where the language is not known."""
        if not self.tag:
            return None
        return "," if self.language in _COMMA_TONGUES and self._short not in _POINT_PLACES else "."

    @property
    def day_order(self) -> DayOrder | None:
        """The order of day, month and year in numbers; None where it is not known: English alone
        has two.
        """
        if self._short in _MONTH_FIRST:
            return "MDY"
        if not self.tag or self._short == "en":
            return None
        return (
            "YMD"
            if self.language in _YEAR_FIRST or self._short in ("en-ca", "fr-ca", "en-za")
            else "DMY"
        )

    @property
    def _short(self) -> str:
        parts = re.split("[-_]", self.tag.lower())
        places = [part for part in parts[1:] if len(part) == 2]
        return "-".join([parts[0], *places[:1]])


def locale_of(tree: Tree) -> Locale:
    """The locale a page says it has: `lang` of its root, else OpenGraph's locale, else the language
    of its transport as written in `meta`.
    """
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
