"""Tables of pages as answers: what `extract` writes, and every other command that ends in
tables.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from treelace.cli.common import Output
    from treelace.extract import Table
    from treelace.extract.outputs import FlatColumn
    from treelace.tree import Tree

TABLE_FORMS = ("table", "json", "jsonl", "csv", "parquet", "sqlite", "html")

_BINARY = ("parquet", "sqlite")


class Answer(NamedTuple):
    """The tables of one page, the likeliest first."""

    page: str
    tree: Tree
    tables: list[Table]


def write_tables(
    answers: Sequence[Answer], form: str, output: Output, *, has_several: bool
) -> None:
    """Writes the answer in one of `TABLE_FORMS`; with several pages, each row (or object) says
    which page it is from.
    """
    output.write(_WRITERS[form](answers, has_several))


def check_form(form: str, output: Output, *, has_several: bool) -> None:
    """Refuses what cannot be written before any work is done."""
    if form in _BINARY and output.is_terminal:
        raise click.UsageError(f"--to {form} writes bytes that a terminal cannot show: add -o FILE")
    if form == "html" and has_several:
        raise click.UsageError("--to html shows one page: give one")


def _as_table(answers: Sequence[Answer], has_several: bool) -> str:
    parts = []
    for page, _, tables in answers:
        if tables:
            more = f"; {len(tables) - 1} more: --region 2 …" if len(tables) > 1 else ""
            head = f"{page}: " if has_several else ""
            parts.append(
                f"{tables[0]}\n\n{head}{repr(tables[0])[8:-1]}, confidence"
                f" {tables[0].confidence:.2f}{more}\n"
            )
    return "\n".join(parts)


def _as_json(answers: Sequence[Answer], has_several: bool) -> str:
    objects = [
        ({"page": page} if has_several else {}) | {"regions": [table.to_json() for table in tables]}
        for page, _, tables in answers
    ]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)


def _flat(answers: Sequence[Answer], has_several: bool) -> list[FlatColumn]:
    """The likeliest table of each page, one below the other; with several pages a column says
    which.
    """
    from treelace.extract.outputs import flatten

    kept = [(page, tables[0]) for page, _, tables in answers if tables]
    return flatten(
        [table for _, table in kept], pages=[page for page, _ in kept] if has_several else None
    )


def _as_csv(answers: Sequence[Answer], has_several: bool) -> str:
    from treelace.extract.outputs import to_csv

    return to_csv(_flat(answers, has_several))


def _as_jsonl(answers: Sequence[Answer], has_several: bool) -> str:
    from treelace.extract.outputs import to_jsonl

    return to_jsonl(_flat(answers, has_several))


def _as_parquet(answers: Sequence[Answer], has_several: bool) -> bytes:
    from treelace.extract.outputs import to_parquet

    return to_parquet(_flat(answers, has_several))


def _as_sqlite(answers: Sequence[Answer], has_several: bool) -> bytes:
    from treelace.extract.outputs import to_sqlite

    return to_sqlite(_flat(answers, has_several))


def _as_html(answers: Sequence[Answer], has_several: bool) -> str:
    from treelace.extract.outputs import marked_page

    return "".join(marked_page(tree, tables, title=page) for page, tree, tables in answers)


_WRITERS: dict[str, Callable[[Sequence[Answer], bool], str | bytes]] = {
    "table": _as_table,
    "json": _as_json,
    "jsonl": _as_jsonl,
    "csv": _as_csv,
    "parquet": _as_parquet,
    "sqlite": _as_sqlite,
    "html": _as_html,
}
