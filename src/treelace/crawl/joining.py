"""Joining: a record of a list and the page it leads to are one thing. A view with the columns of
both, found by where the links lead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, text

from treelace.store.schema import pages

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from treelace.store.classes import Classes
    from treelace.store.records import Kind, Records
    from treelace.store.store import Store

SHARE = 0.8
"""Share of the links of a column that must lead to pages of one class."""


def join_details(store: Store, records: Records, classes: Classes) -> dict[str, tuple[str, str]]:
    """Makes the view `<list>_full` for each kind of record whose links lead to pages that are
    records themselves; the names of both kinds.

    A record whose page was not fetched is there all the same, with the columns of the list alone.
    """
    made: dict[str, tuple[str, str]] = {}
    kinds = records.kinds()
    with store.database.writing() as connection:
        homes = {
            name: class_id
            for class_id, name in connection.execute(select(pages.c.class_id, pages.c.url)).all()
            if class_id is not None
        }
        numbers = {one.name: one.id for one in classes.all(connection)}
        details = {
            numbers[kind.page_class]: kind
            for kind in kinds
            if kind.page_class in numbers and kind.key == ("#node",)
        }
        for kind in kinds:
            found = _link_column(connection, records, kind, homes, details)
            if found is not None:
                column, detail = found
                view = f"{kind.name}_full"
                connection.execute(text(f"DROP VIEW IF EXISTS {_quoted(view)}"))
                connection.execute(
                    text(f"CREATE VIEW {_quoted(view)} AS {_query(kind, column, detail)}")
                )
                made[view] = (kind.name, detail.name)
    return made


def _link_column(
    connection: Connection,
    records: Records,
    kind: Kind,
    homes: dict[str, int],
    details: dict[int, Kind],
) -> tuple[str, Kind] | None:
    table = records.table(kind)
    for name, column in kind.names.items():
        if not name.endswith(" link"):
            continue
        links = list(
            connection.execute(
                select(table.c[column])
                .where(table.c.valid_to.is_(None), table.c[column].is_not(None))
                .limit(1000)
            ).scalars()
        )
        for number, detail in details.items():
            if (
                detail.name != kind.name
                and links
                and sum(homes.get(link) == number for link in links) >= SHARE * len(links)
            ):
                return column, detail
    return None


def _query(kind: Kind, link: str, detail: Kind) -> str:
    own = ", ".join(f"l.{_quoted(column)}" for column in kind.names.values())
    more = ", ".join(
        f"d.{_quoted(column)} AS {_quoted(f'{detail.name}_{column}')}"
        for column in detail.names.values()
    )
    return (
        f"SELECT l.key, {own}, {more} FROM {_quoted(kind.name + '_history')} l LEFT JOIN pages p ON"
        f" p.url = l.{_quoted(link)} LEFT JOIN {_quoted(detail.name + '_history')} d ON d.page_id ="
        " p.id AND d.valid_to IS NULL WHERE l.valid_to IS NULL"
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
