"""What stages read of each other's results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from treelace.bulk.archives import Ref, bodies, ref_of
from treelace.bulk.datasets import Columns, Rows, from_parquet
from treelace.bulk.storage import Storage
from treelace.classes.catalogue import KnownClass
from treelace.classes.model import ClassState, PageClass
from treelace.classes.pages import Fetched, Parsed
from treelace.errors import TreelaceError
from treelace.limits import Limits
from treelace.site.pipeline import parse
from treelace.tree import Tree

DIGEST: Columns = {
    "row": "integer",
    "url": "text",
    "host": "text",
    "time": "integer",
    "status": "integer",
    "digest": "text",
    "language": "text",
    "source": "text",
    "kind": "text",
    "at": "integer",
    "window": "text",
    "bytes": "integer",
    "is_sketched": "bool",
}
"""What is known of a page after the first stage; a file for each split and bucket of hosts."""
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
SKETCHES: Columns = {"row": "integer", "sketch": "bytes"}


def digest_file(bucket: int, part: str) -> str:
    """Where the pages of a split and a bucket are."""
    return f"work/digest/{bucket}/{part}.parquet"


def sketch_file(bucket: int, part: str) -> str:
    """Where the sketches of a split and a bucket are."""
    return f"work/sketches/{bucket}/{part}.parquet"


def rows_of(storage: Storage, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a result."""
    yield from as_rows(from_parquet(storage.read(name)))


def as_rows(columns: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Columns as rows."""
    names = list(columns)
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(names, values, strict=True))


def trees_of(rows: Iterable[Mapping[str, Any]], *, limits: Limits) -> dict[str, Tree]:
    """The pages of these rows, parsed again from the archive, by address."""
    refs = [ref_of(row) for row in rows]
    found: dict[Ref, Fetched] = bodies(refs, limits=limits)
    return {ref.url: parse(found[ref], limits).tree for ref in refs if ref in found}


def known_class(
    number: int, name: str, wrapper: str | None, sketch: bytes, about: Mapping[str, Any]
) -> KnownClass:
    """A class in use, as the pipeline knows it."""
    state = ClassState.ACCEPTED
    return KnownClass(PageClass(number, name, state, None, sketch, about, _NO_TIME), wrapper)


def class_of_row(row: Mapping[str, Any]) -> KnownClass:
    """The class of a row of `classes`."""
    about = {name: msgspec.json.decode(row[name]) for name in ("examples", "key")}
    return known_class(row["number"], row["class"], row["wrapper"], row["sketch"], about)


def tree_or_trouble(page: Fetched, limits: Limits) -> Parsed | Exception:
    """The page parsed, or why it cannot be."""
    try:
        return parse(page, limits)
    except TreelaceError as error:
        return error


class Problems:
    """What could not be read, and why: rows of the data set, and counts by reason."""

    def __init__(self, stage: str, rows: Rows) -> None:
        self._stage, self.rows = stage, rows
        self.counts: dict[str, int] = {}

    def add(self, place: str, reason: str, message: object) -> None:
        """One line."""
        said = " ".join(str(message).split())
        self.rows.add(stage=self._stage, place=place, reason=reason, message=said)
        self.counts[reason] = self.counts.get(reason, 0) + 1
