"""`treelace crawl` and `treelace classes`: pages of a site into its store, and into classes."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from treelace.cli.common import Output, allows_private, common_options, form_option
from treelace.cli.exits import Exit, complain
from treelace.cli.site import ListsByDefault, log_option, site_option, with_site

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.site import Crawled, Site, Trouble

MOST_FAILURES = 5
"""Pages that failed, named one by one."""


@click.command("crawl")
@click.option(
    "--from",
    "source",
    metavar="WARC|FOLDER|NAME:WHERE",
    help="Take the pages from there instead of the network; NAME: a source of another package.",
)
@click.option("--auto-accept", is_flag=True, help="Take proposed classes into use without asking.")
@click.option(
    "--due",
    "is_due_only",
    is_flag=True,
    help="Only pages whose time has come, by how often they changed; else all known pages.",
)
@click.option(
    "--pages",
    type=int,
    help=(
        "Fetch so many pages at most; this and the next three are usually set in treelace.toml,"
        " [crawl]."
    ),
)
@click.option("--depth", type=int, help="Follow so many links from the start page.")
@click.option(
    "--delay", type=float, help="Seconds between two requests, at least; 0 for your own servers."
)
@click.option("--concurrency", type=int, help="Requests under way at once.")
@click.option(
    "--render",
    "is_rendered",
    is_flag=True,
    help="Let a browser run the scripts of every page first; [crawl] render says for which.",
)
@click.option(
    "--warc", "warc", metavar="FILE", help="Also keep every answer in this WARC file (.warc.gz)."
)
@log_option
@click.option("--wait", is_flag=True, help="Wait while another process is adding versions.")
@with_site()
def crawl_command(
    *,
    source: str | None,
    auto_accept: bool,
    is_due_only: bool,
    is_rendered: bool,
    warc: str | None,
    log: str | None,
    wait: bool,
    site: Site,
    output: Output,
    **bounds: Any,
) -> Exit:
    """Fetches the site politely, keeps what changed, sorts pages into classes, extracts records.

    \b
    Stop it whenever you like: the same command goes on where it stopped. Pages that are alike and
    of no class yet are proposed as classes; `treelace classes` shows them.
    Examples:
      treelace crawl --site shop
      treelace crawl --site shop --warc shop.warc.gz
      treelace crawl --site shop --from shop.warc.gz --auto-accept
      treelace crawl --site shop --log-json crawl.jsonl
      treelace crawl --site shop --render
    """
    settings = site.crawl_settings(
        allow_private=allows_private(),
        bytes=site.limits.bytes,
        render=("",) if is_rendered else None,
        **bounds,
    )
    with site.journal(log, settings) or nullcontext() as journal:
        for done in site.crawling(
            settings,
            source=source,
            auto_accept=auto_accept,
            is_due_only=is_due_only,
            archive=warc,
            journal=journal,
            on_trouble=_say_trouble,
            progress=output.progress if output.shows_progress else None,
            wait=wait,
        ):
            if output.shows_progress and source is None:
                click.echo(f"\r{done.report}", nl=False, err=True)
    tell(done, output, auto_accept=auto_accept)
    if done.stored.versions and not site.classes():
        output.say(
            "no class was found: that takes three pages that are alike; for one page write"
            ' [[class]] with wrapper = "extract" in treelace.toml'
        )
    return Exit.OUTSIDE if source is None and is_cut_off(done) else Exit.DONE


def is_cut_off(done: Crawled) -> bool:
    """Whether a crawl fetched nothing because of problems."""
    return bool(done.report.problems) and not done.report.outcomes["fetched"]


def _say_trouble(trouble: Trouble) -> None:
    complain(f"treelace: {trouble.place}: {trouble.error}")


def tell(done: Crawled, output: Output, *, auto_accept: bool) -> None:
    """Says what a crawl did."""
    if output.shows_progress:
        click.echo("\r", nl=False, err=True)
    for line in (*done.report.problems, *done.stored.failures[:MOST_FAILURES]):
        output.say(line)
    more = len(done.stored.failures) - MOST_FAILURES
    if more > 0:
        output.say(f"and {more:,} more that failed; --log-json has them all")
    for name, pages in sorted(done.drift.items()):
        url, why = min(pages.items())
        output.say(
            f"{name}: {len(pages)} pages are not what its wrapper knows ({url}: {why});"
            f" `treelace repair {name}` looks at it"
        )
    lines = [str(done)]
    lines += [f"{'class' if auto_accept else 'proposed'} {proposal}" for proposal in done.proposals]
    if done.proposals and not auto_accept:
        lines.append(
            "take them into use with: treelace classes accept"
            f" {' '.join(proposal.name for proposal in done.proposals)}{_at_site()}"
        )
    lines += [
        f"{count:,} pages are of no class: {why}" for why, count in sorted(done.in_none.items())
    ]
    if done.stored.alerts:
        lines.append(f"what happened: treelace alerts list{_at_site()}")
    output.write("\n".join(lines) + "\n")


def _at_site() -> str:
    """The option that names the site of this command, as the next command needs it."""
    folder = click.get_current_context().params.get("folder", ".")
    return "" if folder == "." else f" --site {shlex.quote(folder)}"


@click.command("repair")
@click.argument("names", nargs=-1, metavar="[CLASS…]")
@click.option(
    "--accept",
    "is_accepted",
    is_flag=True,
    help="Take the repaired wrappers into use, and store the records they read.",
)
@site_option
@common_options
def repair_command(
    *, names: tuple[str, ...], is_accepted: bool, folder: str, output: Output, limits: Limits
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
    from treelace.site import Site

    with Site(folder, limits=limits) as site:
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
@form_option(["table", "csv", "json", "jsonl"], "table", "How to write them.")
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
