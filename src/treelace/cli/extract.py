"""`treelace extract` and `extractors`: what is the data on a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output, common_options, expand, read_page, write_family
from treelace.cli.exits import Exit, exit_for, one_line
from treelace.errors import TreelaceError
from treelace.extract import EXTRACTORS, extractor_named
from treelace.extract.extractors import DEFAULT_EXTRACTOR
from treelace.extract.values import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract import Table
    from treelace.limits import Limits


@click.command("extract")
@click.argument("pages", nargs=-1, required=True)
@click.option("--extractor", default=DEFAULT_EXTRACTOR, show_default=True, metavar="NAME", help="Which one; `treelace extractors` lists them.")
@click.option("--region", type=click.IntRange(1), metavar="N", help="Only the N-th table of each page; 1 is the likeliest.")
@click.option(
    "--columns", metavar="NAME,…", help="Only these columns, in this order; NAME=NEW renames one. For the first table unless --region says which."
)
@click.option("--url", default="", metavar="URL", help="The page's own address, to resolve its links.")
@click.option("--to", "form", type=click.Choice(["table", "json", "jsonl", "csv"]), default="table", show_default=True, help="How to write it.")
@common_options
def extract_command(
    *, pages: tuple[str, ...], extractor: str, region: int | None, columns: str | None, url: str, form: str, output: Output, limits: Limits
) -> Exit:
    """The tables of PAGES (files, folders, -), found without being told where they are.

    \b
    As a table, as CSV and as JSON lines: the likeliest table of each page, or that of --region.
    As JSON: all tables, the likeliest first; with several pages one object a line, with "page".
    Exit code 1: no repeated structure was found (on any of the pages).
    Examples:
      treelace extract shop.html
      treelace extract shop.html --to csv -o shop.csv
      treelace extract shop.html --region 2 --columns "title=name,price"
      treelace extract pages/ --to json
    """
    reader = extractor_named(extractor, url=url)
    places = expand(pages)
    wanted = [name.strip() for name in columns.split(",")] if columns else None
    answers: list[tuple[str, list[Table]]] = []
    bad: TreelaceError | OSError | None = None
    for place in output.progress(places, total=len(places), label="extracting"):
        try:
            tables = reader.extract(read_page(place, limits=limits))
        except (TreelaceError, OSError) as error:
            if len(places) == 1:
                raise
            bad = error
            click.echo(one_line(error), err=True)
            continue
        answers.append((place, _chosen(tables, region, wanted)))
        if not answers[-1][1]:
            what = f"no table {region}: there are {len(tables)}" if tables else "no repeated structure found"
            output.say(f"treelace: {place}: {what}")
    output.write(_WRITERS[form](answers, len(places) > 1))
    if bad is not None:
        return exit_for(bad)
    return Exit.DONE if any(tables for _, tables in answers) else Exit.NO


def _chosen(tables: list[Table], region: int | None, columns: Sequence[str] | None) -> list[Table]:
    if region is not None:
        tables = tables[region - 1 : region]
    if columns is not None:
        tables = [table.choose(columns) for table in tables[:1]]
    return tables


def _as_table(answers: list[tuple[str, list[Table]]], has_several: bool) -> str:
    parts = []
    for page, tables in answers:
        if tables:
            more = f"; {len(tables) - 1} more: --region 2 …" if len(tables) > 1 else ""
            head = f"{page}: " if has_several else ""
            parts.append(f"{tables[0]}\n\n{head}{repr(tables[0])[8:-1]}, confidence {tables[0].confidence:.2f}{more}\n")
    return "\n".join(parts)


def _as_json(answers: list[tuple[str, list[Table]]], has_several: bool) -> str:
    objects = [({"page": page} if has_several else {}) | {"regions": [table.to_json() for table in tables]} for page, tables in answers]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)


def _as_jsonl(answers: list[tuple[str, list[Table]]], has_several: bool) -> str:
    lines = []
    for page, tables in answers:
        for table in tables[:1]:
            names = [column.name for column in table.columns]
            for row in table.cells:
                record = {name: None if cell is None else plain(cell.value) for name, cell in zip(names, row, strict=True)}
                lines.append(json.dumps(({"page": page} if has_several else {}) | record, ensure_ascii=False) + "\n")
    return "".join(lines)


def _as_csv(answers: list[tuple[str, list[Table]]], has_several: bool) -> str:
    import csv
    import io

    names = list(dict.fromkeys(column.name for _, tables in answers for table in tables[:1] for column in table.columns))
    if not names:
        return ""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow((["page"] if has_several else []) + names)
    for page, tables in answers:
        for table in tables[:1]:
            at = {column.name: number for number, column in enumerate(table.columns)}
            for row in table.rows:
                writer.writerow(([page] if has_several else []) + [row[at[name]] if name in at else None for name in names])
    return file.getvalue()


_WRITERS = {"table": _as_table, "json": _as_json, "jsonl": _as_jsonl, "csv": _as_csv}


@click.command("extractors")
@click.option("--to", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to write the list.")
@common_options
def extractors_command(*, form: str, output: Output, limits: Limits) -> None:
    """The extractors there are, with one line each, the default marked with a star.

    \b
    Examples:
      treelace extractors
      treelace extractors --to json
    """
    write_family(EXTRACTORS, DEFAULT_EXTRACTOR, form, output)
