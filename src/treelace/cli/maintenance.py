"""`treelace status`, `fetches`, `verify`, `gc`, `forget`, `export`: looking after a site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output
from treelace.cli.exits import Exit
from treelace.cli.options import (
    TABLE_FORMS,
    common_options,
    form_option,
    option,
    site_option,
    wait_option,
    with_site,
)

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.site import Site


@click.command("status")
@with_site(read_only=True)
def status_command(*, site: Site, output: Output) -> None:
    """A site at a glance: pages, classes, records, alerts, the last fetch and the next, sizes.

    \b
    Example:
      treelace status --site shop
    """
    output.write(f"{site.status()}\nstore    {site.sizes()}\n")


@click.command("fetches")
@option("--failed", "Only what brought no page, with the reasons.")
@option("--most N", "So many lines.", click.IntRange(1), default=100)
@form_option(TABLE_FORMS, "table", "How to write them.")
@with_site(read_only=True)
def fetches_command(*, failed: bool, most: int, form: str, site: Site, output: Output) -> int:
    """The log of fetches, newest first. Exit code 1: there is none.

    \b
    Examples:
      treelace fetches --site shop
      treelace fetches --failed --most 20 --to csv
    """
    found = site.fetches(failed=failed, limit=most)
    output.write(found.written(form))
    return Exit.DONE if found else Exit.NO


@click.command("verify")
@with_site(read_only=True)
def verify_command(*, site: Site, output: Output) -> int:
    """Checks every row against its checksum, replays every chain of versions and checks every
    digest; the frontier and the log of crawls are not looked at. Exit code 1: there is damage,
    named line by line.

    \b
    Example:
      treelace verify --site shop
    """
    found = site.verify()
    for line in found.damage:
        output.write(f"damaged: {line}\n")
    output.write(f"{found}\n")
    return Exit.NO if found.damage else Exit.DONE


@click.command("gc")
@option(
    "--keep-versions N",
    "Keep the N newest versions of a page; default: as treelace.toml says.",
    click.IntRange(1),
)
@option(
    "--keep-days N", "Keep versions for N days; default: as treelace.toml says.", click.IntRange(0)
)
@option("--apply as is_applied", "Remove it; without this, only say what would be removed.")
@wait_option
@site_option
@common_options
def gc_command(
    *,
    keep_versions: int | None,
    keep_days: int | None,
    is_applied: bool,
    wait: bool,
    folder: str,
    output: Output,
    limits: Limits,
) -> None:
    """Says which old versions may go, by [retention] in treelace.toml or by the options; with
    --apply they go. The newest always stays.

    \b
    Examples:
      treelace gc --keep-versions 100
      treelace gc --keep-days 365 --apply --site shop
    """
    from treelace.site import Site

    with Site(folder, read_only=not is_applied, limits=limits) as site:
        done = site.gc(
            keep_versions=keep_versions, keep_days=keep_days, apply=is_applied, wait=wait
        )
    output.write(f"{done}\n")


@click.command("forget")
@click.argument("url")
@option("--yes", "Do not ask.")
@wait_option
@with_site()
def forget_command(*, url: str, yes: bool, wait: bool, site: Site, output: Output) -> None:
    """Removes the page URL for good: its versions, its records, and every trace in chains,
    dictionaries, frontier and log.

    \b
    Example:
      treelace forget https://shop.example/private --site shop
    """
    with site.writer(wait=wait):
        if not yes:
            click.confirm(f"{site.find(url)} will be gone for good. Go on?", abort=True, err=True)
        output.write(f"{site.forget(url)}\n")


@click.command("export")
@click.argument("place", metavar="FILE|DIR/|URL|URL#NAME")
@with_site(read_only=True)
def export_command(*, place: str, site: Site, output: Output) -> None:
    """Copies the whole store into a new SQLite FILE or an empty PostgreSQL database; or the site
    with its settings, into a new folder (DIR/, with a slash) or as a site of a database (URL#NAME).
    `treelace import` takes a site in again.

    \b
    Single tables: `treelace records NAME --to csv|jsonl|parquet`.
    Examples:
      treelace export backup.sqlite --site shop
      treelace export postgresql://localhost/shop --site shop
      treelace export postgresql://localhost/shops#tea --site tea
      treelace export tea/ --site postgresql://localhost/shops#tea
    """
    output.write(f"{site.export(place)}\n")
