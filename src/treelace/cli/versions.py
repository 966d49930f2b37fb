"""`treelace log`, `show`, `verify`: versions of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output, common_options
from treelace.cli.exits import Exit
from treelace.cli.site import site_option, table

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.site import Site
    from treelace.tree import Tree

FORMS = ("html", "outline", "xml", "c14n", "json", "text")


def split_version(place: str) -> tuple[str, str | None]:
    """`PAGE@V` → page and version; a page without one has None.

    >>> split_version("https://shop.example/@7"), split_version("https://user@shop.example/")
    (('https://shop.example/', '7'), ('https://user@shop.example/', None))
    """
    page, at, version = place.rpartition("@")
    is_version = bool(at) and (version.isdigit() or version in ("newest", "first") or version[:2].isdigit() or version[:1] == "-")
    return (page, version) if is_version and "/" not in version else (place, None)


def number_of(site: Site, page: str, version: str | None) -> int:
    """The number that a version's name stands for: 7, -1 (the one before the newest), first, newest, or a time."""
    from treelace.store import times

    if version is None or version == "newest":
        return site.store.page(page).newest
    if version == "first":
        return site.history(page)[0].number
    if version.isdigit() and len(version) < 9:
        return int(version)
    if version.startswith("-") and version[1:].isdigit():
        return site.store.page(page).newest - int(version[1:])
    return site.store.number_at(page, times.read(version))


@click.command("log")
@click.argument("page")
@click.option("--to", "form", type=click.Choice(["table", "csv", "json", "jsonl"]), default="table", show_default=True, help="How to write it.")
@site_option
@common_options
def log_command(*, page: str, form: str, folder: str, output: Output, limits: Limits) -> None:
    """The versions of PAGE, oldest first: when they came and what changed.

    \b
    Examples:
      treelace log https://shop.example/ --site shop
      treelace log https://shop.example/ --to json
    """
    from treelace.site import Site
    from treelace.store import times

    with Site(folder, read_only=True, limits=limits) as site:
        versions = site.history(page)
    show = (lambda time: times.local(times.to_number(time))) if form == "table" else (lambda time: time.isoformat())
    rows = [(it.number, show(it.time), it.status, it.changes, it.bytes, it.digest) for it in versions]
    if form == "table":
        output.write(table([row[:5] for row in rows], ("version", "time", "status", "changes", "bytes"), form))
    else:
        output.write(table(rows, ("version", "time", "status", "changes", "bytes", "digest"), form))


@click.command("show")
@click.argument("page", metavar="PAGE[@V]")
@click.option("--to", "form", type=click.Choice(FORMS), default="html", show_default=True, help="How to write the page.")
@click.option("--at", metavar="TIME", help="The version that was the newest then.")
@site_option
@common_options
def show_command(*, page: str, form: str, at: str | None, folder: str, output: Output, limits: Limits) -> None:
    """A version of PAGE: by its number, first, newest (the default), -1 (the one before), or a time.

    \b
    Examples:
      treelace show https://shop.example/@7 --site shop
      treelace show https://shop.example/@2026-03-01 --to outline
      treelace show https://shop.example/ --at "3 days ago" -o then.html
    """
    from treelace.site import Site
    from treelace.store import times

    with Site(folder, read_only=True, limits=limits) as site:
        url, version = split_version(page)
        tree = site.page(url, number_of(site, url, version) if at is None else None, at=None if at is None else times.read(at))
    output.write(_written(tree, form, limits))


def _written(tree: Tree, form: str, limits: Limits) -> str | bytes:
    if form == "html":
        return tree.to_html_bytes(limits=limits)
    if form == "xml":
        return tree.to_xml(on_invalid="replace") + "\n"
    if form == "c14n":
        return tree.to_c14n(on_invalid="replace")
    if form == "json":
        return tree.to_json() + "\n"
    if form == "text":
        return tree.document.text + "\n"
    return tree.to_outline() + "\n"


@click.command("verify")
@site_option
@common_options
def verify_command(*, folder: str, output: Output, limits: Limits) -> int:
    """Replays every chain of versions and checks every digest. Exit code 1: there is damage, named line by line.

    \b
    Example:
      treelace verify --site shop
    """
    from treelace.site import Site
    from treelace.store.care import verify

    with Site(folder, read_only=True, limits=limits) as site:
        found = verify(site.store)
    for line in found.damage:
        output.write(f"damaged: {line}\n")
    output.write(f"{found}\n")
    return Exit.NO if found.damage else Exit.DONE
