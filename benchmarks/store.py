"""The store: bytes of long chains, times to read, pages a second from a WARC file, memory, and
`sql` beside the database itself.

`python -m benchmarks.store` runs all but the long ones and writes `benchmarks/results/store.md`; a
name runs one: storage, reading, warc, memory, history, sql. `warc` and `memory` take the number of
pages (`… store memory 50000`). Needs TREELACE_CORPUS.
"""

from __future__ import annotations

import gzip
import os
import platform
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.corpus import part
from treelace import parse
from treelace.crawl.sources import from_warc
from treelace.crawl.warc import WarcWriter
from treelace.limits import Limits
from treelace.site import Site
from treelace.store import FetchedPage, node_history, query
from treelace.store import body as bodies
from treelace.store.verify import verify
from treelace.testing.mutate import mutate
from treelace.tree.zstandard import load_zstd

RESULT = Path(__file__).with_name("results") / "store.md"
LONG = ("ccc-calendar", "christiandailyreporter", "eharmony-trackers")
START = datetime(2026, 1, 1, tzinfo=UTC)
URL = "https://{}.example/"


def corpus() -> Path | None:
    named = os.environ.get("TREELACE_CORPUS")
    return Path(named) if named else None


def snapshots(name: str) -> list[bytes]:
    return [
        gzip.decompress(file.read_bytes())
        for file in sorted(part(corpus(), "data", "snapshots", name).glob("*.html.gz"))
    ]


def fetched(url: str, number: int, body: bytes) -> FetchedPage:
    return FetchedPage(url, START + timedelta(hours=number), 200, body, "text/html")


def site_of(folder: Path, chains: dict[str, list[bytes]]) -> Site:
    site = Site.create(folder, "https://example.org/")
    for name, pages in chains.items():
        site.add_pages(
            fetched(URL.format(name), number, page) for number, page in enumerate(pages, 1)
        )
    return site


# storage


def storage() -> list[str]:
    """Bytes of the three long chains by bytes of zstd level 19 with the version before as
    dictionary (the first one alone).
    """
    lines = [
        (
            "| chain | versions | zstd-19 | data | ratio | without node ids | ratio | rows and"
            " index | ratio |"
        ),
        "|---|---|---|---|---|---|---|---|---|",
    ]
    sums = [0, 0, 0, 0]
    for name in LONG:
        pages = snapshots(name)
        theirs = zstd_chain(pages)
        with tempfile.TemporaryDirectory() as place:
            site = site_of(Path(place) / "site", {name: pages})
            ours = sum(version.bytes for version in site.history(URL.format(name)))
            table = table_bytes(site, ("versions", "versions_of_page"))
            plain = without_ids(site, URL.format(name))
            site.close()
        sums = [a + b for a, b in zip(sums, (theirs, ours, plain, table), strict=True)]
        lines.append(storage_line(name, len(pages), theirs, ours, plain, table))
    return [*lines, storage_line("all three", 0, *sums)]


def storage_line(name: str, count: int, theirs: int, ours: int, plain: int, table: int) -> str:
    return (
        f"| {name} | {count or ''} | {theirs:,} | {ours:,} | **{ours / theirs:.2f}** | {plain:,} |"
        f" **{plain / theirs:.2f}** | {table:,} | {table / theirs:.2f} |"
    )


def zstd_chain(pages: list[bytes]) -> int:
    zstd = load_zstd()
    size, before = 0, None
    for page in pages:
        size += len(
            zstd.compress(
                page,
                level=19,
                zstd_dict=None if before is None else zstd.ZstdDict(before, is_raw=True),
            )
        )
        before = page
    return size


def without_ids(site: Site, url: str) -> int:
    """What the same chain would take without node ids: the same choices of whole versions, the
    first line of each body left out.
    """
    size, before = 0, b""
    whole = {version.number: version.is_whole for version in site.history(url)}
    for number, body in site.store.bodies(url):
        text = bodies.write(body, limits=Limits()).partition(b"\n")[2]
        size += len(bodies.pack(text, None if whole[number] else before))
        before = text
    return size


def table_bytes(site: Site, names: tuple[str, ...]) -> int:
    """Bytes of the pages of the database that these tables and indexes fill."""
    with sqlite3.connect(site.folder / "store.sqlite") as database:
        try:
            marks = ", ".join("?" * len(names))
            return int(
                database.execute(
                    f"select sum(pgsize) from dbstat where name in ({marks})", names
                ).fetchone()[0]
            )
        except sqlite3.OperationalError:  # this SQLite was built without dbstat
            rows = database.execute(
                "select count(*), sum(length(data) + 70) from versions"
            ).fetchone()
            return int(rows[1])


# reading


def reading() -> list[str]:
    """CPU milliseconds to have any version back, parsed and its digest checked; the newest; 100
    versions' history of one node.
    """
    lines = [
        (
            "| chain | nodes | any version: median | worst | newest | history of a node over the"
            " last 100 versions |"
        ),
        "|---|---|---|---|---|---|",
    ]
    for name in LONG:
        with (
            tempfile.TemporaryDirectory() as place,
            site_of(Path(place) / "site", {name: snapshots(name)[-128:]}) as site,
        ):
            nodes, spent = read_times(site, URL.format(name))
        lines.append(
            f"| {name} | {nodes:,} | " + " | ".join(f"{1000 * it:.1f}" for it in spent) + " |"
        )
    return lines


def read_times(site: Site, url: str) -> tuple[int, list[float]]:
    count = site.store.page(url).newest
    spent = [
        best(lambda number=number: site.store.body(url, number)) for number in range(1, count + 1)
    ]
    newest = best(lambda: site.store.body(url))
    body = site.store.body(url)
    element = next(node for node in list(body.tree.elements)[len(body.tree) // 4 :] if node.text)
    node = node_history.Identity(int(body.xids.of[element.index]))
    seconds = best(lambda: node_history.history(site.store, url, node, first=count - 99))
    return len(body.tree), [statistics.median(spent), max(spent), newest, seconds]


def best(call: Callable[[], object], rounds: int = 3) -> float:
    found = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


# throughput


def made_pages(count: int, *, templates: int = 12) -> tuple[list[bytes], list[list[bytes]]]:
    """Real pages of about 1,500 nodes, and a few changed forms of each."""
    first, later = [], []
    for file in sorted(part(corpus(), "data", "pages").glob("*.html.gz")):
        tree = parse(gzip.decompress(file.read_bytes()), format="html")
        if 1200 <= len(tree) <= 1800:
            first.append(tree.to_html().encode())
            later.append([mutate(tree, ratio=0.01, seed=seed).html.encode() for seed in range(4)])
        if len(first) == templates:
            break
    return first, later


def write_warcs(folder: Path, count: int) -> tuple[Path, Path, int]:
    """Two crawls of `count` pages: in the second, one page in five has changed."""
    first, later = made_pages(count)
    dice = random.Random(7)
    paths = folder / "one.warc.gz", folder / "two.warc.gz"
    nodes = statistics.mean(len(parse(page, format="html")) for page in first)
    with (
        paths[0].open("wb") as one,
        paths[1].open("wb") as two,
        WarcWriter(one) as before,
        WarcWriter(two) as after,
    ):
        for number in range(count):
            kind = number % len(first)
            page = first[kind].replace(b"</body>", b"<p>page %d</p></body>" % number)
            url = f"https://example.org/{number}"
            before.page(fetched(url, 0, page))
            if number % 5 == 0:
                page = dice.choice(later[kind]).replace(
                    b"</body>", b"<p>page %d</p></body>" % number
                )
            after.page(fetched(url, 24, page))
    return *paths, round(nodes)


def warc(count: int = 1000) -> list[str]:
    """Pages a second from a WARC file into the store: the first crawl (every page is new), and the
    second (one in five has changed).
    """
    lines = [
        (
            "| crawl | pages | nodes a page | versions | wall: pages a second | CPU: pages a second"
            " of one core | CPU ms a page |"
        ),
        "|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as place:
        one, two, nodes = write_warcs(Path(place), count)
        with Site.create(Path(place) / "site", "https://example.org/") as site:
            for name, path in (("first", one), ("second", two)):
                wall, cpu = time.perf_counter(), time.process_time()
                done = site.add_pages(from_warc(path, limits=Limits(), on_trouble=print))
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                speed = f"{count / wall:.0f} | {count / cpu:.0f} | {1000 * cpu / count:.1f}"
                lines.append(f"| {name} | {count:,} | {nodes:,} | {done.versions:,} | {speed} |")
            assert not verify(site.store).damage
    return lines


def memory(count: int = 50_000) -> list[str]:
    """The largest memory of a process through which so many fetches go: a fifth of them new pages,
    then four rounds in which one in five changed.
    """
    lines = ["| fetches | MB |", "|---|---|"]
    with tempfile.TemporaryDirectory() as place:
        Site.create(Path(place) / "site", "https://example.org/").close()
        command = [sys.executable, "-m", "benchmarks.store", "fetches", f"{place}/site", str(count)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return [
        *lines,
        *(
            f"| {int(line.split()[0]):,} | {line.split()[1]} |"
            for line in answer.stdout.splitlines()
        ),
    ]


def fetches(folder: str, count: int) -> None:
    """Takes the fetches of `memory` in, and prints the memory now and then."""
    import resource

    first, later = made_pages(count)
    dice = random.Random(7)

    def pages() -> Iterator[FetchedPage]:
        for number in range(count):
            here, round_ = number % (count // 5), number // (count // 5)
            kind = here % len(first)
            body = dice.choice(later[kind]) if round_ and here % 5 == round_ - 1 else first[kind]
            yield fetched(
                f"https://example.org/{here}",
                round_,
                body.replace(b"</body>", b"<p>page %d</p></body>" % here),
            )

    last = 0
    with Site(folder) as site:
        for done in site.adding_pages(pages()):
            if done.fetches - last >= count // 10:
                last = done.fetches
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
                print(done.fetches, memory, flush=True)


# queries


def sql(count: int = 1_000_000) -> list[str]:
    """A query over a million records through `treelace.store.query` and through Python's sqlite3
    alone; CPU seconds.
    """
    questions = {
        "count and mean of all": "select count(*), avg(price) from product",
        "the cheapest hundred": "select key, title, price from product order by price limit 100",
        "100,000 rows": "select key, title, price from product where price < 100",
    }
    lines = ["| query | treelace | sqlite3 | ratio |", "|---|---|---|---|"]
    with (
        tempfile.TemporaryDirectory() as place,
        Site.create(Path(place) / "site", "https://example.org/") as site,
    ):
        fill(site, count)
        alone = sqlite3.connect(site.folder / "store.sqlite")
        for name, question in questions.items():
            ours, theirs = [], []
            for _ in range(5):
                ours.append(timed(lambda question=question: asked(site, question)))
                theirs.append(timed(lambda question=question: alone.execute(question).fetchall()))
            assert asked(site, question) == alone.execute(question).fetchall()
            lines.append(
                f"| {name} | {min(ours):.3f} | {min(theirs):.3f} | {min(ours) / min(theirs):.2f} |"
            )
    return lines


def asked(site: Site, question: str) -> list[tuple]:
    with query.query(site.store, question) as (_, rows):
        return list(rows)


def timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def fill(site: Site, count: int) -> None:
    """So many records of one kind, straight into its table."""
    page = (
        "<ul>"
        + "".join(
            f'<li><a href="https://example.org/{n}">thing {n}</a> <b>€{n}.00</b></li>'
            for n in range(4)
        )
        + "</ul>"
    )
    (site.folder / "treelace.toml").open("a").write(
        '\n[[class]]\nname = "product"\nurls = ".*"\nwrapper = "extract"\n'
    )
    with Site(site.folder) as again:
        again.add_pages([fetched("https://example.org/", 1, page.encode())])
        columns = again.store.records.kind("product").names
    title, price = (
        columns[next(iter(columns))],
        next(its for name, its in columns.items() if its in ("b", "price")),
    )
    dice = random.Random(3)
    with sqlite3.connect(site.folder / "store.sqlite") as database:
        database.executemany(
            f"insert into product_history (key, valid_from, page_id, version, node, nodes, {title},"
            f" {price}) values (?, 0, 1, 1, 1, '{{}}', ?, ?)",
            ((f"k{n}", f"thing {n}", dice.random() * 1000) for n in range(count)),
        )
        if (title, price) != ("title", "price"):
            database.execute("drop view product")
            database.execute(
                f"create view product as select key, {title} as title, {price} as price from"
                " product_history where valid_to is null"
            )


PARTS: dict[str, Callable[..., list[str]]] = {
    "storage": storage,
    "reading": reading,
    "warc": warc,
    "sql": sql,
    "memory": memory,
}


def main() -> None:
    """Runs the parts that are named, or all but the long one, and writes the result."""
    if sys.argv[1:2] == ["fetches"]:
        fetches(sys.argv[2], int(sys.argv[3]))
        return
    names = [name for name in sys.argv[1:] if name in PARTS] or [
        name for name in PARTS if name != "memory"
    ]
    numbers = [int(it) for it in sys.argv[1:] if it.isdigit()]
    made = [
        f"# The store\n\n{(__doc__ or '').splitlines()[0]}\n\nPython {platform.python_version()} on"
        f" {platform.machine()}, {os.cpu_count()} cores.\n"
    ]
    for name in names:
        run = PARTS[name]
        lines = run(*numbers) if numbers and name in ("warc", "memory", "sql") else run()
        made.append(f"## {name}\n\n{(run.__doc__ or '').strip()}\n\n" + "\n".join(lines) + "\n")
        print(made[-1], flush=True)
    if len(sys.argv) == 1:
        RESULT.write_text("\n".join(made), encoding="utf-8")


if __name__ == "__main__":
    main()
