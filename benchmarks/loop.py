"""The running loop without a network: pages already known to a class, from a WARC file into
versions and records; beside it a spider written by hand.

`benchmarks.loop_site` says what the pages are (about 1,500 nodes, two templates of real sites),
`benchmarks.loop_spider` is the rival: Scrapy, parsel and CSS selectors, seven fields into SQLite.
Ours is `treelace crawl --from`, as a user runs it, on a site that has learnt its two classes from
88 other pages: sketch, class, all columns of the wrapper with their nodes, version, store. Three
crawls: every page new, one page in five changed (the rest byte for byte the same), every page
changed. Times are of whole processes, start and imports included. After each crawl every field of
the spider must be a column of ours, value for value.

`python -m benchmarks.loop [PAGES]` writes `benchmarks/results/loop.md`; `python -m benchmarks.loop
memory [FETCHES]` the memory over many pages. Needs TREELACE_CORPUS.
"""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.compare import Row
from benchmarks.loop_site import HOME, Books, crawl, write_warc
from benchmarks.loop_spider import FIELDS
from treelace.site import Site
from treelace.store import FetchedPage

RESULT = Path(__file__).with_name("results") / "loop.md"
GOAL = 100
"""Pages a second on two cores."""
CRAWLS = {
    "every page new": (1, 10**9),
    "one page in five changed": (2, 5),
    "every page changed": (3, 1),
}
"""The day of each crawl, and one in how many pages has changed by then."""


@dataclass(slots=True)
class Spent:
    """Wall and CPU seconds of the rounds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def speed(self, count: int) -> str:
        wall, cpu = statistics.median(self.wall), statistics.median(self.cpu)
        return f"{count / wall:.0f} | {count / cpu:.0f} | {1000 * cpu / count:.1f}"


def run(command: list[str], spent: Spent) -> None:
    """Runs a command to its end."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit code {process.returncode}")
    spent.wall.append(time.perf_counter() - start)
    spent.cpu.append(used.ru_utime + used.ru_stime)


def measured(
    corpus: Path | None, count: int, rounds: int
) -> tuple[dict[str, tuple[Spent, Spent]], list[str]]:
    """Both programs over the three crawls, in turn; and which column of ours is which field of the
    spider.
    """
    books = Books(corpus)
    times: dict[str, tuple[Spent, Spent]] = {name: (Spent(), Spent()) for name in CRAWLS}
    found: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        files = {
            name: write_warc(folder / f"{day}.warc.gz", crawl(books, range(count), day, every))
            for name, (day, every) in CRAWLS.items()
        }
        taught(folder / "taught", books)
        for number in range(rounds):
            site = folder / f"site{number}"
            shutil.copytree(folder / "taught", site)
            for name, file in files.items():
                out = folder / f"{number} {name}.sqlite"
                ours, rival = times[name]
                turns = [
                    lambda file=file, site=site, ours=ours: run(
                        ["treelace", "crawl", "--from", str(file), "--site", str(site)], ours
                    ),
                    lambda file=file, out=out, rival=rival: run(
                        ["benchmarks.loop_spider", str(file), str(out)], rival
                    ),
                ]
                for turn in turns if number % 2 == 0 else reversed(turns):
                    turn()
                found = same_fields(site, out)
            shutil.rmtree(site)
    return times, found


def taught(folder: Path, books: Books) -> None:
    """A site that has seen 88 pages, and takes the two classes it found there into use."""
    Site.create(folder, f"{HOME}/").close()
    with Site(folder) as site:
        done = site.crawl(source=crawl(books, range(-88, 0), 0, 1), auto_accept=True)
        assert len(done.proposals) == 2, done.proposals


def same_fields(folder: Path, out: Path) -> list[str]:
    """The column of ours for each field of the spider; an error where there is none with the same
    value in every record.
    """
    made = []
    theirs = sqlite3.connect(out)
    with Site(folder, read_only=True) as site:
        for kind, fields in FIELDS.items():
            rows = [
                dict(zip(fields, row, strict=True))
                for row in theirs.execute(f"select * from {kind}")
            ]
            heads, read = site.store.records.read("list_list" if kind == "list" else kind)
            ours = [dict(zip(heads, map(_plain, row), strict=True)) for row in read]
            # a record of a list is known by its link, a book by its page
            mark = (
                next(head for head in heads if head.endswith(" link")) if kind == "list" else "page"
            )
            own = {row[mark]: row for row in ours}
            pairs = [(row, own[row["link" if kind == "list" else "page"]]) for row in rows]
            for name in fields[1:]:
                shares = {
                    head: sum(mine[head] == row[name] for row, mine in pairs) / len(pairs)
                    for head in heads
                }
                best = max(shares, key=shares.__getitem__)
                if shares[best] < 1:
                    raise AssertionError(
                        f"{kind}: {name} of the spider is {best} of ours in {shares[best]:.2%} of"
                        f" {len(pairs):,} records only"
                    )
                made.append(f"{kind}.{name} = {best}")
    return made


def _plain(value: object) -> str | None:
    return None if value is None else " ".join(str(value).split())


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """For `python -m benchmarks loop`: CPU seconds beside the spider's."""
    count = 1100
    times, _ = measured(corpus, count, min(rounds, 3))
    made = []
    for name, (ours, rival) in times.items():
        ratios = sorted(theirs / mine for mine, theirs in zip(ours.cpu, rival.cpu, strict=True))
        wall = count / statistics.median(ours.wall)
        made.append(
            Row(
                task=f"{count:,} pages from a WARC file, {name}",
                ours="treelace crawl --from",
                rival="Scrapy + parsel, CSS, SQLite",
                ours_seconds=statistics.median(ours.cpu),
                rival_seconds=statistics.median(rival.cpu),
                ratio=statistics.median(ratios),
                low=ratios[0],
                high=ratios[-1],
                goal=None,
                note=f"{wall:.0f} pages a second of wall time here, goal {GOAL}",
            )
        )
    return made


# memory


def memory(fetches: int = 50_000) -> list[str]:
    """Memory of one process through which so many fetches go: half of them new pages, then the same
    pages again, one in five changed.
    """
    with tempfile.TemporaryDirectory() as place:
        taught(Path(place) / "site", Books(corpus()))
        command = [
            sys.executable,
            "-m",
            "benchmarks.loop",
            "fetches",
            f"{place}/site",
            str(fetches),
        ]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [
        "| fetches | MB now | MB at most | pages a second since the line before |",
        "|---:|---:|---:|---:|",
    ]
    return [*lines, *(f"| {' | '.join(line.split())} |" for line in answer.stdout.splitlines())]


def fetches(folder: str, count: int) -> None:
    """Takes the fetches of `memory` in, and prints the memory after each tenth."""
    import resource

    books = Books(corpus())

    def pages() -> Iterator[FetchedPage]:
        last = time.perf_counter()
        for number, page in enumerate(
            (page for day in (1, 2) for page in crawl(books, range(count // 2), day, 5)), 1
        ):
            yield page
            if number % (count // 10) == 0:
                now = (
                    int(Path("/proc/self/statm").read_text().split()[1])
                    * resource.getpagesize()
                    // 2**20
                )
                most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
                print(
                    f"{number:,}",
                    now,
                    most,
                    round(count / 10 / (time.perf_counter() - last)),
                    flush=True,
                )
                last = time.perf_counter()

    with Site(folder) as site:
        site.crawl(source=pages())


# the report


def corpus() -> Path | None:
    named = os.environ.get("TREELACE_CORPUS")
    return Path(named) if named else None


def throughput(count: int = 2200, rounds: int = 3) -> list[str]:
    """Pages a second by wall time on this machine, by a second of one core, and milliseconds of CPU
    a page; medians.
    """
    times, found = measured(corpus(), count, rounds)
    lines = [
        (
            f"{count:,} pages, {rounds} rounds; load of the machine at the end"
            f" {os.getloadavg()[0]:.1f}."
        ),
        "",
    ]
    lines += [
        "| crawl | ours: pages/s wall | pages/CPU s | CPU ms | spider: pages/s wall | pages/CPU s |"
        " CPU ms | CPU, spider by ours |"
    ]
    lines += ["|---|---:|---:|---:|---:|---:|---:|---:|"]
    for name, (ours, rival) in times.items():
        ratio = statistics.median(
            theirs / mine for mine, theirs in zip(ours.cpu, rival.cpu, strict=True)
        )
        lines.append(f"| {name} | {ours.speed(count)} | {rival.speed(count)} | {ratio:.2f} |")
    return [*lines, "", f"Every field of the spider, value for value: {', '.join(found)}."]


PARTS: dict[str, Callable[..., list[str]]] = {"throughput": throughput, "memory": memory}


def main() -> None:
    """Runs the parts that are named (all but the long one without a name) and writes them into the
    result, beside what is there of the others.
    """
    if sys.argv[1:2] == ["fetches"]:
        fetches(sys.argv[2], int(sys.argv[3]))
        return
    numbers = [int(it) for it in sys.argv[1:] if it.isdigit()]
    before = RESULT.read_text(encoding="utf-8").split("\n## ") if RESULT.exists() else []
    kept = {part.partition("\n")[0]: part for part in before[1:]}
    for name in [name for name in sys.argv[1:] if name in PARTS] or ["throughput"]:
        part = PARTS[name]
        kept[name] = (
            f"{name}\n\n{(part.__doc__ or '').strip()}\n\n" + "\n".join(part(*numbers)) + "\n"
        )
        print(f"## {kept[name]}", flush=True)
    head = (
        f"# The loop\n\n{(__doc__ or '').strip()}\n\nPython {platform.python_version()} on"
        f" {platform.machine()}, {os.cpu_count()} cores.\n"
    )
    RESULT.write_text(
        "\n## ".join([head, *(kept[name] for name in PARTS if name in kept)]), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
