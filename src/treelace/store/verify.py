"""Verify: is everything still there and whole?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select, text

from treelace.errors import DamagedError, StoreError
from treelace.store import body as bodies
from treelace.store import chain
from treelace.store.checksums import as_stored, checked_tables, damaged_rows
from treelace.store.record_kinds import history_table, load_kinds
from treelace.store.schema import pages, versions
from treelace.store.store import Store


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` looked at, and the damage it found."""

    pages: int
    versions: int
    damage: tuple[str, ...]

    def __str__(self) -> str:
        outcome = f"{len(self.damage):,} damaged" if self.damage else "all whole"
        return (
            f"{self.pages:,} page{'s' if self.pages != 1 else ''}, {self.versions:,}"
            f" version{'s' if self.versions != 1 else ''}: {outcome}"
        )


def verify(store: Store) -> Verified:
    """Checks every row of what is kept against its checksum, whether rows came or went, and replays
    every chain of versions. Not looked at: the frontier and the log of crawls. O(all versions).
    """
    damage = [*_database(store), *_rows(store)]
    count, total = 0, 0
    try:
        with store._database.reading() as connection:
            known = as_stored(pages, is_sqlite=store._database.is_sqlite)
            every = connection.execute(select(*known).order_by(pages.c.id)).all()
            for page in every:
                url = page.url.decode(errors="replace") if isinstance(page.url, bytes) else page.url
                count += 1
                for trouble in _versions(store, connection, page.id, url, page.newest):
                    total += trouble is None
                    damage += [] if trouble is None else [trouble]
    except StoreError as error:
        damage.append(str(error))
    return Verified(count, total, tuple(damage))


def _database(store: Store) -> Iterator[str]:
    """What the database itself finds."""
    if not store._database.is_sqlite:
        return
    try:
        with store._database.reading() as connection:
            for line in connection.execute(text("PRAGMA integrity_check(20)")).scalars():
                if line != "ok":
                    yield f"database: {line}"
            for row in connection.execute(text("PRAGMA foreign_key_check")):
                yield f"{row[0]} {row[1]}: the row of {row[2]} that it belongs to is not there"
    except StoreError as error:
        yield str(error)


def _rows(store: Store) -> Iterator[str]:
    """A line for each row that is not what was stored."""
    tables = checked_tables()
    try:
        with store._database.reading() as connection:
            tables += [history_table(kind) for kind in load_kinds(connection)]
    except (StoreError, DamagedError, AttributeError, TypeError, ValueError) as error:
        yield f"kinds: the tables of records cannot be found ({error})"
    for table in tables:
        try:
            with store._database.reading() as connection:
                yield from damaged_rows(connection, table)
        except StoreError as error:
            yield f"{table.name}: {error}"


def _versions(
    store: Store, connection: Connection, page_id: int, url: str, newest: int
) -> Iterator[str | None]:
    """None for each version of a page that was looked at, and a line for each damage."""
    columns = ("number", "base", "dictionary_id", "data", "digest")
    rows = connection.execute(
        select(*(versions.c[name] for name in columns))
        .where(versions.c.page_id == page_id)
        .order_by(versions.c.number),
        execution_options={"yield_per": 50},
    )
    before, data, is_damaged = None, b"", False
    for number, base, dictionary_id, packed, digest in rows:
        yield None
        if before is not None and number != before + 1:
            yield f"{url}: versions {before + 1} to {number - 1} are not there"
        if base is not None and base != before:
            yield f"{url}@{number}: it leans on version {base}, which is not the one before it"
        before = number
        try:
            link = chain.Link(number, base, dictionary_id, packed)
            content = store.dictionaries.content
            [(_, data)] = chain.unfold([link], content, limits=store.limits, before=data)
            body = bodies.read(data, limits=store.limits)
            if bytes.fromhex(body.tree.digest) != digest:
                raise DamagedError("its digest is another")
        except DamagedError as error:
            yield f"{url}@{number}: {error}"
            is_damaged = True
    if before != newest and not is_damaged:
        yield f"{url}: its newest version should be {newest}, the last one there is {before}"
