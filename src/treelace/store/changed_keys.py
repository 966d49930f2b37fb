"""Changed keys: records that a page shows under other keys than before, and under the same names.

A shop that moves its products to other addresses shows a mass of records that are gone and as many
that are new, with the same titles. They are the same records: their histories go on under the new
keys, and nobody is told of a thousand records that came and went.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from treelace.store.checksums import as_stored, change_each
from treelace.store.keys import is_name
from treelace.store.record_kinds import RecordKind, history_table
from treelace.store.rows import in_parts
from treelace.store.schema import sightings

MIN_RECORDS, MIN_SHARE = 3, 0.5
"""Records of a page, and their share among those gone and among those new, that have the names of
others: so many are no accident.
"""
MIN_TOLD_APART = 0.9
"""Share of the records of a page that a column tells apart which has their names."""
Values = Mapping[str, Any]


def find(
    kind: RecordKind,
    gone: Mapping[str, Values],
    new: Mapping[str, Values],
    staying: Iterable[Values] = (),
) -> dict[str, str]:
    """The old keys of records that have new ones, by the new; empty where it is no mass. `staying`
    are the other records of the page: what they have in common with some is no name, as a category.

    >>> kind = RecordKind(1, "teas", None, ("name link",), False, {"name": "text"})
    >>> gone = {f"/p/{tea}": {"name": tea} for tea in ("oolong", "assam", "mate")}
    >>> new = {f"/tea/{tea}": {"name": tea} for tea in ("oolong", "assam", "sencha", "mate")}
    >>> find(kind, gone, new)
    {'/tea/oolong': '/p/oolong', '/tea/assam': '/p/assam', '/tea/mate': '/p/mate'}
    """
    staying = list(staying)
    fewest = max(MIN_RECORDS, MIN_SHARE * max(len(gone), len(new)))
    if min(len(gone), len(new)) < fewest:
        return {}
    best: dict[str, str] = {}
    for name, its in kind.columns.items():
        if its != "text" or name in kind.key or name.endswith((" link", " text", " currency")):
            continue
        others = [str(values[name]) for values in staying if values.get(name)]
        shown = [*others, *(str(values[name]) for values in new.values() if values.get(name))]
        if len(set(shown)) < MIN_TOLD_APART * len(shown):
            continue
        before, after = _by_name(gone, name), _by_name(new, name)
        pairs = {key: before[text] for text, key in after.items() if text in before}
        best = max(best, pairs, key=len)
    return best if len(best) >= fewest else {}


def _by_name(records: Mapping[str, Values], column: str) -> dict[str, str]:
    """The keys of records by their names in a column, where no other record has the same."""
    names = {key: str(values.get(column) or "") for key, values in records.items()}
    often = Counter(names.values())
    return {text: key for key, text in names.items() if often[text] == 1 and is_name(text)}


def rename(connection: Connection, kind: RecordKind, old_keys: Mapping[str, str]) -> None:
    """Gives records their new keys, in their histories and on every page that shows them."""
    new_keys = {old: new for new, old in old_keys.items()}
    for table in (history_table(kind), sightings):
        for part in in_parts(list(new_keys)):
            wanted = select(*as_stored(table)).where(table.c.key.in_(part))
            if table is sightings:
                wanted = wanted.where(sightings.c.kind_id == kind.id)
            rows = connection.execute(wanted).mappings().all()
            change_each(connection, table, [(row, {"key": new_keys[row["key"]]}) for row in rows])


def without_key_columns(kind: RecordKind, old: Values, new: Values) -> dict[str, Any]:
    """What a record was, but for its key: that it has another one is no change of the record."""
    return {name: new[name] if name in kind.key else value for name, value in old.items()}


def renamed_here(known: dict[str, bytes], old_keys: Mapping[str, str]) -> dict[str, bytes]:
    """What a page is known to show, under the new keys."""
    new_keys: Mapping[str, str] = {old: new for new, old in old_keys.items()}
    return {new_keys.get(key, key): digest for key, digest in known.items()}
