"""Wide: a data set for each kind of records, a row for a record, a column for a column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from treelace.bulk.datasets import Columns, to_parquet
from treelace.named import unique_names

if TYPE_CHECKING:
    from treelace.bulk.read import ReadClass, ReadRecord
    from treelace.bulk.storage import Storage

OWN: Columns = {"key": "text", "page": "text", "time": "time", "node": "integer"}
"""The first columns of every one; a column of a page that is called so is `key 2`."""
_TYPES = {"integer": "integer", "number": "number", "bool": "integer", "duration": "number"}


class WideRows:
    """The records of a split, by kind."""

    def __init__(self) -> None:
        self._columns: dict[str, Columns] = {}
        self._names: dict[str, dict[str, str]] = {}
        """Of each kind: the name of a column of its pages here."""
        self._values: dict[str, dict[str, list[Any]]] = {}
        self.count = 0

    def add(self, record: ReadRecord, page: Mapping[str, Any], of: ReadClass | None) -> None:
        """A record. Columns that its class was not learnt with are in the long form alone, so that
        all files of a kind have the same ones.
        """
        self.count += 1
        if of is None:
            return
        number = 0 if record.kind == of.name else int(record.kind.rsplit("-", 1)[1]) - 1
        if number >= len(of.kinds):
            return
        if record.kind not in self._columns:
            types = of.kinds[number].columns
            names = unique_names(types, taken=OWN)
            self._names[record.kind] = dict(zip(types, names, strict=True))
            stored = (_TYPES.get(its, "text") for its in types.values())
            self._columns[record.kind] = {**OWN, **dict(zip(names, stored, strict=True))}
            self._values[record.kind] = {name: [] for name in self._columns[record.kind]}
        values = self._values[record.kind]
        own = {"key": record.row.key, "page": page["url"], "time": page["time"]}
        for name, value in {**own, "node": record.node}.items():
            values[name].append(value)
        for name, column in self._names[record.kind].items():
            values[column].append(record.row.values.get(name))

    def write(self, storage: Storage, part: str) -> list[str]:
        """Writes a file for each kind; their names."""
        return [
            storage.write(
                f"wide/{folder_name(kind)}/part-{part}.parquet", to_parquet(columns, values)
            )
            for kind, columns in self._columns.items()
            if (values := self._values[kind])
        ]


def folder_name(kind: str) -> str:
    """The folder of a kind: its name as every file system takes it, and what makes it unique.

    >>> folder_name("shop.example/tea"), folder_name("münchen.example:80/a/b")
    ('shop.example-tea-10ad6c', 'm_nchen.example_80-a_b-ae8597')
    """
    host, _, name = kind.partition("/")
    plain = "-".join(re.sub(r"[^0-9a-z.-]+", "_", part.lower()) for part in (host, name))
    digest = blake2b(kind.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()
    return f"{plain.strip('.')[:80]}-{digest}"
