"""How long the studio takes on a large site: server time of each view, and its memory.

    python -m benchmarks.studio [--records 1000000] [--pages 100000] [-o FILE]

A crawled shop is made large by the database: its records, pages and versions are copied under other
keys, addresses and values until there are so many. The studio is then started as a person starts
it, and each view is asked over loopback, `RUNS` times; the first answer is left out.
"""

from __future__ import annotations

import argparse
import http.client
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

from treelace.site import Site

TOP = Path(__file__).parents[1]
SAMPLES = TOP / "docs" / "samples"
RUNS = 7


def make_large(folder: Path, *, records: int, pages: int) -> None:
    """The shop of the tutorial, with as many records, pages and versions."""
    with Site.create(folder, "https://tea.example/") as site:
        site.crawl(source=str(SAMPLES / "tea-monday.warc.gz"), auto_accept=True)
        site.subscribe("any", records="tea_list", when="changed")
        site.crawl(source=str(SAMPLES / "tea-tuesday.warc.gz"))
    database = sqlite3.connect(folder / "store.sqlite")
    numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)"
    columns = [row[1] for row in database.execute("pragma table_info(tea_list_history)")]
    kept = [name for name in columns if name not in ("id", "key", "title", "price")]
    have = database.execute("select count(*) from tea_list_history").fetchone()[0]
    database.execute(
        f"{numbers} insert into tea_list_history (key, title, price, {', '.join(kept)})"
        f" select key || '?' || i, title || ' ' || i, round(price + (i * 7919 % 10007) / 100.0, 2),"
        f" {', '.join(kept)} from tea_list_history, n",
        [records // have],
    )
    columns = [row[1] for row in database.execute("pragma table_info(pages)")]
    rest = ", ".join(name for name in columns if name not in ("id", "url"))
    have = database.execute("select count(*) from pages").fetchone()[0]
    database.execute(
        f"{numbers} insert into pages (url, {rest}) select url || '?copy=' || i, {rest} from pages,"
        " n",
        [pages // have],
    )
    # ten versions each: the whole first one, under other numbers
    columns = [row[1] for row in database.execute("pragma table_info(versions)")]
    rest = ", ".join(f"v.{name}" for name in columns if name not in ("id", "page_id", "number"))
    plain = rest.replace("v.", "")
    database.execute(
        f"{numbers} insert into versions (page_id, number, {plain}) select p.id, n.i, {rest} from"
        " pages p, n, (select * from versions where base is null limit 1) v where p.url like"
        " '%?copy=%'",
        [10],
    )
    database.execute("update pages set newest = 10 where url like '%?copy=%'")
    database.commit()
    database.execute("analyze")
    database.commit()
    database.close()


def memory_of(pid: int) -> float:
    """Megabytes that a process holds, at most so far."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return float("nan")
    peak = next((line for line in lines if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(peak.split()[1]) / 1024


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
        "table, search that finds much": f"{table}?q=gold",
        "table, search that finds nothing": f"{table}?q=zzzz",
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
        "| view | median | worst |",
        "|---|---|---|",
    ]
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for name, path in views.items():
            taken = []
            for _ in range(RUNS + 1):
                began = time.perf_counter()
                connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
                answer = connection.getresponse()
                body = answer.read()
                taken.append(1000 * (time.perf_counter() - began))
                assert answer.status == 200, (name, answer.status, body[:500])
            some = taken[1:]
            lines.append(f"| {name} | {statistics.median(some):,.0f} ms | {max(some):,.0f} ms |")
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
