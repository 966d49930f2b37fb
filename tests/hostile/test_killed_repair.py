"""Killed at any moment, a repair is done wholly or can be done again: kill -9 while the wrappers of
a redesigned site are repaired, on both databases; what comes out is what comes of one that lives.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.store.conftest import new_schema
from treelace.crawl.sources import pages_of
from treelace.limits import DEFAULT_LIMITS
from treelace.site import Site
from treelace.store.verify import verify

HOME = "https://tea.example/"
SAMPLES = Path(__file__).parents[2] / "docs" / "samples"
Records = dict[str, list[tuple[Any, ...]]]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def drifted(folder: Path) -> None:
    """The site after its redesign, which came with another price; not yet repaired."""
    with Site.create(folder, HOME) as site:
        for day in ("monday", "tuesday", "wednesday"):
            pages = pages_of(
                SAMPLES / f"tea-{day}.warc.gz",
                limits=DEFAULT_LIMITS,
                on_trouble=lambda it: pytest.fail(str(it)),
            )
            price = b"18.80" if day == "wednesday" else b"19.90"
            shown = [replace(page, body=page.body.replace(b"19.90", price)) for page in pages]
            done = site.crawl(source=shown, auto_accept=True)
        assert len(done.drift) == 2


def repair(folder: Path) -> None:
    with Site(folder) as site:
        for name in site.repairable().names:
            site.repair(name, accept=True)


def records(folder: Path) -> Records:
    """What every kind says today; the store is whole."""
    with Site(folder) as site:
        assert not verify(site.store).damage
        kinds = sorted(kind.name for kind in site.store.records.kinds())
        return {
            name: sorted(map(tuple, site.store.records.read(name)[1]), key=str) for name in kinds
        }


def killed(folder: Path, moment: float) -> bool:
    """Whether a repair was killed before it was done."""
    child = os.fork()
    if child == 0:
        try:
            repair(folder)
            os._exit(0)
        finally:
            os._exit(1)
    end = time.monotonic() + moment
    while time.monotonic() < end:
        number, status = os.waitpid(child, os.WNOHANG)
        if number:
            assert status == 0, "a repair that lives is done"
            return False
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def story(place: Path, store: Callable[[], str], kills: int, seed: int) -> None:
    """Repairs of copies of one site, killed until one of each copy is done."""
    dice, done, copies = random.Random(seed), 0, 0
    drifted(place / "first")
    before = records(place / "first")

    def copy() -> Path:
        folder = place / f"site{copies}"
        with Site.create(folder, HOME, store=store()) as site:
            site.import_(str(place / "first"))
        return folder

    folder = copy()
    start = time.monotonic()
    repair(folder)
    usual = time.monotonic() - start
    after = records(folder)
    assert after != before
    while done < kills:
        shutil.rmtree(folder)
        copies += 1
        folder = copy()
        while done < kills and killed(folder, dice.uniform(0, 1.1 * usual)):
            done += 1
            found = records(folder)
            for name, rows in found.items():
                assert set(rows) <= {*before.get(name, ()), *after[name]}, "no record of neither"
        repair(folder)
        assert records(folder) == after, f"copy {copies}, {done} kills"
    print(f"{done} kills of {copies} repairs")


def on(place: Path, back_end: str, request: pytest.FixtureRequest) -> Callable[[], str]:
    if back_end == "sqlite":
        return lambda: "store.sqlite"
    address = request.getfixturevalue("server")
    return lambda: new_schema(address, "repair")


@pytest.mark.parametrize("back_end", ["sqlite", "postgresql"])
@pytest.mark.parametrize("kills", [4, pytest.param(200, marks=pytest.mark.slow)])
def test_a_killed_repair_is_done_or_done_again(
    tmp_path: Path, back_end: str, kills: int, request: pytest.FixtureRequest
):
    story(tmp_path, on(tmp_path, back_end, request), kills, seed=27)
