"""`treelace init`, `check`, `import`, `pages`: a site, and pages into it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output, allows_private
from treelace.cli.exits import Exit, complain
from treelace.cli.options import (
    TABLE_FORMS,
    common_options,
    form_option,
    option,
    wait_option,
    with_site,
)

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.site import Site, Trouble

MOST_LATE = 5
"""Pages older than what is known, named one by one."""


@click.command("init")
@click.argument("folder", metavar="DIR")
@click.argument("url")
@option("--store PLACE", "A SQLite file, postgresql://…, or env:NAME.", default="store.sqlite")
@option(
    "--table N",
    "Watch the page URL alone, and the N-th table on it; `treelace studio` shows which there are.",
    click.IntRange(1),
)
@option("--drop COLUMN", "With --table: without this column; may be given again.", multiple=True)
@option("--rename OLD=NEW", "With --table: another name for a column.", multiple=True)
@common_options
def init_command(
    *,
    folder: str,
    url: str,
    store: str,
    table: int | None,
    drop: tuple[str, ...],
    rename: tuple[str, ...],
    output: Output,
    limits: Limits,
) -> None:
    """Makes a site: the folder DIR with treelace.toml and an empty store, for the site that begins
    at URL.

    \b
    Examples:
      treelace init shop https://shop.example/
      treelace init shop https://shop.example/ --store postgresql://localhost/shop
      treelace init cups https://shop.example/cups --table 1 --rename title=cup --drop image
    """
    from treelace.site import Site

    if table is None and (drop or rename):
        raise click.UsageError("--drop and --rename go with --table")
    if table is not None:
        _watch_table(folder, url, table, drop, rename, output, limits)
        return
    with Site.create(folder, url, store=store, limits=limits) as site:
        output.say(
            f"{site.folder}: a site for {url}; next: treelace crawl --site {site.folder}, or"
            f" treelace import PAGES --site {site.folder}"
        )


def _watch_table(
    folder: str,
    url: str,
    table: int,
    drop: tuple[str, ...],
    rename: tuple[str, ...],
    output: Output,
    limits: Limits,
) -> None:
    from treelace.site import TableChoice, try_page, watch_table

    names = dict(pair.partition("=")[::2] for pair in rename)
    choice = TableChoice(table=table - 1, drop=drop, rename=names)
    page = try_page(url, allow_private=allows_private(), limits=limits)
    with watch_table(page, choice, Path(folder)) as site:
        output.say(
            f"{site.folder}: {url} is watched, {sum(site.status().records.values()):,} records;"
            f" next: treelace watch --site {site.folder}"
        )


@click.command("check")
@with_site(read_only=True)
def check_command(*, site: Site, output: Output) -> None:
    """Reads treelace.toml and its wrappers, and opens the store; what is wrong is named with its
    line and field.

    \b
    Example:
      treelace check --site shop
    """
    output.write(f"{site.check()}\n")


@click.command("import")
@click.argument("places", nargs=-1, required=True, metavar="FOLDER|WARC|SITE|NAME:WHERE…")
@wait_option
@with_site()
def import_command(*, places: tuple[str, ...], wait: bool, site: Site, output: Output) -> int:
    """Takes pages in; each that changed becomes a version.

    \b
    A FOLDER with an index.csv (file,url,time) is taken in the order of the times; else each file is
    a page named by its path. A SITE is taken in whole, into a site that is still empty. NAME:WHERE
    is a source of another package. Taking the same pages in again adds nothing. Exit code 3: some
    pages could not be read; they are named, the others are in.
    Examples:
      treelace import saved-pages --site shop
      treelace import crawl-2026.warc.gz --site shop
    """
    from treelace.site import Imported

    troubles: list[Trouble] = []

    def on_trouble(trouble: Trouble) -> None:
        troubles.append(trouble)
        complain(f"treelace: {trouble.place}: {_words(trouble.error)}")

    shown = 0
    bar = output.progress if output.shows_progress else None
    for done in site.importing(*places, wait=wait, on_trouble=on_trouble, progress=bar):
        if isinstance(done, Imported):
            for line in done.failures[shown:]:
                complain(f"treelace: {line}")
            shown = len(done.failures)
            output.explain(f"{done.fetches:,} pages read: {done}")
    for line in done.late[:MOST_LATE] if isinstance(done, Imported) else ():
        output.say(line)
    output.write(f"{done}\n")
    return Exit.BAD_INPUT if troubles or shown else Exit.DONE


def _words(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)


@click.command("pages")
@option("--like TEXT", "Only addresses that contain TEXT.")
@form_option(TABLE_FORMS, "table", "How to write them.")
@with_site(read_only=True)
def pages_command(*, like: str | None, form: str, site: Site, output: Output) -> None:
    """The pages of a site: class, versions, when first and last seen.

    \b
    Examples:
      treelace pages --site shop
      treelace pages --like /product/ --to csv
    """
    output.write(site.pages(like=like).written(form))
