"""Records of a page as rows: keys, values in the types of their columns, digests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import msgspec

from treelace.store import keys
from treelace.store.database_values import database_key, database_text, database_value
from treelace.store.plain_tables import PlainTable
from treelace.store.record_kinds import NUMBER_TYPES, RecordKind

_PART = re.compile(r"( \d+)?( link| text| currency| high)?$")
"""What stands behind a column's name in the names of its further values and of their parts."""


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record on one page, ready to be stored."""

    key: str
    node: int
    values: Mapping[str, Any]
    nodes: Mapping[str, int]
    digest: bytes


def record_rows(table: PlainTable, kind: RecordKind, url: str) -> dict[str, RecordRow]:
    """The records by their keys; one key twice on a page is numbered."""
    types = {name: kind.columns.get(name, its) for name, its in table.types.items()}
    made: dict[str, RecordRow] = {}
    for row in table.rows:
        known = {**row.values, keys.PAGE: url} if kind.is_inside else row.values
        first = keys.key_of(known, kind.key, f"{url}#{row.node}")
        key = first = database_key(database_text(first))
        again = 2
        while key in made:
            key, again = f"{first} #{again}", again + 1
        values = {name: _as(value, types[name]) for name, value in row.values.items()}
        made[key] = RecordRow(key, row.node, values, row.nodes, _digest(values))
    return made


def links_to_come(key: Sequence[str], types: Mapping[str, str]) -> dict[str, str]:
    """The links of a key that no record of the first page has, though others do."""
    is_link = (name for name in key if name.removesuffix(" link") in types)
    return {name: "text" for name in is_link if name not in types}


def _as(value: Any, kind: str) -> Any:
    """A value in the column's first type; None if it does not read so (its text is kept)."""
    if value is None:
        return None
    if kind not in NUMBER_TYPES:
        return database_text(str(value))
    try:
        if kind not in ("integer", "bool"):
            return database_value(float(value))
        # PostgreSQL would round, and SQLite keep, what is not whole
        return database_value(int(value)) if float(value) == int(float(value)) else None
    except (TypeError, ValueError, OverflowError):
        return None


def merged(
    old: Mapping[str, Any] | None,
    said: Mapping[str, Any],
    columns: Mapping[str, str],
    *,
    is_first_here: bool,
    is_only_here: bool = False,
) -> dict[str, Any]:
    """A record updated by a page. A page that shows it for the first time only adds values. Where a
    page alone shows it, parts that it says no more are gone: a tag of several, a title's link.

    >>> merged({"tag": "a", "tag 2": "b", "note": "c"}, {"tag": "a"},
    ...        {"tag": "text", "tag 2": "text", "note": "text"},
    ...        is_first_here=False, is_only_here=True)
    {'tag': 'a', 'tag 2': None, 'note': 'c'}
    """
    if old is None:
        return {name: said.get(name) for name in columns}
    if is_first_here:
        return {
            name: old.get(name) if old.get(name) is not None else said.get(name) for name in columns
        }
    return {
        name: said[name]
        if name in said
        else None
        if is_only_here and _PART.sub("", name) in said
        else old.get(name)
        for name in columns
    }


def _digest(values: Mapping[str, Any]) -> bytes:
    return blake2b(
        msgspec.json.encode(
            sorted((name, value) for name, value in values.items() if value is not None)
        ),
        digest_size=8,
    ).digest()
