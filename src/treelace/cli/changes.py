"""`treelace changes` and `explain`: what became of records, and where a value comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output
from treelace.cli.exits import Exit
from treelace.cli.options import TABLE_FORMS, form_option, option, with_site

if TYPE_CHECKING:
    from treelace.site import Site


@click.command("changes")
@click.argument("name", required=False)
@option("--since TIME", "Only from then on.")
@option("--cursor WORD", "Only what came after the answer that said this.", default="")
@option("--most N", "About so many of each kind of records.", click.IntRange(1), default=100)
@form_option(TABLE_FORMS, "table", "How to write them.")
@with_site(read_only=True)
def changes_command(
    *,
    name: str | None,
    since: str | None,
    cursor: str,
    most: int,
    form: str,
    site: Site,
    output: Output,
) -> int:
    """What became of the records of the kind NAME (without it: of all), oldest first: new, changed
    cell by cell, gone. The cursor for the next time is told beside it. Exit code 1: nothing did.

    \b
    Examples:
      treelace changes --site shop --since yesterday
      treelace changes product --to jsonl --cursor "$LAST"
    """
    from treelace.site import read_time

    start = None if since is None else read_time(since)
    found = site.changes(name, since=start, cursor=cursor, limit=most)
    output.write(found.written(form))
    output.say(f"{'there is more; ' if found.is_more else ''}--cursor {found.cursor}")
    return Exit.DONE if found else Exit.NO


@click.command("explain")
@click.argument("name", metavar="RECORDS")
@click.argument("key")
@click.argument("column")
@with_site(read_only=True)
def explain_command(*, name: str, key: str, column: str, site: Site, output: Output) -> None:
    """Where the value of a cell comes from: since when, the page and its version, the node, what it
    says, and how it is read.

    \b
    Example:
      treelace explain product https://shop.example/p/3 price --site shop
    """
    output.write(f"{site.explain(name, key, column)}\n")
