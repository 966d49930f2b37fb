"""Dictionaries: what the pages of a class have in common, kept once, so that each packs small."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, func, select

from treelace.errors import DamagedError
from treelace.limits import Limits
from treelace.store import body as bodies
from treelace.store import chain
from treelace.store.checksums import add_row
from treelace.store.database import Database
from treelace.store.schema import dictionaries, pages, versions

PAGES_TO_LEARN_FROM = 96
"""Pages of a class that a dictionary is learnt from; half as many will do."""
MAX_DICTIONARY = 64 * 2**10
"""Bytes of a dictionary."""


class Dictionaries:
    """The dictionaries of a store; each is read once."""

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._limits = limits
        self._contents: dict[int, bytes] = {}
        self._newest: dict[int | None, tuple[int, bytes] | None] = {}

    def content(self, number: int) -> bytes:
        """The bytes of a dictionary; `DamagedError` where it is not there."""
        if number not in self._contents:
            with self._database.reading() as connection:
                packed = connection.execute(
                    select(dictionaries.c.data).where(dictionaries.c.id == number)
                ).scalar()
            if packed is None:
                raise DamagedError(f"the dictionary {number} is not there")
            self._contents[number] = bodies.unpack(packed, limits=self._limits)
        return self._contents[number]

    def newest(self, class_id: int | None) -> tuple[int, bytes] | None:
        """The newest dictionary of a class, with its number."""
        if class_id not in self._newest:
            wanted = select(func.max(dictionaries.c.id)).where(
                _is_of(class_id, dictionaries.c.class_id)
            )
            with self._database.reading() as connection:
                number = connection.execute(wanted).scalar()
            self._newest[class_id] = None if number is None else (number, self.content(number))
        return self._newest[class_id]

    def newest_of_all(self, connection: Connection) -> dict[int | None, tuple[int, bytes]]:
        """The newest dictionary of each class that has one."""
        rows = connection.execute(
            select(dictionaries.c.class_id, func.max(dictionaries.c.id)).group_by(
                dictionaries.c.class_id
            )
        ).all()
        return {row[0]: (row[1], self.content(row[1])) for row in rows}

    def train(
        self, connection: Connection, class_id: int | None, *, without: int | None = None
    ) -> bool:
        """Learns a dictionary from pages of a class, but for one `without` which it is to be; False
        where they are too few or too unlike.
        """
        is_alone = versions.c.base.is_(None) & versions.c.dictionary_id.is_(None)
        chosen = connection.execute(
            select(versions.c.number, versions.c.base, versions.c.dictionary_id, versions.c.data)
            .select_from(versions.join(pages))
            .where(_is_of(class_id, pages.c.class_id), is_alone, pages.c.id != (without or 0))
            .order_by(versions.c.id.desc())
            .limit(PAGES_TO_LEARN_FROM)
        ).all()
        if len(chosen) < PAGES_TO_LEARN_FROM // 2:
            return False
        samples = [
            chain.follow([chain.Link(*row)], self.content, limits=self._limits).data
            for row in chosen
        ]
        learnt = bodies.train(samples, min(MAX_DICTIONARY, sum(map(len, samples)) // 8))
        if learnt is None:
            return False
        row = {"class_id": class_id, "made": datetime.now(UTC), "data": bodies.pack(learnt)}
        add_row(connection, dictionaries, row)
        self.read_again()
        return True

    def read_again(self) -> None:
        """Reads them from the store again when they are needed."""
        self._contents.clear()
        self._newest.clear()


def _is_of(class_id: int | None, column: ColumnElement[int]) -> ColumnElement[bool]:
    return column.is_(None) if class_id is None else column == class_id
