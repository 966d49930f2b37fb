"""Keys: which columns tell the records of a kind apart, today and tomorrow.

A column can be a key where every record has a value and no two have the same (uniqueness). Among
those the one whose values are found again in the next version wins (stability): an address stays, a
rank or a price does not. What identifies (an address, a name; two of them) comes before what only
happens to be unique (a date, a number), and a price is never a key. Without evidence over versions,
addresses come before texts, and texts before numbers. Where only some records have an address of
their own, it is their key, and the others are known by their names. Where no column and no two
columns will do, the node of the record is its key: it keeps its XID.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from treelace.classes.model import ELSE as ELSE
from treelace.classes.model import NODE as NODE
from treelace.classes.model import PAGE as PAGE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Rows = Sequence[Mapping[str, Any]]

_SEPARATOR = " · "
_SCHEMES = {"http": "https", "https": "http"}
_SEEN_AGAIN = 0.5
"""Share of values that must be found again in the next version, where there is one."""


def choose(types: Mapping[str, str], versions: Sequence[Rows]) -> tuple[str, ...]:
    """The key columns, by `types` in column order and the records of one page by version.

    >>> monday = [{"name": "tea", "price": 3, "rank": 1}, {"name": "jam", "price": 2, "rank": 2}]
    >>> tuesday = [{"name": "jam", "price": 2, "rank": 1}, {"name": "tea", "price": 4, "rank": 2}]
    >>> choose({"rank": "integer", "name": "text", "price": "number"}, [monday, tuesday])
    ('name',)
    >>> choose({"price": "number"}, [[{"price": 3}, {"price": 3}]])
    ('#node',)
    """
    names = [name for name in types if not _is_price(name, types)]
    telling = [name for name in names if _identifies(name, types[name], versions)]
    for size, some in ((1, telling), (2, telling), (1, names), (2, names)):
        ranked = []
        for place, columns in enumerate(combinations(some, size)):
            if not all(_is_unique(columns, rows) for rows in versions):
                continue
            stable = _stability(columns, versions)
            if stable is not None and stable < _SEEN_AGAIN:
                continue
            liking = max(_liking(name, types[name]) for name in columns)
            ranked.append(
                (-round(stable if stable is not None else 1.0, 2), liking, place, columns)
            )
        if ranked:
            return _with_links(min(ranked)[3], versions)
    return (NODE,)


def _with_links(names: tuple[str, ...], versions: Sequence[Rows]) -> tuple[str, ...]:
    """The key with the records' own links before it, where some records have one."""
    for name in names:
        links = [[link for row in rows if (link := row.get(f"{name} link"))] for rows in versions]
        if any(links) and all(len(set(some)) == len(some) for some in links):
            return (f"{name} link", ELSE, *names)
    return names


def _is_price(name: str, types: Mapping[str, str]) -> bool:
    whole = name.removesuffix(" text").removesuffix(" currency").removesuffix(" high")
    return f"{whole} currency" in types


def _identifies(name: str, kind: str, versions: Sequence[Rows]) -> bool:
    """Whether a column holds addresses or names: texts with more letters than digits."""
    if kind != "text" or name.endswith(" text"):
        return False
    texts = [str(value) for rows in versions for row in rows if (value := row.get(name))]
    return sum(map(is_name, texts)) > len(texts) / 2


def is_name(text: str) -> bool:
    """Whether a text has more letters than digits."""
    return sum(map(str.isalpha, text)) > sum(map(str.isdigit, text))


def key_of(row: Mapping[str, Any], columns: Sequence[str], node: str) -> str:
    """The key of one record; where a value is missing, its node.

    >>> key_of({"name": "tea"}, ("name link", ELSE, "name"), "#5")
    'tea'
    """
    for some in _choices(tuple(columns)):
        values = [row.get(name) for name in some]
        if not all(value is None for value in values):
            return _SEPARATOR.join("" if value is None else str(value) for value in values)
    return node


@lru_cache(maxsize=256)
def _choices(key: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The columns of a key, in the order in which they are asked.

    >>> _choices(("name link", ELSE, "name", "city")), _choices((NODE,))
    ((('name link',), ('name', 'city')), ())
    """
    at = key.index(ELSE) if ELSE in key else len(key)
    parts = (key[:at], key[at + 1 :])
    return tuple(part for part in parts if part and part != (NODE,))


def other_writings(key: str) -> list[str]:
    """The addresses that a key may have had: with the other scheme, with and without a last slash;
    none for a key that is no address.

    >>> other_writings("http://a.example/tea/")
    ['https://a.example/tea/', 'http://a.example/tea', 'https://a.example/tea']
    >>> other_writings("http://a.example/tea#5"), other_writings("tea")
    (['https://a.example/tea#5'], [])
    """
    scheme, separator, rest = key.partition("://")
    if scheme not in _SCHEMES or not separator or _SEPARATOR in rest:
        return []
    is_plain = "/" in rest and not any(mark in rest for mark in "?# ")
    rests = [rest, rest[:-1] if rest.endswith("/") else f"{rest}/"] if is_plain else [rest]
    written = [f"{it}://{one}" for one in rests for it in (scheme, _SCHEMES[scheme])]
    return written[1:]


def is_same_address(old: Any, new: Any) -> bool:
    """Whether two values are one address, written in two ways.

    >>> is_same_address("http://a.example/tea", "https://a.example/tea/")
    True
    """
    return isinstance(old, str) and isinstance(new, str) and new in other_writings(old)


def _is_unique(columns: Sequence[str], rows: Rows) -> bool:
    values = [tuple(row.get(name) for name in columns) for row in rows]
    return len(set(values)) == len(values) and all(
        value is not None for value in (part for row in values for part in row)
    )


def _stability(columns: Sequence[str], versions: Sequence[Rows]) -> float | None:
    """The share of values found again in the next version; None where there is no next version."""
    kept = total = 0
    for old, new in pairwise(versions):
        before = {tuple(row.get(name) for name in columns) for row in old}
        after = {tuple(row.get(name) for name in columns) for row in new}
        kept += len(before & after)
        total += min(len(before), len(after))
    return kept / total if total else None


def _liking(name: str, kind: str) -> int:
    """Without evidence: a link first, then texts, then the rest; never a picture before a text."""
    if name.endswith(" link"):
        return 0
    return (
        {"text": 1, "integer": 3}.get(kind, 4) if not name.endswith((" text", " currency")) else 2
    )
