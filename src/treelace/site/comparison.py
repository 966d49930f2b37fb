"""The same item on several sites: one row an item, one column a site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treelace.errors import UsageError
from treelace.named import pick
from treelace.site.listings import write_rows

if TYPE_CHECKING:
    from treelace.site.site import Site

MOST_RECORDS = 50_000
"""Records of a table that are compared."""


@dataclass(frozen=True, slots=True)
class Compared:
    """An item: what it is called, and by site the value and the key of its record there."""

    name: str
    values: Mapping[str, Any]
    keys: Mapping[str, str]

    @property
    def least(self) -> str:
        """The site with the least value, where the values are numbers and differ; else empty."""
        numbers = {it: one for it, one in self.values.items() if isinstance(one, int | float)}
        if len(set(numbers.values())) < 2:
            return ""
        return min(numbers, key=lambda it: numbers[it])


@dataclass(frozen=True, slots=True)
class SiteComparison:
    """Items that several sites have, by a column that says which they are."""

    sites: tuple[str, ...]
    on: str
    show: str
    items: tuple[Compared, ...]
    only: Mapping[str, int]
    """How many items each site has that no other one has."""

    @property
    def heads(self) -> tuple[str, ...]:
        """The heads of the table."""
        return (self.on, *self.sites)

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """A row an item."""
        return [(it.name, *(it.values.get(site) for site in self.sites)) for it in self.items]

    def written(self, form: str) -> str:
        """As `table`, `csv`, `json`, `jsonl`."""
        return write_rows(self.rows, self.heads, form)

    def __str__(self) -> str:
        alone = ", ".join(f"{count:,} only in {site}" for site, count in self.only.items() if count)
        return f"{len(self.items):,} items of {len(self.sites)} sites by {self.on}" + (
            f"; {alone}" if alone else ""
        )


def compare_sites(tables: Sequence[tuple[str, Site, str]], *, on: str, show: str) -> SiteComparison:
    """Joins tables of several sites, each with its name, its site and its kind of records, on the
    column `on`, and shows the column `show` of each. Letters' case, spaces and signs do not count.
    Of several records with one name a site's first is taken.
    """
    if len(tables) < 2:
        raise UsageError("compare at least two tables: SITE:RECORDS SITE:RECORDS")
    names = tuple(name for name, _, _ in tables)
    if len(set(names)) < len(names):
        raise UsageError("each site can be compared once")
    found: dict[str, dict[str, tuple[str, Any, str]]] = {}
    for name, site, kind in tables:
        for said, value, key in _records(site, kind, on, show):
            found.setdefault(_folded(said), {}).setdefault(name, (said, value, key))
    items, only = [], dict.fromkeys(names, 0)
    for word, by_site in found.items():
        if len(by_site) < 2 or not word:
            only |= {it: only[it] + 1 for it in by_site}
            continue
        first = next(iter(by_site.values()))[0]
        values = {it: value for it, (_, value, _) in by_site.items()}
        items.append(Compared(first, values, {it: key for it, (_, _, key) in by_site.items()}))
    items.sort(key=lambda it: it.name.casefold())
    return SiteComparison(names, on, show, tuple(items), only)


def _records(site: Site, kind: str, on: str, show: str) -> Iterator[tuple[str, Any, str]]:
    known = site.kind(kind)
    for column in (on, show):
        pick(f"column of {known.name}", known.columns, column)
    table = site.rows(known.name, limit=MOST_RECORDS).table
    at, shown = table.heads.index(on), table.heads.index(show)
    for row in table.values:
        if row[at] is not None:
            yield str(row[at]), row[shown], str(row[0])


def _folded(text: str) -> str:
    """A name by its letters and digits.

    >>> _folded("Earl Grey – 100 g") == _folded("earl grey, 100g")
    True
    """
    return "".join(re.findall(r"[^\W_]+", text.casefold()))
