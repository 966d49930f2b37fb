"""How long the studio takes on a large site: server time of each view, and its memory.

    python -m benchmarks.studio [--records 1000000] [--pages 100000] [-o FILE]

A crawled shop is made large through the store: its records, pages and versions are written again
under other keys, addresses and values until there are so many. The studio is then started as a
person starts it, and each view is asked over loopback, `RUNS` times; the first answer is left out.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from sqlalchemy import Connection, Table, select

from treelace.site import Site
from treelace.store import schema
from treelace.store.checksums import add_rows
from treelace.store.record_kinds import history_table

TOP = Path(__file__).parents[1]
SAMPLES = TOP / "docs" / "samples"
RUNS = 7
VERSIONS = 10
"""Of each page that is made."""


def make_large(folder: Path, *, records: int, pages: int) -> None:
    """The shop of the tutorial, with as many records, pages and versions."""
    with Site.create(folder, "https://tea.example/") as site:
        site.crawl(source=str(SAMPLES / "tea-monday.warc.gz"), auto_accept=True)
        site.subscribe("any", records="tea_list", when="changed")
        site.crawl(source=str(SAMPLES / "tea-tuesday.warc.gz"))
        with site.store._database.writing() as connection:
            goods = history_table(site.kind("tea_list"))
            known = _rows(connection, goods)
            times = range(1, records // len(known) + 1)
            _add(connection, goods, (_another(row, number) for number in times for row in known))
            known = _rows(connection, schema.pages)
            times = range(1, pages // len(known) + 1)
            copies = (
                {**row, "url": f"{row['url']}?copy={number}", "newest": VERSIONS}
                for number in times
                for row in known
            )
            _add(connection, schema.pages, copies)
            whole = next(row for row in _rows(connection, schema.versions) if row["base"] is None)
            made = select(schema.pages.c.id).where(schema.pages.c.newest == VERSIONS)
            numbers = range(1, VERSIONS + 1)
            some = (
                {**whole, "page_id": page, "number": number}
                for page in connection.execute(made).scalars().all()
                for number in numbers
            )
            _add(connection, schema.versions, some)
        with site.store.writing() as transaction:
            transaction.make_sort_indexes()  # as at the end of a round


def _add(connection: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    every = iter(rows)
    while part := list(itertools.islice(every, 5000)):
        add_rows(connection, table, part)


def _rows(connection: Connection, table: Table) -> list[dict[str, Any]]:
    left_out = ("id", schema.CHECKSUM)
    return [
        {name: value for name, value in row.items() if name not in left_out}
        for row in connection.execute(select(table)).mappings()
    ]


def _another(row: dict[str, Any], number: int) -> dict[str, Any]:
    """A record like one that is there, of another name and price."""
    price = round((row["price"] or 0) + (number * 7919 % 10007) / 100, 2)
    title, key = f"{row['title']} {number}", f"{row['key']}?{number}"
    return {**row, "key": key, "title": title, "price": price}


def memory_of(pid: int) -> float:
    """Megabytes that a process holds, at most so far."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return float("nan")
    peak = next((line for line in lines if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(peak.split()[1]) / 1024


def cpu_of(pid: int) -> float:
    """Milliseconds of computing that a process has used: it needs as many on a busy machine."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return 1000 * (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def measure(folder: Path) -> str:
    """A table of views with their times, and the memory of the server."""
    with Site(folder, read_only=True) as site:
        sizes, total = site.sizes(), site.status().records["tea_list"]
        key = site.rows("tea_list", limit=1, offset=500).table.values[0][0]
    page = "https://tea.example/?copy=5"
    table = f"/s/{folder.name}/table/tea_list"
    views = {
        "overview": f"/s/{folder.name}/",
        "tables": f"/s/{folder.name}/tables",
        "table, first page": table,
        "table, page 10,000": f"{table}?offset=500000",
        "table by price": f"{table}?sort=price&desc=1",
        "table by title": f"{table}?sort=title",
        "table, price > 100": f"{table}?where={quote('price > 100')}",
        "table, price > 100 by title": f"{table}?where={quote('price > 100')}&sort=title",
        "table, price > 115": f"{table}?where={quote('price > 115')}",
        "table by title, page 10,000": f"{table}?sort=title&offset=500000",
        "table, search that finds much": f"{table}?q=gold",
        "table, search that finds nothing": f"{table}?q=zzzz",
        "table, search by price": f"{table}?q=gold&sort=price&desc=1",
        "table as of a time, by price": f"{table}?at=2026-03-02T12:00:00%2B00:00&sort=price",
        "table as of a time": f"{table}?at=2026-03-02T12:00:00%2B00:00",
        "a record": f"/s/{folder.name}/record/tea_list?key={quote(key, safe='')}",
        "pages": f"/s/{folder.name}/pages",
        "pages, part of an address": f"/s/{folder.name}/pages?like=copy%3D77",
        "a page": f"/s/{folder.name}/page?url={quote(page, safe='')}",
        "classes": f"/s/{folder.name}/classes",
        "alerts": f"/s/{folder.name}/alerts",
        "care": f"/s/{folder.name}/care",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "treelace", "studio", "--no-open", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert process.stdout is not None
    link = process.stdout.readline().strip()
    port, token = urlsplit(link).port, link.partition("token=")[2]
    lines = [
        f"{total:,} records, {sizes.pages:,} pages, {sizes.versions:,} versions,"
        f" {sizes.bytes / 1e6:,.0f} MB",
        "",
        "| view | median | worst | of it computing, mean |",
        "|---|---|---|---|",
    ]
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        used = 0.0
        for name, path in views.items():
            taken = []
            for number in range(RUNS + 1):
                if number == 1:
                    used = cpu_of(process.pid)
                began = time.perf_counter()
                connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
                answer = connection.getresponse()
                body = answer.read()
                taken.append(1000 * (time.perf_counter() - began))
                assert answer.status == 200, (name, answer.status, body[:500])
            some = taken[1:]
            used = (cpu_of(process.pid) - used) / RUNS
            times = (statistics.median(some), max(some), used)
            lines.append(f"| {name} | {' | '.join(f'{it:,.0f} ms' for it in times)} |")
        lines += ["", f"memory of the server, at most: {memory_of(process.pid):,.0f} MB"]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Makes the site, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="keep the site there, and take it if it is")
    parser.add_argument("-o", "--output", type=Path)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = said.folder or Path(place) / "large"
        if not folder.exists():
            make_large(folder, records=said.records, pages=said.pages)
        report = measure(folder)
    print(report)
    if said.output:
        said.output.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
