"""Crawl, kill, repair, forget, verify, in any order: nothing is lost, nothing is damaged."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from treelace.crawl.sources import pages_of
from treelace.limits import DEFAULT_LIMITS
from treelace.site import Site
from treelace.store import FetchedPage
from treelace.store.verify import verify

SAMPLES = Path(__file__).parents[2] / "docs" / "samples"
DAYS = [SAMPLES / f"tea-{day}.warc.gz" for day in ("monday", "tuesday", "wednesday")]


class Mixed:
    """A site on which one thing happens after the other; what should be there is known."""

    def __init__(self, folder: Path, dice: random.Random) -> None:
        self.folder, self.dice = folder, dice
        self.days = [
            list(pages_of(file, limits=DEFAULT_LIMITS, on_trouble=lambda it: pytest.fail(str(it))))
            for file in DAYS
        ]
        self.day = 0
        self.done: list[str] = []
        self.forgotten: set[str] = set()

    def step(self) -> None:
        what = self.dice.choice(
            [self.crawl, self.crawl, self.kill, self.kill, self.repair, self.forget]
        )
        self.done.append(what.__name__)
        what()
        with Site(self.folder, read_only=True) as site:
            assert not verify(site.store).damage, self.done
            urls = site.store.urls()
            assert len(urls) == len(set(urls)) and not self.forgotten.intersection(urls), self.done

    def pages(self) -> list[FetchedPage]:
        """Those of the day; what is forgotten is not asked for again."""
        self.day = min(self.day + self.dice.choice([0, 1]), len(self.days) - 1)
        return [page for page in self.days[self.day] if page.url not in self.forgotten]

    def crawl(self) -> None:
        pages = self.pages()
        with Site(self.folder) as site:
            done = site.crawl(source=pages, auto_accept=True)
            assert not done.stored.failures, self.done
            known = set(site.store.urls())
        assert {page.url for page in pages if page.is_page and page.status == 200} <= known

    def kill(self) -> None:
        """A crawl that gets no farther than it comes within a moment."""
        pages, moment = self.pages(), self.dice.uniform(0.0, 1.5)
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

    def repair(self) -> None:
        with Site(self.folder) as site:
            for name in site.repairable().names:
                site.repair(name, accept=True)

    def forget(self) -> None:
        with Site(self.folder) as site:
            urls = site.store.urls()
            if len(urls) > 12:
                url = self.dice.choice(urls)
                site.forget(url)
                self.forgotten.add(url)


def mix(folder: Path, store: str, steps: int, seed: int) -> None:
    Site.create(folder, "https://tea.example/", store=store).close()
    mixed = Mixed(folder, random.Random(seed))
    mixed.crawl()
    for _ in range(steps):
        mixed.step()
    mixed.crawl()


def test_a_few_steps(tmp_path: Path, store_place: str):
    mix(tmp_path / "site", store_place, 6, seed=4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_many_steps(tmp_path: Path, store_place: str, seed: int):
    mix(tmp_path / "site", store_place, 40, seed=seed)
