"""How fast `treelace bulk` is, beside its bare functions in a loop, and how it grows.

    python -m benchmarks.bulk [--pages 3000,10000] [--engines bare,threads:1,dask:2]
                              [--copies-a-host 20] [--largest BYTES] [--keep FOLDER] [-o FILE]

Pages are those of `data/sites` (with `--largest`, the small ones of them), copied
(`treelace.testing.scale`) until there are so many, on as many hosts as that takes with
`--copies-a-host` of each page. All ratios are of one run. Seconds of CPU (of the run and of all its
processes) say what the work costs, whoever else uses the machine; seconds of the clock say what a
person waits, and mean little on a machine that is busy with something else: its load is told.

With `--keep` archives, tables and what was measured stay in a folder, and the same command goes on
where it was stopped. A larger archive begins with the files of a smaller one.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec

from benchmarks.corpus import part
from treelace.bulk import BulkSettings, run_bulk
from treelace.bulk.digest import host_of
from treelace.bulk.guard import WORK
from treelace.bulk.learn import PAGES_TO_PROVE_ON
from treelace.bulk.progress import Progress
from treelace.bulk.reading import known_class
from treelace.classes.catalogue import Catalogue, KnownClass
from treelace.classes.drift import read_page
from treelace.classes.examples import spread
from treelace.classes.learning import learn
from treelace.classes.pages import Fetched, Parsed
from treelace.classes.proposals import alike_pages, pages_to_read, propose, sample
from treelace.classes.shared_template import join_templates
from treelace.crawl.sources import from_warc
from treelace.crawl.warc import WarcWriter
from treelace.errors import WrapperError
from treelace.limits import DEFAULT_LIMITS
from treelace.store.body import Body
from treelace.store.plain_tables import plain_tables
from treelace.testing.scale import copied
from treelace.tree import Tree
from treelace.wrappers.model.page_reader import reads_one_record

PAGES_A_FILE = 5_000
LOOK_SECONDS = 0.1
NOTE_SECONDS = 5.0
ONCE = "import sys; from benchmarks.bulk import once; once(*sys.argv[1:])"


class Measured(msgspec.Struct):
    """What one engine took for so many pages."""

    engine: str
    pages: int
    load: float = 0.0
    clock: float = 0.0
    cpu: float = 0.0
    tasks: float = 0.0
    """Seconds of CPU of those processes that do nothing but tasks; what is left is the engine's."""
    own: int = 0
    """Most memory of the first process, in bytes."""
    worker: int = 0
    """Most memory of any other."""
    stages: dict[str, float] = {}
    """Seconds of CPU of each stage, in all processes."""
    is_over: bool = False


def make_archive(
    folder: Path, count: int, copies_a_host: int = 1, largest: int = 2**30
) -> list[str]:
    """WARC files with so many pages; a host has so many copies of each of its pages. Files that are
    there already are not made again.
    """
    said = os.environ.get("TREELACE_CORPUS")
    sites = part(Path(said) if said else None, "data", "sites")
    real = [page for path in sorted(sites.glob("*/pages.warc.gz")) for page in pages_of(path)]
    real = [page for page in real if len(page.body) <= largest]
    whole = sum(len(page.body) for page in real)
    print(f"{len(real)} pages, {whole / len(real):.0f} bytes in the mean", file=sys.stderr)
    names = []
    for first in range(0, count, PAGES_A_FILE):
        size = min(PAGES_A_FILE, count - first)
        end = "" if size == PAGES_A_FILE else f"-{size}"
        path = folder / f"{first // PAGES_A_FILE:04d}{end}.warc.gz"
        if not path.exists():
            half = path.with_suffix(".half")
            writer = WarcWriter(half.open("wb"))
            for number in range(first, first + size):
                page = real[number % len(real)]
                copy = number // len(real)
                url, body = copied(page.url, page.body, copy, copies_a_host=copies_a_host)
                writer.page(replace(page, url=url, body=body, headers=()))
            writer.close()
            half.replace(path)
        names.append(str(path))
    return names


def pages_of(path: Path) -> Iterator[Fetched]:
    yield from from_warc(path, limits=DEFAULT_LIMITS, on_trouble=lambda _: None)


def bare(names: list[str]) -> None:
    """The pipeline's functions in a loop, the proof of health on other pages among them: no engine,
    no data set, no second process.
    """
    hosts: dict[str, dict[str, Parsed]] = {}
    for name in names:
        for page in pages_of(Path(name)):
            parsed = Parsed(page, page.tree())
            parsed.sketch  # noqa: B018
            hosts.setdefault(host_of(page.url) or "", {})[page.url] = replace_tree(parsed)
    for pages in hosts.values():
        sketches = {url: pages[url].sketch for url in sample(sorted(pages))}

        def tree_of(url: str, pages: dict[str, Parsed] = pages):
            return pages[url].fetched.tree()

        def is_one(members, tree_of=tree_of) -> bool:
            urls = pages_to_read(members)
            return reads_one_record(learn([tree_of(url) for url in urls], urls, members)[0])

        classes: list[KnownClass] = []
        for members in join_templates(alike_pages(sketches), sketches, is_one):
            trees = [tree_of(url) for url in pages_to_read(members)]
            found = propose(members, sketches, trees, ())
            known = known_class(len(classes), found.name, found.data, found.sketch, found.about)
            classes.append(known)
            if not found.data:
                continue
            read = pages_to_read(members)
            others = spread([url for url in members if url not in read], PAGES_TO_PROVE_ON)
            read_all(known, (*read, *others, *members), tree_of)
        catalogue = Catalogue(classes)
        for url in [url for url in pages if url not in sketches and classes]:
            seen = catalogue.verdict(pages[url].sketch)
            if seen is not None and seen.label is not None and classes[int(seen.label)].wrapper:
                read_all(classes[int(seen.label)], [url], tree_of)


def read_all(known: KnownClass, urls: Iterable[str], tree_of: Callable[[str], Tree]) -> None:
    for url in urls:
        tree = tree_of(url)
        try:
            plain_tables(read_page(known, tree, url) or (), Body.first(tree))
        except WrapperError:
            continue


def replace_tree(parsed: Parsed) -> Parsed:
    """The page with its sketch, and without its tree: reading parses again, as in a run."""
    kept = Parsed(parsed.fetched, None)
    kept._sketch.append(parsed.sketch)
    return kept


def once(engine: str, out: str, *names: str) -> None:
    """One measurement, in a process of its own; says what each stage took of its own CPU."""
    if engine == "bare":
        bare(list(names))
        return
    kind, _, workers = engine.partition(":")
    stage = ""

    def tell(progress: Progress) -> None:
        nonlocal stage
        if progress.stage != stage:
            stage = progress.stage
            print(stage, flush=True)

    run_bulk(list(names), out, BulkSettings(on=kind, workers=int(workers)), tell=tell)


def measure(engine: str, names: list[str], pages: int, keep: Path | None) -> Measured:
    """What an engine takes; where it was stopped before, what it took then is counted, too."""
    if keep is None:
        with tempfile.TemporaryDirectory() as folder:
            return measure(engine, names, pages, Path(folder))
    out = keep / f"{engine.replace(':', '-')}-{pages}"
    note = out.with_suffix(".json")
    made = Measured(engine, pages, os.getloadavg()[0])
    if note.exists():
        made = msgspec.json.decode(note.read_bytes(), type=Measured)
    if made.is_over:
        return made
    process = subprocess.Popen(
        [sys.executable, "-c", ONCE, engine, str(out), *names],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    watched = Watched(process, made)
    noted = time.monotonic()
    while process.poll() is None:
        watched.look()
        if time.monotonic() - noted > NOTE_SECONDS:
            note.write_bytes(msgspec.json.encode(made))
            noted = time.monotonic()
        time.sleep(LOOK_SECONDS)
    if process.returncode:
        raise SystemExit(f"{engine}: exit {process.returncode}")
    made.is_over = True
    note.write_bytes(msgspec.json.encode(made))
    shutil.rmtree(out, ignore_errors=True)
    return made


class Watched:
    """A run that is looked at again and again: its CPU by stage, and its memory."""

    def __init__(self, process: subprocess.Popen[str], made: Measured) -> None:
        self._process, self._made = process, made
        self._used: dict[int, float] = {}
        self._is_guarded: dict[int, bool] = {}
        self._stage = "start"
        self._last = time.monotonic()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._stage = line.strip()

    def look(self) -> None:
        """Adds what was used since the last look."""
        made, first = self._made, self._process.pid
        below = descendants(first)
        now = time.monotonic()
        made.clock, self._last = made.clock + now - self._last, now
        made.own = max(made.own, memory_of(first))
        made.worker = max([made.worker, *map(memory_of, below)])
        for pid in (first, *below):
            used, before = cpu_of(pid), self._used.get(pid, 0.0)
            if used > before:
                self._used[pid] = used
                made.cpu += used - before
                if self._is_guarded.setdefault(pid, does_tasks(pid)):
                    made.tasks += used - before
                made.stages[self._stage] = made.stages.get(self._stage, 0.0) + used - before


def cpu_of(pid: int) -> float:
    """Seconds of CPU of a process: looked at, because nobody waits for some that are killed."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def does_tasks(pid: int) -> bool:
    """Whether a process is one that a guard began, which does tasks alone."""
    try:
        return WORK.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def descendants(pid: int) -> list[int]:
    found, ahead = [], [pid]
    while ahead:
        one = ahead.pop()
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                below = [int(it) for it in task.read_text().split()]
            except OSError:
                continue
            found += below
            ahead += below
    return found


def memory_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
    except (OSError, IndexError):
        return 0


def exponent(some: list[Measured]) -> float:
    """Of the fitted power of the number of pages."""
    xs = [math.log(one.pages) for one in some]
    ys = [math.log(one.cpu) for one in some]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - mean_x) ** 2 for x in xs)


def report(found: list[Measured]) -> str:
    lines = [
        "# Archives into tables",
        "",
        f"`python -m benchmarks.bulk`, {os.cpu_count()} cores; `bare` are the pipeline's functions"
        " in a loop, without engine and data sets.",
        "",
        "| engine:workers | pages | s (clock) | s (CPU) | pages a CPU s | MB, run | MB, worker |"
        " load before |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.engine} | {one.pages:,} | {one.clock:.1f} | {one.cpu:.1f} |"
        f" {one.pages / one.cpu:.1f} | {one.own / 1e6:.0f} | {one.worker / 1e6:.0f} |"
        f" {one.load:.1f} |"
        for one in found
    ]
    by = {(one.engine, one.pages): one for one in found}
    lines += ["", "Ratios of this run:", ""]
    for pages in sorted({one.pages for one in found}):
        single = by.get(("threads:1", pages))
        for name, about in (
            ("bare", "share of the bare functions' rate that one thread reaches (CPU)"),
            ("processes:2", "CPU of two processes over that of one thread"),
            ("dask:2", "CPU of Dask with two workers over that of one thread"),
        ):
            other = by.get((name, pages))
            if single is None or other is None:
                continue
            lines.append(f"- {pages:,} pages: {about}: {other.cpu / single.cpu:.3f}")
            if name != "bare":
                lines.append(
                    f"- {pages:,} pages: times faster by the clock ({name}):"
                    f" {single.clock / other.clock:.2f}"
                )
        two, dask = by.get(("processes:2", pages)), by.get(("dask:2", pages))
        if two is not None and dask is not None:
            said = "CPU of Dask over that of two processes"
            lines.append(f"- {pages:,} pages: {said}: {dask.cpu / two.cpu:.3f}")
            more = (dask.cpu - dask.tasks) - (two.cpu - two.tasks)
            said = (
                "CPU that Dask takes beside the tasks, more than two processes do, in parts of all"
            )
            lines.append(f"- {pages:,} pages: {said}: {more / two.cpu:.3f}")
    for one in found:
        if one.engine != "bare":
            costs = ", ".join(
                f"{stage} {1000 * seconds / one.pages:.2f}"
                for stage, seconds in one.stages.items()
                if seconds
            )
            said = f"{one.engine}, {one.pages:,} pages"
            lines.append(f"- {said}: ms of CPU a page by stage: {costs}")
    for engine in dict.fromkeys(one.engine for one in found):
        some = [one for one in found if one.engine == engine]
        if len(some) > 1:
            lines.append(f"- exponent of CPU over pages, {engine}: {exponent(some):.3f}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", default="3000,10000,30000")
    parser.add_argument("--engines", default="bare,threads:1,processes:2,dask:2")
    parser.add_argument("--copies-a-host", type=int, default=1)
    parser.add_argument("--largest", type=int, default=2**30, help="bytes of the largest page")
    parser.add_argument("--keep", help="a folder where archives and results stay")
    parser.add_argument("-o", "--output")
    said = parser.parse_args()
    found: list[Measured] = []
    with tempfile.TemporaryDirectory() as passing:
        folder = Path(said.keep or passing)
        folder.mkdir(parents=True, exist_ok=True)
        for pages in map(int, said.pages.split(",")):
            names = make_archive(folder, pages, said.copies_a_host, said.largest)
            for engine in said.engines.split(","):
                found.append(measure(engine, names, pages, folder if said.keep else None))
                print(found[-1], file=sys.stderr, flush=True)
    text = report(found)
    print(text)
    if said.output:
        Path(said.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
