"""Endings: what became of each address, written to the frontier and its log when it is safe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from treelace.crawl.ipc import Outcome
from treelace.crawl.report import Report
from treelace.store.frontier import Address, Event, Frontier
from treelace.store.states import AddressState


@dataclass(frozen=True, slots=True)
class Ending:
    """How an address ends: its state, the line of the log, and what is kept for the next time."""

    state: AddressState
    event: Event
    about: str | None = None


class Endings:
    """The ends of the addresses of one crawl, counted in its report."""

    def __init__(self, frontier: Frontier, report: Report) -> None:
        self._frontier = frontier
        self._report = report
        self._waiting: dict[str, Ending] = {}
        self._log: list[Event] = []

    def take_log(self) -> list[Event]:
        """What was logged since this was last asked for."""
        lines, self._log = self._log, []
        return lines

    def line(
        self, time: datetime, event: str, url: str, outcome: Outcome | None = None, note: str = ""
    ) -> Event:
        """A line about the end of an address; `skipped: reason` counts as skipped."""
        self._report.outcomes[event.partition(":")[0]] += 1
        if outcome is None:
            return Event(time=time, event=event, url=url, note=note or None)
        return Event(
            time=time,
            event=event,
            url=url,
            status=outcome.status or None,
            bytes=len(outcome.body) or None,
            milliseconds=outcome.milliseconds,
            note=note or None,
        )

    def end(self, url: str, ending: Ending, found: Sequence[Address] = ()) -> None:
        """An address is done with, and these addresses were found by it."""
        self._frontier.finish(url, ending.state, ending.event, found, about=ending.about)
        self._log.append(ending.event)

    def end_when_stored(self, url: str, ending: Ending) -> None:
        """What came of an address has to be stored first; else it is asked for again."""
        self._waiting[url] = ending

    def stored(self, urls: Iterable[str]) -> None:
        """What came of these addresses is safe."""
        for url in urls:
            ending = self._waiting.pop(url, None)
            if ending is not None:
                self.end(url, ending)

    def try_again(self, event: Event) -> None:
        """An address waits once more."""
        self._frontier.log(event)
        self._log.append(event)
        self._report.outcomes["tried again"] += 1

    def give_up(self, host: str, event: Event) -> int:
        """Nothing of a host is asked for any more; how many addresses waited."""
        self._log.append(event)
        return self._frontier.give_up(f"{host}/", event)

    def prune(self, urls: Sequence[str], event: Event) -> None:
        """These addresses lead to an endless place."""
        self._log.append(event)
        self._frontier.prune(urls, event)
        self._report.outcomes["pruned"] += len(urls)
        self._report.problems.append(f"a trap was left: {event.note}")
