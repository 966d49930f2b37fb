"""Kinds of records given another name, or taken away: their tables and views, and the rules that
speak of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import delete, select, text, update

from treelace.errors import UsageError
from treelace.store.records import _quoted, kind_name
from treelace.store.schema import alerts, kinds, sightings, subscriptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from treelace.store.records import Kind, Records

FULL = "_full"
"""What the view of a list joined with its detail pages ends in."""


def kinds_of(connection: Connection, records: Records, class_id: int) -> list[Kind]:
    """The kinds of records of a class, in the order of its wrapper's tables."""
    numbers = set(
        connection.execute(select(kinds.c.id).where(kinds.c.class_id == class_id)).scalars()
    )
    return [kind for kind in records.kinds(connection) if kind.id in numbers]


def rename_kinds(
    connection: Connection, records: Records, class_id: int, old: str, new: str
) -> dict[str, str]:
    """Gives the kinds of a class the names they would have under its new one; which is now which.
    The history stays as it is.
    """
    names = {
        kind.name: kind_name(new, records.number_of(kind.name, old))
        for kind in kinds_of(connection, records, class_id)
    }
    taken = {kind.name for kind in records.kinds(connection)} - set(names)
    for name in names.values():
        if name in taken:
            raise UsageError(f"there are records called {name!r} already: take another name")
    _drop_joined(connection, records)
    for kind in kinds_of(connection, records, class_id):
        name = names[kind.name]
        table = records.table(kind)
        # an index keeps its name when its table gets another one, and would be in the way of the
        # next one
        for index in table.indexes:
            index.drop(connection)
        connection.execute(text(f"DROP VIEW IF EXISTS {_quoted(kind.name)}"))
        connection.execute(
            text(f"ALTER TABLE {_quoted(table.name)} RENAME TO {_quoted(f'{name}_history')}")
        )
        connection.execute(update(kinds).where(kinds.c.id == kind.id).values(name=name))
        renamed = records.kind(name, connection)
        for index in records.table(renamed).indexes:
            index.create(connection)
        records.make_view(connection, renamed)
    follow(connection, {"records": names, "drift": {old: new}})
    return names


def drop_kinds(connection: Connection, records: Records, class_id: int) -> list[str]:
    """Takes the kinds of a class away with all their records; their names."""
    dropped = kinds_of(connection, records, class_id)
    if dropped:
        _drop_joined(connection, records)
    for kind in dropped:
        connection.execute(text(f"DROP VIEW IF EXISTS {_quoted(kind.name)}"))
        records.table(kind).drop(connection)
        connection.execute(delete(sightings).where(sightings.c.kind_id == kind.id))
        connection.execute(delete(kinds).where(kinds.c.id == kind.id))
    return [kind.name for kind in dropped]


def follow(connection: Connection, names: Mapping[str, Mapping[str, str]]) -> None:
    """Lets rules, and alerts that wait for the end of a round, speak of the new names: by the field
    of a rule, from old to new.
    """
    for row in connection.execute(select(subscriptions.c.id, subscriptions.c.rule)).all():
        rule: dict[str, Any] = msgspec.json.decode(row.rule)
        said = {
            field: names[field].get(value, value) for field, value in rule.items() if field in names
        }
        if said != {field: rule[field] for field in said}:
            connection.execute(
                update(subscriptions)
                .where(subscriptions.c.id == row.id)
                .values(rule=msgspec.json.encode({**rule, **said}).decode())
            )
    for row in connection.execute(
        select(alerts.c.id, alerts.c.about).where(alerts.c.state == "waiting")
    ).all():
        about: dict[str, Any] = msgspec.json.decode(row.about)
        if about.get("kind") in names.get("records", {}):
            about["kind"] = names["records"][about["kind"]]
            connection.execute(
                update(alerts)
                .where(alerts.c.id == row.id)
                .values(about=msgspec.json.encode(about).decode())
            )


def _drop_joined(connection: Connection, records: Records) -> None:
    """The views over two tables would hold on to both; they are made again when pages have come
    in.
    """
    for kind in records.kinds(connection):
        connection.execute(text(f"DROP VIEW IF EXISTS {_quoted(kind.name + FULL)}"))
