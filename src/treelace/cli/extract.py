"""`treelace extract` and `extractors`: what is the data on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output, common_options, expand, read_page, write_family
from treelace.cli.exits import Exit, exit_for, one_line
from treelace.cli.tables import TABLE_FORMS, Answer, check_form, write_tables
from treelace.errors import TreelaceError
from treelace.extract import EXTRACTORS, extractor_named
from treelace.extract.extractors import DEFAULT_EXTRACTOR

if TYPE_CHECKING:
    from treelace.extract import Table
    from treelace.limits import Limits


@click.command("extract")
@click.argument("pages", nargs=-1, required=True)
@click.option("--extractor", default=DEFAULT_EXTRACTOR, show_default=True, metavar="NAME", help="Which one; `treelace extractors` lists them.")
@click.option("--region", type=click.IntRange(1), metavar="N", help="Only the N-th table of each page; 1 is the likeliest.")
@click.option(
    "--columns",
    metavar="NAME,…",
    help="Only these columns, in this order; NAME=NEW renames one, -NAME drops one. For the first table unless --region says which.",
)
@click.option("--url", default="", metavar="URL", help="The page's own address, to resolve its links.")
@click.option("--to", "form", type=click.Choice(TABLE_FORMS), default="table", show_default=True, help="How to write it.")
@common_options
def extract_command(
    *, pages: tuple[str, ...], extractor: str, region: int | None, columns: str | None, url: str, form: str, output: Output, limits: Limits
) -> Exit:
    """The tables of PAGES (files, folders, -), found without being told where they are.

    \b
    As table, csv, jsonl, parquet and sqlite: the likeliest table of each page, or that of --region.
    As JSON: all tables, the likeliest first; with several pages one object a line, with "page".
    As HTML: the page with records and columns marked in colour; scripts of the page do not run.
    Exit code 1: no repeated structure was found (on any of the pages).
    Examples:
      treelace extract shop.html
      treelace extract shop.html --to csv -o shop.csv
      treelace extract shop.html --region 2 --columns "title=name,price"
      treelace extract shop.html --to html -o seen.html
      treelace extract pages/ --to json
    """
    reader = extractor_named(extractor, url=url)
    places = expand(pages)
    check_form(form, output, has_several=len(places) > 1)
    wanted = [name.strip() for name in columns.split(",")] if columns else None
    answers: list[Answer] = []
    bad: TreelaceError | OSError | None = None
    for place in output.progress(places, total=len(places), label="extracting"):
        try:
            tree = read_page(place, limits=limits)
            tables = reader.extract(tree)
        except (TreelaceError, OSError) as error:
            if len(places) == 1:
                raise
            bad = error
            click.echo(one_line(error), err=True)
            continue
        answers.append(Answer(place, tree, _chosen(tables, region, wanted)))
        if not answers[-1].tables:
            what = f"no table {region}: there are {len(tables)}" if tables else "no repeated structure found"
            output.say(f"treelace: {place}: {what}")
    write_tables(answers, form, output, has_several=len(places) > 1)
    if bad is not None:
        return exit_for(bad)
    return Exit.DONE if any(answer.tables for answer in answers) else Exit.NO


def _chosen(tables: list[Table], region: int | None, columns: list[str] | None) -> list[Table]:
    if region is not None:
        tables = tables[region - 1 : region]
    if columns is not None:
        tables = [table.choose(columns) for table in tables[:1]]
    return tables


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
