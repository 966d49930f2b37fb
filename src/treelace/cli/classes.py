"""`treelace classes` and `repair`: the page classes of a site, and their wrappers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treelace.cli.common import Output
from treelace.cli.exits import Exit
from treelace.cli.options import (
    TABLE_FORMS,
    ListsByDefault,
    form_option,
    log_option,
    option,
    with_site,
)

if TYPE_CHECKING:
    from treelace.site import Site
    from treelace.site.history_trials import HistoryTrial


@click.command("repair")
@click.argument("names", nargs=-1, metavar="[CLASS…]")
@option(
    "--accept as is_accepted",
    "Take the repaired wrappers into use, and store the records they read.",
)
@option("--column NAME as columns", "Of one CLASS, only these columns.", multiple=True)
@option(
    "--select COLUMN=SELECTOR",
    "Of one CLASS, where a column stands in a record now, as css:… or xpath:….",
    multiple=True,
)
@with_site()
def repair_command(
    *,
    names: tuple[str, ...],
    is_accepted: bool,
    columns: tuple[str, ...],
    select: tuple[str, ...],
    site: Site,
    output: Output,
) -> Exit:
    """Re-attaches the wrappers of classes to their pages as they look now, and says for each column
    how sure it is.

    \b
    The last version of a page that still fitted is the evidence. A column that cannot be proved is
    left out and named; nothing is changed without --accept. Without CLASS every class with pages
    that look different. Exit code 1: something could not be repaired.
    Examples:
      treelace repair --site shop
      treelace repair list product --accept --site shop
      treelace repair list --column title --column price --accept --site shop
    """
    if (columns or select) and len(names) != 1:
        raise click.UsageError("--column and --select go with one CLASS")
    is_whole, count = True, 0
    for name in names or site.repairable().names:
        repaired = site.repair(
            name, accept=is_accepted, columns=columns or None, select=_pairs(select)
        )
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
    rename, merge, split, undo, relearn, columns.

    \b
    Examples:
      treelace classes list --site shop
      treelace classes accept list product --site shop
      treelace classes rename product goods --site shop
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


@classes_group.command("undo")
@click.argument("number", type=int, required=False, metavar="[N]")
@option("--list as is_list", "Only say what can be taken back.")
@with_site()
def undo_command(*, number: int | None, is_list: bool, site: Site, output: Output) -> None:
    """Takes a merge or a split back, by default the last one: classes, pages, wrappers and rules
    are what they were, and the records are built anew.
    """
    if is_list:
        output.write("".join(f"{one.number} {one.what}\n" for one in site.edits()))
        return
    output.say(str(site.undo_edit(number)))


@classes_group.command("relearn")
@click.argument("name")
@option("--list as is_list", "Its pages are lists of records.")
@option("--detail as is_detail", "Each of its pages is one record.")
@with_site()
def relearn_command(
    *, name: str, is_list: bool, is_detail: bool, site: Site, output: Output
) -> None:
    """Learns the wrapper of a class anew, and builds its records anew from every version.

    \b
    Example:
      treelace classes relearn product --detail --site shop
    """
    if is_list and is_detail:
        raise click.UsageError("pages are lists or details: give --list or --detail")
    done = site.relearn(name, "list" if is_list else "detail" if is_detail else "auto")
    output.write(f"{done}\n")


@classes_group.command("columns")
@click.argument("name")
@option("--only COLUMNS", "Only these columns, in this order, with commas.")
@option("--drop COLUMN", "Without this column; may be given again.", multiple=True)
@option("--rename OLD=NEW", "Another name for a column; may be given again.", multiple=True)
@option(
    "--type COLUMN=TYPE as types", "Another type of a column; may be given again.", multiple=True
)
@option(
    "--select COLUMN=SELECTOR",
    "Where a column stands in a record, as css:… or xpath:…; may be given again.",
    multiple=True,
)
@option("--reset", "Forget what was chosen before.")
@option("--try as is_trial", "Only show what five pages of the class would give; keep nothing.")
@option("--history as is_history", "With --try: count the cells of every version that change.")
@log_option
@form_option(TABLE_FORMS, "table", "How to write them.")
@with_site()
def columns_command(
    *,
    name: str,
    only: str | None,
    drop: tuple[str, ...],
    rename: tuple[str, ...],
    types: tuple[str, ...],
    select: tuple[str, ...],
    reset: bool,
    is_trial: bool,
    is_history: bool,
    log: str | None,
    form: str,
    site: Site,
    output: Output,
) -> None:
    """The columns of a class; with options, which of them are wanted, under which names and types.

    \b
    The choice is kept in treelace.toml, [columns.NAME], and holds when the wrapper is learnt again
    or repaired; the records are built anew.
    Examples:
      treelace classes columns product --site shop
      treelace classes columns product --only title,price --site shop
      treelace classes columns product --rename "h1=title" --type "price=price" --site shop
      treelace classes columns product --type "weight=number" --try --history --site shop
    """
    said: dict[str, Any] = {
        "only": [column.strip() for column in (only or "").split(",") if column.strip()],
        "drop": drop,
        "rename": _pairs(rename),
        "types": _pairs(types),
        "select": _pairs(select),
    }
    if is_trial and reset:
        raise click.UsageError("--try goes with --only, --drop, --rename, --type and --select")
    if is_history and not is_trial:
        raise click.UsageError("--history goes with --try: it keeps nothing")
    if is_history:
        output.write(f"{_count_history(site, name, said, log, output).text()}\n")
        return
    if is_trial:
        output.write(f"{site.try_columns(name, **said).text()}\n")
        return
    done = site.columns(name, **said, reset=reset)
    output.write(done.written(form))


def _count_history(
    site: Site, name: str, said: dict[str, Any], log: str | None, output: Output
) -> HistoryTrial:
    """What the columns would change in every version; the counts so far go to the log, and to a
    terminal that shows progress.
    """
    journal = site.journal(log)

    def on_count(count: HistoryTrial) -> None:
        if journal is not None:
            journal.write("counted", counts=count.counts())
        if output.shows_progress:
            click.echo(f"\r\x1b[K{count}"[:120], nl=False, err=True)

    done = site.try_history(name, on_count=on_count, **said)
    if output.shows_progress:
        click.echo("\r\x1b[K", nl=False, err=True)
    return done


def _pairs(words: tuple[str, ...]) -> dict[str, str]:
    """`OLD=NEW` as a pair."""
    for word in words:
        if "=" not in word:
            raise click.UsageError(f"{word!r}: write it as COLUMN=VALUE")
    return {old.strip(): new.strip() for old, _, new in (word.partition("=") for word in words)}
