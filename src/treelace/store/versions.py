"""Versions as the store keeps them, and the links of their chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from treelace.diff import Delta
from treelace.errors import DamagedError, UsageError
from treelace.store import chain, times
from treelace.store.chain import Link
from treelace.store.pages import PageState
from treelace.store.rates import Rates
from treelace.store.rows import in_parts
from treelace.store.schema import versions

_SIGHTINGS_LOOKED_AT = 50
"""Versions that are looked at for bytes that were there before."""
_WORDS = {
    "u": "update",
    "i": "insert",
    "d": "delete",
    "m": "move",
    "r": "rename",
    "a": "attribute",
    "o": "order",
}


@dataclass(frozen=True, slots=True, repr=False)
class Version:
    """One version of a page: when it came, and what changed since the one before."""

    url: str
    number: int
    time: datetime
    status: int
    changes: str
    digest: str
    bytes: int
    is_whole: bool

    def __repr__(self) -> str:
        return f"<Version {self.number} of {self.url}: {self.changes}>"


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version that is ready to be stored; `source` is the digest of the bytes that came in."""

    time: int
    status: int
    link: Link
    digest: bytes
    source: bytes
    changes: str | None


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """The outcome of one page's fetches: its state, its new versions, and changes of its nodes."""

    state: PageState
    versions: Sequence[NewVersion]
    rates: Rates | None


# what changed, in few letters


def summary(delta: Delta) -> str:
    """How many operations of each kind, in few letters: `u2 i1`."""
    return " ".join(f"{name[0]}{count}" for name, count in delta.counts.items() if count)


def in_words(summary: str | None) -> str:
    """The same for people.

    >>> in_words("u2 i1"), in_words(""), in_words(None)
    ('2 updates, 1 insert', 'no change', 'first version')
    """
    if summary is None:
        return "first version"
    try:
        pieces = [(_WORDS[piece[0]], int(piece[1:])) for piece in summary.split()]
    except (KeyError, ValueError) as error:
        raise DamagedError(f"the store is damaged: no summary is {summary!r:.80}") from error
    return (
        ", ".join(f"{count:,} {name}{'s' if count > 1 else ''}" for name, count in pieces)
        or "no change"
    )


# rows


def select_versions(page_id: int, since: datetime | None, until: datetime | None) -> Select[Any]:
    """The rows that `version_of` reads, oldest first."""
    columns = (
        versions.c.number,
        versions.c.time,
        versions.c.status,
        versions.c.changes,
        versions.c.digest,
        versions.c.base,
        func.length(versions.c.data).label("size"),
    )
    statement = select(*columns).where(versions.c.page_id == page_id).order_by(versions.c.number)
    if since is not None:
        statement = statement.where(versions.c.time >= times.to_number(since))
    if until is not None:
        statement = statement.where(versions.c.time <= times.to_number(until))
    return statement


def version_of(url: str, row: Row[Any]) -> Version:
    """A version of a page from its row."""
    return Version(
        url,
        row.number,
        times.from_number(row.time),
        row.status or 200,
        in_words(row.changes),
        row.digest.hex(),
        row.size,
        row.base is None,
    )


# chains

_LINK = (versions.c.number, versions.c.base, versions.c.dictionary_id, versions.c.data)


def chain_to(
    connection: Connection, page_id: int, number: int, url: str
) -> tuple[list[Link], bytes]:
    """The chain that ends in a version, and its digest; `UsageError` for an unknown version."""
    is_before = (versions.c.page_id == page_id) & (versions.c.number <= number)
    whole = (
        select(func.max(versions.c.number))
        .where(is_before, versions.c.base.is_(None))
        .scalar_subquery()
    )
    rows = connection.execute(
        select(*_LINK, versions.c.digest)
        .where(is_before, versions.c.number >= whole)
        .order_by(versions.c.number)
    ).all()
    if not rows or rows[-1].number != number:
        first, last = connection.execute(
            select(func.min(versions.c.number), func.max(versions.c.number)).where(
                versions.c.page_id == page_id
            )
        ).one()
        raise UsageError(f"{url} has no version {number}: it has {first} to {last}")
    return [chain.Link(*row[:4]) for row in rows], rows[-1].digest


def chain_between(
    connection: Connection, page_id: int, first: int, last: int, url: str
) -> tuple[list[Link], dict[int, bytes]]:
    """The links to unpack versions `first` to `last` from, and the digests of those."""
    links, digest = chain_to(connection, page_id, first, url)
    rows = connection.execute(
        select(*_LINK, versions.c.digest)
        .where(versions.c.page_id == page_id, versions.c.number.between(first + 1, last))
        .order_by(versions.c.number)
    ).all()
    digests = {first: digest, **{row.number: row.digest for row in rows}}
    return [*links, *(chain.Link(*row[:4]) for row in rows)], digests


def newest_chains(connection: Connection, page_ids: Sequence[int]) -> dict[int, list[Link]]:
    """The chain that ends in the newest version of each page."""
    wholes = versions.alias()
    is_of_chain = versions.c.number >= (
        select(func.max(wholes.c.number))
        .where(wholes.c.page_id == versions.c.page_id, wholes.c.base.is_(None))
        .scalar_subquery()
    )
    links: dict[int, list[Link]] = {}
    for part in in_parts(page_ids):
        chains = (
            select(versions.c.page_id, *_LINK)
            .where(versions.c.page_id.in_(part), is_of_chain)
            .order_by(versions.c.page_id, versions.c.number)
        )
        for row in connection.execute(chains):
            links.setdefault(row.page_id, []).append(chain.Link(*row[1:]))
    return links


def oldest_number(connection: Connection, page_id: int) -> int:
    """The number of the oldest version there is."""
    oldest = select(func.min(versions.c.number)).where(versions.c.page_id == page_id)
    return connection.execute(oldest).scalar() or 1


def number_at(connection: Connection, page_id: int, time: datetime) -> int | None:
    """The version that was the newest at a time; None where there was none yet."""
    wanted = select(func.max(versions.c.number)).where(
        versions.c.page_id == page_id, versions.c.time <= times.to_number(time)
    )
    return connection.execute(wanted).scalar()


def is_known(connection: Connection, page_id: int, time: int, source: bytes) -> bool:
    """Whether a page was seen with these bytes at this time."""
    rows = connection.execute(
        select(versions.c.source, versions.c.time)
        .where(versions.c.page_id == page_id, versions.c.time <= time)
        .order_by(versions.c.number.desc())
        .limit(_SIGHTINGS_LOOKED_AT)
    ).all()
    if not rows:
        return False
    return rows[0].source == source or any(
        row.time == time and row.source == source for row in rows
    )
