"""`treelace verify`, `gc`, `forget`, `export`: looking after a site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output, common_options
from treelace.cli.exits import Exit
from treelace.cli.site import site_option

if TYPE_CHECKING:
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
    from treelace.store.verify import verify

    with Site(folder, read_only=True, limits=limits) as site:
        found = verify(site.store)
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
    from datetime import UTC, datetime

    from treelace.site import Site
    from treelace.store import retention
    from treelace.store.settings import RetentionSection

    with Site(folder, read_only=not is_applied, limits=limits) as site:
        own = site.settings.retention
        is_given = keep_versions is not None or keep_days is not None
        rules = (
            RetentionSection(keep_versions=keep_versions, keep_days=keep_days) if is_given else own
        )
        if rules.keep_versions is None and rules.keep_days is None:
            output.write(
                "nothing may go: no retention is set (keep_versions or keep_days in treelace.toml,"
                " or as options)\n"
            )
            return
        planned = list(retention.plan(site.store, rules, datetime.now(UTC)))
        if is_applied:
            with site.store.writer(wait=wait):
                planned = list(retention.plan(site.store, rules, datetime.now(UTC)))
                retention.apply(site.store, planned)
    lines = [f"{removal}\n" for removal in planned]
    count, size = sum(it.versions for it in planned), sum(it.bytes for it in planned)
    said = "removed" if is_applied else "would be removed; --apply does it"
    output.write("".join(lines) + f"{count:,} versions, {size:,} bytes: {said}\n")


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
    from treelace.store import retention

    with Site(folder, limits=limits) as site, site.store.writer(wait=wait):
        page = site.store.page(url)
        if not yes:
            click.confirm(f"{page} will be gone for good. Go on?", abort=True, err=True)
        count = retention.forget(site.store, url)
    output.write(f"{url}: forgotten, with {count:,} version{'s' if count != 1 else ''}\n")


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
    from treelace.store import Store
    from treelace.store.transfer import copy

    if not place.startswith("postgres") and Path(place).exists():
        raise click.UsageError(f"{place}: there is such a file already")
    with (
        Site(folder, read_only=True, limits=limits) as site,
        Store.create(place, limits=limits) as target,
    ):
        count = copy(site.store, target)
    output.write(f"{place}: {count:,} rows, everything the site knows\n")
