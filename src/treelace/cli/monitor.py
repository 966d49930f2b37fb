"""`treelace subscribe`, `alerts` and `watch`: what to be told, what was told, and keeping an eye on
a site.
"""

from __future__ import annotations

import random
import signal
import threading
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from treelace.cli.common import ALLOW_PRIVATE, Output, common_options
from treelace.cli.crawl import tell
from treelace.cli.exits import Exit
from treelace.cli.site import ListsByDefault, site_option, table, with_site
from treelace.errors import CrawlError, StoreError

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.site import Site
    from treelace.site.journal import Journal
    from treelace.store.alerts import Alerts

FORMS = click.Choice(["table", "csv", "json", "jsonl"])


@click.command("subscribe")
@click.argument("name")
@click.option(
    "--records",
    default="",
    metavar="KIND",
    help="Look at the records of this kind (`treelace records` lists them).",
)
@click.option("--page", default="", metavar="URL", help="Look at this page, with --select.")
@click.option(
    "--select", "selection", default="", metavar="CSS|xpath:…", help="What to look at on the page."
)
@click.option(
    "--drift",
    default="",
    metavar="CLASS",
    help="Tell when pages of this class are not what its wrapper knows; * for all.",
)
@click.option(
    "--when",
    default="changed",
    show_default=True,
    help="new, gone, changed; FIELD CONDITION; appears, vanishes.",
)
@click.option(
    "--to",
    "channels",
    multiple=True,
    default=("terminal",),
    help="terminal, atom:FILE, webhook:URL, apprise:URL; an address as env:NAME.",
)
@click.option("--restless", is_flag=True, help="Also tell of values that change at every look.")
@click.option(
    "--try",
    "is_trial",
    is_flag=True,
    help="Only say what it would have told so far; nothing is saved.",
)
@site_option
@common_options
def subscribe_command(
    *,
    name: str,
    records: str,
    page: str,
    selection: str,
    drift: str,
    when: str,
    channels: tuple[str, ...],
    restless: bool,
    is_trial: bool,
    folder: str,
    output: Output,
    limits: Limits,
) -> None:
    """Keeps a rule under NAME: what to be told of, when, and through which channels.

    \b
    Examples:
      treelace subscribe cheap --records list --when "price drops 10%"
      treelace subscribe new-tea --records list --when new --to atom:new.xml
      treelace subscribe hours --page https://shop.example/ --select ".hours" --when changes
      treelace subscribe cheap --records list --when "price < 5" --try
    """
    import msgspec

    from treelace.monitor.channels import check_channel
    from treelace.monitor.rules import Rule
    from treelace.monitor.trial import try_rule
    from treelace.site import Site

    rule = Rule(
        records=records,
        page=page,
        select=selection,
        drift=drift,
        when=when,
        channels=tuple(map(check_channel, channels)),
        restless=restless,
    ).check()
    with Site(folder, read_only=is_trial, limits=limits) as site:
        if rule.records and site.store.records.kinds():
            rule = msgspec.structs.replace(rule, records=site.store.records.kind(rule.records).name)
        elif rule.records:
            output.say(
                f"there are no records yet, so none called {rule.records}: `treelace classes list`"
                " shows what can be accepted"
            )
        is_known = bool(rule.page) and any(
            page.url == rule.page for page in site.pages(like=rule.page)
        )
        found = (
            try_rule(rule, site.store)
            if is_known or rule.records in {k.name for k in site.store.records.kinds()}
            else []
        )
        if rule.page and not is_known:
            output.say(
                f"{rule.page} has not been fetched yet: `treelace pages` lists what there is"
            )
        told = [(time, one) for time, one in found if not one.suppressed]
        if is_trial:
            for time, one in found:
                output.write(
                    f"{time:%Y-%m-%d %H:%M}"
                    f" {one.why}{f' [not told: {one.suppressed}]' if one.suppressed else ''}\n"
                )
            output.say(
                f"{name} would have told {_times(len(told))}, and kept quiet"
                f" {_times(len(found) - len(told))}"
            )
            return
        _alerts(site).subscribe(name, msgspec.to_builtins(rule))
        output.say(f"{name}: kept; over the history so far it would have told {_times(len(told))}")


def _times(count: int) -> str:
    return f"{count} time{'s' if count != 1 else ''}"


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
@click.option("--suppressed", is_flag=True, help="What was noticed and not told, with the reason.")
@click.option("--all", "is_all", is_flag=True, help="Also what was acknowledged.")
@click.option(
    "--to", "form", type=FORMS, default="table", show_default=True, help="How to write them."
)
@with_site(read_only=True)
def list_command(*, suppressed: bool, is_all: bool, form: str, site: Site, output: Output) -> None:
    """What was noticed, oldest first."""
    wanted = {"suppressed"} if suppressed else {"open", "acknowledged"} if is_all else {"open"}
    found = [it for it in _alerts(site).alerts() if it.state in wanted]
    heads = ["alert", "time", "rule", "kind", "why", "page"]
    rows: list[tuple[object, ...]] = [
        (it.id, f"{it.time:%Y-%m-%d %H:%M}", it.subscription, it.kind, it.why, it.url)
        for it in found
    ]
    if any("verdict" in it.about for it in found) and form != "table":
        heads.append("verdict")
        rows = [(*row, it.about.get("verdict")) for row, it in zip(rows, found, strict=True)]
    output.write(table(rows, heads, form))
    if not rows and form == "table":
        output.say(
            "nothing was suppressed"
            if suppressed
            else "no alerts: `treelace alerts rules` lists what is looked at"
        )


@alerts_group.command("rules")
@click.option(
    "--to", "form", type=FORMS, default="table", show_default=True, help="How to write them."
)
@with_site(read_only=True)
def rules_command(*, form: str, site: Site, output: Output) -> None:
    """The rules that are kept."""
    from treelace.monitor.alerting import rules

    rows = [
        (
            one.name,
            one.state,
            rule.records or rule.page or f"drift of {rule.drift}",
            rule.when,
            " ".join(rule.channels),
        )
        for one, rule in rules(_alerts(site))
    ]
    output.write(table(rows, ("rule", "state", "looks at", "when", "tells"), form))


@alerts_group.command("mute")
@click.argument("name")
@click.option("--hours", type=float, help="For so long; without it until `unmute`.")
@with_site()
def mute_command(*, name: str, hours: float | None, site: Site, output: Output) -> None:
    """Records what a rule notices, and tells nobody."""
    _alerts(site).mute(name, None if hours is None else datetime.now(UTC) + timedelta(hours=hours))
    output.say(f"{name}: muted")


@alerts_group.command("unmute")
@click.argument("name")
@with_site()
def unmute_command(*, name: str, site: Site, output: Output) -> None:
    """Lets a rule tell again."""
    _alerts(site).unmute(name)
    output.say(f"{name}: tells again")


@alerts_group.command("ack")
@click.argument("numbers", type=int, nargs=-1, required=True, metavar="ALERT…")
@with_site()
def ack_command(*, numbers: tuple[int, ...], site: Site, output: Output) -> None:
    """Says that alerts have been dealt with."""
    from treelace.store.states import AlertState

    for number in numbers:
        _alerts(site).set_state(number, AlertState.ACKNOWLEDGED)
    output.say(f"{len(numbers)} acknowledged")


@alerts_group.command("remove")
@click.argument("name")
@with_site()
def remove_command(*, name: str, site: Site, output: Output) -> None:
    """Takes a rule away; what it has told stays on record."""
    _alerts(site).remove(name)
    output.say(f"{name}: removed")


def _alerts(site: Site) -> Alerts:
    return site.store.alerts


@click.command("watch")
@click.option("--once", is_flag=True, help="One round, for cron.")
@click.option(
    "--all",
    "is_all",
    is_flag=True,
    help="Look at all pages in each round, not only at those that are due.",
)
@click.option(
    "--every",
    type=float,
    default=3600.0,
    show_default=True,
    help="Seconds from one round to the next; a tenth more or less by chance.",
)
@click.option(
    "--quiet-hours",
    metavar="FROM-TO",
    help="Hours of the day (local time) without rounds, like 22-7.",
)
@click.option(
    "--delay",
    type=float,
    help="Seconds between two requests, at least; usually set in treelace.toml, [crawl].",
)
@click.option("--auto-accept", is_flag=True, help="Take proposed classes into use without asking.")
@click.option(
    "--log-json",
    "log",
    metavar="FILE",
    help=(
        "Add what happens to this file, one JSON object a line; usually set in treelace.toml,"
        " [log]."
    ),
)
@with_site()
def watch_command(
    *,
    once: bool,
    is_all: bool,
    every: float,
    quiet_hours: str | None,
    delay: float | None,
    auto_accept: bool,
    log: str | None,
    site: Site,
    output: Output,
) -> Exit:
    """Crawls what is due, records alerts, delivers them; again and again until it is stopped
    (Ctrl-C or SIGTERM end it cleanly).

    \b
    Examples:
      treelace watch --site shop
      treelace watch --site shop --once
      treelace watch --site shop --every 900 --quiet-hours 22-7
    """
    allow_private = bool(click.get_current_context().meta.get(ALLOW_PRIVATE))
    hours = _hours(quiet_hours)
    stop = threading.Event()
    if not once:
        signal.signal(signal.SIGTERM, lambda _number, _frame: stop.set())
    settings = site.crawl_settings(
        allow_private=allow_private, delay=delay, bytes=site.limits.bytes
    )
    with site.store.watcher(), site.journal(log, settings) or nullcontext() as journal:
        while not stop.is_set():
            if once or not _is_quiet(hours, datetime.now().astimezone().hour):
                try:
                    done = site.crawl(
                        settings,
                        is_due_only=not (is_all or once),
                        auto_accept=auto_accept,
                        journal=journal,
                    )
                    tell(done, output, auto_accept=auto_accept)
                    if journal is not None:
                        journal.round(done)
                except (
                    StoreError,
                    CrawlError,
                ) as error:  # another process is writing, or the network is gone: the next round may go well
                    if once:
                        raise
                    output.say(f"{error}; the next round is in {every:g} s")
            failed = _deliver(site, output, journal, allow_private=allow_private)
            if once:
                is_cut_off = done.report.problems and not done.report.outcomes["fetched"]
                return Exit.OUTSIDE if failed or is_cut_off else Exit.DONE
            stop.wait(every * random.uniform(0.9, 1.1))
    return Exit.DONE


def _deliver(site: Site, output: Output, journal: Journal | None, *, allow_private: bool) -> int:
    from treelace.monitor.channels import Outbox
    from treelace.monitor.delivery import deliver

    outbox = Outbox(
        folder=site.folder,
        say=lambda line: output.write(f"{line}\n"),
        alerts=site.store.alerts.alerts,
        allow_private=allow_private,
    )
    on_event = None if journal is None else journal.write
    done = deliver(site.store.alerts, outbox, judge=site.judge(), on_event=on_event)
    for line in done.judge_failures:
        output.say(line)
    if done.arrived or done.failed:
        output.say(str(done))
    return done.failed


def _hours(words: str | None) -> tuple[int, int] | None:
    if words is None:
        return None
    first, dash, last = words.partition("-")
    if not dash or not first.isdigit() or not last.isdigit() or int(first) > 24 or int(last) > 24:
        raise click.UsageError(f"--quiet-hours is FROM-TO in whole hours, like 22-7, not '{words}'")
    return int(first), int(last)


def _is_quiet(hours: tuple[int, int] | None, now: int) -> bool:
    if hours is None:
        return False
    first, last = hours
    return first <= now < last if first <= last else now >= first or now < last
