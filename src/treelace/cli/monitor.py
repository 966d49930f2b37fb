"""`treelace subscribe`, `alerts` and `watch`: what to be told, what was told, and keeping an eye on a site."""

from __future__ import annotations

import random
import signal
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from treelace.cli.common import ALLOW_PRIVATE, Output, common_options
from treelace.cli.crawl import tell
from treelace.cli.exits import Exit
from treelace.cli.site import site_option, table, with_site

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.site import Site
    from treelace.store.alerts import Alerts

FORMS = click.Choice(["table", "csv", "json", "jsonl"])


@click.command("subscribe")
@click.argument("name")
@click.option("--records", default="", metavar="KIND", help="Look at the records of this kind (`treelace records` lists them).")
@click.option("--page", default="", metavar="URL", help="Look at this page, with --select.")
@click.option("--select", "selection", default="", metavar="CSS|xpath:…", help="What to look at on the page.")
@click.option("--drift", default="", metavar="CLASS", help="Tell when pages of this class are not what its wrapper knows; * for all.")
@click.option("--when", default="changed", show_default=True, help="new, gone, changed; FIELD CONDITION; appears, vanishes.")
@click.option("--to", "channels", multiple=True, default=("terminal",), help="terminal, atom:FILE, webhook:URL, apprise:URL; an address as env:NAME.")
@click.option("--restless", is_flag=True, help="Also tell of values that change at every look.")
@click.option("--try", "is_trial", is_flag=True, help="Only say what it would have told so far; nothing is saved.")
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
        records=records, page=page, select=selection, drift=drift, when=when, channels=tuple(map(check_channel, channels)), restless=restless
    ).check()
    with Site(folder, read_only=is_trial, limits=limits) as site:
        if rule.records and site.records.kinds():
            rule = msgspec.structs.replace(rule, records=site.records.kind(rule.records).name)
        elif rule.records:
            output.say(f"there are no records yet, so none called {rule.records}: `treelace classes list` shows what can be accepted")
        found = (
            try_rule(rule, site.store, site.records)
            if not rule.drift and (rule.page or rule.records in {k.name for k in site.records.kinds()})
            else []
        )
        told = [(time, one) for time, one in found if not one.suppressed]
        if is_trial:
            for time, one in found:
                output.write(f"{time:%Y-%m-%d %H:%M} {one.why}{f' [not told: {one.suppressed}]' if one.suppressed else ''}\n")
            output.say(f"{name} would have told {_times(len(told))}, and kept quiet {_times(len(found) - len(told))}")
            return
        _alerts(site).subscribe(name, msgspec.to_builtins(rule))
        output.say(f"{name}: kept; over the history so far it would have told {_times(len(told))}")


def _times(count: int) -> str:
    return f"{count} time{'s' if count != 1 else ''}"
