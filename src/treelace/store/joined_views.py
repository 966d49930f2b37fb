"""Views `<list>_full`: the records of a list with those of the pages their links lead to."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select, text

from treelace.store import keys
from treelace.store.record_kinds import RecordKind, drop_view, history_table, load_kinds, quoted
from treelace.store.schema import pages

MIN_LINKS_TO_ONE_CLASS = 0.8
"""Share of the links of a column that must lead to pages of one class."""
_LINKS_LOOKED_AT = 1000
_ENDING = "_full"


@dataclass(frozen=True, slots=True)
class JoinedView:
    """A view over the records of a list and those of the pages they lead to."""

    name: str
    records: str
    details: str

    def __str__(self) -> str:
        return f"{self.records} leads to {self.details}: `treelace sql` has both as {self.name}"


def make_joined_views(connection: Connection) -> list[JoinedView]:
    """Makes the view for each kind of record whose links lead to pages that are records themselves.

    A record whose page was not fetched is there all the same, with the columns of the list alone.
    """
    kinds = load_kinds(connection)
    homes = {
        url: class_id
        for class_id, url in connection.execute(select(pages.c.class_id, pages.c.url)).all()
        if class_id is not None
    }
    details = {
        kind.class_id: kind
        for kind in kinds
        if kind.class_id is not None and kind.key == (keys.NODE,)
    }
    made = []
    for kind in kinds:
        found = _link_column(connection, kind, homes, details)
        if found is not None:
            column, detail = found
            view = JoinedView(f"{kind.name}{_ENDING}", kind.name, detail.name)
            drop_view(connection, view.name)
            connection.execute(
                text(f"CREATE VIEW {quoted(view.name)} AS {_query(kind, column, detail)}")
            )
            made.append(view)
    return made


def drop_joined_views(connection: Connection) -> None:
    """Drops all joined views, which would hold on to their tables; an import makes them again."""
    for kind in load_kinds(connection):
        drop_view(connection, f"{kind.name}{_ENDING}")


def _link_column(
    connection: Connection, kind: RecordKind, homes: dict[str, int], details: dict[int, RecordKind]
) -> tuple[str, RecordKind] | None:
    table = history_table(kind)
    for name, column in kind.names.items():
        if not name.endswith(" link"):
            continue
        is_there = table.c.valid_to.is_(None) & table.c[column].is_not(None)
        wanted = select(table.c[column]).where(is_there).limit(_LINKS_LOOKED_AT)
        links = list(connection.execute(wanted).scalars())
        for number, detail in details.items():
            count = sum(homes.get(link) == number for link in links)
            if detail.name != kind.name and links and count >= MIN_LINKS_TO_ONE_CLASS * len(links):
                return column, detail
    return None


def _query(kind: RecordKind, link: str, detail: RecordKind) -> str:
    own = ", ".join(f"l.{quoted(column)}" for column in kind.names.values())
    more = ", ".join(
        f"d.{quoted(column)} AS {quoted(f'{detail.name}_{column}')}"
        for column in detail.names.values()
    )
    return (
        f"SELECT l.key, {own}, {more} FROM {quoted(kind.name + '_history')} l LEFT JOIN pages p ON"
        f" p.url = l.{quoted(link)} LEFT JOIN {quoted(detail.name + '_history')} d ON d.page_id ="
        " p.id AND d.valid_to IS NULL WHERE l.valid_to IS NULL"
    )
