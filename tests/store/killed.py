"""Imports pages and kills the import, again and again: `python -m tests.store.killed PLACE STORE
KILLS SEED` (PLACE: an empty folder).

Each child is forked, takes the same pages in, and gets SIGKILL at a random moment. After each kill
the store must be whole and hold a beginning of what was given; when an import lives to its end,
every version must be there once, to the letter, and it starts anew.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.store.conftest import fetched, shop
from treelace import parse
from treelace.site import Site
from treelace.store.verify import verify

PAGES, VERSIONS = 12, 9
URLS = [f"https://shop.example/{number}" for number in range(PAGES)]


def given() -> list:
    return [fetched(version, url) for version in range(1, VERSIONS + 1) for url in URLS]


def run(place: Path, store: Callable[[int], str], kills: int, seed: int) -> int:
    """How many children were killed before they were done."""
    dice = random.Random(seed)
    folder, killed, rounds = place / "site", 0, 0
    usual = 0.5
    while killed < kills:
        if not folder.exists():
            rounds += 1
            Site.create(folder, URLS[0], store=store(rounds)).close()
        start = time.monotonic()
        child = os.fork()
        if child == 0:
            import treelace.site.batches as module

            module.MOST_PAGES = dice.choice([1, 7, 20])
            with Site(folder) as site:
                site.add_pages(given())
            os._exit(0)
        moment = dice.uniform(0, usual * 1.1)
        while time.monotonic() - start < moment and os.waitpid(child, os.WNOHANG) == (0, 0):
            time.sleep(0.002)
        try:
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            killed += os.WIFSIGNALED(status)
        except (ProcessLookupError, ChildProcessError):
            usual = 0.5 * usual + 0.5 * (time.monotonic() - start)
        if check(folder):
            shutil.rmtree(folder)
    finish(place, store)
    return killed


def check(folder: Path) -> bool:
    """Whether the import is complete; an assertion fails unless what is there is whole and a
    beginning of what was given.
    """
    with Site(folder) as site:
        found = verify(site.store)
        assert not found.damage, found.damage
        counts = {page.url: page.newest for page in site.pages()}
        for url, count in counts.items():
            assert [version.number for version in site.history(url)] == list(range(1, count + 1))
        assert len(set(counts.values()) | ({0} if len(counts) < PAGES else set())) <= 2 + VERSIONS
        is_complete = len(counts) == PAGES and set(counts.values()) == {VERSIONS}
        if is_complete:
            for number, body in site.store.bodies(URLS[-1]):
                assert body.tree == parse(shop(number), format="html")
    return is_complete


def finish(place: Path, store: Callable[[int], str]) -> None:
    """What was begun is brought to its end: nothing lost, nothing doubled."""
    folder = place / "site"
    if not folder.exists():
        Site.create(folder, URLS[0], store=store(10**6)).close()
    with Site(folder) as site:
        site.add_pages(given())
    assert check(folder)
    with Site(folder) as site:
        assert site.add_pages(given()).versions == 0
        for url in URLS:
            for number, body in site.store.bodies(url):
                assert body.tree == parse(shop(number), format="html")


def main() -> None:
    """Prints how many were killed."""
    place, store, kills, seed = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    if store.startswith("postgres"):
        from tests.store.conftest import new_schema

        print(run(place, lambda number: new_schema(store, str(number)), kills, seed))
    else:
        print(run(place, lambda _: store, kills, seed))


if __name__ == "__main__":
    main()
