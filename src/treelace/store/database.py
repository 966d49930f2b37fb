"""Database: SQLite or PostgreSQL, opened for reading or writing; failures are one clear line."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import sqlalchemy
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    ProgrammingError,
    SQLAlchemyError,
    StatementError,
)

from treelace.errors import MissingError, StoreError

MAX_BUSY_SECONDS = 10.0
"""That a short write waits for another short write."""

# what databases say → what it means, and what to do
_PLAIN_WORDS = (
    (
        r"database is locked|database table is locked|lock timeout",
        "another process is writing to it: try again, or wait for it with --wait",
    ),
    (
        r"attempt to write a readonly|read-only transaction|permission denied for",
        "it is read-only here: give yourself the right to write to it",
    ),
    (
        r"database or disk is full|no space left|could not extend file|DiskFull",
        "the disk is full: make room and run the command again, nothing is lost",
    ),
    (
        r"malformed|disk image|not a database|invalid page|checksum",
        "the database is damaged: `treelace verify` names what, a backup brings it back",
    ),
    (r"disk i/o error", "the disk failed while it was read or written"),
    (
        r"unable to open database file",
        "it cannot be opened: is the folder there, and may you read it?",
    ),
    (r"interrupted|canceling statement", "the query was stopped: it took longer than it may"),
    (
        r"password authentication|role .* does not exist|no password",
        "the server does not let us in: look at user and password",
    ),
    (r"database .* does not exist", "there is no such database: make it with `createdb`"),
    (
        (
            r"connection refused|could not connect|connection failed|could not translate|no such"
            r" file or directory|timeout expired"
        ),
        "the server does not answer",
    ),
)


class RefusedValueError(StoreError):
    """The database does not take what it was given; it takes other things."""


class Connections(Protocol):
    """Gives connections: a database, each in a new transaction, or an open transaction its own."""

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection to look with."""

    def writing(self) -> AbstractContextManager[Connection]:
        """A connection to write with."""


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A transaction that is open: whatever is asked of it becomes part of it."""

    connection: Connection

    def reading(self) -> AbstractContextManager[Connection]:
        """The connection of the transaction."""
        return nullcontext(self.connection)

    def writing(self) -> AbstractContextManager[Connection]:
        """The connection of the transaction."""
        return nullcontext(self.connection)


def with_schema(place: str, schema: str) -> str:
    """The address of one schema of a database.

    >>> with_schema("postgresql://localhost/shops?sslmode=require", "site_7")
    'postgresql://localhost/shops?sslmode=require&options=-csearch_path%3Dsite_7'
    """
    base, _, query = place.partition("?")
    pairs = [pair for pair in query.split("&") if pair]
    said = [pair.partition("=")[2] for pair in pairs if pair.startswith("options=")]
    rest = [pair for pair in pairs if not pair.startswith("options=")]
    options = "%20".join([*said, f"-csearch_path%3D{schema}"])
    return f"{base}?{'&'.join([*rest, f'options={options}'])}"


def is_postgresql(place: str) -> bool:
    """Whether a store is on a PostgreSQL server; else it is a file."""
    return place.startswith(("postgresql:", "postgres:", "postgresql+psycopg:"))


class Database:
    """A database; each `reading()` and `writing()` is a transaction, and readers never wait."""

    def __init__(
        self, place: str | Path, *, read_only: bool = False, shown: str | None = None
    ) -> None:
        """`shown` is what messages call it, where that is not its place."""
        self.is_sqlite = not is_postgresql(str(place))
        self.place = shown or (str(place) if self.is_sqlite else without_password(str(place)))
        self.read_only = read_only
        self._path = Path(place) if self.is_sqlite else None
        self._engine = self._sqlite() if self.is_sqlite else _postgresql(str(place), read_only)

    def _sqlite(self) -> sqlalchemy.Engine:
        address = self._address(read_only=self.read_only)
        engine = sqlalchemy.create_engine(
            "sqlite://",
            creator=lambda: sqlite3.connect(
                address, uri=True, timeout=MAX_BUSY_SECONDS, check_same_thread=False
            ),
            poolclass=sqlalchemy.QueuePool,
            pool_size=4,
            max_overflow=-1,  # as many as there are threads
        )
        event.listen(engine, "connect", self._on_connect)
        event.listen(engine, "begin", _on_begin)
        return engine

    def _on_connect(self, connection: Any, _record: Any) -> None:
        connection.isolation_level = (
            None  # transactions are ours: pysqlite would leave DDL out of them
        )
        cursor = connection.cursor()
        if not self.read_only:
            cursor.execute("PRAGMA journal_mode=WAL")
            cursor.execute("PRAGMA synchronous=NORMAL")
            cursor.execute("PRAGMA secure_delete=FAST")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA temp_store=MEMORY")
        cursor.execute("PRAGMA cache_size=-16000")
        cursor.close()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only looks."""
        with self.failures(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is whole or not at all."""
        with (
            self.failures(),
            self._engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def sharing(self) -> Iterator[Connection]:
        """A short transaction on rows that others write, too: it waits for them and sees what they
        wrote.
        """
        with (
            self.failures(),
            self._engine.connect().execution_options(
                isolation_level="READ COMMITTED"
            ) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def session(self) -> Iterator[Connection]:
        """A connection that is kept, for locks that last as long as it does."""
        with (
            self.failures(),
            self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
        ):
            try:
                yield connection
            finally:
                connection.invalidate()  # its locks end with it, whatever happened

    def writer(self, *, wait: bool = False) -> AbstractContextManager[None]:
        """The right to add versions, for one process at a time; others wait or get `StoreError`."""
        taken = (
            "another process is adding versions to this site: wait for it with --wait, or try again"
            " later"
        )
        return self._right("writer", ".lock", f"{self.place}: {taken}", wait=wait)

    def watcher(self) -> AbstractContextManager[None]:
        """The right to watch a site: one process at a time. `StoreError` for the second one."""
        return self._right(
            "watcher",
            ".watch.lock",
            f"{self.place}: another process is watching this site already: one is enough",
            wait=False,
        )

    def deliverer(self) -> AbstractContextManager[None]:
        """The right to send alerts out, so that none goes out twice; others wait for it."""
        taken = "another process is sending the alerts of this site: try again later"
        return self._right("deliverer", ".deliver.lock", f"{self.place}: {taken}", wait=True)

    @contextmanager
    def _right(self, name: str, suffix: str, taken: str, *, wait: bool) -> Iterator[None]:
        """What one process at a time may have. It ends with the process, however that ends."""
        if self._path is not None:
            with _file_lock(self._path.with_suffix(suffix), taken, wait=wait):
                yield
            return
        with self.failures(), self._engine.connect() as connection:
            key = f"hashtextextended('treelace {name} ' || current_schema(), 0)"
            if wait:
                connection.execute(text(f"select pg_advisory_lock({key})"))
            elif not connection.execute(text(f"select pg_try_advisory_lock({key})")).scalar():
                raise StoreError(taken)
            connection.commit()
            try:
                yield
            finally:
                connection.execute(text(f"select pg_advisory_unlock({key})"))
                connection.commit()

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Says in one plain line what the database said."""
        try:
            yield
        except (DataError, IntegrityError, ProgrammingError) as error:
            said = " ".join(str(error.orig).split())
            raise RefusedValueError(f"{self.place}: {said}") from error
        except DBAPIError as error:
            said = " ".join(str(error.orig).split())
            for pattern, meaning in _PLAIN_WORDS:
                if re.search(pattern, f"{type(error.orig).__name__} {said}", re.IGNORECASE):
                    raise StoreError(f"{self.place}: {meaning} ({said})") from error
            raise StoreError(f"{self.place}: {said}") from error
        except StatementError as error:  # a value that the database's driver cannot write
            raise RefusedValueError(f"{self.place}: {' '.join(str(error.orig).split())}") from error
        except SQLAlchemyError as error:
            raise StoreError(f"{self.place}: {' '.join(str(error).split())}") from error
        except UnicodeDecodeError as error:  # SQLite quotes a damaged schema in its complaint
            raise StoreError(
                f"{self.place}: the file is damaged: a text in it is no text"
            ) from error

    def tidy(self) -> None:
        """Gives back the room of what was removed, and overwrites it."""
        with (
            self.failures(),
            self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
        ):
            if self.is_sqlite:
                driver = connection.connection.driver_connection
                assert driver is not None
                driver.execute("VACUUM")
                driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            else:
                # of this store alone: a database may have others
                ours = "select quote_ident(tablename) from pg_tables where schemaname ="
                for table in connection.execute(text(f"{ours} current_schema()")).scalars().all():
                    # statistics quote values, too
                    connection.execute(text(f"VACUUM (FULL, ANALYZE) {table}"))

    def raw(self) -> Any:
        """A connection of its own, as the database's driver has it, for reading."""
        if self._path is not None:
            return sqlite3.connect(
                self._address(read_only=True),
                uri=True,
                timeout=MAX_BUSY_SECONDS,
                isolation_level=None,
            )
        import psycopg

        return psycopg.connect(
            self._engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        )

    def _address(self, *, read_only: bool) -> str:
        path = os.path.abspath(str(self._path))
        address = f"file:{_quoted(path)}"
        if not read_only:
            return address
        # a reader of a log shares memory with its writer; where nothing can be written there is no
        # writer
        is_still = not os.access(os.path.dirname(path), os.W_OK) and not os.path.exists(
            path + "-wal"
        )
        return f"{address}?mode=ro&immutable=1" if is_still else f"{address}?mode=ro"

    def close(self) -> None:
        """Lets go of every connection."""
        self._engine.dispose()


def _on_begin(connection: Connection) -> None:
    connection.exec_driver_sql(
        "BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN"
    )


def _postgresql(place: str, read_only: bool) -> sqlalchemy.Engine:
    address = re.sub(r"^postgres(ql)?(\+psycopg)?:", "postgresql+psycopg:", place)
    try:
        engine = sqlalchemy.create_engine(
            address,
            isolation_level="REPEATABLE READ",
            pool_pre_ping=True,
            connect_args={"connect_timeout": 10},
        )
    except ModuleNotFoundError as error:
        raise MissingError("a store on PostgreSQL", package="psycopg", extra="postgres") from error
    except (SQLAlchemyError, ValueError) as error:
        raise StoreError(
            f"{without_password(place)}: this is no address of a database:"
            " write postgresql://user@host/name"
        ) from error
    if read_only:
        event.listen(engine, "connect", _only_reads)
    return engine


def _only_reads(connection: Any, _record: Any) -> None:
    connection.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
    connection.commit()


@contextmanager
def _file_lock(path: Path, taken: str, *, wait: bool) -> Iterator[None]:
    try:
        handle = open(path, "a+b")  # noqa: SIM115 (closed below, on every way out)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}: the store cannot be written to") from error
    with handle:
        try:
            _lock(handle.fileno(), wait)
        except OSError as error:
            raise StoreError(taken) from error
        yield


def _lock(descriptor: int, wait: bool) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        mode = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined]
        msvcrt.locking(descriptor, mode, 1)  # type: ignore[attr-defined]
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def without_password(address: str) -> str:
    """An address that may be shown, however a password stands in it.

    >>> without_password("postgresql://me:a/b@c@host/shop?sslmode=require&password=tea")
    'postgresql://me:…@host/shop?sslmode=require&password=…'
    """
    shown = re.sub(r"(//[^:/@]*):[^?#]*@", r"\1:…@", address)
    return re.sub(r"(?i)((?:password|passfile|options)=)[^&]*", r"\1…", shown)


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path)
