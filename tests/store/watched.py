"""Many hosts on one machine, and workers that watch them while some are killed: `python -m
tests.store.watched DATABASE SITES WORKERS KILLS SECONDS` (DATABASE: one without sites; SECONDS from
one kill to the next).

Every site has a loopback address of its own. One server answers for all, slowly, and writes down
who was asked what and when; its pages change with each phase, and it takes the alerts in. At the
end every site must have been seen in the last phase, and what was asked and told must keep the
promises (`Seen.broken`).
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from treelace.site import Site
from treelace.site.sites import add_site, list_sites
from treelace.store.verify import verify

DELAY = 1.0
"""Seconds that the settings leave between two requests to a host."""
LONG_DELAY = 2.0
"""What the robots.txt of one host in five asks for."""
SLACK = 0.2
"""Seconds by which a busy machine may see two requests nearer to each other than they were."""
PHASES = 3
"""States of the pages that every site must have been seen in, at least."""
LONGEST = 3600.0
"""Seconds of a run."""
ANSWER = 0.05
"""Seconds that an answer takes."""
SETTINGS = f"""\
[site]
url = "http://x.example/"
[store]
workers = 1
[crawl]
delay = {DELAY}
"""


@dataclass
class Seen:
    """What the server saw: beginning and end of each request by host and path, the keys of alerts,
    and what is wrong.
    """

    requests: dict[str, list[tuple[float, float, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    told: Counter[str] = field(default_factory=Counter)
    phase: int = 1

    def pauses(self) -> Iterator[tuple[str, float, float]]:
        """Each pause between two requests to a host: which requests, how long it was, and how long
        the host wants it. A Crawl-delay is between pages; robots.txt is asked for before it is
        known.
        """
        for host, asked in self.requests.items():
            for sooner, later in pairwise(sorted(asked)):
                is_robots = "/robots.txt" in (sooner[2], later[2])
                wanted = DELAY if is_robots else delay_of(host)
                yield f"{host}: {sooner[2]} and {later[2]}", later[0] - sooner[0], wanted

    def broken(self) -> list[str]:
        """Each promise that was not kept, in words."""
        wrong = [
            f"{what} are {pause:.2f} s apart"
            for what, pause, wanted in self.pauses()
            if pause < wanted - SLACK
        ]
        for host, asked in self.requests.items():
            for (_, end, path), (start, _, next_path) in pairwise(sorted(asked)):
                if start < end and path == next_path:
                    wrong.append(f"{host}{path} was fetched by two at once")
        return wrong

    def least_pause(self) -> float:
        """The shortest pause at a host, in parts of what it wants."""
        return min((pause / wanted for _, pause, wanted in self.pauses()), default=1.0)


class Watched:
    """The server: `with Watched(20) as server: server.hosts`."""

    def __init__(self, count: int) -> None:
        self.hosts = [
            f"127.{10 + at // 60_000}.{at // 250 % 240}.{1 + at % 250}" for at in range(count)
        ]
        self.seen = Seen()
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._is_ready = threading.Event()

    def url(self, host: str) -> str:
        return f"http://{host}:{self.port}/"

    @property
    def hook(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def __enter__(self) -> Watched:
        threading.Thread(target=self._run, daemon=True).start()
        assert self._is_ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        first = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = first.sockets[0].getsockname()[1]
        self._loop.run_until_complete(asyncio.start_server(self._serve, self.hosts, self.port))
        self._is_ready.set()
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = writer.get_extra_info("sockname")[0]
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                start = time.monotonic()
                path = head.split(b" ")[1].decode()
                fields = {
                    name.lower(): value.strip()
                    for name, _, value in (
                        line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:]
                    )
                }
                await reader.readexactly(int(fields.get("content-length", "0")))
                if path == "/hook":
                    self.seen.told[fields["idempotency-key"]] += 1
                    body = b"{}"
                else:
                    await asyncio.sleep(ANSWER)
                    body = self._page(host, path)
                    self.seen.requests[host].append((start, time.monotonic(), path))
                kind = b"text/plain" if path == "/robots.txt" else b"text/html"
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                    % (kind, len(body), body)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    def _page(self, host: str, path: str) -> bytes:
        if path == "/robots.txt":
            asks = f"Crawl-delay: {LONG_DELAY:g}\n" if delay_of(host) == LONG_DELAY else ""
            return f"User-agent: *\n{asks}Disallow: /private\n".encode()
        text = f"<!DOCTYPE html><title>Shop {host}</title><h1>Shop {host}</h1>"
        if path == "/":
            return f'{text}<p>Price: €{self.seen.phase}.00</p><a href="/about">About</a>'.encode()
        return f"{text}<p>About us.</p>".encode()


def delay_of(host: str) -> float:
    """The pause that a host wants."""
    return LONG_DELAY if int(host.rpartition(".")[2]) % 5 == 0 else DELAY


def settle(database: str, server: Watched, every: float) -> None:
    """Adds the sites, each with a rule that tells of every change."""
    for host in server.hosts:
        add_site(database, server.url(host), name=host, settings=SETTINGS, every=every)
        with Site(f"{database}#{host}") as site:
            channels = (f"webhook:{server.hook}",)
            page = server.url(host)
            site.subscribe("any", page=page, select="body", channels=channels, restless=True)


def start(database: str) -> subprocess.Popen[bytes]:
    """A worker, as a person starts it."""
    command = [
        sys.executable,
        "-m",
        "treelace",
        "worker",
        "--store",
        "env:WATCHED",
        "--allow-private",
    ]
    return subprocess.Popen(
        command,
        env={**os.environ, "WATCHED": database},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@dataclass(frozen=True)
class Run:
    """What came of a run."""

    seconds: float
    rounds: int
    killed: int
    alerts: int
    twice: int
    """Messages that came more than once, under the same key."""
    wrong: Sequence[str]
    least_pause: float


def run(
    database: str,
    count: int,
    workers: int,
    kills: int,
    pause: float,
    *,
    every: float = 2.0,
    seed: int = 1,
) -> Run:
    """Watches sites with workers of which one is killed again and again; then lets them finish."""
    dice = random.Random(seed)
    killed = 0
    with Watched(count) as server:
        settle(database, server, every)
        began = last = time.monotonic()
        running = [start(database) for _ in range(workers)]
        waiting = list(server.hosts)
        try:
            while waiting or killed < kills or server.seen.phase < PHASES:
                assert all(process.poll() is None for process in running), "a worker ended"
                assert time.monotonic() < began + LONGEST, f"not served: {waiting[:5]}"
                time.sleep(0.5)
                if killed < kills and time.monotonic() >= last + pause:
                    at, last, killed = dice.randrange(workers), time.monotonic(), killed + 1
                    running[at].send_signal(signal.SIGKILL)
                    running[at].wait()
                    running[at] = start(database)
                waiting = [host for host in waiting if not is_done(database, server, host)]
                if not waiting and (killed < kills or server.seen.phase < PHASES):
                    server.seen.phase += 1
                    waiting = list(server.hosts)
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait(60)
        seconds = time.monotonic() - began
        alerts, wrong = promises(database, server)
        rounds = sum(one.rounds for one in list_sites(database))
        twice = sum(number - 1 for number in server.seen.told.values())
        wrong = [*wrong, *server.seen.broken()]
        return Run(seconds, rounds, killed, alerts, twice, wrong, server.seen.least_pause())


def is_done(database: str, server: Watched, host: str) -> bool:
    with Site(f"{database}#{host}", read_only=True) as site:
        if not site.store.page_count():
            return False
        newest = str(site.show(server.url(host)).to_html())
        return f"€{server.seen.phase}.00" in newest and not site.store.alerts.next_due()


def promises(database: str, server: Watched) -> tuple[int, list[str]]:
    """How many alerts there are; and what is not as it must be: each change told, each once, every
    store whole.
    """
    wrong, keys = [], set()
    for host in server.hosts:
        with Site(f"{database}#{host}") as site:
            sender = site.store.token()
            changes = len(site.history(server.url(host))) - 1
            alerts = list(site.store.alerts.alerts())
            if len(alerts) != changes:
                wrong.append(f"{host}: {changes} changes, {len(alerts)} alerts")
            for alert in alerts:
                sent = site.store.alerts.deliveries(alert.id)
                keys |= {f"{sender}/{one.idempotency_key}" for one in sent}
            wrong += verify(site.store).damage
    told = set(server.seen.told)
    wrong += [f"lost: {key}" for key in keys - told]
    wrong += [f"told and not on record: {key}" for key in told - keys]
    return len(keys), wrong


def main() -> None:
    """Prints what came of it; exit code 1 where a promise was broken."""
    database, numbers = sys.argv[1], [float(word) for word in sys.argv[2:6]]
    done = run(database, int(numbers[0]), int(numbers[1]), int(numbers[2]), numbers[3])
    print(done)
    sys.exit(1 if done.wrong else 0)


if __name__ == "__main__":
    main()
