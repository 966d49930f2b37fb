"""Store: every version of every page, kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from sqlalchemy import func, insert, select

from treelace.errors import DamagedError, StoreError, UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.store import body as bodies
from treelace.store import chain, migrations, times
from treelace.store import rates as counts
from treelace.store import versions as version_rows
from treelace.store.alerts import Alerts
from treelace.store.body import Body
from treelace.store.classes import Classes
from treelace.store.database import Database, is_postgresql
from treelace.store.dictionaries import Dictionaries
from treelace.store.frontier import Frontier
from treelace.store.host_rights import HostRights
from treelace.store.last_versions import LastVersions
from treelace.store.notes import Notes
from treelace.store.page_files import PageFiles
from treelace.store.pages import (
    Page,
    PageState,
    load_states,
    load_urls,
    nearest_url,
    page_of,
    select_pages,
    select_some_pages,
)
from treelace.store.private_files import open_private
from treelace.store.rates import Rates
from treelace.store.records import Records
from treelace.store.rows import in_parts
from treelace.store.schema import about, nodes, pages
from treelace.store.sizes import Sizes, load_sizes
from treelace.store.transaction import Transaction
from treelace.store.versions import Version


class Store:
    """Pages and versions on SQLite or PostgreSQL, with classes, records, alerts and frontier.

    Readers see one state and never wait for a writer. What is asked of a store is a transaction of
    its own; `writing()` opens one for several things that belong together. Those who add versions
    hold `writer()`. Made by `Store.create` or `Store.open`; also a context manager. `limits` bound
    what one version may cost to read.
    """

    def __init__(self, database: Database, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self._database = database
        self._is_writer = False
        self.limits = limits
        self.dictionaries = Dictionaries(database, limits)
        self.classes = Classes(database)
        self.records = Records(database)
        self.alerts = Alerts(database)
        self.frontier = Frontier(database)
        self.notes = Notes(database)
        self.page_files = PageFiles(database)

    @classmethod
    def create(cls, place: str | Path, *, limits: Limits = DEFAULT_LIMITS) -> Store:
        """An empty store, or the one that is there already."""
        if not is_postgresql(str(place)):
            open_private(Path(place), "ab").close()
        database = Database(place)
        made = select(about.c.value).where(about.c.name == "made")
        with database.writing() as connection:
            migrations.migrate(connection, database.place)
            if connection.execute(made).scalar() is None:
                connection.execute(insert(about).values(name="made", value=str(times.now())))
        return cls(database, limits=limits)

    @classmethod
    def open(
        cls,
        place: str | Path,
        *,
        read_only: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        shown: str | None = None,
    ) -> Store:
        """The store at a place, which messages call `shown`; an older schema is migrated, unless it
        is only to be read.
        """
        if not is_postgresql(str(place)) and not Path(place).is_file():
            raise StoreError(f"{place}: there is no store: `treelace init` makes a site with one")
        database = Database(place, read_only=read_only, shown=shown)
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
                    f"{database.place}: this store has schema {number}: bring it up to date once"
                    " with a command that writes, for instance `treelace gc --apply`"
                )
            with database.writing() as connection:
                migrations.migrate(connection, database.place)
        return cls(database, limits=limits)

    @property
    def place(self) -> str:
        """Where it is, without a password."""
        return self._database.place

    @contextmanager
    def writer(self, *, wait: bool = False) -> Iterator[None]:
        """The right to add versions, one process at a time; see `Database.writer`."""
        if self._database.read_only:
            raise StoreError(f"{self.place}: it is open for reading only")
        if self._is_writer:  # whoever holds it may ask again
            yield
            return
        with self._database.writer(wait=wait):
            self._is_writer = True
            try:
                yield
            finally:
                self._is_writer = False

    def watcher(self) -> AbstractContextManager[None]:
        """The right to watch a site, one process at a time; see `Database.watcher`."""
        return self._database.watcher()

    def deliverer(self) -> AbstractContextManager[None]:
        """The right to send alerts out, one process at a time; see `Database.deliverer`."""
        return self._database.deliverer()

    def token(self) -> str:
        """What tells this store from every other, also after it was moved."""
        said = select(about.c.value).where(about.c.name == "token")
        with self._database.writing() as connection:
            known = connection.execute(said).scalar()
            if known is None:
                known = uuid4().hex
                connection.execute(insert(about).values(name="token", value=known))
        return known

    def host_rights(self) -> HostRights:
        """Who may ask which host, among those who share its database."""
        return HostRights(self._database)

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A transaction: what is written in it appears together, or not at all."""
        with self._database.writing() as connection:
            yield Transaction(connection, self.dictionaries)

    def close(self) -> None:
        """Lets go of the database."""
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # pages

    def pages(self, *, like: str | None = None) -> Iterator[Page]:
        """All pages in the order of their addresses; `like` is a part of the address."""
        statement = select_pages().order_by(pages.c.url)
        if like is not None:
            statement = statement.where(pages.c.url.contains(like, autoescape=True))
        with self._database.reading() as connection:
            for row in connection.execute(statement, execution_options={"yield_per": 1000}):
                yield page_of(row)

    def some_pages(
        self,
        *,
        like: str = "",
        page_class: str | None = None,
        offset: int = 0,
        limit: int = 50,
    ) -> tuple[list[Page], int]:
        """Some pages in the order of their addresses, and how many there are: those with a part of
        the address, those of a class (`""`: of none).
        """
        wanted, total = select_some_pages(like, page_class)
        with self._database.reading() as connection:
            count = connection.execute(total).scalar_one()
            rows = connection.execute(wanted.offset(offset).limit(limit)).all()
        return [page_of(row) for row in rows], count

    def page_count(self) -> int:
        """How many pages there are."""
        with self._database.reading() as connection:
            return connection.execute(select(func.count()).select_from(pages)).scalar_one()

    def sizes(self) -> Sizes:
        """How much there is in it."""
        with self._database.reading() as connection:
            return load_sizes(connection)

    def page(self, url: str) -> Page:
        """The page with this address; `UsageError` with the nearest one where there is none."""
        with self._database.reading() as connection:
            row = connection.execute(select_pages().where(pages.c.url == url)).first()
            if row is None:
                raise UsageError(f"{self.place}: no page {url!r}{nearest_url(connection, url)}")
        return page_of(row)

    def urls(self, *, due_by: datetime | None = None) -> list[str]:
        """The addresses of all pages, or of those due by a time, in the order they came."""
        with self._database.reading() as connection:
            return load_urls(connection, due_by)

    def next_due(self) -> datetime | None:
        """When the next page is due; None where none is."""
        with self._database.reading() as connection:
            number = connection.execute(select(func.min(pages.c.due))).scalar()
        return None if number is None else times.from_number(number)

    def states(self, urls: Sequence[str]) -> dict[str, PageState]:
        """What the next versions of these pages need; unknown pages are left out."""
        with self._database.reading() as connection:
            return load_states(connection, urls)

    # versions

    def versions(
        self, url: str, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[Version]:
        """The versions of a page, oldest first."""
        statement = version_rows.select_versions(self.page(url).id, since, until)
        with self._database.reading() as connection:
            return [version_rows.version_of(url, row) for row in connection.execute(statement)]

    def number_at(self, url: str, time: datetime) -> int:
        """The version of a page that was newest at a time; `UsageError` if there was none."""
        page = self.page(url)
        with self._database.reading() as connection:
            number = version_rows.number_at(connection, page.id, time)
        if number is None:
            raise UsageError(
                f"{url} was not known at {time.isoformat()}: its first version is of"
                f" {page.first_seen.isoformat()}"
            )
        return number

    def body(self, url: str, number: int | None = None) -> Body:
        """A version (by default the newest) with its node ids; `StoreError` if it is damaged."""
        page = self.page(url)
        number = page.newest if number is None else number
        with self._database.reading() as connection:
            links, digest = version_rows.chain_to(connection, page.id, number, url)
        try:
            data = chain.follow(links, self.dictionaries.content, limits=self.limits).data
        except DamagedError as error:
            raise chain.damaged(url, number, error) from error
        return self.checked(data, digest, url, number)

    def bodies(
        self, url: str, first: int | None = None, last: int | None = None
    ) -> Iterator[tuple[int, Body]]:
        """Versions `first` to `last` in order, each unpacked once; by default all."""
        for number, data, digest in self.texts(url, first, last):
            yield number, self.checked(data, digest, url, number)

    def texts(
        self, url: str, first: int | None = None, last: int | None = None
    ) -> Iterator[tuple[int, bytes, bytes]]:
        """The same without parsing: number, bytes, and the digest that `checked` holds them to."""
        page = self.page(url)
        last = page.newest if last is None else min(last, page.newest)
        with self._database.reading() as connection:
            oldest = version_rows.oldest_number(connection, page.id)
            first = oldest if first is None else max(first, oldest)
            if first > last:
                return
            links, digests = version_rows.chain_between(connection, page.id, first, last, url)
        number = first
        try:
            for number, data in chain.unfold(links, self.dictionaries.content, limits=self.limits):
                if number >= first:
                    yield number, data, digests[number]
        except DamagedError as error:
            raise chain.damaged(url, number, error) from error

    def checked(self, data: bytes, digest: bytes, url: str, number: int) -> Body:
        """A version from its bytes; `StoreError` where its digest is another."""
        try:
            body = bodies.read(data, limits=self.limits)
        except DamagedError as error:
            raise chain.damaged(url, number, error) from error
        if bytes.fromhex(body.tree.digest) != digest:
            raise chain.damaged(url, number, "its digest is another")
        return body

    def last_versions(self, states: Sequence[PageState]) -> LastVersions:
        """What the next versions of these pages need, as of now, whatever is written meanwhile."""
        urls = {state.id: state.url for state in states if state.id is not None}
        wanted = list(urls)
        packed: dict[int, bytes] = {}
        with self._database.reading() as connection:
            links = version_rows.newest_chains(connection, wanted)
            for part in in_parts(wanted):
                rows = connection.execute(select(nodes).where(nodes.c.page_id.in_(part)))
                packed |= {row.page_id: row.changes for row in rows}
            trained = self.dictionaries.newest_of_all(connection)
        return LastVersions(
            urls, links, packed, trained, self.dictionaries.content, self.is_known, self.limits
        )

    def rates(self, page_id: int) -> Rates:
        """How often the nodes of a page changed."""
        wanted = select(nodes.c.changes).where(nodes.c.page_id == page_id)
        with self._database.reading() as connection:
            data = connection.execute(wanted).scalar()
        return counts.Rates() if data is None else counts.read(data, limits=self.limits)

    def is_known(self, page_id: int, time: int, source: bytes) -> bool:
        """Whether the page was seen with these bytes at this time."""
        with self._database.reading() as connection:
            return version_rows.is_known(connection, page_id, time, source)
