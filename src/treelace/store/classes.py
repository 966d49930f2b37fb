"""Page classes and their wrappers, each with its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import func, insert, select, update

from treelace.classes.model import PageClass, StoredWrapper
from treelace.errors import UsageError
from treelace.store import times
from treelace.store.rows import thing
from treelace.store.schema import classes, pages, wrappers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from treelace.store.store import Store


class Classes:
    """The page classes of a store."""

    def __init__(self, store: Store) -> None:
        self._database = store.database

    def all(self, connection: Connection | None = None) -> list[PageClass]:
        """The classes in the order they were made."""
        if connection is None:
            with self._database.reading() as own:
                return self.all(own)
        return [
            thing(PageClass, row)
            for row in connection.execute(select(classes).order_by(classes.c.id))
        ]

    def get(self, name: str) -> PageClass:
        """A class by its name; `UsageError` where there is none."""
        known = self.all()
        for one in known:
            if one.name == name:
                return one
        raise UsageError(
            f"no class {name!r}; there are: {', '.join(one.name for one in known) or 'none yet'}"
        )

    def ensure(
        self,
        name: str,
        *,
        url_pattern: str | None = None,
        state: str = "accepted",
        sketch: bytes | None = None,
        about: Mapping[str, Any] | None = None,
        connection: Connection | None = None,
    ) -> int:
        """The number of a class; it is made if it is new, else what is given here is set."""
        if connection is None:
            with self._database.writing() as own:
                return self.ensure(
                    name,
                    url_pattern=url_pattern,
                    state=state,
                    sketch=sketch,
                    about=about,
                    connection=own,
                )
        number = connection.execute(select(classes.c.id).where(classes.c.name == name)).scalar()
        given: dict[str, Any] = {
            "url_pattern": url_pattern,
            "sketch": sketch,
            "about": None if about is None else _json(about),
        }
        given = {field: value for field, value in given.items() if value is not None}
        if number is None:
            made = (
                insert(classes)
                .values(name=name, state=state, made=times.now(), **given)
                .returning(classes.c.id)
            )
            return int(connection.execute(made).scalar_one())
        if given:
            connection.execute(update(classes).where(classes.c.id == number).values(**given))
        return int(number)

    def change(self, name: str, *, connection: Connection, **values: Any) -> None:
        """Renames a class (`name`), sets its state, sketch or `about`."""
        number = self.get(name).id
        if "about" in values:
            values["about"] = _json(values["about"])
        connection.execute(update(classes).where(classes.c.id == number).values(**values))

    def assign(self, connection: Connection, page_id: int, class_id: int | None) -> None:
        """Puts a page into a class, or into none."""
        connection.execute(update(pages).where(pages.c.id == page_id).values(class_id=class_id))

    def members(self, class_id: int | None) -> list[str]:
        """The addresses of the pages of a class, or of none."""
        where = pages.c.class_id.is_(None) if class_id is None else pages.c.class_id == class_id
        with self._database.reading() as connection:
            return list(
                connection.execute(select(pages.c.url).where(where).order_by(pages.c.id)).scalars()
            )

    # wrappers

    def add_wrapper(
        self,
        class_id: int,
        data: str,
        *,
        state: str = "accepted",
        why: str | None = None,
        connection: Connection | None = None,
    ) -> int:
        """Keeps a new version of a class's wrapper; its number. The same again is not kept
        twice.
        """
        if connection is None:
            with self._database.writing() as own:
                return self.add_wrapper(class_id, data, state=state, why=why, connection=own)
        last = connection.execute(
            select(wrappers)
            .where(wrappers.c.class_id == class_id)
            .order_by(wrappers.c.number.desc())
            .limit(1)
        ).first()
        if last is not None and last.data == data and last.state == state:
            return int(last.number)
        number = 1 if last is None else last.number + 1
        connection.execute(
            insert(wrappers).values(
                class_id=class_id, number=number, state=state, made=times.now(), why=why, data=data
            )
        )
        return int(number)

    def set_wrapper_state(
        self, class_id: int, number: int, state: str, *, connection: Connection | None = None
    ) -> None:
        """Accepts or rejects a version of a wrapper."""
        if connection is None:
            with self._database.writing() as own:
                self.set_wrapper_state(class_id, number, state, connection=own)
            return
        changed = connection.execute(
            update(wrappers)
            .where(wrappers.c.class_id == class_id, wrappers.c.number == number)
            .values(state=state)
        )
        if not changed.rowcount:
            raise UsageError(f"the class {class_id} has no wrapper {number}")

    def wrappers(self, class_id: int) -> list[StoredWrapper]:
        """The wrappers of a class, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                select(wrappers).where(wrappers.c.class_id == class_id).order_by(wrappers.c.number)
            ).all()
        return [thing(StoredWrapper, row) for row in rows]

    def wrapper(self, class_id: int) -> StoredWrapper | None:
        """The newest accepted wrapper of a class."""
        accepted = [it for it in self.wrappers(class_id) if it.state == "accepted"]
        return accepted[-1] if accepted else None

    def counts(self) -> dict[int | None, int]:
        """How many pages each class has; None are those of no class."""
        with self._database.reading() as connection:
            rows = connection.execute(
                select(pages.c.class_id, func.count()).group_by(pages.c.class_id)
            ).all()
        return {row[0]: row[1] for row in rows}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
