"""Page classes and their wrappers, each with its versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import func, select

from treelace.classes.model import ClassState, PageClass, StoredWrapper
from treelace.errors import UsageError
from treelace.store.checksums import add_row, change_rows
from treelace.store.database import Connections
from treelace.store.rows import in_parts, value_of
from treelace.store.schema import classes, pages, seals, versions, wrappers

MOST_PAGES_ASKED = 50
"""Pages of a class whose second version is looked up."""


class Classes:
    """The page classes of a store."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def all(self) -> list[PageClass]:
        """The classes in the order they were made."""
        with self._connections.reading() as connection:
            rows = connection.execute(select(classes).order_by(classes.c.id))
            return [value_of(PageClass, row) for row in rows]

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
        state: ClassState = ClassState.ACCEPTED,
        sketch: bytes | None = None,
        about: Mapping[str, object] | None = None,
    ) -> int:
        """The number of a class; it is made if it is new, else what is given here is set."""
        given = _given(url_pattern=url_pattern, sketch=sketch, about=about)
        with self._connections.writing() as connection:
            number = connection.execute(select(classes.c.id).where(classes.c.name == name)).scalar()
            if number is None:
                row = {"name": name, "state": state, "made": datetime.now(UTC), **given}
                return add_row(connection, classes, row)
            if given:
                change_rows(connection, classes, classes.c.id == number, given)
            return int(number)

    def change(
        self,
        class_id: int,
        *,
        name: str | None = None,
        state: ClassState | None = None,
        sketch: bytes | None = None,
        about: Mapping[str, object] | None = None,
    ) -> None:
        """Sets what is given; what is None stays as it is."""
        values = _given(name=name, state=state, sketch=sketch, about=about)
        with self._connections.writing() as connection:
            change_rows(connection, classes, classes.c.id == class_id, values)

    # pages

    def assign(self, urls: Sequence[str], class_id: int | None) -> None:
        """Puts pages into a class, or into none."""
        with self._connections.writing() as connection:
            for part in in_parts(urls):
                change_rows(connection, pages, pages.c.url.in_(part), {"class_id": class_id})

    def members(self, class_id: int | None) -> list[str]:
        """The addresses of the pages of a class, or of none, sorted: what is chosen among them does
        not depend on the order in which pages came.
        """
        where = pages.c.class_id.is_(None) if class_id is None else pages.c.class_id == class_id
        with self._connections.reading() as connection:
            return sorted(connection.execute(select(pages.c.url).where(where)).scalars())

    def version_count(self, class_id: int | None) -> int:
        """How many versions the pages of a class have."""
        is_mine = pages.c.class_id.is_(None) if class_id is None else pages.c.class_id == class_id
        made = select(func.coalesce(func.sum(pages.c.newest), 0))
        kept = select(seals.c.rows).where(seals.c.name == versions.name)
        with self._connections.reading() as connection:
            if connection.execute(made).scalar_one() == (connection.execute(kept).scalar() or 0):
                return int(connection.execute(made.where(is_mine)).scalar_one())
            of_page = versions.join(pages, pages.c.id == versions.c.page_id)
            left = select(func.count()).select_from(of_page).where(is_mine)
            return int(connection.execute(left).scalar_one())

    def second_look(self, class_id: int | None) -> int | None:
        """When a page of a class was first looked at a second time, by the pages that have been
        known longest; None where there was only one look.
        """
        is_mine = pages.c.class_id.is_(None) if class_id is None else pages.c.class_id == class_id
        again = select(func.min(pages.c.last_seen)).where(is_mine, pages.c.seen > 1)
        oldest = (
            select(pages.c.id)
            .where(is_mine, pages.c.newest > 1)
            .order_by(pages.c.first_seen, pages.c.id)
            .limit(MOST_PAGES_ASKED)
        )
        with self._connections.reading() as connection:
            found = [connection.execute(again).scalar()]
            for page in connection.execute(oldest).scalars().all():
                of_page = select(versions.c.time).where(versions.c.page_id == page)
                second = of_page.order_by(versions.c.number).offset(1).limit(1)
                found.append(connection.execute(second).scalar())
        return min((it for it in found if it is not None), default=None)

    def counts(self) -> dict[int | None, int]:
        """How many pages each class has; None are those of no class."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                select(pages.c.class_id, func.count()).group_by(pages.c.class_id)
            ).all()
        return {row[0]: row[1] for row in rows}

    # wrappers

    def add_wrapper(
        self,
        class_id: int,
        data: str,
        *,
        state: ClassState = ClassState.ACCEPTED,
        why: str | None = None,
    ) -> int:
        """Keeps a new version of a class's wrapper, once if repeated, and answers its number."""
        newest = (
            select(wrappers)
            .where(wrappers.c.class_id == class_id)
            .order_by(wrappers.c.number.desc())
            .limit(1)
        )
        with self._connections.writing() as connection:
            last = connection.execute(newest).first()
            if last is not None and last.data == data and last.state == state:
                return int(last.number)
            number = 1 if last is None else int(last.number) + 1
            row = {"class_id": class_id, "number": number, "state": state, "why": why}
            add_row(connection, wrappers, {**row, "made": datetime.now(UTC), "data": data})
            return number

    def set_wrapper_state(self, class_id: int, number: int, state: ClassState) -> None:
        """Accepts or rejects a version of a wrapper."""
        is_meant = (wrappers.c.class_id == class_id) & (wrappers.c.number == number)
        with self._connections.writing() as connection:
            count = change_rows(connection, wrappers, is_meant, {"state": state})
        if not count:
            raise UsageError(f"the class {class_id} has no wrapper {number}")

    def wrappers(self, class_id: int) -> list[StoredWrapper]:
        """The wrappers of a class, oldest first."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                select(wrappers).where(wrappers.c.class_id == class_id).order_by(wrappers.c.number)
            ).all()
        return [value_of(StoredWrapper, row) for row in rows]

    def newest_wrapper(self, class_id: int) -> StoredWrapper | None:
        """The newest wrapper of a class, accepted or not."""
        return next(reversed(self.wrappers(class_id)), None)

    def wrapper(self, class_id: int) -> StoredWrapper | None:
        """The newest accepted wrapper of a class."""
        found = [it for it in self.wrappers(class_id) if it.state is ClassState.ACCEPTED]
        return found[-1] if found else None


def _given(**values: object) -> dict[str, object]:
    """Those values that are not None."""
    return {field: value for field, value in values.items() if value is not None}
