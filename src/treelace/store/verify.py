"""Verify: is everything still there and whole?"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import Connection, select, text

from treelace.errors import DamagedError, StoreError
from treelace.store import body as bodies
from treelace.store import chain
from treelace.store.schema import pages, versions
from treelace.store.store import Store


@dataclass(slots=True)
class Verified:
    """What `verify` looked at, and the damage it found."""

    pages: int = 0
    versions: int = 0
    damage: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        outcome = f"{len(self.damage):,} damaged" if self.damage else "all whole"
        return (
            f"{self.pages:,} page{'s' if self.pages != 1 else ''}, {self.versions:,}"
            f" version{'s' if self.versions != 1 else ''}: {outcome}"
        )


def verify(store: Store) -> Verified:
    """Replays every chain and checks every digest, node ids too. O(all versions)."""
    found = Verified()
    try:
        with store._database.reading() as connection:
            if store._database.is_sqlite:
                found.damage += [
                    f"database: {line}"
                    for line in connection.execute(text("PRAGMA quick_check(20)")).scalars()
                    if line != "ok"
                ]
            for page_id, url, newest in connection.execute(
                select(pages.c.id, pages.c.url, pages.c.newest).order_by(pages.c.id)
            ).all():
                found.pages += 1
                _verify_page(store, connection, page_id, url, newest, found)
    except StoreError as error:
        found.damage.append(str(error))
    return found


def _verify_page(
    store: Store, connection: Connection, page_id: int, url: str, newest: int, found: Verified
) -> None:
    columns = (
        versions.c.number,
        versions.c.base,
        versions.c.dictionary_id,
        versions.c.data,
        versions.c.digest,
    )
    rows = connection.execution_options(yield_per=50).execute(
        select(*columns).where(versions.c.page_id == page_id).order_by(versions.c.number)
    )
    before, data, last = None, b"", None
    for number, base, dictionary_id, packed, digest in rows:
        found.versions += 1
        if before is not None and number != before + 1:
            found.damage.append(f"{url}: versions {before + 1} to {number - 1} are not there")
        if base is not None and base != before:
            found.damage.append(
                f"{url}@{number}: it leans on version {base}, which is not the one before it"
            )
        before = number
        try:
            [(_, data)] = chain.unfold(
                [chain.Link(number, base, dictionary_id, packed)],
                store.dictionaries.content,
                limits=store.limits,
                before=data,
            )
            body = bodies.read(data, limits=store.limits)
            if bytes.fromhex(body.tree.digest) != digest:
                raise DamagedError("its digest is another")
        except DamagedError as error:
            found.damage.append(f"{url}@{number}: {error}")
            last = number
    if before != newest and last is None:
        found.damage.append(
            f"{url}: its newest version should be {newest}, the last one there is {before}"
        )
