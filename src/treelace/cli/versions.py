"""`treelace log`, `show`, `history`: versions of pages, and what was when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output, common_options
from treelace.cli.exits import Exit
from treelace.cli.site import site_option, table

if TYPE_CHECKING:
    from datetime import datetime

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
    is_version = bool(at) and (
        version.isdigit()
        or version in ("newest", "first")
        or version[:2].isdigit()
        or version[:1] == "-"
    )
    return (page, version) if is_version and "/" not in version else (place, None)


def number_of(site: Site, page: str, version: str | None) -> int:
    """The number that a version's name stands for: 7, -1 (the one before the newest), first,
    newest, or a time.
    """
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
@click.argument("page", required=False)
@click.option(
    "--xpath",
    metavar="EXPR",
    help="Only what EXPR finds in the changes: deltas are documents, with the prefix d.",
)
@click.option("--since", metavar="TIME", help="Only versions from then on.")
@click.option("--until", metavar="TIME", help="Only versions up to then.")
@click.option(
    "--to",
    "form",
    type=click.Choice(["table", "csv", "json", "jsonl"]),
    default="table",
    show_default=True,
    help="How to write it.",
)
@site_option
@common_options
def log_command(
    *,
    page: str | None,
    xpath: str | None,
    since: str | None,
    until: str | None,
    form: str,
    folder: str,
    output: Output,
    limits: Limits,
) -> int:
    """The versions of PAGE (without it: of all pages), oldest first: when they came and what
    changed. Exit code 1: there are none.

    \b
    Examples:
      treelace log https://shop.example/ --site shop
      treelace log --since "1 week ago" --to json
      treelace log https://shop.example/ --xpath "//d:insert//*[@class='product']" --since "1 week
      ago"
    """
    from treelace.site import Site
    from treelace.store import node_history, times

    start, end = (None if time is None else times.read(time) for time in (since, until))
    with Site(folder, read_only=True, limits=limits) as site:
        urls = [page] if page is not None else [it.url for it in site.pages()]
        if xpath is not None:
            found = [
                (url, number, time, what)
                for url in urls
                for number, time, what in node_history.changes(
                    site.store, url, xpath, since=start, until=end
                )
            ]
            shown = [
                (
                    *row[:2],
                    times.local(times.to_number(row[2])) if form == "table" else row[2].isoformat(),
                    row[3],
                )
                for row in found
            ]
            output.write(table(shown, ("page", "version", "time", "change"), form))
            return Exit.DONE if found else Exit.NO
        versions = [it for url in urls for it in site.store.versions(url, since=start, until=end)]
    show = (
        (lambda time: times.local(times.to_number(time)))
        if form == "table"
        else (lambda time: time.isoformat())
    )
    heads = ("page", "version", "time", "status", "changes", "bytes", "digest")
    rows = [
        (it.url, it.number, show(it.time), it.status, it.changes, it.bytes, it.digest)
        for it in versions
    ]
    first, last = (0 if page is None else 1), (6 if form == "table" else 7)
    output.write(table([row[first:last] for row in rows], heads[first:last], form))
    return Exit.DONE if rows else Exit.NO


@click.command("show")
@click.argument("page", metavar="PAGE[@V]")
@click.option(
    "--to",
    "form",
    type=click.Choice(FORMS),
    default="html",
    show_default=True,
    help="How to write the page.",
)
@click.option("--at", metavar="TIME", help="The version that was the newest then.")
@site_option
@common_options
def show_command(
    *, page: str, form: str, at: str | None, folder: str, output: Output, limits: Limits
) -> None:
    """A version of PAGE: by its number, first, newest (the default), -1 (the one before), or a
    time.

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
        tree = site.page(
            url,
            number_of(site, url, version) if at is None else None,
            at=None if at is None else times.read(at),
        )
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


@click.command("history")
@click.argument("what", metavar="PAGE|RECORDS")
@click.argument("which", metavar="NODE|KEY")
@click.option("--column", metavar="NAME", help="One column of a record.")
@click.option(
    "--in",
    "version",
    metavar="V",
    help="The version in which NODE is looked up; default: the newest.",
)
@click.option(
    "--to",
    "form",
    type=click.Choice(["table", "csv", "json", "jsonl"]),
    default="table",
    show_default=True,
    help="How to write it.",
)
@site_option
@common_options
def history_command(
    *,
    what: str,
    which: str,
    column: str | None,
    version: str | None,
    form: str,
    folder: str,
    output: Output,
    limits: Limits,
) -> None:
    """What a node of PAGE was through all versions (NODE: CSS, XPath, or #XID), or a record (KEY)
    of the kind RECORDS.

    \b
    Examples:
      treelace history https://shop.example/ "#kettle .price" --site shop
      treelace history https://shop.example/ "/html/body/ul/li[3]/b"
      treelace history https://shop.example/ "#412"
      treelace history product https://shop.example/p/3 --column price
    """
    from treelace.site import Site
    from treelace.store import node_history, times

    def show(time: datetime | None) -> str:
        return (
            ""
            if time is None
            else times.local(times.to_number(time))
            if form == "table"
            else time.isoformat()
        )

    with Site(folder, read_only=True, limits=limits) as site:
        if any(kind.name == what for kind in site.store.records.kinds()):
            found = site.store.records.history(what, which, column)
            rows = [
                (show(it.valid_from), show(it.valid_to), it.value, it.page, it.version, it.node)
                for it in found
            ]
            if column is None:
                names = list(found[0].value)
                flat = [(*row[:2], *(row[2][name] for name in names), *row[3:]) for row in rows]
                output.write(table(flat, ("from", "to", *names, "page", "version", "node"), form))
            else:
                output.write(table(rows, ("from", "to", column, "page", "version", "node"), form))
            return
        identity = node_history.identify(
            site.store.body(what, number_of(site, what, version)), which
        )
        moments = node_history.history(site.store, what, identity)
    gone = "(not there)" if form == "table" else None
    lines = [
        (
            it.version,
            show(it.time),
            gone if it.value is None else " ".join(it.value.split()),
            it.xpath,
        )
        for it in moments
    ]
    output.write(table(lines, ("version", "time", str(identity), "place"), form))
