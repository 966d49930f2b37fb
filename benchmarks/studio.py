"""How long the studio takes on a large site: server time of each view, the first view in Chromium,
its memory, and what a crawl loses beside someone who clicks.

    python -m benchmarks.studio [--records 1000000] [--pages 100000] [-o FILE]

A crawled shop is made large through the store: its records, pages and versions are written again
under other keys, addresses and values until there are so many. The studio is then started as a
person starts it, and each view is asked over loopback, `RUNS` times; the first answer is left out.
Crawls of the same site at full speed, of new pages from a server on this machine, are done in turns
alone and beside one click a second (`benchmarks.studio_crawl`).
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
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from sqlalchemy import Connection, Table, select

from benchmarks.studio_crawl import ratios
from treelace.render import find_browser
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
            held = sum(row["valid_to"] is None for row in known)
            times = range(1, -(-records // held) + 1)
            _add(connection, goods, (_another(row, number) for number in times for row in known))
            texts = _whole_versions(connection)
            known = _rows(connection, schema.pages)
            times = range(1, -(-pages // len(known)) + 1)
            copies = (
                {**row, "url": f"{row['url']}?copy={number}", "newest": VERSIONS}
                for number in times
                for row in known
            )
            _add(connection, schema.pages, copies)
            made = select(schema.pages.c.id, schema.pages.c.url)
            made = made.where(schema.pages.c.newest == VERSIONS)
            some = (
                {**texts[url.partition("?copy=")[0]], "page_id": page, "number": number}
                for page, url in connection.execute(made).all()
                for number in range(1, VERSIONS + 1)
            )
            _add(connection, schema.versions, some)
        with site.store.writing() as transaction:
            transaction.make_sort_indexes()  # as at the end of a round


def _whole_versions(connection: Connection) -> dict[str, dict[str, Any]]:
    """A version that is packed whole of each page, by the page's address."""
    urls = dict(connection.execute(select(schema.pages.c.id, schema.pages.c.url)).tuples().all())
    rows = _rows(connection, schema.versions)
    return {urls[row["page_id"]]: row for row in rows if row["base"] is None}


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


def views_of(folder: Path) -> dict[str, str]:
    """The paths of the views of a site, by their names."""
    with Site(folder, read_only=True) as site:
        key = site.rows("tea_list", limit=1, offset=500).table.values[0][0]
        change = site.inbox()[0].id
    start, table = f"/s/{folder.name}", f"/s/{folder.name}/table/tea_list"
    page = quote("https://tea.example/?copy=5", safe="")
    changed = quote("https://tea.example/tea?page=2", safe="")
    count = quote("select origin, count(*) from tea_list where price > 118 group by 1")
    return {
        "overview": f"{start}/",
        "tables": f"{start}/tables",
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
        "table, changed since a time": f"{table}?since=2026-03-02T12:00:00%2B00:00",
        "a record": f"{start}/record/tea_list?key={quote(key, safe='')}",
        "pages": f"{start}/pages",
        "pages, part of an address": f"{start}/pages?like=copy%3D77",
        "pages of a class, page 1,000": f"{start}/pages?class=tea&offset=50000",
        "a page": f"{start}/page?url={page}",
        "what changed on a page": f"{start}/diff?url={changed}&as=text",
        "classes": f"{start}/classes",
        "a class": f"{start}/classes/tea-list",
        "columns of a class, tried": f"{start}/classes/tea-list/columns?drop=stock",
        "repair": f"{start}/classes/tea-list/repair",
        "alerts": f"{start}/alerts",
        "inbox": f"{start}/inbox",
        "noise": f"{start}/noise?id={change}",
        "a rule, tried": f"{start}/rule?records=tea_list&when=changed",
        "sql, counting": f"{start}/sql?q={count}",
        "care": f"{start}/care",
        "job": f"{start}/job",
    }


@dataclass(frozen=True, slots=True)
class Running:
    """A studio that runs."""

    process: subprocess.Popen[str]
    link: str

    def ask(self, connection: http.client.HTTPConnection, path: str) -> float:
        """Asks for a view; milliseconds."""
        token = self.link.partition("token=")[2]
        began = time.perf_counter()
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (path, answer.status, body[:500])
        return 1000 * (time.perf_counter() - began)

    def connect(self) -> http.client.HTTPConnection:
        """A connection to it."""
        return http.client.HTTPConnection("127.0.0.1", urlsplit(self.link).port, timeout=120)


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    """The studio over a site, as a person starts it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "treelace", "studio", "--no-open", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert process.stdout is not None
    try:
        yield Running(process, process.stdout.readline().strip())
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def measure(folder: Path) -> str:
    """A table of views with their times, and the memory of the server."""
    with Site(folder, read_only=True) as site:
        sizes, total = site.sizes(), site.status().records["tea_list"]
    lines = [
        f"{total:,} records, {sizes.pages:,} pages, {sizes.versions:,} versions,"
        f" {sizes.bytes / 1e6:,.0f} MB; {RUNS} times each, load of the machine"
        f" {os.getloadavg()[0]:.1f}",
        "",
        "| view | median | worst | of it computing, mean |",
        "|---|---|---|---|",
    ]
    with running(folder) as studio:
        connection = studio.connect()
        medians, worsts = [], []
        for name, path in views_of(folder).items():
            studio.ask(connection, path)
            used = cpu_of(studio.process.pid)
            taken = [studio.ask(connection, path) for _ in range(RUNS)]
            used = (cpu_of(studio.process.pid) - used) / RUNS
            medians.append(statistics.median(taken))
            worsts.append(max(taken))
            times = (medians[-1], worsts[-1], used)
            lines.append(f"| {name} | {' | '.join(f'{it:,.0f} ms' for it in times)} |")
        lines += [
            "",
            f"slowest median {max(medians):,.0f} ms, slowest of all {max(worsts):,.0f} ms;"
            f" {sum(it <= 150 for it in medians)} of {len(medians)} medians within 150 ms",
            f"memory of the server, at most: {memory_of(studio.process.pid):,.0f} MB",
            f"first view in Chromium: {first_view(studio, folder.name)}",
        ]
    return "\n".join(lines) + "\n"


def first_view(studio: Running, name: str) -> str:
    """How long someone waits in a browser that has seen nothing yet: for the link that is printed,
    and then for the overview of a site with its small pictures.
    """
    from playwright.sync_api import sync_playwright

    first, second = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for _ in range(RUNS):
            window = browser.new_context()
            page = window.new_page()
            began = time.perf_counter()
            page.goto(studio.link)
            between = time.perf_counter()
            page.goto(f"{studio.link.partition('?')[0]}s/{name}/")
            first.append(between - began)
            second.append(time.perf_counter() - between)
            window.close()
        browser.close()
    return "; ".join(
        f"{words} {statistics.median(some):.2f} s in the median, {max(some):.2f} s at worst"
        for words, some in (("the link", first), ("then the overview", second))
    )


def beside_clicks(folder: Path) -> str:
    """What a crawl loses beside someone who asks for a view every second."""
    with Site(folder, read_only=True) as site:
        body = site.page("https://tea.example/tea/assam-gold", 1).to_html().encode()
    views = list(views_of(folder).values())

    @contextmanager
    def clicking() -> Iterator[None]:
        is_over = threading.Event()
        with running(folder) as studio:
            connection = studio.connect()

            def click() -> None:
                for path in itertools.cycle(views):
                    if is_over.wait(1.0):
                        return
                    studio.ask(connection, path)

            person = threading.Thread(target=click)
            person.start()
            try:
                yield
            finally:
                is_over.set()
                person.join()

    return ratios(folder, body, clicking)


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
        print(report, flush=True)
        beside = beside_clicks(folder)
        print(beside)
    if said.output:
        said.output.write_text(f"{report}\n{beside}", encoding="utf-8")


if __name__ == "__main__":
    main()
