"""Watching a server that means harm, round after round: nothing ends, nothing grows."""

from __future__ import annotations

import resource
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.servers import Answer, Server, redirect
from treelace.crawl import rendering
from treelace.crawl.downloader import ScrapyDownloader
from treelace.crawl.settings import CrawlSettings
from treelace.site import Site
from treelace.site.results import RoundFailed
from treelace.site.round import Crawled
from treelace.store.verify import verify


def shop(visit: int) -> bytes:
    links = "".join(f"<a href='{path}'>{path}</a> " for path in HOSTILE)
    rows = "".join(
        f"<li><h2><a href='/p/{n}'>Tea {n}</a></h2><b>€{n + visit % 3}.00</b></li>"
        for n in range(9)
    )
    return f"<!doctype html><title>Shop</title><ul>{rows}</ul><p>{links}".encode()


HOSTILE: dict[str, Any] = {
    "/cookies": Answer(b"<p>tea", headers={f"Set-Cookie{' ' * n}": "a=b" for n in range(2)}),
    "/status": Answer(b"<p>tea", 999),
    "/circle": redirect("/circle"),
    "/nul": redirect("/p/\x00".replace("\x00", "%00")),
    "/outside": redirect("http://169.254.169.254/latest/meta-data"),
    "/file": redirect("file:///etc/passwd"),
    "/deep": Answer(b"<div>" * 2_000),
    "/wide": Answer(b"<a href=x>" * 2_000),
    "/numbers": Answer(b"<ul>" + b"<li><b>9</b> <i>" + b"9" * 5000 + b"</i></li>" * 6),
    "/controls": Answer(b"<title>\x1b]0;x\x07</title><p>\x00\x01\x1b[2J"),
    "/short": Answer(b"<p>tea", headers={"Content-Length": "999"}),
    "/later": Answer(b"", 503, headers={"Retry-After": "²".encode().decode("latin-1")}),
    "/packed": Answer(b"\x1f\x8b\x08\x00tea", headers={"Content-Encoding": "gzip"}),
    "/binary": Answer(bytes(range(256)) * 50),
    "/empty": Answer(b""),
    "/many-headers": Answer(b"<p>tea", headers={f"X-{n}": "y" * 50 for n in range(2000)}),
}


FAILS = (
    "/cookies",
    "/status",
    "/circle",
    "/file",
    "/short",
    "/later",
    "/packed",
    "/many-headers",
)
AWAY = ("/nul", "/outside")
"""Lead where no one goes: what is known of them is enough for the rounds after the first."""


@dataclass
class Watched:
    """What many rounds of watch left behind."""

    rounds: int = 0
    failed: list[str] = field(default_factory=list)
    problems: list[int] = field(default_factory=list)
    """How many lines each round told."""
    told: Counter[str] = field(default_factory=Counter)
    """How often the log tells that a path failed."""
    memory: list[int] = field(default_factory=list)
    """Kilobytes of this process after each round."""
    downloader: list[int] = field(default_factory=list)
    """Kilobytes of the process that fetches."""
    seconds: list[float] = field(default_factory=list)


def kilobytes(process: int | str) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024


@contextmanager
def one_downloader(settings: CrawlSettings) -> Iterator[ScrapyDownloader]:
    """One process that fetches for all rounds, not one for each: fast motion, and what it keeps of
    a round is seen.
    """
    with pytest.MonkeyPatch.context() as patch, ScrapyDownloader(settings) as kept:
        patch.setattr(rendering, "ScrapyDownloader", lambda _: nullcontext(kept))
        yield kept


def watch(folder: Path, rounds: int, server: Server) -> Watched:
    """Rounds of watch over everything, as fast as they go."""
    settings = CrawlSettings(
        allow_private=True,
        delay=0.0,
        seconds=10.0,
        obeys_robots=False,
        attempts=1,
        longest_pause=0.1,
        storm=10_000,
    )
    seen, stop, start = Watched(), threading.Event(), time.monotonic()
    Site.create(folder, f"{server.url}/").close()
    with Site(folder) as site, one_downloader(settings) as downloader:
        assert downloader._process is not None
        for done in site.watch(settings, every=0.0, all_pages=True, stop=stop, say=print):
            if isinstance(done, RoundFailed):
                seen.failed.append(str(done))
            if isinstance(done, Crawled):
                seen.problems.append(len(done.report.problems) + len(done.stored.failures))
            if isinstance(done, Crawled | RoundFailed):
                seen.rounds += 1
                seen.memory.append(kilobytes("self"))
                seen.downloader.append(kilobytes(downloader._process.pid))
                seen.seconds.append(time.monotonic() - start)
                start = time.monotonic()
                server.headers.clear()
                if seen.rounds % 100 == 0:
                    print(f"{seen.rounds:,} rounds, {seen.memory[-1]:,} KB", flush=True)
                if seen.rounds == rounds:
                    stop.set()
        for event in site.store.frontier.events():
            seen.told[event.url.removeprefix(server.url)] += event.event == "failed"
        assert not verify(site.store).damage
        assert len(site.history(f"{server.url}/")) >= min(3, rounds) - 1
    return seen


@pytest.mark.parametrize(
    "rounds",
    [3, pytest.param(50, marks=pytest.mark.slow), pytest.param(2000, marks=pytest.mark.slow)],
)
def test_rounds(tmp_path: Path, rounds: int):
    """Nothing is stuck: every round asks for every page. Each failure is told once a round."""
    visits = [0]

    def home(_: Any) -> Answer:
        visits[0] += 1
        return Answer(shop(visits[0]))

    goods = {f"/p/{number}": Answer(b"<h1>Tea") for number in range(9)}
    with Server({"/": home, **HOSTILE, **goods}) as server:
        seen = watch(tmp_path / "site", rounds, server)
        asked = {path: server.asked[path] for path in [*HOSTILE, *goods] if path not in AWAY}
    print(
        f"{rounds:,} rounds, {statistics.median(seen.seconds):.2f} s each, the longest"
        f" {max(seen.seconds):.1f} s; memory {seen.memory[rounds // 5]:,} KB after a fifth of them,"
        f" {seen.memory[-1]:,} KB at the end; of the downloader"
        f" {seen.downloader[rounds // 5]:,} and {seen.downloader[-1]:,} KB"
    )
    assert seen.rounds == rounds and not seen.failed
    assert min(asked.values()) >= rounds and visits[0] >= rounds, asked
    assert [seen.told[path] for path in FAILS] == [rounds] * len(FAILS), "each once a round"
    assert sum(seen.told.values()) == len(FAILS) * rounds, "and no other"
    assert len(set(seen.problems)) == 1, "every round tells as much as the first"
    if rounds >= 50:
        for memory in (seen.memory, seen.downloader):
            assert memory[-1] < memory[rounds // 5] * 1.1, "memory is flat"
        assert max(seen.seconds) < 60, "no round is stuck"
