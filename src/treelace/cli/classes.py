"""`treelace classes` and `repair`: the page classes of a site, and their wrappers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treelace.cli.common import Output
from treelace.cli.exits import Exit
from treelace.cli.options import TABLE_FORMS, ListsByDefault, form_option, option, with_site

if TYPE_CHECKING:
    from treelace.site import Site


@click.command("repair")
@click.argument("names", nargs=-1, metavar="[CLASS…]")
@option(
    "--accept as is_accepted",
    "Take the repaired wrappers into use, and store the records they read.",
)
@with_site()
def repair_command(
    *, names: tuple[str, ...], is_accepted: bool, site: Site, output: Output
) -> Exit:
    """Re-attaches the wrappers of classes to their pages as they look now, and says for each column
    how sure it is.

    \b
    The last version of a page that still fitted is the evidence. A column that cannot be proved is
    left out and named; nothing is changed without --accept. Without CLASS every class with pages
    that look different. Exit code 1: something could not be repaired.
    Examples:
      treelace repair --site shop
      treelace repair list item --accept --site shop
    """
    is_whole, count = True, 0
    for name in names or site.repairable().names:
        repaired = site.repair(name, accept=is_accepted)
        if repaired.pages or names:
            output.write(f"{repaired}\n")
        count += bool(repaired.pages)
        is_whole = is_whole and (repaired.wrapper is not None or not repaired.pages)
    if not count:
        output.say("nothing to repair: every page looks as its class does")
    elif not is_accepted:
        output.say("take it into use with --accept")
    return Exit.DONE if is_whole else Exit.NO


@click.group("classes", cls=ListsByDefault)
def classes_group() -> None:
    """The page classes of a site: list (what it does where no command is named), accept, reject,
    rename, merge, split.

    \b
    Examples:
      treelace classes list --site shop
      treelace classes accept list item --site shop
      treelace classes rename item product --site shop
    """


@classes_group.command("list")
@form_option(TABLE_FORMS, "table", "How to write them.")
@with_site(read_only=True)
def list_command(*, site: Site, output: Output, form: str = "table") -> None:
    """The classes, with the number of their pages and what their wrapper gives."""
    output.write(site.classes().written(form))


@classes_group.command("accept")
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@with_site()
def accept_command(*, names: tuple[str, ...], site: Site, output: Output) -> None:
    """Takes proposed classes into use: their pages' records are stored."""
    done = site.accept(*names)
    output.write(f"{done}\n")
    for view in done.views:
        output.say(str(view))


@classes_group.command("reject")
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@with_site()
def reject_command(*, names: tuple[str, ...], site: Site, output: Output) -> None:
    """Does without classes: pages like theirs are not proposed again."""
    output.say(str(site.reject(*names)))


@classes_group.command("rename")
@click.argument("name")
@click.argument("new")
@with_site()
def rename_command(*, name: str, new: str, site: Site, output: Output) -> None:
    """Gives a class another name, and its records and the rules on them with it."""
    output.say(str(site.rename(name, new)))


@classes_group.command("merge")
@click.argument("name")
@click.argument("other")
@with_site()
def merge_command(*, name: str, other: str, site: Site, output: Output) -> None:
    """Puts the pages of OTHER into NAME; their records are built anew, as records of NAME, from
    every version.
    """
    output.say(str(site.merge(name, other)))


@classes_group.command("split")
@click.argument("name")
@with_site()
def split_command(*, name: str, site: Site, output: Output) -> None:
    """Cuts a class in two where its pages are least alike; the records of each are built anew from
    every version.
    """
    output.write(f"{site.split(name)}\n")
