"""Tables of pages as answers, for `extract` and other commands that end in tables."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from treelace.extract.outputs import FILE_WRITERS, flatten, marked_page

if TYPE_CHECKING:
    from treelace.cli.common import Output
    from treelace.extract import Table
    from treelace.tree import Tree

_BINARY = ("parquet", "sqlite")


class Answer(NamedTuple):
    """The tables of one page, the likeliest first."""

    page: str
    tree: Tree
    tables: list[Table]


def write_tables(
    answers: Sequence[Answer], form: str, output: Output, *, has_several: bool
) -> None:
    """Writes the answer in one of `TABLE_FORMS`; with several pages, rows name their page."""
    if form == "table" and output.is_terminal:
        output.write(_as_table(answers, has_several, shutil.get_terminal_size().columns))
    else:
        output.write(_WRITERS[form](answers, has_several))


def check_form(form: str, output: Output, *, has_several: bool) -> None:
    """Refuses what cannot be written before any work is done."""
    if form in _BINARY and output.is_terminal:
        raise click.UsageError(f"--to {form} writes bytes that a terminal cannot show: add -o FILE")
    if form == "html" and has_several:
        raise click.UsageError("--to html shows one page: give one")


def _as_table(answers: Sequence[Answer], has_several: bool, width: int = 0) -> str:
    """The likeliest table of each page, in lines of at most `width` characters (0: any)."""
    parts = []
    for page, _, tables in answers:
        if tables:
            more = f"; {len(tables) - 1} more: --region 2 …" if len(tables) > 1 else ""
            head = f"{page}: " if has_several else ""
            parts.append(
                f"{tables[0].fitted(width)}\n\n{head}{repr(tables[0])[8:-1]}, confidence"
                f" {tables[0].confidence:.2f}{more}\n"
            )
    return "\n".join(parts)


def _as_json(answers: Sequence[Answer], has_several: bool) -> str:
    objects = [
        ({"page": page} if has_several else {}) | {"regions": [table.to_json() for table in tables]}
        for page, _, tables in answers
    ]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)


def _as_file(form: str, answers: Sequence[Answer], has_several: bool) -> str | bytes:
    """The likeliest table of each page, joined; with several pages a column names them."""
    kept = [(page, tables[0]) for page, _, tables in answers if tables]
    pages = [page for page, _ in kept] if has_several else None
    return FILE_WRITERS[form](flatten([table for _, table in kept], pages=pages))


def _as_html(answers: Sequence[Answer], has_several: bool) -> str:
    return "".join(
        marked_page(tree, tables, title=_title_of(tree) or page) for page, tree, tables in answers
    )


def _title_of(tree: Tree) -> str:
    """What the page calls itself."""
    return next((" ".join(node.text.split()) for node in tree.select("title", limit=1)), "")


_WRITERS: dict[str, Callable[[Sequence[Answer], bool], str | bytes]] = {
    "table": _as_table,
    "json": _as_json,
    **{form: partial(_as_file, form) for form in FILE_WRITERS},
    "html": _as_html,
}

TABLE_FORMS = tuple(_WRITERS)
