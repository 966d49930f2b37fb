"""`treelace subscribe`, `alerts` and `watch`: rules, their alerts, and a site watched."""

from __future__ import annotations

import signal
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from treelace.cli.common import Output, allows_private
from treelace.cli.crawl import is_cut_off, tell
from treelace.cli.exits import Exit
from treelace.cli.options import (
    TABLE_FORMS,
    ListsByDefault,
    common_options,
    form_option,
    log_option,
    option,
    site_option,
    with_site,
)

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.site import CrawlSettings, Delivered, Site, Trial


@click.command("subscribe")
@click.argument("name")
@option(
    "--records KIND",
    "Look at the records of this kind (`treelace records` lists them).",
    default="",
)
@option("--page URL", "Look at this page, with --select.", default="")
@option("--select CSS|xpath:…", "What to look at on the page.", default="")
@option(
    "--drift CLASS",
    "Tell when pages of this class are not what its wrapper knows; * for all.",
    default="",
)
@option("--when", "new, gone, changed; FIELD CONDITION; appears, vanishes.", str, default="changed")
@option(
    "--to as channels",
    "terminal, atom:FILE, webhook:URL, apprise:URL; an address as env:NAME.",
    str,
    default=("terminal",),
    multiple=True,
)
@option("--restless", "Also tell of values that change at every look.")
@option(
    "--digest WHEN",
    "One message for all it finds in a round, or in a day.",
    click.Choice(["round", "day"]),
)
@option("--try as is_trial", "Only say what it would have told so far; nothing is saved.")
@site_option
@common_options
def subscribe_command(
    *, name: str, is_trial: bool, folder: str, output: Output, limits: Limits, **rule: Any
) -> None:
    """Keeps a rule under NAME: what to be told of, when, and through which channels.

    \b
    Examples:
      treelace subscribe cheap --records list --when "price drops 10%"
      treelace subscribe new-tea --records list --when new --to atom:new.xml
      treelace subscribe hours --page https://shop.example/ --select ".hours" --when changes
      treelace subscribe cheap --records list --when "price < 5" --try
    """
    from treelace.site import Site, make_rule

    rule["digest"] = rule["digest"] or ""
    make_rule(**rule)  # what makes no sense is said before a site is looked for
    with Site(folder, read_only=is_trial, limits=limits) as site:
        if is_trial:
            trial = site.try_rule(name, **rule)
            _say_notes(trial, output)
            output.write("".join(f"{line}\n" for line in trial.lines))
            output.say(trial.summary)
            return
        done = site.subscribe(name, **rule)
        _say_notes(done.trial, output)
        output.say(str(done))


def _say_notes(trial: Trial, output: Output) -> None:
    for line in trial.notes:
        output.say(line)


@click.group("alerts", cls=ListsByDefault)
def alerts_group() -> None:
    """What was told: list (what it does where no command is named), mute, unmute, ack, remove; and
    the rules themselves.

    \b
    Examples:
      treelace alerts list --site shop
      treelace alerts list --suppressed --site shop
      treelace alerts mute cheap --site shop
    """


@alerts_group.command("list")
@option("--suppressed", "What was noticed and not told, with the reason.")
@option("--all as is_all", "Also what was acknowledged.")
@form_option(TABLE_FORMS, "table", "How to write them.")
@with_site(read_only=True)
def list_command(*, suppressed: bool, is_all: bool, form: str, site: Site, output: Output) -> None:
    """What was noticed, oldest first."""
    found = site.alerts(suppressed=suppressed, acknowledged=is_all)
    output.write(found.written(form))
    if not found and form == "table":
        output.say(
            "nothing was suppressed"
            if suppressed
            else "no alerts: `treelace alerts rules` lists what is looked at"
        )


@alerts_group.command("rules")
@form_option(TABLE_FORMS, "table", "How to write them.")
@with_site(read_only=True)
def rules_command(*, form: str, site: Site, output: Output) -> None:
    """The rules that are kept."""
    output.write(site.rules().written(form))


@alerts_group.command("mute")
@click.argument("name")
@option("--hours", "For so long; without it until `unmute`.", float)
@with_site()
def mute_command(*, name: str, hours: float | None, site: Site, output: Output) -> None:
    """Records what a rule notices, and tells nobody."""
    until = None if hours is None else datetime.now(UTC) + timedelta(hours=hours)
    output.say(str(site.mute(name, until)))


@alerts_group.command("unmute")
@click.argument("name")
@with_site()
def unmute_command(*, name: str, site: Site, output: Output) -> None:
    """Lets a rule tell again."""
    output.say(str(site.unmute(name)))


@alerts_group.command("ack")
@click.argument("numbers", type=int, nargs=-1, required=True, metavar="ALERT…")
@with_site()
def ack_command(*, numbers: tuple[int, ...], site: Site, output: Output) -> None:
    """Says that alerts have been dealt with."""
    output.say(str(site.ack(*numbers)))


@alerts_group.command("test")
@click.argument("channel")
@with_site(read_only=True)
def test_command(*, channel: str, site: Site, output: Output) -> Exit:
    """Sends a message through CHANNEL, as a rule names it, and says whether it arrived.

    \b
    Examples:
      treelace alerts test webhook:https://hooks.example/x --site shop
      treelace alerts test apprise:env:MAIL --site shop
    """
    done = site.test_channel(channel, allow_private=allows_private())
    output.write(f"{done}\n")
    return Exit.OUTSIDE if done.failure else Exit.DONE


@alerts_group.command("remove")
@click.argument("name")
@with_site()
def remove_command(*, name: str, site: Site, output: Output) -> None:
    """Takes a rule away; what it has told stays on record."""
    output.say(str(site.remove(name)))


@click.command("watch")
@click.argument("url", required=False, default="", metavar="[URL]")
@option("--once", "One round, for cron.")
@option("--all as all_pages", "Look at all pages in each round, not only at those that are due.")
@option(
    "--every",
    "Seconds from one round to the next; a tenth more or less by chance.",
    float,
    default=3600.0,
)
@option("--quiet-hours FROM-TO", "Hours of the day (local time) without rounds, like 22-7.")
@option(
    "--delay",
    "Seconds between two requests, at least; usually set in treelace.toml, [crawl].",
    float,
)
@option("--auto-accept", "Take proposed classes into use without asking.")
@log_option
@option("--site DIR as folder", "The site's folder; default: the current one, or the host of URL.")
@common_options
def watch_command(
    *,
    url: str,
    quiet_hours: str | None,
    delay: float | None,
    folder: str | None,
    output: Output,
    limits: Limits,
    **how: Any,
) -> Exit:
    """Crawls what is due, records alerts, delivers them; again and again until it is stopped
    (Ctrl-C or SIGTERM end it cleanly). With URL one page is looked at, and nothing else is fetched:
    it is kept in a site of its own, in a folder named after its host or in --site DIR.

    \b
    Examples:
      treelace watch https://shop.example/tea --once
      treelace watch --site shop
      treelace watch --site shop --once
      treelace watch --site shop --every 900 --quiet-hours 22-7
    """
    from treelace.site import Site

    how["quiet_hours"] = _hours(quiet_hours)
    opened = Site.of_page(url, folder, limits=limits) if url else Site(folder or ".", limits=limits)
    with opened as site:
        settings = site.crawl_settings(
            allow_private=allows_private(), delay=delay, bytes=site.limits.bytes
        )
        return _watch(site, settings, output, page=url, **how)


def _watch(
    site: Site,
    settings: CrawlSettings,
    output: Output,
    *,
    once: bool,
    auto_accept: bool,
    **how: Any,
) -> Exit:
    from treelace.site import Crawled, Delivered

    stop = threading.Event()
    if not once:
        signal.signal(signal.SIGTERM, lambda _number, _frame: stop.set())
    is_bad = False
    for done in site.watch(
        settings,
        once=once,
        auto_accept=auto_accept,
        say=lambda line: output.write(f"{line}\n"),
        stop=stop,
        **how,
    ):
        if isinstance(done, Crawled):
            tell(done, output, auto_accept=auto_accept)
            is_bad = is_bad or is_cut_off(done)
        elif isinstance(done, Delivered):
            _say_delivered(done, output)
            is_bad = is_bad or bool(done.failed)
        else:
            output.say(str(done))
    return Exit.OUTSIDE if once and is_bad else Exit.DONE


def _say_delivered(done: Delivered, output: Output) -> None:
    for line in done.judge_failures:
        output.say(line)
    if done.arrived or done.failed or done.waiting:
        output.say(str(done))


def _hours(words: str | None) -> tuple[int, int] | None:
    if words is None:
        return None
    first, dash, last = words.partition("-")
    if not dash or not first.isdigit() or not last.isdigit() or int(first) > 24 or int(last) > 24:
        raise click.UsageError(f"--quiet-hours is FROM-TO in whole hours, like 22-7, not '{words}'")
    return int(first), int(last)
