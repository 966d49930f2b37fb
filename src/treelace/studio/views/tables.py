"""Tables: the kinds of records, and one of them, sorted, filtered and paged by the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.site.record_verbs import for_people
from treelace.studio.answers import Answer

if TYPE_CHECKING:
    from treelace.site import Site
    from treelace.studio.asking import Ask

SIGNS = {
    "~": "contains",
    "=": "is",
    "!=": "is not",
    ">": "more than",
    ">=": "at least",
    "<": "less than",
    "<=": "at most",
}
SEARCH_SECONDS = 0.07
"""That a search may keep a reader waiting; then it says how far it got, and goes on if asked."""
_OWN = ("valid_from", "valid_to")


def tables(site: Site, ask: Ask) -> Answer:
    """The kinds of records, each with how many there are."""
    del ask
    counts = site.record_counts()
    kinds = site.records()
    return Answer(
        template="tables.html",
        title="Tables",
        context={"kinds": kinds, "counts": counts},
        heads=("table", "class", "records", "key", "columns"),
        rows=[
            (it.name, it.page_class, counts[it.name], ", ".join(it.key), ", ".join(it.columns))
            for it in kinds
        ],
    )


def table(site: Site, ask: Ask) -> Answer:
    """Some records of a kind."""
    name = ask.part("kind")
    kind = site.kind(name)
    where = ask.words("where")
    if ask.word("column") and (ask.word("value") or ask.word("sign") in ("=", "!=")):
        where.append(f"{ask.word('column')} {ask.word('sign') or '~'} {ask.word('value')}".strip())
    found = site.rows(
        name,
        at=ask.time("at"),
        since=ask.time("since"),
        search=ask.word("q"),
        where=where,
        sort=ask.word("sort"),
        descending=ask.flag("desc"),
        offset=ask.offset,
        limit=ask.limit,
        after=ask.number("after", 0),
        seconds=SEARCH_SECONDS,
    )
    heads, rows = for_people(found.table.heads, found.table.values)
    origin = "/".join(site.settings.site.url.split("/")[:3])
    keys = [row[0] for row in found.table.values]
    return Answer(
        template="table.html",
        title=kind.name,
        context={
            "kind": kind,
            "found": found,
            "heads": heads,
            "shown": [
                (key, [_shown(it, origin) for it in row])
                for key, row in zip(keys, rows, strict=True)
            ],
            "numbers": {
                it for it, its in kind.columns.items() if its in ("integer", "number", "duration")
            },
            "can_sort": {*kind.columns, "valid_from"},
            "where": where,
            "signs": SIGNS,
            "own": _OWN,
            "next": _next(found.total, found.go_on, ask),
        },
        heads=found.table.heads,
        rows=found.table.values,
        data={
            "table": kind.name,
            "total": found.total,
            "is_more": found.is_more,
            "is_cut": found.is_cut,
            "offset": found.offset,
            "records": [
                dict(zip(found.table.heads, row, strict=True)) for row in found.table.values
            ],
            "next": _next(found.total, found.go_on, ask),
        },
    )


def _next(total: int, go_on: int | None, ask: Ask) -> str | None:
    """Where the next records are: on the next page, or where a search is gone on with."""
    if ask.offset + ask.limit < total:
        return ask.here(offset=ask.offset + ask.limit)
    return None if go_on is None else ask.here(offset=None, after=go_on)


def _shown(value: object, origin: str) -> object:
    """A value for a cell: addresses of the site itself without their host."""
    if isinstance(value, str) and value.startswith(f"{origin}/"):
        return value.removeprefix(origin)
    return value
