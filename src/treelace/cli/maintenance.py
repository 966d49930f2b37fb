"""`treelace verify`, `gc`, `forget`, `export`: looking after a site."""

from __future__ import annotations

import click

from treelace.cli.common import Output, common_options
from treelace.cli.exits import Exit
from treelace.cli.site import site_option
from treelace.limits import Limits


@click.command("verify")
@site_option
@common_options
def verify_command(*, folder: str, output: Output, limits: Limits) -> int:
    """Replays every chain of versions and checks every digest. Exit code 1: there is damage, named
    line by line.

    \b
    Example:
      treelace verify --site shop
    """
    from treelace.site import Site

    with Site(folder, read_only=True, limits=limits) as site:
        found = site.verify()
    for line in found.damage:
        output.write(f"damaged: {line}\n")
    output.write(f"{found}\n")
    return Exit.NO if found.damage else Exit.DONE


@click.command("gc")
@click.option(
    "--keep-versions",
    type=click.IntRange(1),
    metavar="N",
    help="Keep the N newest versions of a page; default: as treelace.toml says.",
)
@click.option(
    "--keep-days",
    type=click.IntRange(0),
    metavar="N",
    help="Keep versions for N days; default: as treelace.toml says.",
)
@click.option(
    "--apply",
    "is_applied",
    is_flag=True,
    help="Remove it; without this, only say what would be removed.",
)
@click.option("--wait", is_flag=True, help="Wait while another process is adding versions.")
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
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--wait", is_flag=True, help="Wait while another process is adding versions.")
@site_option
@common_options
def forget_command(
    *, url: str, yes: bool, wait: bool, folder: str, output: Output, limits: Limits
) -> None:
    """Removes the page URL for good: its versions, its records, and every trace in chains,
    dictionaries, frontier and log.

    \b
    Example:
      treelace forget https://shop.example/private --site shop
    """
    from treelace.site import Site

    with Site(folder, limits=limits) as site, site.writer(wait=wait):
        if not yes:
            click.confirm(f"{site.find(url)} will be gone for good. Go on?", abort=True, err=True)
        done = site.forget(url)
    output.write(f"{done}\n")


@click.command("export")
@click.argument("place", metavar="FILE|URL")
@site_option
@common_options
def export_command(*, place: str, folder: str, output: Output, limits: Limits) -> None:
    """Copies the whole store into a new SQLite FILE or an empty PostgreSQL database; `treelace
    import` takes a site in again.

    \b
    Single tables: `treelace records NAME --to csv|jsonl|parquet`.
    Examples:
      treelace export backup.sqlite --site shop
      treelace export postgresql://localhost/shop --site shop
    """
    from treelace.site import Site

    with Site(folder, read_only=True, limits=limits) as site:
        output.write(f"{site.export(place)}\n")
