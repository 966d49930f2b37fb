"""Store: every version of every page, kept."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, func, insert, select, update

from treelace.errors import DamagedError, StoreError, UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.store import body as bodies
from treelace.store import chain, ingest, migrations, times
from treelace.store import rates as counts
from treelace.store.engine import Database
from treelace.store.recall import Recall
from treelace.store.rows import thing
from treelace.store.schema import about, classes, dictionaries, nodes, pages, versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Select

    from treelace.store.body import Body
    from treelace.store.chain import Link
    from treelace.store.ingest import NewVersion, PageState, Prepared
    from treelace.store.rates import Rates


SAMPLES = 96
"""Pages of a class that a dictionary is learnt from; half as many will do."""
DICTIONARY = 64 * 2**10
"""Bytes of a dictionary."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page the store knows."""

    id: int
    url: str
    page_class: str | None
    newest: int
    first_seen: datetime
    last_seen: datetime
    seen: int

    def __str__(self) -> str:
        return f"{self.url} ({self.newest} version{'s' if self.newest != 1 else ''})"


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


class Store:
    """Pages and versions on SQLite (a file) or PostgreSQL (a URL).

    Readers see one state and never wait for a writer. Those who add versions hold `writer()`. Made
    by `Store.create` or `Store.open`; also a context manager. `limits` bound what one version may
    cost to read.
    """

    def __init__(self, database: Database, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self.database = database
        self.limits = limits
        self._dictionaries: dict[int, bytes] = {}
        self._newest_dictionary: dict[int | None, tuple[int, bytes] | None] = {}
        self._is_writer = False

    @classmethod
    def create(cls, place: str | Path, *, limits: Limits = DEFAULT_LIMITS) -> Store:
        """An empty store, or the one that is there already."""
        database = Database(place)
        with database.writing() as connection:
            migrations.migrate(connection, database.place)
            if (
                connection.execute(select(about.c.value).where(about.c.name == "made")).scalar()
                is None
            ):
                connection.execute(insert(about).values(name="made", value=str(times.now())))
        return cls(database, limits=limits)

    @classmethod
    def open(
        cls, place: str | Path, *, read_only: bool = False, limits: Limits = DEFAULT_LIMITS
    ) -> Store:
        """The store at a place; an older schema is brought up to date, unless it is only to be
        read.
        """
        if not str(place).startswith("postgres") and not Path(place).is_file():
            raise StoreError(f"{place}: there is no store: `treelace init` makes a site with one")
        database = Database(place, read_only=read_only)
        with database.reading() as connection:
            number = migrations.schema_of(connection)
            is_current = number > 0 and migrations.check(connection, database.place)
        if number == 0:
            raise StoreError(
                f"{database.place}: this database is empty: `treelace init` makes the tables"
            )
        if not is_current:
            if read_only:
                raise StoreError(
                    f"{database.place}: this store has schema {number}: open it once for writing to"
                    " bring it up to date"
                )
            with database.writing() as connection:
                migrations.migrate(connection, database.place)
        return cls(database, limits=limits)

    @contextmanager
    def writer(self, *, wait: bool = False) -> Iterator[None]:
        """The right to add versions, one process at a time; see `Database.writer`."""
        if self.database.read_only:
            raise StoreError(f"{self.database.place}: it is open for reading only")
        if self._is_writer:  # whoever holds it may ask again
            yield
            return
        with self.database.writer(wait=wait):
            self._is_writer = True
            try:
                yield
            finally:
                self._is_writer = False

    def close(self) -> None:
        """Lets go of the database."""
        self.database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # pages

    def pages(self, *, like: str | None = None) -> Iterator[Page]:
        """All pages in the order of their addresses; `like` is a part of the address."""
        statement = _page_rows().order_by(pages.c.url)
        if like is not None:
            statement = statement.where(pages.c.url.contains(like, autoescape=True))
        with self.database.reading() as connection:
            for row in connection.execution_options(yield_per=1000).execute(statement):
                yield thing(Page, row)

    def page(self, url: str) -> Page:
        """The page with this address; `UsageError` with the nearest one where there is none."""
        with self.database.reading() as connection:
            row = connection.execute(_page_rows().where(pages.c.url == url)).first()
            if row is None:
                raise UsageError(
                    f"{self.database.place}: no page {url!r}{_nearest(connection, url)}"
                )
        return thing(Page, row)

    def states(self, urls: Sequence[str]) -> dict[str, PageState]:
        """What ingest needs to know of these pages; those that are not known are left out."""
        columns = (
            pages.c.url,
            pages.c.id,
            pages.c.class_id,
            pages.c.newest,
            pages.c.first_seen,
            pages.c.last_seen,
            pages.c.source,
            pages.c.seen,
        )
        found = {}
        with self.database.reading() as connection:
            for start in range(0, len(urls), 500):
                for row in connection.execute(
                    select(*columns).where(pages.c.url.in_(urls[start : start + 500]))
                ):
                    found[row.url] = ingest.PageState(*row)
        return found

    # versions

    def versions(
        self, url: str, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[Version]:
        """The versions of a page, oldest first."""
        page = self.page(url)
        columns = (
            versions.c.number,
            versions.c.time,
            versions.c.status,
            versions.c.changes,
            versions.c.digest,
            versions.c.base,
        )
        statement = (
            select(*columns, func.length(versions.c.data).label("size"))
            .where(versions.c.page_id == page.id)
            .order_by(versions.c.number)
        )
        if since is not None:
            statement = statement.where(versions.c.time >= times.to_number(since))
        if until is not None:
            statement = statement.where(versions.c.time <= times.to_number(until))
        with self.database.reading() as connection:
            return [_version(url, row) for row in connection.execute(statement)]

    def number_at(self, url: str, time: datetime) -> int:
        """The version of a page that was the newest at a time; `UsageError` where there was none
        yet.
        """
        page = self.page(url)
        statement = select(func.max(versions.c.number)).where(
            versions.c.page_id == page.id, versions.c.time <= times.to_number(time)
        )
        with self.database.reading() as connection:
            number = connection.execute(statement).scalar()
        if number is None:
            raise UsageError(
                f"{url} was not known at {time.isoformat()}: its first version is of"
                f" {page.first_seen.isoformat()}"
            )
        return int(number)

    def body(self, url: str, number: int | None = None) -> Body:
        """A version with its node ids; the newest by default. Its digest is checked: `StoreError`
        where the store is damaged.
        """
        page = self.page(url)
        number = page.newest if number is None else number
        with self.database.reading() as connection:
            links, digest = self._links(connection, page.id, number, url)
        return self._body(links, digest, url)

    def bodies(
        self, url: str, first: int | None = None, last: int | None = None
    ) -> Iterator[tuple[int, Body]]:
        """Versions `first` to `last` one after the other, each unpacked once; all that there are by
        default.
        """
        for number, data, digest in self.texts(url, first, last):
            yield number, self.checked(data, digest, url, number)

    def texts(
        self, url: str, first: int | None = None, last: int | None = None
    ) -> Iterator[tuple[int, bytes, bytes]]:
        """The same without parsing: number, bytes, and the digest that `checked` holds them to."""
        page = self.page(url)
        last = page.newest if last is None else min(last, page.newest)
        with self.database.reading() as connection:
            oldest = (
                connection.execute(
                    select(func.min(versions.c.number)).where(versions.c.page_id == page.id)
                ).scalar()
                or 1
            )
            first = oldest if first is None else max(first, oldest)
            if first > last:
                return
            links, digest = self._links(connection, page.id, first, url)
            columns = (
                versions.c.number,
                versions.c.base,
                versions.c.dictionary_id,
                versions.c.data,
                versions.c.digest,
            )
            rest = (
                select(*columns)
                .where(versions.c.page_id == page.id, versions.c.number.between(first + 1, last))
                .order_by(versions.c.number)
            )
            rows = connection.execute(rest).all()
        digests = {first: digest, **{row.number: row.digest for row in rows}}
        number = first
        try:
            for number, data in chain.unfold(
                [*links, *(chain.Link(*row[:4]) for row in rows)],
                self._dictionary,
                limits=self.limits,
            ):
                if number >= first:
                    yield number, data, digests[number]
        except DamagedError as error:
            raise chain.damaged(url, number, error) from error

    def recall(self, states: Sequence[PageState]) -> Recall:
        """What ingest will ask about these pages, read at once. It stays as it is now, whatever is
        written meanwhile.
        """
        urls = {state.id: state.url for state in states if state.id is not None}
        wanted = list(urls)
        links: dict[int, list[Link]] = {}
        packed: dict[int, bytes] = {}
        wholes = versions.alias()
        is_of_chain = versions.c.number >= (
            select(func.max(wholes.c.number))
            .where(wholes.c.page_id == versions.c.page_id, wholes.c.base.is_(None))
            .scalar_subquery()
        )
        columns = (
            versions.c.page_id,
            versions.c.number,
            versions.c.base,
            versions.c.dictionary_id,
            versions.c.data,
        )
        with self.database.reading() as connection:
            for start in range(0, len(wanted), 500):
                part = wanted[start : start + 500]
                chains = (
                    select(*columns)
                    .where(versions.c.page_id.in_(part), is_of_chain)
                    .order_by(versions.c.page_id, versions.c.number)
                )
                for row in connection.execute(chains):
                    links.setdefault(row.page_id, []).append(chain.Link(*row[1:]))
                packed |= {
                    row.page_id: row.changes
                    for row in connection.execute(select(nodes).where(nodes.c.page_id.in_(part)))
                }
            newest = connection.execute(
                select(dictionaries.c.class_id, func.max(dictionaries.c.id)).group_by(
                    dictionaries.c.class_id
                )
            ).all()
        trained = {row[0]: (row[1], self._dictionary(row[1])) for row in newest}
        return Recall(urls, links, packed, trained, self._dictionary, self.is_known, self.limits)

    def rates(self, page_id: int) -> Rates:
        """How often the nodes of a page changed."""
        with self.database.reading() as connection:
            data = connection.execute(
                select(nodes.c.changes).where(nodes.c.page_id == page_id)
            ).scalar()
        return counts.Rates() if data is None else counts.read(data, limits=self.limits)

    def is_known(self, page_id: int, time: int, source: bytes) -> bool:
        """Whether the page was seen with these bytes at this time."""
        wanted = select(versions.c.source, versions.c.time).where(
            versions.c.page_id == page_id, versions.c.time <= time
        )
        with self.database.reading() as connection:
            rows = connection.execute(wanted.order_by(versions.c.number.desc()).limit(50)).all()
        if not rows:
            return False
        return rows[0].source == source or any(
            row.time == time and row.source == source for row in rows
        )

    def _links(
        self, connection: Connection, page_id: int, number: int, url: str
    ) -> tuple[list[Link], bytes]:
        """The chain that ends in a version, and that version's digest."""
        whole = (
            select(func.max(versions.c.number))
            .where(
                versions.c.page_id == page_id,
                versions.c.number <= number,
                versions.c.base.is_(None),
            )
            .scalar_subquery()
        )
        columns = (
            versions.c.number,
            versions.c.base,
            versions.c.dictionary_id,
            versions.c.data,
            versions.c.digest,
        )
        rows = connection.execute(
            select(*columns)
            .where(
                versions.c.page_id == page_id,
                versions.c.number >= whole,
                versions.c.number <= number,
            )
            .order_by(versions.c.number)
        ).all()
        if not rows or rows[-1].number != number:
            raise UsageError(_no_version(connection, page_id, number, url))
        return [chain.Link(*row[:4]) for row in rows], rows[-1].digest

    def _body(self, links: list[Link], digest: bytes, url: str) -> Body:
        number = links[-1].number
        try:
            data = chain.follow(links, self._dictionary, limits=self.limits).data
        except DamagedError as error:
            raise chain.damaged(url, number, error) from error
        return self.checked(data, digest, url, number)

    def checked(self, data: bytes, digest: bytes, url: str, number: int) -> Body:
        """A version from its bytes; `StoreError` where its digest is another."""
        try:
            body = bodies.read(data, limits=self.limits)
        except DamagedError as error:
            raise chain.damaged(url, number, error) from error
        if bytes.fromhex(body.tree.digest) != digest:
            raise chain.damaged(url, number, "its digest is another")
        return body

    # dictionaries

    def _dictionary(self, number: int) -> bytes:
        if number not in self._dictionaries:
            with self.database.reading() as connection:
                packed = connection.execute(
                    select(dictionaries.c.data).where(dictionaries.c.id == number)
                ).scalar()
            if packed is None:
                raise DamagedError(f"the dictionary {number} is not there")
            self._dictionaries[number] = bodies.unpack(packed, limits=self.limits)
        return self._dictionaries[number]

    def dictionary_for(self, class_id: int | None) -> tuple[int, bytes] | None:
        """The newest dictionary of a class, with its number."""
        if class_id not in self._newest_dictionary:
            wanted = select(func.max(dictionaries.c.id)).where(
                dictionaries.c.class_id.is_(None)
                if class_id is None
                else dictionaries.c.class_id == class_id
            )
            with self.database.reading() as connection:
                number = connection.execute(wanted).scalar()
            self._newest_dictionary[class_id] = (
                None if number is None else (number, self._dictionary(number))
            )
        return self._newest_dictionary[class_id]

    def train(self, class_id: int | None, connection: Connection) -> bool:
        """Learns a dictionary from pages of a class; False where they are too few, or have too
        little in common.

        Who calls holds the writer lock. Versions that are there already stay as they are.
        """
        mine = pages.c.class_id.is_(None) if class_id is None else pages.c.class_id == class_id
        chosen = connection.execute(
            select(versions.c.number, versions.c.base, versions.c.dictionary_id, versions.c.data)
            .select_from(versions.join(pages))
            .where(mine, versions.c.base.is_(None), versions.c.dictionary_id.is_(None))
            .order_by(versions.c.id.desc())
            .limit(SAMPLES)
        ).all()
        if len(chosen) < SAMPLES // 2:
            return False
        samples = [
            chain.follow([chain.Link(*row)], self._dictionary, limits=self.limits).data
            for row in chosen
        ]
        learnt = bodies.train(samples, min(DICTIONARY, sum(map(len, samples)) // 8))
        if learnt is None:
            return False
        connection.execute(
            insert(dictionaries).values(
                class_id=class_id, made=times.now(), data=bodies.pack(learnt)
            )
        )
        self.forget_dictionaries()
        return True

    def forget_dictionaries(self) -> None:
        """Reads them from the store again when they are needed."""
        self._dictionaries.clear()
        self._newest_dictionary.clear()

    # writing

    def add(self, prepared: Iterable[Prepared], connection: Connection) -> dict[str, int]:
        """Writes what ingest made, in the transaction that is open: all of it appears together, or
        not at all. The numbers of the pages.
        """
        whole = [made for made in prepared if made.is_seen and made.state.newest]
        fresh = [_page_row(made.state) for made in whole if made.state.id is None]
        numbers = {made.state.url: made.state.id for made in whole if made.state.id is not None}
        if fresh:
            numbers |= {
                row.url: row.id
                for row in connection.execute(
                    insert(pages).returning(pages.c.id, pages.c.url), fresh
                )
            }
        seen = [
            {"b_id": made.state.id, **_seen_row(made.state)}
            for made in whole
            if made.state.id is not None
        ]
        rows = [
            _row(numbers[made.state.url], version) for made in whole for version in made.versions
        ]
        changed = [
            {"page_id": numbers[made.state.url], "changes": counts.write(made.rates)}
            for made in whole
            if made.rates is not None and made.versions
        ]
        if seen:
            connection.execute(update(pages).where(pages.c.id == bindparam("b_id")), seen)
        if rows:
            connection.execute(insert(versions), rows)
        if changed:
            connection.execute(
                delete(nodes).where(nodes.c.page_id == bindparam("b_id")),
                [{"b_id": row["page_id"]} for row in changed],
            )
            connection.execute(insert(nodes), changed)
        return numbers


def _seen_row(state: PageState) -> dict[str, object]:
    named = ("class_id", "newest", "last_seen", "source", "seen")
    return {name: getattr(state, name) for name in named}


def _page_row(state: PageState) -> dict[str, object]:
    return {"url": state.url, "first_seen": state.first_seen, **_seen_row(state)}


def _page_rows() -> Select[tuple[int, str, str, int, int, int, int]]:
    columns = (
        pages.c.id,
        pages.c.url,
        classes.c.name.label("page_class"),
        pages.c.newest,
        pages.c.first_seen,
        pages.c.last_seen,
        pages.c.seen,
    )
    return select(*columns).select_from(pages.outerjoin(classes))


def _version(url: str, row: Any) -> Version:
    said = ingest.in_words(row.changes)
    return thing(
        Version,
        row,
        url=url,
        status=row.status or 200,
        changes=said,
        digest=row.digest.hex(),
        bytes=row.size,
        is_whole=row.base is None,
    )


def _row(page_id: int, version: NewVersion) -> dict[str, object]:
    return {
        "page_id": page_id,
        "number": version.link.number,
        "time": version.time,
        "status": None if version.status == 200 else version.status,
        "base": version.link.base,
        "dictionary_id": version.link.dictionary_id,
        "changes": version.changes,
        "digest": version.digest,
        "source": version.source,
        "data": version.link.data,
    }


def _nearest(connection: Connection, url: str) -> str:
    from difflib import get_close_matches

    known = connection.execute(select(pages.c.url).order_by(pages.c.id).limit(2000)).scalars().all()
    near = get_close_matches(url, known, n=1)
    return f": did you mean {near[0]!r}?" if near else ": `treelace pages` lists them"


def _no_version(connection: Connection, page_id: int, number: int, url: str) -> str:
    first, last = connection.execute(
        select(func.min(versions.c.number), func.max(versions.c.number)).where(
            versions.c.page_id == page_id
        )
    ).one()
    return f"{url} has no version {number}: it has {first} to {last}"
