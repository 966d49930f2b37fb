"""Renames or removes kinds of records: their tables, their views, and the rules on them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, select, text

from treelace.errors import UsageError
from treelace.store.checksums import change_rows, drop_seal, remove_rows
from treelace.store.joined_views import drop_joined_views
from treelace.store.record_kinds import (
    RecordKind,
    drop_view,
    find_kind,
    history_table,
    kind_name,
    load_kinds,
    make_view,
    quoted,
    table_number,
)
from treelace.store.schema import alerts, kinds, sightings, subscriptions
from treelace.store.states import AlertState


def rename_kinds(connection: Connection, class_id: int, old: str, new: str) -> dict[str, str]:
    """Gives the kinds of a class the names they would have under its new one; which is now which.
    The history stays as it is, and rules speak of the new names.
    """
    known = load_kinds(connection)
    mine = [kind for kind in known if kind.class_id == class_id]
    names = {kind.name: kind_name(new, table_number(kind.name, old)) for kind in mine}
    taken = {kind.name for kind in known} - set(names)
    for name in names.values():
        if name in taken:
            raise UsageError(f"there are records called {name!r} already: take another name")
    drop_joined_views(connection)
    for kind in mine:
        _rename(connection, kind, names[kind.name])
    _rename_in_rules(connection, {"records": names, "drift": {old: new}})
    return names


def _rename(connection: Connection, kind: RecordKind, name: str) -> None:
    table = history_table(kind)
    # an index keeps its name when its table gets another one, and would be in the way of the next
    for index in table.indexes:
        index.drop(connection)
    drop_view(connection, kind.name)
    connection.execute(
        text(f"ALTER TABLE {quoted(table.name)} RENAME TO {quoted(f'{name}_history')}")
    )
    change_rows(connection, kinds, kinds.c.id == kind.id, {"name": name})
    renamed = find_kind(connection, name)
    for index in history_table(renamed).indexes:
        index.create(connection)
    make_view(connection, renamed)


def drop_kinds(connection: Connection, class_id: int) -> list[str]:
    """Takes the kinds of a class away with all their records; their names."""
    dropped = [kind for kind in load_kinds(connection) if kind.class_id == class_id]
    if dropped:
        drop_joined_views(connection)
    for kind in dropped:
        drop_view(connection, kind.name)
        history_table(kind).drop(connection)
        drop_seal(connection, history_table(kind))
        remove_rows(connection, sightings, sightings.c.kind_id == kind.id)
        remove_rows(connection, kinds, kinds.c.id == kind.id)
    return [kind.name for kind in dropped]


def merge_kinds(connection: Connection, lost_id: int, lost: str, kept: str) -> None:
    """Removes the kinds of a class merged into another; rules on them move to the other's."""
    names = {
        kind: kind_name(kept, table_number(kind, lost)) for kind in drop_kinds(connection, lost_id)
    }
    _rename_in_rules(connection, {"records": names, "drift": {lost: kept}})


def _rename_in_rules(connection: Connection, names: Mapping[str, Mapping[str, str]]) -> None:
    """Renames fields, from old to new, in rules and in alerts that wait for the end of a round."""
    for row in connection.execute(select(subscriptions.c.id, subscriptions.c.rule)).all():
        rule = {
            field: names[field].get(value, value) if field in names else value
            for field, value in row.rule.items()
        }
        if rule != row.rule:
            change_rows(connection, subscriptions, subscriptions.c.id == row.id, {"rule": rule})
    waiting = select(alerts.c.id, alerts.c.about).where(alerts.c.state == AlertState.WAITING)
    for row in connection.execute(waiting).all():
        kind = names["records"].get(row.about.get("kind"))
        if kind is not None:
            about = {**row.about, "kind": kind}
            change_rows(connection, alerts, alerts.c.id == row.id, {"about": about})
