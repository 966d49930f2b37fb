"""Crawl, kill, repair, forget, verify, in any order: nothing is lost, nothing is damaged."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tests.store.conftest import new_schema
from treelace.crawl.sources import pages_of
from treelace.limits import DEFAULT_LIMITS
from treelace.site import Site
from treelace.store import FetchedPage
from treelace.store.verify import verify

SAMPLES = Path(__file__).parents[2] / "docs" / "samples"
DAYS = ("monday", "tuesday", "wednesday")


@cache
def pages_of_day(day: str) -> tuple[FetchedPage, ...]:
    file = SAMPLES / f"tea-{day}.warc.gz"
    pages = pages_of(file, limits=DEFAULT_LIMITS, on_trouble=lambda it: pytest.fail(str(it)))
    return tuple(pages)


class Mixed(RuleBasedStateMachine):
    """A site on which one thing happens after the other; what should be there is known."""

    def __init__(self, folder: Path, store: str) -> None:
        super().__init__()
        self.folder, self.day = folder, 0
        self.forgotten: set[str] = set()
        Site.create(folder, "https://tea.example/", store=store).close()

    @initialize()
    def first(self) -> None:
        self.crawl(later=False)

    @invariant()
    def whole(self) -> None:
        with Site(self.folder, read_only=True) as site:
            assert not verify(site.store).damage
            urls = site.store.urls()
            assert len(urls) == len(set(urls)) and not self.forgotten.intersection(urls)

    def pages(self, *, later: bool) -> list[FetchedPage]:
        """Those of the day; what is forgotten is not asked for again."""
        self.day = min(self.day + later, len(DAYS) - 1)
        return [it for it in pages_of_day(DAYS[self.day]) if it.url not in self.forgotten]

    @rule(later=st.booleans())
    def crawl(self, *, later: bool) -> None:
        pages = self.pages(later=later)
        with Site(self.folder) as site:
            done = site.crawl(source=pages, auto_accept=True)
            assert not done.stored.failures
            known = set(site.store.urls())
        assert {page.url for page in pages if page.is_page and page.status == 200} <= known

    @rule(later=st.booleans(), moment=st.floats(0.0, 1.5))
    def kill(self, *, later: bool, moment: float) -> None:
        """A crawl that gets no farther than it comes within a moment."""
        pages = self.pages(later=later)
        child = os.fork()
        if child == 0:
            try:
                with Site(self.folder) as site:
                    site.crawl(source=pages, auto_accept=True)
            finally:
                os._exit(0)
        end = time.monotonic() + moment
        while time.monotonic() < end and os.waitpid(child, os.WNOHANG) == (0, 0):
            time.sleep(0.005)
        try:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        except (ProcessLookupError, ChildProcessError):
            pass  # it was done

    @rule()
    def repair(self) -> None:
        with Site(self.folder) as site:
            for name in site.repairable().names:
                site.repair(name, accept=True)

    @rule(place=st.integers(0, 10**6))
    def forget(self, *, place: int) -> None:
        with Site(self.folder) as site:
            urls = site.store.urls()
            if len(urls) > 12:
                url = urls[place % len(urls)]
                site.forget(url)
                self.forgotten.add(url)

    def teardown(self) -> None:
        """What was begun is brought to its end."""
        self.crawl(later=False)


def mix(folder: Path, store: Callable[[], str], examples: int, steps: int) -> None:
    count = iter(range(10**6))
    run_state_machine_as_test(
        lambda: Mixed(folder / f"site{next(count)}", store()),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> Callable[[], str]:
    """Where an empty store may be made, again and again."""
    if request.param == "sqlite":
        return lambda: "store.sqlite"
    address = request.getfixturevalue("server")
    return lambda: new_schema(address, "mixed")


def test_a_few_steps(tmp_path: Path, store: Callable[[], str]):
    mix(tmp_path, store, examples=3, steps=7)  # the first two are the plainest there are


@pytest.mark.slow
def test_many_steps(tmp_path: Path, store: Callable[[], str]):
    mix(tmp_path, store, examples=10, steps=40)
