"""Verify: is everything still there and whole?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select, text

from treelace.errors import DamagedError, StoreError
from treelace.store import body as bodies
from treelace.store import chain
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
    """Replays every chain and checks every digest, node ids too. O(all versions)."""
    count, total, damage = 0, 0, list[str]()
    every = select(pages.c.id, pages.c.url, pages.c.newest).order_by(pages.c.id)
    try:
        with store._database.reading() as connection:
            if store._database.is_sqlite:
                lines = connection.execute(text("PRAGMA quick_check(20)")).scalars()
                damage += [f"database: {line}" for line in lines if line != "ok"]
            for page_id, url, newest in connection.execute(every).all():
                count += 1
                for trouble in _versions(store, connection, page_id, url, newest):
                    total += trouble is None
                    damage += [] if trouble is None else [trouble]
    except StoreError as error:
        damage.append(str(error))
    return Verified(count, total, tuple(damage))


def _versions(
    store: Store, connection: Connection, page_id: int, url: str, newest: int
) -> Iterator[str | None]:
    """None for each version of a page that was looked at, and a line for each damage."""
    columns = ("number", "base", "dictionary_id", "data", "digest")
    rows = connection.execution_options(yield_per=50).execute(
        select(*(versions.c[name] for name in columns))
        .where(versions.c.page_id == page_id)
        .order_by(versions.c.number)
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
