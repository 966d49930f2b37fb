"""Watching a server that means harm, round after round: nothing ends, nothing grows."""

from __future__ import annotations

import resource
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.servers import Answer, Server, redirect
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


def watch(folder: Path, rounds: int) -> tuple[list[str], list[int]]:
    """What failed in each round, and the memory after it (megabytes)."""
    visits = [0]

    def home(_: Any) -> Answer:
        visits[0] += 1
        return Answer(shop(visits[0]))

    failed, memory = [], []
    stop = threading.Event()
    with Server({"/": home, **HOSTILE, **{f"/p/{n}": Answer(b"<h1>Tea") for n in range(9)}}) as it:
        Site.create(folder, f"{it.url}/").close()
        settings = CrawlSettings(
            allow_private=True,
            delay=0.0,
            seconds=3.0,
            obeys_robots=False,
            attempts=1,
            longest_pause=0.1,
            storm=10_000,
        )
        with Site(folder) as site:
            for done in site.watch(settings, every=0.0, all_pages=True, stop=stop, say=print):
                if isinstance(done, RoundFailed):
                    failed.append(str(done))
                if isinstance(done, Crawled | RoundFailed):
                    memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
                    if len(memory) == rounds:
                        stop.set()
            assert visits[0] >= rounds, "each round looked"
            assert not verify(site.store).damage
            assert len(site.history(f"{it.url}/")) >= min(3, rounds) - 1
    return failed, memory


@pytest.mark.parametrize(
    "rounds",
    [3, pytest.param(50, marks=pytest.mark.slow), pytest.param(2000, marks=pytest.mark.slow)],
)
def test_rounds(tmp_path: Path, rounds: int):
    failed, memory = watch(tmp_path / "site", rounds)
    assert len(memory) == rounds and not failed
    if rounds >= 50:
        settled = memory[rounds // 5]
        assert memory[-1] < settled * 1.1 + 20, "memory is flat"
