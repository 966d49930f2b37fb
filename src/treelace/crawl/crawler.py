"""Crawler: takes addresses from the frontier, has them downloaded, and decides what each outcome
means.

The policy of a crawl in one place, without a socket in sight: the downloader fetches, the frontier
remembers, and whoever asks for `pages()` works on them. Scope, robots.txt, redirects, retries,
hosts that ask for patience (Retry-After) or fail in rows, and traps are decided here. Links are
written down when a page comes, its end when `stored` says that it is safe. Kill it anywhere and
start again: the frontier takes up what was under way.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from treelace.crawl.facets import Facets, family_of
from treelace.crawl.hosts import Hosts, retry_after
from treelace.crawl.ipc import Job, Outcome
from treelace.crawl.links import kind_of, links_of
from treelace.crawl.revalidation import Revalidation
from treelace.crawl.robots import Robots
from treelace.crawl.scope import Scope, shape
from treelace.crawl.settings import AGENT, CrawlSettings, is_page_type
from treelace.crawl.traps import Traps
from treelace.crawl.urls import normal, origin, path_and_query
from treelace.errors import TreelaceError, UsageError
from treelace.store import times
from treelace.store.frontier import Address, Event
from treelace.store.states import AddressState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from treelace.classes.pages import FetchedPage
    from treelace.crawl.downloader import Downloader
    from treelace.crawl.hosts import Host
    from treelace.crawl.links import Link
    from treelace.store.frontier import Frontier
    from treelace.tree import Tree

NEXT, FIRST, ENTRY = 30, 20, 10
"""Priorities: the next page of a list, what new records lead to, what feeds and sitemaps name."""
_REDIRECTS = (301, 302, 303, 307, 308)
_HOPS = 10
_MISSES = 2
# what will not be better on another try
_FOR_GOOD = re.compile("not a public address|certificate|more than .* bytes")


@dataclass(slots=True)
class Report:
    """What a crawl did, and one line for each thing that went wrong."""

    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        """One line.

        >>> print(Report(Counter(fetched=3, failed=1)))
        3 fetched, 1 failed
        """
        return (
            ", ".join(f"{count:,} {name}" for name, count in self.outcomes.items())
            or "nothing to do"
        )


class Crawler:
    """One crawl.

    `on_unchanged` and `on_gone` hear of pages that the server says are as they were (304), or are
    not there (410, or 404 twice in a row). `clock` gives seconds since 1970; `progress` is called
    after each outcome with the report so far.
    """

    def __init__(
        self,
        scope: Scope,
        settings: CrawlSettings,
        frontier: Frontier,
        downloader: Downloader,
        *,
        on_unchanged: Callable[[FetchedPage], None] | None = None,
        on_gone: Callable[[FetchedPage], None] | None = None,
        clock: Callable[[], float] = time.time,
        progress: Callable[[Report], None] | None = None,
    ) -> None:
        self._scope = scope
        self._settings = settings
        self._frontier = frontier
        self._downloader = downloader
        self._on_unchanged = on_unchanged
        self._on_gone = on_gone
        self._clock = clock
        self._progress = progress
        self._hosts = Hosts()
        self._under_way: dict[int, Address] = {}
        self._robots_jobs: dict[int, str] = {}
        self._redirects: dict[str, str] = {}
        self._number = 0
        self._started = 0
        self._traps = Traps()
        self._facets = Facets()
        self._unsafe: dict[str, tuple[Event | None, str | None]] = {}
        self.report = Report()

    def pages(self) -> Iterator[FetchedPage]:
        """The pages as they come, until nothing is left to do, or nothing can be done within the
        settings' patience.

        Each counts as done when `stored` is told; what is not will be fetched again by the next
        crawl.
        """
        began = self._clock()
        self._frontier.release()
        self._frontier.add(self._address(start) for start in self._scope.starts)
        while True:
            self._top_up()
            wait = self._wait()
            if wait is None:
                break
            outcome = self._downloader.next(max(wait, 0.01))
            if outcome is None:
                continue
            page = self._take_in(outcome)
            if page is not None:
                yield page
            if self._progress is not None:
                self._progress(self.report)
        self.report.seconds = self._clock() - began

    def stored(self, urls: Iterable[str]) -> None:
        """Says that these pages are safe."""
        for url in urls:
            line, about = self._unsafe.pop(url, (None, None))
            if line is not None:
                self._frontier.finish(url, AddressState.DONE, line, about=about)

    def prefer(self, urls: Iterable[str]) -> None:
        """Moves waiting addresses to the front: what new records lead to."""
        self._frontier.prefer([url for url in urls if not self._scope.refusal(url)], FIRST)

    def run(self) -> Report:
        """Goes through all pages, for those who only want them fetched."""
        for page in self.pages():
            self.stored([page.url])
        return self.report

    def _wait(self) -> float | None:
        """Seconds until something may happen; None where nothing will."""
        if self._under_way or self._robots_jobs:
            return 0.5
        due = self._next_moment()
        if due is None or due - self._clock() > self._settings.patience:
            return None
        return max(0.0, due - self._clock())

    # asking

    def _top_up(self) -> None:
        """Hands the downloader as much as it can work on."""
        while len(self._under_way) < 2 * self._settings.concurrency:
            room = 2 * self._settings.concurrency - len(self._under_way)
            if self._started >= self._settings.pages:
                return
            resting = self._hosts.resting(
                self._clock(), [entry.url for entry in self._under_way.values()]
            )
            entries = self._frontier.take(
                self._now(), min(room, self._settings.pages - self._started), resting=resting
            )
            if not entries:
                return
            for entry in entries:
                self._consider(entry)

    def _consider(self, entry: Address) -> None:
        refusal = self._scope.refusal(entry.url)
        if not refusal and self._traps.holds(entry.url):
            refusal = "its pages say nothing new"
        if not refusal and self._facets.holds(entry.url):
            refusal = "its pages show the same records again"
        if refusal:
            self._end(entry, AddressState.PRUNED, f"skipped: {refusal}")
            return
        host = self._hosts.of(entry.url)
        if self._settings.obeys_robots and host.robots is None:
            host.held.append(entry)
            if not host.is_asking:
                self._ask_robots(origin(entry.url), host)
            return
        self._ask(entry, host)

    def _ask(self, entry: Address, host: Host) -> None:
        if host.robots is not None and not host.robots.allows(path_and_query(entry.url)):
            if host.robots.refusal:
                self._problem(f"{origin(entry.url)}: {host.robots.refusal}")
            self._end(
                entry,
                AddressState.PRUNED,
                f"skipped: {host.robots.refusal or 'robots.txt asks not to fetch this'}",
            )
            return
        if host.next_turn is not None and self._clock() < host.next_turn:
            # several were taken at once: the site wants them one by one
            self._frontier.mark(entry.url, AddressState.WAITING, due=_moment(host.next_turn))
            return
        host.last_asked = self._clock()
        about = Revalidation.read(entry.about)
        is_home = any(origin(entry.url) == origin(start) for start in self._scope.starts)
        self._under_way[
            self._send(
                Job(self._next_number(), entry.url, about.etag, about.last_modified, is_home)
            )
        ] = entry
        self._started += 1

    def _ask_robots(self, name: str, host: Host) -> None:
        host.is_asking = True
        self._robots_jobs[
            self._send(Job(self._next_number(), f"{name}/robots.txt", has_secrets=False))
        ] = name

    def _send(self, job: Job) -> int:
        self._downloader.ask(job)
        return job.number

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _next_moment(self) -> float | None:
        """When something can be done again, in seconds since 1970; None where nothing waits."""
        due = self._frontier.next_due()
        if due is None or self._started >= self._settings.pages:
            return None
        return max(due.timestamp(), self._hosts.next_moment(self._clock()))

    # what came

    def _take_in(self, outcome: Outcome) -> FetchedPage | None:
        """Draws the consequences; the page, where there is one."""
        if outcome.number in self._robots_jobs:
            self._robots_came(self._robots_jobs.pop(outcome.number), outcome)
            return None
        entry = self._under_way.pop(outcome.number, None)
        if entry is None:
            return None
        host = self._hosts.of(entry.url)
        if outcome.failure or outcome.status >= 500 or outcome.status == 429:
            self._went_wrong(entry, host, outcome)
            return None
        host.failures = 0
        if 200 <= outcome.status < 300:
            return self._page_came(entry, outcome)
        if outcome.status in _REDIRECTS:
            self._redirected(entry, outcome)
        elif outcome.status == 304:
            if self._on_unchanged is not None:
                self._on_unchanged(outcome.page())
            self._end(entry, AddressState.DONE, "unchanged", outcome)
        else:
            is_gone = outcome.status in (404, 410)
            about = Revalidation.read(entry.about)
            misses = about.misses + (
                _MISSES if outcome.status == 410 else is_gone
            )  # 410 is meant, 404 may be a slip
            if is_gone and misses >= _MISSES and self._on_gone is not None:
                self._on_gone(outcome.page())
            written = msgspec.structs.replace(about, misses=misses).written()
            self._end(
                entry,
                AddressState.FAILED,
                "gone" if is_gone else "failed",
                outcome,
                note=f"answered {outcome.status}",
                about=written,
            )
        return None

    def _robots_came(self, name: str, outcome: Outcome) -> None:
        host = self._hosts.of(name)
        host.is_asking = False
        if (
            outcome.failure
            and not _FOR_GOOD.search(outcome.failure)
            and host.robots_tries + 1 < self._settings.attempts
        ):
            host.robots_tries += 1
            self._ask_robots(name, host)
            return
        if outcome.failure:
            held, host.held = host.held, []
            self._problem(outcome.failure)
            self._frontier.give_up(
                f"{name}/",
                Event(time=self._now(), event="failed", url=f"{name}/", note=outcome.failure),
            )
            self.report.outcomes["failed"] += max(1, len(held))
            host.robots = Robots(refusal=outcome.failure.partition(": ")[2])
            return
        host.robots = Robots.from_answer(
            200 if outcome.status in _REDIRECTS else outcome.status, outcome.body, agent=AGENT
        )
        if (
            outcome.status in _REDIRECTS
        ):  # where it redirects to is not fetched: as if there were none
            host.robots = Robots()
        self._frontier.add(
            self._address(url, priority=ENTRY)
            for url in map(self._sitemap, host.robots.sitemaps)
            if url
        )
        held, host.held = host.held, []
        for entry in held:
            self._ask(entry, host)

    def _sitemap(self, url: str) -> str:
        try:
            address = normal(url)
        except UsageError:
            return ""
        return (
            "" if self._scope.refusal(address).endswith("is not a host of this site") else address
        )

    def _went_wrong(self, entry: Address, host: Host, outcome: Outcome) -> None:
        """A failure that may pass: again later, with growing pauses, as long as the host is worth
        it.
        """
        said = outcome.failure or f"answered {outcome.status}"
        wait = retry_after(outcome, self._clock())
        if wait is not None:
            host.not_before = max(
                host.not_before, self._clock() + min(wait, self._settings.patience)
            )
        else:
            host.failures += 1
        if host.failures >= self._settings.storm:
            self._give_up_host(entry, host, said)
            return
        if entry.tries + 1 >= self._settings.attempts or _FOR_GOOD.search(said):
            self._problem(said if outcome.failure else f"{entry.url}: {said}")
            self._end(entry, AddressState.FAILED, "failed", outcome, note=said)
            return
        pause = wait if wait is not None else min(2.0**entry.tries, self._settings.patience)
        self._frontier.mark(
            entry.url,
            AddressState.WAITING,
            due=_moment(self._clock() + min(pause, self._settings.patience)),
        )
        self._frontier.log(
            Event(
                time=self._now(),
                event="again",
                url=entry.url,
                status=outcome.status or None,
                note=said,
            )
        )
        self.report.outcomes["tried again"] += 1

    def _give_up_host(self, entry: Address, host: Host, said: str) -> None:
        name = origin(entry.url)
        if (
            host.robots is not None and host.robots.refusal
        ):  # it was left alone while this one was under way
            self._end(entry, AddressState.FAILED, "failed", note=said)
            return
        line = f"{name}: {host.failures} failures in a row ({said}); left alone for now"
        self._problem(line)
        count = self._frontier.give_up(
            f"{name}/", Event(time=self._now(), event="failed", url=f"{name}/", note=line)
        )
        self.report.outcomes["failed"] += count
        host.robots = Robots(refusal=line)

    def _redirected(self, entry: Address, outcome: Outcome) -> None:
        try:
            target = normal(
                outcome.header("location").encode("latin-1", "replace").decode("utf-8", "replace"),
                base=entry.url,
            )
        except UsageError:
            self._end(
                entry, AddressState.FAILED, "failed", outcome, note="redirects to what is no page"
            )
            return
        self._redirects[entry.url] = target
        chain, at = [entry.url], target
        while at not in chain and at in self._redirects and len(chain) <= _HOPS:
            chain.append(at)
            at = self._redirects[at]
        if at in chain or len(chain) > _HOPS:
            line = (
                f"{entry.url}: redirects in a circle"
                if at in chain
                else f"{entry.url}: more than {_HOPS} redirects"
            )
            self._problem(line)
            self._end(entry, AddressState.FAILED, "failed", outcome, note=line)
            return
        refusal = self._scope.refusal(target)
        found = (
            []
            if refusal
            else [
                self._address(
                    target, depth=entry.depth, priority=entry.priority, found_on=entry.url
                )
            ]
        )
        self._end(
            entry,
            AddressState.DONE,
            "redirected",
            outcome,
            note=f"to {target}" + (f", not followed: {refusal}" if refusal else ""),
            found=found,
        )

    def _page_came(self, entry: Address, outcome: Outcome) -> FetchedPage | None:
        kind = outcome.header("content-type")
        if not is_page_type(kind) and not entry.url.endswith(".gz"):
            self._end(entry, AddressState.DONE, "not a page", outcome, note=kind.partition(";")[0])
            return None
        page = outcome.page()
        try:
            tree = page.tree()
        except TreelaceError as error:
            self._problem(f"{entry.url}: {error}")
            self._end(entry, AddressState.FAILED, "failed", outcome, note=str(error))
            return None
        texts, wanted = _texts(tree), self._wanted(entry, links_of(tree, entry.url))
        self._frontier.add(wanted)
        if self._traps.notice(entry.url, texts):
            name = shape(entry.url)
            self._prune(
                entry.url,
                f"{self._traps.patience} pages of the form {name} said nothing new",
                lambda url: shape(url) == name,
            )
        if self._facets.notice(
            entry.url, tree, texts, leads_on=self._facets.leads_on(one.url for one in wanted)
        ):
            note = (
                f"{self._facets.patience} pages in a row under {family_of(entry.url)} showed the"
                " same records in another choice"
            )
            self._prune(entry.url, note, self._facets.holds)
        if kind_of(tree):  # a sitemap or a feed is a way to pages, not a page
            self._end(entry, AddressState.DONE, "read", outcome)
            return None
        about = Revalidation(
            etag=outcome.header("etag"), last_modified=outcome.header("last-modified")
        )
        self._unsafe[entry.url] = (self._line(entry, "fetched", outcome), about.written())
        self.report.outcomes["fetched"] += 1
        return page

    def _wanted(self, entry: Address, links: Iterable[Link]) -> list[Address]:
        if entry.depth >= self._settings.depth:
            return []
        wanted = []
        for link in links:
            if self._scope.refusal(link.url):
                continue
            priority = NEXT if link.is_next else ENTRY if link.is_entry else 0
            wanted.append(
                self._address(
                    link.url,
                    depth=entry.depth + (not link.is_next),
                    priority=priority,
                    found_on=entry.url,
                )
            )
        return wanted

    def _prune(self, url: str, note: str, leads_there: Callable[[str], bool]) -> None:
        """A trap was found: what waits there is not asked for any more."""
        waiting = [one for one in self._frontier.waiting() if leads_there(one)]
        self._frontier.prune(waiting, Event(time=self._now(), event="pruned", url=url, note=note))
        self.report.outcomes["pruned"] += len(waiting)
        self.report.problems.append(f"a trap was left: {note}")

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
        about: str | None = None,
    ) -> None:
        self._frontier.finish(
            entry.url, state, self._line(entry, event, outcome, note), found, about=about
        )
        self.report.outcomes[event.partition(":")[0]] += 1

    def _line(self, entry: Address, event: str, outcome: Outcome | None, note: str = "") -> Event:
        status = outcome.status or None if outcome is not None else None
        size = len(outcome.body) if outcome is not None and outcome.body else None
        latency = None if outcome is None else outcome.milliseconds
        return Event(
            time=self._now(),
            event=event,
            url=entry.url,
            status=status,
            bytes=size,
            milliseconds=latency,
            note=note or None,
        )

    def _problem(self, line: str) -> None:
        if line not in self.report.problems:
            self.report.problems.append(line)

    def _address(
        self, url: str, *, depth: int = 0, priority: int = 0, found_on: str | None = None
    ) -> Address:
        return Address(url=url, due=self._now(), depth=depth, priority=priority, found_on=found_on)

    def _now(self) -> datetime:
        return _moment(self._clock())


def _moment(seconds: float) -> datetime:
    return times.from_number(int(seconds * 1000))


def _texts(tree: Tree) -> list[str]:
    return [
        node.text
        for node in tree.select_xpath(
            "//body//text()[normalize-space() and not(ancestor::script or ancestor::style)]"
        )
        if node.text
    ]
