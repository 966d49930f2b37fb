"""`treelace import-watches` and `compare-sites`: many sites of folders at once."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output
from treelace.cli.exits import Exit
from treelace.cli.options import TABLE_FORMS, common_options, form_option, option

if TYPE_CHECKING:
    from treelace.limits import Limits


@click.command("import-watches")
@click.argument("file", type=click.File("r", encoding="utf-8"))
@option("--into DIR as place", "Where the sites' folders go; default: here.", default=".")
@option("--to as channels", "Where the rules tell.", default=("terminal",), multiple=True)
@common_options
def import_watches_command(
    *, file: click.File, place: str, channels: tuple[str, ...], output: Output, limits: Limits
) -> Exit:
    """Takes over the watch list of changedetection.io (url-watches.json, or its list of addresses)
    or of Distill (its export): a site for each host, a rule for each watch. Nothing is fetched yet:
    `treelace watch --site HOST` begins.

    \b
    Examples:
      treelace import-watches url-watches.json --into sites
      treelace import-watches distill.json --to apprise:env:MAIL
    """
    from treelace.site import import_watches

    done = import_watches(file.read(), Path(place), channels=channels, limits=limits)  # type: ignore[attr-defined]
    output.write(done.written("table"))
    output.say(str(done))
    return Exit.DONE if all(it.rule for it in done) else Exit.NO


@click.command("compare-sites")
@click.argument("tables", nargs=-1, required=True, metavar="SITE:RECORDS…")
@option("--on COLUMN", "The column that says which item it is.", required=True)
@option("--show COLUMN", "The column to compare.", required=True)
@form_option(TABLE_FORMS, "table", "How to write it.")
@common_options
def compare_sites_command(
    *, tables: tuple[str, ...], on: str, show: str, form: str, output: Output, limits: Limits
) -> Exit:
    """The same item on several sites: a row an item, a column a site. Case, spaces and signs of
    names do not count. Exit code 1: no item is on two of them.

    \b
    Example:
      treelace compare-sites shop:product other:tea_list --on title --show price
    """
    from treelace.site import Site, compare_sites

    with ExitStack() as stack:
        opened = []
        for table in tables:
            folder, colon, kind = table.rpartition(":")
            if not colon or not folder:
                raise click.UsageError(f"{table!r}: write it as SITE:RECORDS")
            site = stack.enter_context(Site(folder, read_only=True, limits=limits))
            opened.append((folder, site, kind))
        found = compare_sites(opened, on=on, show=show)
    output.write(found.written(form))
    output.say(str(found))
    return Exit.DONE if found.items else Exit.NO
