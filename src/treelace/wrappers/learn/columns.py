"""What is expected of a column, and the rows that a wrapper keeps as evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.wrappers.model.form import ColumnForm
from treelace.wrappers.model.text_shapes import shapes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

EVIDENCE_ROWS = 3
"""Rows that are kept, so that a repair may find them again."""

MAX_EVIDENCE_LENGTH = 200
"""Characters that are kept of a text."""


def expected_column(name: str, kind: str, texts: Sequence[str], records: int) -> ColumnForm:
    """A column as records have it: how many do, how long its texts are and what they look like."""
    fill = round(len(texts) / records, 3)
    return ColumnForm(
        name,
        kind,
        required=fill == 1,
        fill=fill,
        length=round(sum(map(len, texts)) / len(texts), 1) if texts else 0.0,
        shapes=shapes_of(texts),
    )


def evidence_of(rows: Iterable[Mapping[str, str | None]]) -> tuple[dict[str, str], ...]:
    """The first rows, each with its texts by column name."""
    kept = [row for row, _ in zip(rows, range(EVIDENCE_ROWS), strict=False)]
    return tuple(
        {name: text[:MAX_EVIDENCE_LENGTH] for name, text in row.items() if text is not None}
        for row in kept
    )
