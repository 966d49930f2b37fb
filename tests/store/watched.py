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
import math
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

import msgspec

from treelace.site import Site, make_rule
from treelace.site.sites import list_sites
from treelace.store import Store
from treelace.store.database import with_schema
from treelace.store.settings import with_url
from treelace.store.sites import Sites
from treelace.store.verify import verify

DELAY = 1.0
"""Seconds that the settings leave between two requests to a host."""
LONG_DELAY = 2.0
"""What the robots.txt of one host in five asks for."""
SLACK = 0.2
"""Seconds by which a busy machine may see two requests nearer to each other than they were."""
PHASES = 3
"""States of the pages that every site must have been seen in, at least."""
LONGEST = 2400.0
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
    served: dict[str, tuple[int, float]] = field(default_factory=dict)
    """The phase in which the first page of a host was last asked for, and when."""

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

    def __init__(self, count: int, *, pages: int = 1) -> None:
        self.hosts = [
            f"127.{10 + at // 60_000}.{at // 250 % 240}.{1 + at % 250}" for at in range(count)
        ]
        self.seen = Seen()
        self.pages = pages
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
                    if path == "/":
                        self.seen.served[host] = self.seen.phase, time.time()
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
            links = "".join(f'<a href="/about/{at}">About {at}</a>' for at in range(self.pages))
            return f"{text}<p>Price: €{self.seen.phase}.00</p>{links}".encode()
        return f"{text}<p>About us.</p>".encode()


def delay_of(host: str) -> float:
    """The pause that a host wants."""
    return LONG_DELAY if int(host.rpartition(".")[2]) % 5 == 0 else DELAY


def settle(database: str, server: Watched, every: float, hosts: Sequence[str] = ()) -> None:
    """Adds the sites, each with a rule that tells of every change."""
    with Sites(database) as sites:
        for host in hosts or server.hosts:
            text = with_url(SETTINGS, server.url(host))
            known = sites.add(host, text, every=every)
            rule = make_rule(
                page=server.url(host),
                select="body",
                channels=(f"webhook:{server.hook}",),
                restless=True,
            )
            with Store.open(with_schema(database, known.schema)) as store:
                store.alerts.subscribe("any", msgspec.to_builtins(rule))


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
    phases: int = PHASES,
) -> Run:
    """Watches sites with workers of which one is killed again and again; then lets them finish."""
    dice = random.Random(seed)
    killed = 0
    with Watched(count) as server:
        first, *others = server.hosts
        settle(database, server, every, [first])
        began = last = time.monotonic()
        running = [start(database) for _ in range(workers)]
        # sites are added while workers run
        adding = threading.Thread(target=settle, args=(database, server, every, others))
        adding.start()
        waiting = list(server.hosts)
        try:
            while waiting or killed < kills or server.seen.phase < phases:
                assert all(process.poll() is None for process in running), "a worker ended"
                if time.monotonic() > began + LONGEST:
                    break
                time.sleep(0.5)
                if killed < kills and time.monotonic() >= last + pause:
                    at, last, killed = dice.randrange(workers), time.monotonic(), killed + 1
                    running[at].send_signal(signal.SIGKILL)
                    running[at].wait()
                    running[at] = start(database)
                waiting = unserved(database, server, waiting)
                if not waiting and (killed < kills or server.seen.phase < phases):
                    server.seen.phase += 1
                    waiting = list(server.hosts)
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait(60)
            adding.join()
        seconds = time.monotonic() - began
        alerts, wrong = promises(database, server)
        rounds = sum(one.rounds for one in list_sites(database))
        twice = sum(number - 1 for number in server.seen.told.values())
        wrong = [*wrong, *server.seen.broken()]
        return Run(seconds, rounds, killed, alerts, twice, wrong, server.seen.least_pause())


def unserved(database: str, server: Watched, hosts: Sequence[str]) -> list[str]:
    """Those among some hosts whose round in this phase is not done yet."""
    seen = server.seen
    done = {
        one.name: one.last_round.timestamp() if one.last_round else 0.0
        for one in list_sites(database)
    }
    asked = {
        host: when for host, (phase, when) in seen.served.copy().items() if phase == seen.phase
    }
    return [host for host in hosts if done.get(host, 0.0) < asked.get(host, math.inf)]


def promises(database: str, server: Watched) -> tuple[int, list[str]]:
    """How many alerts there are; and what is not as it must be: each change told, each once, every
    store whole.
    """
    wrong, keys = [], set()
    for host in server.hosts:
        with Site(f"{database}#{host}") as site:
            sender = site.store.token()
            if f"€{server.seen.phase}.00" not in site.show(server.url(host)).to_html():
                wrong.append(f"{host}: its last change was not seen")
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
