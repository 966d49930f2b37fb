"""Crawler: takes addresses from the frontier, downloads them, decides what outcomes mean.

The policy of a crawl in one place, without a socket in sight: the downloader fetches, the frontier
remembers, and whoever goes through `arrivals()` works on the pages. Scope, robots.txt, redirects,
retries, hosts that ask for a pause (Retry-After) or fail in rows, and endless places are decided
here. Links are written down when a page comes, its end when `stored` says that it is safe. Kill it
anywhere and start again: the frontier takes up what was under way.
"""

from __future__ import annotations

import re
import time
from itertools import count
from typing import TYPE_CHECKING

import msgspec

from treelace.classes.pages import GONE, Gone, NotModified, Parsed
from treelace.crawl.endings import Ending, Endings
from treelace.crawl.endless import EndlessPlaces
from treelace.crawl.hosts import Hosts, NoPast, retry_after
from treelace.crawl.ipc import Job, Outcome
from treelace.crawl.links import MOST_LINKS, kind_of, links_of
from treelace.crawl.redirects import REDIRECTS, Redirects
from treelace.crawl.report import Report
from treelace.crawl.revalidation import Revalidation
from treelace.crawl.robots import Robots
from treelace.crawl.settings import AGENT, is_page_type
from treelace.crawl.urls import origin, path_and_query, without_order
from treelace.errors import CrawlError, TreelaceError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.store import times
from treelace.store.frontier import Address, Event
from treelace.store.states import AddressState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from treelace.crawl.downloader import Downloader
    from treelace.crawl.hosts import Host, Past
    from treelace.crawl.links import Link
    from treelace.crawl.scope import Scope
    from treelace.crawl.settings import CrawlSettings
    from treelace.store.frontier import Frontier

FIRST_OF_ALL = 31
"""The priority of addresses that someone waits for."""
NEXT_PAGE = 30
"""The priority of the next page of a list."""
RECORD_PAGE = 20
"""The priority of what new records lead to."""
NAMED_PAGE = 10
"""The priority of what feeds and sitemaps name."""
LONGEST_SILENCE = 1.0
"""Seconds after which whoever goes through `arrivals()` gets a turn."""
MISSES_UNTIL_GONE = 2
"""Misses in a row until a page counts as gone: 404 may be a slip, 410 is meant."""
_FOR_GOOD = re.compile(r"[^ ]*: .*(not a public address|certificate|more than .* bytes)")
"""Failures that will not be better on another try; whatever the address in front of them says."""


class Crawler:
    """One crawl; `report` says what it did so far. `clock` gives seconds since 1970."""

    def __init__(
        self,
        scope: Scope,
        settings: CrawlSettings,
        frontier: Frontier,
        downloader: Downloader,
        *,
        report: Report | None = None,
        limits: Limits = DEFAULT_LIMITS,
        clock: Callable[[], float] = time.time,
        past: Past | None = None,
    ) -> None:
        self._scope = scope
        self._settings = settings
        self._frontier = frontier
        self._downloader = downloader
        self._limits = limits
        self._clock = clock
        self._hosts = Hosts(past or NoPast(), settings.delay, clock)
        self._under_way: dict[int, Address] = {}
        self._robots_jobs: dict[int, str] = {}
        self._redirects = Redirects()
        self._numbers = count(1)
        self._started = 0
        self._endless = EndlessPlaces()
        self.report = report or Report()
        self._endings = Endings(frontier, self.report)

    def arrivals(self) -> Iterator[Parsed | NotModified | Gone | None]:
        """What comes, until nothing is left to do, or nothing can be done within the settings'
        longest pause: pages, and what servers say of pages that were there. None where nothing came
        for a while, or what came was no page.

        Each counts as done when `stored` is told; what is not will be fetched again by the next
        crawl.
        """
        began = self._clock()
        self._frontier.release()
        self._hosts.meet(self._scope.starts)
        self._frontier.add(self._address(start) for start in self._scope.starts)
        while (wait := self._hand_out()) is not None:
            outcome = self._downloader.next(min(max(wait, 0.01), LONGEST_SILENCE))
            yield None if outcome is None else self._take_in(outcome)
        self._hosts.leave()
        self.report.seconds = self._clock() - began

    def stored(self, urls: Iterable[str]) -> None:
        """Says that what came of these addresses is safe."""
        self._endings.stored(urls)

    def prefer(self, urls: Iterable[str]) -> None:
        """Moves waiting addresses to the front: what new records lead to."""
        self._frontier.prefer([url for url in urls if not self._scope.refusal(url)], RECORD_PAGE)

    def take_log(self) -> list[Event]:
        """What was logged since this was last asked for."""
        return self._endings.take_log()

    def _hand_out(self) -> float | None:
        """Asks for what can be; seconds until something may happen, None where nothing will."""
        self._top_up()
        if self._under_way or self._robots_jobs:
            return 0.5
        due = self._next_moment()
        wait = 0.0 if due is None else max(0.0, due - self._clock())
        if wait > self._settings.longest_pause:
            longest = self._settings.longest_pause
            self.report.left_waiting(len(self._frontier.waiting()), wait, longest)
        return wait if due is not None and wait <= self._settings.longest_pause else None

    # asking

    def _top_up(self) -> None:
        """Hands the downloader as much as it can work on."""
        while len(self._under_way) < 2 * self._settings.concurrency:
            room = 2 * self._settings.concurrency - len(self._under_way)
            if self._started >= self._settings.pages:
                return
            busy = [entry.url for entry in self._under_way.values()]
            resting = self._hosts.resting(self._clock(), busy)
            most = min(room, self._settings.pages - self._started)
            entries = self._frontier.take(self._now(), most, resting=resting)
            if not entries:
                return
            for entry in entries:
                self._consider(entry)

    def _consider(self, entry: Address) -> None:
        refusal = self._scope.refusal(entry.url) or self._endless.refusal(entry.url)
        if refusal:
            self._end(entry, AddressState.PRUNED, f"skipped: {refusal}")
            return
        host = self._hosts.of(entry.url)
        if self._is_put_off(entry, host):
            return
        if self._settings.obeys_robots and host.robots is None:
            host.held.append(entry)
            if not host.is_asking:
                self._ask_robots(origin(entry.url), host)
            return
        self._ask(entry, host)

    def _ask(self, entry: Address, host: Host) -> None:
        if host.robots is not None and not host.robots.allows(path_and_query(entry.url)):
            if host.robots.refusal:
                self.report.problem(f"{origin(entry.url)}: {host.robots.refusal}")
            why = host.robots.refusal or "robots.txt asks not to fetch this"
            self._end(entry, AddressState.PRUNED, f"skipped: {why}")
            return
        if self._is_put_off(entry, host):
            return
        host.last_asked = self._clock()
        about = Revalidation.read(entry.about)
        is_home = any(origin(entry.url) == origin(start) for start in self._scope.starts)
        job = Job(next(self._numbers), entry.url, about.etag, about.last_modified, is_home)
        self._under_way[job.number] = entry
        self._started += 1
        self._downloader.ask(job)

    def _is_put_off(self, entry: Address, host: Host) -> bool:
        """Whether it is too early: several were taken at once, and are wanted one by one."""
        if self._clock() >= host.turn:
            return False
        self._frontier.mark(entry.url, AddressState.WAITING, due=_moment(host.turn))
        return True

    def _ask_robots(self, name: str, host: Host) -> None:
        host.is_asking = True
        job = Job(next(self._numbers), f"{name}/robots.txt", has_secrets=False)
        self._robots_jobs[job.number] = name
        self._downloader.ask(job)

    def _next_moment(self) -> float | None:
        """When something can be done again, in seconds since 1970; None where nothing waits."""
        due = self._frontier.next_due()
        if due is None or self._started >= self._settings.pages:
            return None
        return max(due.timestamp(), self._hosts.next_moment(self._clock()))

    # what came

    def _take_in(self, outcome: Outcome) -> Parsed | NotModified | Gone | None:
        """Draws the consequences; what arrived, where something did."""
        if outcome.number in self._robots_jobs:
            self._robots_came(self._robots_jobs.pop(outcome.number), outcome)
            return None
        entry = self._under_way.pop(outcome.number, None)
        if entry is None:
            return None
        host = self._hosts.of(entry.url)
        host.last_asked = self._clock()  # it may have waited until then
        if outcome.failure or outcome.status >= 500 or outcome.status == 429:
            self._went_wrong(entry, host, outcome)
            return None
        host.failures = 0
        if 200 <= outcome.status < 300:
            return self._page_came(entry, outcome)
        if outcome.status in REDIRECTS:
            self._redirected(entry, outcome)
            return None
        if outcome.status == 304:
            event = self._endings.line(self._now(), "unchanged", entry.url, outcome)
            self._endings.end_when_stored(entry.url, Ending(AddressState.DONE, event))
            return NotModified(outcome.page())
        return self._refused(entry, outcome)

    def _refused(self, entry: Address, outcome: Outcome) -> Gone | None:
        """An answer that is no page: what is not there often enough is gone."""
        is_gone = outcome.status in GONE
        about = Revalidation.read(entry.about)
        misses = about.misses + (MISSES_UNTIL_GONE if outcome.status == 410 else is_gone)
        written = msgspec.structs.replace(about, misses=misses).written()
        note = f"answered {outcome.status}"
        word = "gone" if is_gone else "failed"
        event = self._endings.line(self._now(), word, entry.url, outcome, note)
        ending = Ending(AddressState.FAILED, event, written)
        if is_gone and misses >= MISSES_UNTIL_GONE:
            self._endings.end_when_stored(entry.url, ending)
            return Gone(outcome.page())
        self._endings.end(entry.url, ending)
        return None

    def _robots_came(self, name: str, outcome: Outcome) -> None:
        host = self._hosts.of(name)
        host.is_asking = False
        if (
            outcome.failure
            and not _FOR_GOOD.match(outcome.failure)
            and host.robots_tries + 1 < self._settings.attempts
        ):
            host.robots_tries += 1
            self._ask_robots(name, host)
            return
        if outcome.failure:
            held, host.held = host.held, []
            self.report.problem(outcome.failure)
            self._endings.give_up(name, self._event("failed", f"{name}/", outcome.failure))
            self.report.outcomes["failed"] += max(1, len(held))
            host.robots = Robots(refusal=outcome.failure.partition(": ")[2])
            return
        robots = Robots.from_answer(outcome.status, outcome.body, agent=AGENT)
        self._hosts.hear(name, robots)
        sitemaps = filter(None, map(self._scope.sitemap, robots.sitemaps))
        self._frontier.add(self._address(url, priority=NAMED_PAGE) for url in sitemaps)
        held, host.held = host.held, []
        for entry in held:
            self._ask(entry, host)

    def _went_wrong(self, entry: Address, host: Host, outcome: Outcome) -> None:
        """Retries a passing failure later, with growing pauses, unless the host is given up."""
        said = outcome.failure or f"answered {outcome.status}"
        wait = retry_after(outcome, self._clock())
        if wait is not None:
            self._hosts.rest(entry.url, min(wait, self._settings.longest_pause))
        else:
            host.failures += 1
        if host.failures >= self._settings.storm:
            self._give_up_host(entry, host, said)
            return
        if entry.tries + 1 >= self._settings.attempts or _FOR_GOOD.match(said):
            self.report.problem(said if outcome.failure else f"{entry.url}: {said}")
            self._end(entry, AddressState.FAILED, "failed", outcome, note=said)
            return
        pause = min(2.0**entry.tries if wait is None else wait, self._settings.longest_pause)
        due = _moment(self._clock() + pause)
        self._frontier.mark(entry.url, AddressState.WAITING, due=due)
        event = self._event("again", entry.url, said, status=outcome.status or None)
        self._endings.try_again(event)

    def _give_up_host(self, entry: Address, host: Host, said: str) -> None:
        name = origin(entry.url)
        if host.robots is not None and host.robots.refusal:
            # it was left alone while this one was under way
            self._end(entry, AddressState.FAILED, "failed", note=said)
            return
        line = f"{name}: {host.failures} failures in a row ({said}); left alone for now"
        self.report.problem(line)
        given_up = self._endings.give_up(name, self._event("failed", f"{name}/", line))
        self.report.outcomes["failed"] += given_up
        host.robots = Robots(refusal=line)

    def _redirected(self, entry: Address, outcome: Outcome) -> None:
        try:
            target = self._redirects.follow(entry.url, outcome.header("location"))
        except CrawlError as error:
            self.report.problem(str(error))
            self._end(entry, AddressState.FAILED, "failed", outcome, note=str(error))
            return
        refusal = self._scope.refusal(target)
        moved = self._address(
            target, depth=entry.depth, priority=entry.priority, found_on=entry.url
        )
        note = f"to {target}" + (f", not followed: {refusal}" if refusal else "")
        found = [] if refusal else [moved]
        self._end(entry, AddressState.DONE, "redirected", outcome, note=note, found=found)

    def _page_came(self, entry: Address, outcome: Outcome) -> Parsed | None:
        kind = outcome.header("content-type")
        if not is_page_type(kind) and not outcome.is_packed_sitemap:
            note = kind.partition(";")[0]
            self._end(entry, AddressState.DONE, "not a page", outcome, note=note)
            return None
        try:
            fetched = outcome.page(self._limits)
            page = Parsed(fetched, fetched.tree(limits=self._limits))
        except TreelaceError as error:
            self.report.problem(f"{entry.url}: {error}")
            self._end(entry, AddressState.FAILED, "failed", outcome, note=str(error))
            return None
        links = links_of(page.tree, entry.url)
        if len(links) == MOST_LINKS:
            self.report.problem(f"{entry.url}: only its first {MOST_LINKS:,} links are followed")
        wanted = self._wanted(entry, links)
        self._frontier.add(wanted)
        leads_to = [one.url for one in wanted]
        for why in self._endless.notice(page, leads_to, found_on=entry.found_on or ""):
            waiting = [one for one in self._frontier.waiting() if self._endless.refusal(one)]
            self._endings.prune(waiting, self._event("pruned", entry.url, why))
        if kind_of(page.tree):  # a sitemap or a feed is a way to pages, not a page
            self._end(entry, AddressState.DONE, "read", outcome)
            return None
        about = Revalidation(
            etag=outcome.header("etag"), last_modified=outcome.header("last-modified")
        )
        event = self._endings.line(self._now(), "fetched", entry.url, outcome)
        ending = Ending(AddressState.DONE, event, about.written())
        self._endings.end_when_stored(entry.url, ending)
        return page

    def _wanted(self, entry: Address, links: Iterable[Link]) -> list[Address]:
        if entry.depth >= self._settings.depth:
            return []
        wanted = []
        for link in links:
            url = without_order(link.url)
            if self._scope.refusal(url):
                continue
            priority = NEXT_PAGE if link.is_next else NAMED_PAGE if link.is_entry else 0
            depth = entry.depth + (not link.is_next)
            wanted.append(self._address(url, depth, priority, found_on=entry.url))
        return wanted

    # writing down

    def _end(
        self,
        entry: Address,
        state: AddressState,
        event: str,
        outcome: Outcome | None = None,
        *,
        note: str = "",
        found: Sequence[Address] = (),
    ) -> None:
        line = self._endings.line(self._now(), event, entry.url, outcome, note)
        self._endings.end(entry.url, Ending(state, line), found)

    def _event(self, event: str, url: str, note: str, *, status: int | None = None) -> Event:
        return Event(time=self._now(), event=event, url=url, status=status, note=note)

    def _address(
        self, url: str, depth: int = 0, priority: int = 0, *, found_on: str | None = None
    ) -> Address:
        return Address(url=url, due=self._now(), depth=depth, priority=priority, found_on=found_on)

    def _now(self) -> datetime:
        return _moment(self._clock())


def _moment(seconds: float) -> datetime:
    return times.from_number(int(seconds * 1000))
