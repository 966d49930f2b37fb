"""`treelace demo`: the whole story on a shop of our own, each step checked for truth."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treelace.cli.common import Output
from treelace.cli.demo_truth import (
    Score,
    alerts_of,
    class_score,
    field_scores,
    gifts_score,
    told_of,
)
from treelace.cli.exits import Exit
from treelace.cli.options import common_options
from treelace.testing.shop import open_shop
from treelace.testing.shop_server import ShopServer

if TYPE_CHECKING:
    from treelace.limits import Limits
    from treelace.site import CrawlSettings, Site
    from treelace.testing.shop import Day

RULES = {"cheap": "price drops 10%", "new": "new", "gone": "gone"}


@click.command("demo")
@click.argument("folder", metavar="[DIR]", required=False)
@common_options
def demo_command(*, folder: str | None, output: Output, limits: Limits) -> Exit:
    """A shop with news is served on this machine and crawled: classes, tables, three days of
    changes, alerts, a redesign, repair.

    \b
    Each step is compared with what is known of the shop; what is wrong is said. The site is left in
    DIR (a temporary folder if none is given). Exit code 1: something was wrong.
    Examples:
      treelace demo
      treelace demo teashop
    """
    from treelace.site import CrawlSettings, Site

    place = Path(folder or tempfile.mkdtemp(prefix="treelace-demo-")) / "site"
    settings = CrawlSettings(allow_private=True, delay=0, concurrency=8)
    shop = open_shop()
    began = time.monotonic()
    with (
        ShopServer(shop.days[0]) as server,
        Site.create(place, f"{server.url}/", limits=limits) as site,
    ):
        story = _Story(site, server, settings, output)
        output.write(
            f"A shop with news on {server.url}: {len(shop.days[0].truth)} pages, and a calendar"
            " without end\n"
        )
        story.first_day(shop.days[0])
        for day in shop.days[1:]:
            story.next_day(day)
        story.redesign(shop.redesign)
        output.write(
            f"\n{story.verdict()} ({time.monotonic() - began:.0f} s)\n\nTry, on what is left in"
            f" {place}:\n{_next_commands(place)}"
        )
    return Exit.DONE if not story.wrong else Exit.NO


class _Story:
    """The steps, told and checked one by one."""

    def __init__(
        self, site: Site, server: ShopServer, settings: CrawlSettings, output: Output
    ) -> None:
        self.site = site
        self.server = server
        self.settings = settings
        self.output = output
        self.right = 0
        self.wrong: list[str] = []
        self.seen = 0
        """Alerts that were looked at already."""

    def first_day(self, day: Day) -> None:
        """Crawl, classes, tables, rules."""
        self.say("\n1. Crawl: from the home page, knowing nothing")
        done = self.site.crawl(self.settings, auto_accept=True)
        pages = {page.url.removeprefix(self.server.url) for page in self.site.pages()}
        self.say(f"   {done.report}")
        self.check("every page found", len(day.truth), len(day.truth.keys() & pages))
        calendar = sum(path.startswith("/calendar/") for path in pages)
        self.check(f"the calendar left after {calendar} pages", 1, int(calendar < 60))
        self.say("\n2. Classes of pages, by structure alone")
        for proposal in done.proposals:
            score = class_score(day, proposal, self.server.url)
            what = f"{proposal.name}: {len(proposal.pages)} pages ({score.what})"
            self.check(what, *score.counts)
        left = [page.url for page in self.site.pages() if page.page_class is None]
        paths = sorted(url.removeprefix(self.server.url) for url in left)
        self.say(f"   of no class: {', '.join(paths)}")
        self.say("\n3. Tables, without being told where they are")
        self.tables(day)
        self.say("\n4. Rules, to be told of what happens in the lists")
        self.subscribe()

    def tables(self, day: Day) -> None:
        """Every field of every record of the lists and the detail pages."""
        kinds = {"list": "list", "product": "product", "news_list": "news", "news": "story"}
        for name, kind in kinds.items():
            if name not in {one.name for one in self.site.records()}:
                self.check(f"{name}: the table is missing", 1, 0)
                continue
            found = self.site.records(name)
            rows = list(found.values)
            score, fields = field_scores(day, kind, found.heads, rows, self.server.url)
            self.check(f"{name}: {score.what}, fields {', '.join(fields)}", *score.counts)
        self.gifts(day)

    def gifts(self, day: Day) -> None:
        """One page makes no class; what `treelace extract` reads there: presents in rows of cells,
        names in one row and prices in the next.
        """
        from treelace.extract import extract

        address = f"{self.server.url}/gifts"
        tables = extract(self.site.page(address), url=address)
        score, fields = (
            gifts_score(day, tables[0], self.server.url)
            if tables
            else (Score("no table", 12, 0, 0), [])
        )
        what = f"/gifts, of no class: {score.what}, fields {', '.join(fields)}"
        self.check(what, *score.counts)

    def subscribe(self) -> None:
        """Keeps the rules."""
        for name, when in RULES.items():
            self.site.subscribe(name, records="list", when=when)
            self.say(f"   {name}: records of list, when {when}")

    def next_day(self, day: Day) -> None:
        """Crawl again: what changed, and who was told."""
        self.say(f"\n5. Day {day.number + 1}: prices and stock change, things come and go")
        self.server.day = day
        done = self.site.crawl(self.settings, auto_accept=True)
        self.say(f"   {done.report}; {done.stored}")
        self.tables(day)
        self.alerts(day)

    def alerts(self, day: Day) -> None:
        """Compares what was told since the last look with what happened."""
        told, quiet = told_of(self.site, self.seen)
        self.seen += len(told) + len(quiet)
        # pages come in the order in which they were answered, which is another at every run
        for why in sorted(why for _, why in told):
            self.say(f"   ! {why}")
        wanted = alerts_of(day)
        found = {(rule, _name_in(why)) for rule, why in told}
        what = f"alerts: {len(found)} told, {len(quiet)} suppressed"
        self.check(what, len(wanted), len(wanted & found), len(found))

    def redesign(self, day: Day) -> None:
        """Everything looks different: drift, no false alarm, repair."""
        self.say(
            "\n6. The whole site is redesigned: other tags, other classes, another order; the data"
            " are the same"
        )
        self.server.day = day
        done = self.site.crawl(self.settings)
        told, _ = told_of(self.site, self.seen)
        what = f"alerts: {len(told)} told of a redesign in which no record changed"
        self.check(what, 1, int(not told))
        noticed = done.drift.keys() & {"list", "product", "news", "news-list"}
        self.check(f"drift noticed in {', '.join(sorted(done.drift))}", 4, len(noticed))
        self.say("\n7. Repair: the last good version of each page is the evidence")
        self.repair(day)

    def repair(self, day: Day) -> None:
        """Each column restored or left out, none silently wrong."""
        for name in ("list", "product", "news-list", "news"):
            repaired = self.site.repair(name, accept=True)
            left_out = (
                f"; left out, last values stay: {', '.join(repaired.left_out)}"
                if repaired.left_out
                else ""
            )
            self.say(f"   {str(repaired).splitlines()[0]}{left_out}")
        self.tables(day)

    def say(self, line: str) -> None:
        """A line of the story."""
        self.output.write(line + "\n")

    def check(self, what: str, wanted: int, right: int, given: int | None = None) -> None:
        """Compares with the truth, and says so; `given` are by default as many as are wanted."""
        given = wanted if given is None else given
        is_right = right == wanted == given
        self.right += is_right
        if not is_right:
            self.wrong.append(what)
        self.say(
            f"   {'right' if is_right else 'WRONG'}: {what}"
            + ("" if is_right else f" ({right} right of {wanted}, {given} given)")
        )

    def verdict(self) -> str:
        """All of it in a line."""
        total = self.right + len(self.wrong)
        return f"{self.right} of {total} checks agree with what is known of this shop" + (
            f"; wrong: {'; '.join(self.wrong)}" if self.wrong else ""
        )


def _name_in(why: str) -> str:
    """The name of the record that an alert tells of."""
    for words in ("new record: ", "record gone: "):
        if words in why:
            return why.partition(words)[2]
    return why.partition(":")[0]


def _next_commands(place: Path) -> str:
    called = "treelace" if shutil.which("treelace") else shlex.quote(sys.argv[0])
    site = shlex.quote(str(place))
    lines: list[Any] = [
        f"classes list --site {site}",
        f"records list --site {site}",
        f"alerts list --site {site}",
        f'sql "select title, price_text, stock from list order by price limit 5" --site {site}',
        f"verify --site {site}",
        f"studio {site}",
    ]
    return "".join(f"  {called} {line}\n" for line in lines)
