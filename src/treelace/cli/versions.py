"""`treelace log`, `show`, `history`: versions of pages, and what was when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output
from treelace.cli.exits import Exit
from treelace.cli.options import TABLE_FORMS, form_option, option, with_site
from treelace.cli.tree import tree_in

if TYPE_CHECKING:
    from treelace.site import Site

FORMS = ("html", "outline", "xml", "c14n", "json", "text")


@click.command("log")
@click.argument("page", required=False)
@option(
    "--xpath EXPR", "Only what EXPR finds in the changes: deltas are documents, with the prefix d."
)
@option("--since TIME", "Only versions from then on.")
@option("--until TIME", "Only versions up to then.")
@form_option(TABLE_FORMS, "table", "How to write it.")
@with_site(read_only=True)
def log_command(
    *,
    page: str | None,
    xpath: str | None,
    since: str | None,
    until: str | None,
    form: str,
    site: Site,
    output: Output,
) -> int:
    """The versions of PAGE (without it: of all pages), oldest first: when they came and what
    changed. Exit code 1: there are none.

    \b
    Examples:
      treelace log https://shop.example/ --site shop
      treelace log --since "1 week ago" --to json
      treelace log https://shop.example/ --xpath "//d:insert//*[@class='product']"
    """
    from treelace.site import read_time

    start, end = (None if time is None else read_time(time) for time in (since, until))
    found = site.log(page, xpath=xpath, since=start, until=end)
    output.write(found.written(form))
    return Exit.DONE if found else Exit.NO


@click.command("show")
@click.argument("page", metavar="PAGE[@V]")
@form_option(FORMS, "html", "How to write the page.")
@option("--at TIME", "The version that was the newest then.")
@with_site(read_only=True)
def show_command(*, page: str, form: str, at: str | None, site: Site, output: Output) -> None:
    """A version of PAGE: by its number, first, newest (the default), -1 (the one before), or a
    time.

    \b
    Examples:
      treelace show https://shop.example/@7 --site shop
      treelace show https://shop.example/@2026-03-01 --to outline
      treelace show https://shop.example/ --at "3 days ago" -o then.html
    """
    from treelace.site import read_time

    tree = site.show(page, at=None if at is None else read_time(at))
    output.write(tree_in(tree, form, site.limits))


@click.command("history")
@click.argument("what", metavar="PAGE|RECORDS")
@click.argument("which", metavar="NODE|KEY")
@option("--column NAME", "One column of a record.")
@option("--in V as version", "The version in which NODE is looked up; default: the newest.")
@form_option(TABLE_FORMS, "table", "How to write it.")
@with_site(read_only=True)
def history_command(
    *,
    what: str,
    which: str,
    column: str | None,
    version: str | None,
    form: str,
    site: Site,
    output: Output,
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
    output.write(site.history(what, which, column=column, version=version).written(form))
