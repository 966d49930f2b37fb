"""XML bytes to a finished tree against `lxml.etree.fromstring` alone: made catalogues of 100 KB to
100 MB, and the larger files of real pairs.

Each side runs in a process of its own and times its parse only; element and attribute counts are
compared in every round. `python -m benchmarks.xml_parse` also measures peak memory and the growth
of time with size, and writes results/xml_parse.md.
"""

from __future__ import annotations

import csv
import gzip
import math
import os
import platform
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.compare import Row, as_markdown, compare
from benchmarks.corpus import part

SIZES = {"100 KB": "100K", "1 MB": "1M", "10 MB": "10M", "50 MB": "50M", "100 MB": "100M"}
WITH_GOAL = ("1 MB", "10 MB", "50 MB")
GOAL = 1.5
MEMORY_GOAL = 6.0
REAL = 500_000
ROUND = 20_000_000
RESULTS = Path(__file__).parent / "results" / "xml_parse.md"


class Answer(NamedTuple):
    """What one side found."""

    elements: int
    attributes: int


class Worker:
    """One side, in a process of its own."""

    def __init__(self, side: str) -> None:
        command = [sys.executable, "-m", "benchmarks.xml_worker", side]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.seconds = 0.0

    def parse(self, path: Path, repeat: int) -> Answer:
        """Parses a file so many times; the CPU time is added to `seconds`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{repeat} {path}\n")
        self.process.stdin.flush()
        spent, elements, attributes = self.process.stdout.readline().split()
        self.seconds += float(spent)
        return Answer(int(elements), int(attributes))

    def close(self) -> None:
        """Ends the process."""
        self.process.communicate()


def make_files(corpus: Path | None, folder: Path) -> dict[str, Path]:
    """The made catalogues by the name of their size."""
    tool = part(corpus, "tools", "make_large_xml.py")
    files = {}
    for name, size in SIZES.items():
        files[name] = folder / f"{size}.xml"
        if not files[name].exists():
            subprocess.run(
                [sys.executable, str(tool), size, str(files[name])],
                check=True,
                stdout=subprocess.DEVNULL,
            )
    return files


def real_files(corpus: Path | None, folder: Path) -> dict[str, Path]:
    """The old versions of real pairs that are large, unpacked."""
    pairs = part(corpus, "data", "xmlpairs")
    files = {}
    with (pairs / "index.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if int(row["bytes_old"]) >= REAL:
                path = folder / f"{row['id']}.xml"
                path.write_bytes(gzip.decompress((pairs / row["id"] / "old.xml.gz").read_bytes()))
                files[f"{row['id']} ({int(row['bytes_old']) / 1e6:.1f} MB)"] = path
    return files


def measure(files: dict[str, Path], rounds: int, with_goal: tuple[str, ...]) -> list[Row]:
    """One row a file."""
    ours, lxml = Worker("ours"), Worker("lxml")
    found = []
    try:
        for name, path in files.items():
            repeat = max(1, math.ceil(ROUND / path.stat().st_size))
            row = compare(
                name,
                ("treelace", partial(ours.parse, path, repeat)),
                ("lxml parse", partial(lxml.parse, path, repeat)),
                is_same=lambda left, right: left == right,
                goal=GOAL if name in with_goal else None,
                rounds=rounds,
                note=f"{repeat} times" if repeat > 1 else "",
                clock=lambda: ours.seconds + lxml.seconds,
            )
            found.append(row)
    finally:
        ours.close()
        lxml.close()
    return found


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """Made catalogues, then real files."""
    with tempfile.TemporaryDirectory() as folder:
        made, real = make_files(corpus, Path(folder)), real_files(corpus, Path(folder))
        return measure(made, rounds, WITH_GOAL) + measure(real, rounds, ())


def peak(side: str, path: Path) -> float:
    """Peak memory of reading a file and parsing it in a fresh process, above what the process had
    before, by the size of the file.
    """
    command = [sys.executable, "-m", "benchmarks.xml_worker", side, "memory", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[0]) / path.stat().st_size


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Slope of the line through the logarithms: 1 is linear."""
    xs, ys = [math.log(size) for size in sizes], [math.log(second) for second in seconds]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum(
        (x - mean_x) ** 2 for x in xs
    )


def report(corpus: Path | None, folder: Path, rounds: int) -> str:
    """Everything, as a page."""
    made, real = make_files(corpus, folder), real_files(corpus, folder)
    catalogue = measure(made, rounds, WITH_GOAL)
    sizes = [path.stat().st_size for path in made.values()]
    once = [
        row.ours_seconds / max(1, math.ceil(ROUND / size))
        for row, size in zip(catalogue, sizes, strict=True)
    ]
    speed = [
        f"{name}: {size / second / 1e6:.0f} MB/s"
        for name, size, second in zip(made, sizes, once, strict=True)
    ]
    memory = [
        (name, peak("ours", path), peak("lxml", path))
        for name, path in made.items()
        if path.stat().st_size >= 900_000
    ]
    machine = (
        f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores; CPU"
        f" seconds, median of {rounds} rounds in turn"
    )
    lines = [
        "# XML: bytes to a finished tree, against lxml's parse alone",
        "",
        f"`TREELACE_CORPUS=… python -m benchmarks.xml_parse`; {machine}.",
        "Element and attribute counts were equal in every round. Ratio: lxml's time by ours.",
        "",
        "## Made catalogues",
        "",
        as_markdown(catalogue),
        "",
        (
            f"Ours: {', '.join(speed)}. Growth of time with size from 100 KB to 100 MB: exponent"
            f" {exponent(sizes, once):.3f} (1 is linear)."
        ),
        "",
        "## Peak memory by size of the file (goal: at most 6)",
        "",
        (
            "Resident memory of a fresh process above what it had before, the bytes of the input"
            " included."
        ),
        "",
        "| file | treelace | lxml | |",
        "|---|---:|---:|---|",
        *(
            f"| {name} | {ours:.2f} | {lxml:.2f} |"
            f" {'reached' if ours <= MEMORY_GOAL else '**not reached**'} |"
            for name, ours, lxml in memory
        ),
        "",
        "## Real files",
        "",
        as_markdown(measure(real, rounds, ())),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Writes the page."""
    named = os.environ.get("TREELACE_CORPUS")
    with tempfile.TemporaryDirectory() as folder:
        # a folder that is named keeps the made files for the next run
        kept = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder)
        page = report(Path(named) if named else None, kept, rounds=9)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
