"""`treelace crawl`: pages of a site into its store."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from treelace.cli.common import Output, allows_private
from treelace.cli.exits import Exit, complain
from treelace.cli.options import log_option, option, wait_option, with_site

if TYPE_CHECKING:
    from treelace.site import Crawled, Site, Trouble

MOST_FAILURES = 5
"""Pages that failed, named one by one."""


@click.command("crawl")
@option(
    "--from WARC|FOLDER|NAME:WHERE as source",
    "Take the pages from there instead of the network; NAME: a source of another package.",
)
@option("--auto-accept", "Take proposed classes into use without asking.")
@option(
    "--due as is_due_only",
    "Only pages whose time has come, by how often they changed; else all known pages.",
)
@option(
    "--pages",
    "Fetch so many pages at most; this and the next three are usually set in treelace.toml,"
    " [crawl].",
    int,
)
@option("--depth", "Follow so many links from the start page.", int)
@option("--delay", "Seconds between two requests, at least; 0 for your own servers.", float)
@option("--concurrency", "Requests under way at once.", int)
@option(
    "--render as is_rendered",
    "Let a browser run the scripts of every page first; [crawl] render says for which.",
)
@option("--warc FILE", "Also keep every answer in this WARC file (.warc.gz).")
@log_option
@wait_option
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
    for name, count in sorted(done.read_on.items()):
        output.say(f"{name}: {count:,} pages look different; its wrapper reads them still")
    for name, count in sorted(done.emptied.items()):
        output.say(f"{name}: {count:,} {'list has' if count == 1 else 'lists have'} no rows now")
    for name, count in sorted(done.new_keys.items()):
        output.say(
            f"{name}: {count:,} records have other keys and the same names: they are taken for the"
            " same records, and their histories go on"
        )
    for name, pages in sorted(done.drift.items()):
        url, why = min(pages.items())
        output.say(
            f"{name}: {len(pages)} pages are not what its wrapper knows ({url}: {why});"
            f"{_not_kept(done.refused.get(name, 0))} `treelace repair {name}` looks at it"
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


def _not_kept(records: int) -> str:
    return f" {records:,} records that it read there are not kept;" if records else ""


def _at_site() -> str:
    """The option that names the site of this command, as the next command needs it."""
    folder = click.get_current_context().params.get("folder", ".")
    return "" if folder == "." else f" --site {shlex.quote(folder)}"
