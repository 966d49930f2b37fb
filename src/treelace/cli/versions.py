"""`treelace log`, `show`, `history`: versions of pages, and what was when."""

from __future__ import annotations

import click

from treelace.cli.common import Output, common_options, form_option
from treelace.cli.exits import Exit
from treelace.cli.site import site_option
from treelace.limits import Limits
from treelace.tree import Tree

FORMS = ("html", "outline", "xml", "c14n", "json", "text")


@click.command("log")
@click.argument("page", required=False)
@click.option(
    "--xpath",
    metavar="EXPR",
    help="Only what EXPR finds in the changes: deltas are documents, with the prefix d.",
)
@click.option("--since", metavar="TIME", help="Only versions from then on.")
@click.option("--until", metavar="TIME", help="Only versions up to then.")
@form_option(["table", "csv", "json", "jsonl"], "table", "How to write it.")
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
    from treelace.site import Site, read_time

    start, end = (None if time is None else read_time(time) for time in (since, until))
    with Site(folder, read_only=True, limits=limits) as site:
        found = site.log(page, xpath=xpath, since=start, until=end)
    output.write(found.written(form))
    return Exit.DONE if found else Exit.NO


@click.command("show")
@click.argument("page", metavar="PAGE[@V]")
@form_option(FORMS, "html", "How to write the page.")
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
    from treelace.site import Site, read_time

    with Site(folder, read_only=True, limits=limits) as site:
        tree = site.show(page, at=None if at is None else read_time(at))
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
@form_option(["table", "csv", "json", "jsonl"], "table", "How to write it.")
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

    with Site(folder, read_only=True, limits=limits) as site:
        found = site.history(what, which, column=column, version=version)
    output.write(found.written(form))
