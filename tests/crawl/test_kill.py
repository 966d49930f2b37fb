"""Killed at any moment, crawl and watch lose nothing and double nothing: kill -9 at random times,
again and again, then once to the end, on both databases.

A webhook on loopback hears of every alert. `TREELACE_KILLS` says how many kills of each of the two
(200 in the slow test), `TREELACE_SEED` which.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.store.conftest import new_schema, server
from treelace.site import Site
from treelace.testing.shop import Day, open_shop
from treelace.testing.shop_server import ShopServer

__all__ = ["server"]

SHOP = open_shop()
LISTS = [r"/(tea|cups|kettles)(\?|$)"]
CRAWL = ["crawl", "--auto-accept", "--allow-private", "--delay", "0", "--concurrency", "8"]
WATCH = ["watch", "--auto-accept", "--allow-private", "--delay", "0", "--all"]


class Receiver:
    """A webhook that takes its time, and remembers the keys and alerts it got."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.got.append((self.headers["Idempotency-Key"], body["alert"]))
                time.sleep(0.02)  # so that kills strike between the arrival and the note of it
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/hook"
        threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()


class Rounds:
    """Runs `treelace` again and again; see `tests.crawl.rounds`."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process = process
        self.log = log
        self.kills: Counter[str] = Counter()
        self.longest = 0.0
        """Seconds that a crawl takes here and now."""

    def run(self, folder: Path, command: list[str], seconds: float | None = None) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([seconds, [*command, "--site", str(folder)]]) + "\n")
        self.process.stdin.flush()
        code = int(self.process.stdout.readline())
        assert code in (0, -signal.SIGKILL), self.log.read_text(encoding="utf-8")[-2000:]
        self.kills[command[0]] += code == -signal.SIGKILL
        return code

    def to_the_end(self, folder: Path, command: list[str]) -> None:
        assert self.run(folder, command) == 0

    def measure(self, folder: Path) -> None:
        start = time.monotonic()
        self.to_the_end(folder, CRAWL)
        self.longest = time.monotonic() - start

    def killed(self, folder: Path, command: list[str], runs: int, numbers: random.Random) -> None:
        """So many runs, most of them killed before they are done; what one leaves, the next one
        finds.
        """
        for _ in range(runs):
            self.run(folder, command, numbers.uniform(0.0, 0.5 * self.longest))


@contextmanager
def rounds(log: Path) -> Iterator[Rounds]:
    command = [sys.executable, "-m", "tests.crawl.rounds", str(log)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        yield Rounds(process, log)


def made(folder: Path, url: str, include: list[str], store: str) -> None:
    """A site that looks at a part of the shop: the shorter the rounds, the more of them a kill can
    strike.
    """
    Site.create(folder, url + "/", store=store).close()
    with (folder / "treelace.toml").open("a", encoding="utf-8") as settings:
        settings.write(f"\n[crawl]\ninclude = {json.dumps(include)}\n")


def story(place: Path, kills: int, seed: int, store: Callable[[], str]) -> None:
    """Lives of sites, one after the other, until both commands were killed so often."""
    numbers, receiver, lives = random.Random(seed), Receiver(), 0
    with ShopServer(SHOP.days[0]) as server, rounds(place / "log") as runs:
        while min(runs.kills["crawl"], runs.kills["watch"]) < kills:
            server.day = SHOP.days[0]
            if lives % 5 == 0:
                made(place / "spare", server.url, LISTS, store())
                runs.measure(place / "spare")
                shutil.rmtree(place / "spare")
            lives += 1
            receiver.got.clear()
            made(place / "shop", server.url, LISTS, store())
            life(place / "shop", runs, server, receiver, min(kills, 3), numbers)
            shutil.rmtree(place / "shop")
            print(f"{dict(runs.kills)} kills in {lives} lives, {runs.longest:.1f} s", flush=True)


def life(
    folder: Path,
    runs: Rounds,
    server: ShopServer,
    receiver: Receiver,
    often: int,
    numbers: random.Random,
) -> None:
    """A crawl of the first day, rounds of watch on the second and third; all of them killed on the
    way.
    """
    runs.killed(folder, CRAWL, 2 * often, numbers)
    runs.to_the_end(folder, CRAWL)
    with Site(folder) as site:
        wanted = {
            path
            for path in SHOP.days[0].truth
            if any(re.search(pattern, path) for pattern in LISTS)
        }
        assert wanted <= {page.url.removeprefix(server.url) for page in site.pages()}
        check_records(site, SHOP.days[0])
        for when in ("new", "gone"):
            site.store.alerts.subscribe(
                when, {"records": "list", "when": when, "channels": [f"webhook:{receiver.url}"]}
            )
    for day in (1, 2):
        server.day = SHOP.days[day]
        # until it is killed, watch goes through round after round
        runs.killed(folder, [*WATCH, "--every", "0.05"], often, numbers)
        runs.to_the_end(folder, [*WATCH, "--once"])
        with Site(folder) as site:
            check_records(site, SHOP.days[day])
    check_alerts(folder, receiver.got)
    check_versions(folder)
    with Site(folder, read_only=True) as site:
        assert not site.verify().damage


def check_records(site: Site, day: Day) -> None:
    """Every product is one record, as the pages of the day show it."""
    heads, rows = site.store.records.read("list")
    shown = Counter((row[heads.index("title")], row[heads.index("price text")]) for row in rows)
    assert shown == Counter((product.name, product.price) for product in day.products)


def check_alerts(folder: Path, got: list[tuple[str, str]]) -> None:
    """Each change is recorded once, and each alert arrived under its own key."""
    wanted = Counter()
    for day in SHOP.days[1:3]:
        for change in day.changes:
            if not change.path.startswith("/news/") and change.kind in ("new", "gone"):
                wanted[
                    f"new record: {change.new}"
                    if change.kind == "new"
                    else f"record gone: {change.old}"
                ] += 1
    with Site(folder) as site:
        told = [alert for alert in site.store.alerts.alerts() if alert.state == "open"]
        assert Counter(alert.why for alert in told) == wanted, "each alert once, none lost"
        deliveries = [
            (alert, one) for alert in told for one in site.store.alerts.deliveries(alert.id)
        ]
        assert len(deliveries) == len(told) and all(one.state == "done" for _, one in deliveries)
        sender = site.store.token()
        assert set(got) == {
            (f"{sender}/{one.idempotency_key}", alert.name) for alert, one in deliveries
        }, "each arrived at least once, with its own key"


def check_versions(folder: Path) -> None:
    """Numbers without a gap, no version twice in a row, no record with two rows of today."""
    with Site(folder, read_only=True) as site, site.store._database.reading() as connection:
        rows = connection.execute(
            text("select page_id, number, source from versions order by page_id, number")
        ).all()
        for old, new in pairwise(rows):
            assert new[1] == (1 if old[0] != new[0] else old[1] + 1)
            assert old[0] != new[0] or bytes(old[2]) != bytes(new[2]), "the same bytes are one"
        today = "select key from list_history where valid_to is null"
        assert not connection.execute(text(f"{today} group by key having count(*) > 1")).all()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> Callable[[], str]:
    """Where an empty store may be made, again and again."""
    if request.param == "sqlite":
        return lambda: "store.sqlite"
    address = request.getfixturevalue("server")
    return lambda: new_schema(address, "kill")


def test_kill_nine_now_and_then(tmp_path, store):
    story(tmp_path, 1, 7, store)


@pytest.mark.slow
def test_kill_nine_at_random_points(tmp_path, store):
    kills, seed = os.environ.get("TREELACE_KILLS", "200"), os.environ.get("TREELACE_SEED", "1")
    story(tmp_path, int(kills), int(seed), store)
