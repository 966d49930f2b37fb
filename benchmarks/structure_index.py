"""The structure index: a million sketches built, asked and measured, each in a process of its own;
and datasketch's MinHashLSH on a smaller number.

The sketches are made from those of real pages (`data/classes`, `data/swde` of the corpus): 4,096
templates, each a real page's sketch with up to four fifths of its slots drawn anew, of sizes that
fall as 1/rank (the largest has about 20,000 pages), and in each page up to half of the slots drawn
anew again. Questions are the real pages. The answers to some of them are compared with a look at
all sketches.

`python -m benchmarks.structure_index` runs this one and writes
`benchmarks/results/structure_index.md`; `… structure_index 200000` with fewer pages.
"""

from __future__ import annotations

import csv
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.compare import Row, as_markdown, compare
from benchmarks.corpus import part
from benchmarks.xml_worker import memory
from treelace import _kernel, parse
from treelace.similarity.index_plan import Plan
from treelace.similarity.measures.structure import Structure
from treelace.similarity.structure_index import StructureIndex

RESULT = Path(__file__).with_name("results") / "structure_index.md"
PLAN = Plan()
PAGES = 1_000_000
CHUNK = 125_000
TEMPLATES = 4096
SAMPLED = 64
QUESTIONS = 400
CHECKED = 8
GOALS = {"build, wall seconds": 60.0, "question, milliseconds": 5.0, "memory, GB": 1.5}


class Made(NamedTuple):
    """Pages as sketches."""

    names: list[str]
    slots: Any
    samples: Any
    ends: Any


def real_features(corpus: Path | None) -> list[_kernel.Features]:
    """The facts of real pages."""
    folder = part(corpus, "data", "classes")
    with (folder / "labels.csv").open(newline="") as file:
        files = [folder / row["file"] for row in csv.DictReader(file)]
    files += sorted(part(corpus, "data", "swde").glob("*/*.html.gz"))
    measure = Structure()
    return [measure.features(parse(file)) for file in files]


def made(bases: list[_kernel.Features], pages: int) -> Iterator[Made]:
    """So many sketches, chunk by chunk; the same ones whenever it is called."""
    import numpy as np

    choose = np.random.default_rng(10)
    sketches = [_kernel.index_sketch(PLAN, base) for base in bases]
    slots = np.array([list(one) for one, _ in sketches], dtype=np.uint8)
    samples = np.array(
        [
            choose.choice(sample, SAMPLED) if sample else choose.integers(0, 2**32, SAMPLED)
            for _, sample in sketches
        ],
        dtype=np.uint32,
    )
    base = choose.integers(0, len(bases), TEMPLATES)
    kept = choose.uniform(0.2, 1.0, TEMPLATES)[:, None]
    template_slots = _redrawn(choose, slots[base], 1 - kept, 1, 256)
    template_samples = _redrawn(choose, samples[base], 1 - kept, 0, 2**32)
    weights = 1 / (np.arange(TEMPLATES) + 8)
    for start in range(0, pages, CHUNK):
        count = min(CHUNK, pages - start)
        template = choose.choice(TEMPLATES, count, p=weights / weights.sum())
        drawn = choose.uniform(0.0, 0.5, count)[:, None]
        yield Made(
            [
                f"https://site{number % 977}.example/page/{start + number}.html"
                for number in range(count)
            ],
            _redrawn(choose, template_slots[template], drawn, 1, 256),
            _redrawn(choose, template_samples[template], drawn, 0, 2**32).reshape(-1),
            np.arange(1, count + 1, dtype=np.uint64) * SAMPLED,
        )


def _redrawn(choose: Any, values: Any, share: Any, low: int, high: int) -> Any:
    """The values, a share of them in each row drawn anew."""
    import numpy as np

    is_new = choose.integers(0, 256, values.shape, dtype=np.uint8) < share * 256
    values = values.copy()
    values[is_new] = choose.integers(low, high, int(is_new.sum()), dtype=values.dtype)
    return values


def build(path: str, pages: int) -> dict[str, float]:
    """In its own process: builds the index; what that took without making the sketches."""
    bases = real_features(Path(os.environ["TREELACE_CORPUS"]))
    wall = cpu = 0.0
    with StructureIndex.create(path, plan=PLAN, keeps_features=False) as index:
        for chunk in made(bases, pages):
            start, start_cpu = time.perf_counter(), time.process_time()
            index.add_sketches(*chunk)
            wall, cpu = wall + time.perf_counter() - start, cpu + time.process_time() - start_cpu
        start, start_cpu = time.perf_counter(), time.process_time()
    wall, cpu = wall + time.perf_counter() - start, cpu + time.process_time() - start_cpu
    return {"wall": wall, "cpu": cpu, "memory": memory("VmHWM"), "bytes": os.path.getsize(path)}


def ask(path: str, pages: int) -> dict[str, Any]:
    """In its own process: opens the index and asks; times, memory, and how many of the best ten by
    a look at all sketches were found.
    """
    bases = real_features(Path(os.environ["TREELACE_CORPUS"]))
    start = time.perf_counter()
    index = StructureIndex.open(path)
    opened = time.perf_counter() - start
    questions = bases[:: max(1, len(bases) // QUESTIONS)][:QUESTIONS]
    index.search(questions[0]), index.search_containing(questions[0])  # warm: lazy imports
    answers, alike, containing = [], [], []
    for question in questions:
        start = time.process_time()
        answers.append(index.search(question))
        alike.append(time.process_time() - start)
        start = time.process_time()
        index.search_containing(question)
        containing.append(time.process_time() - start)
    peak = memory("VmHWM")
    checked = list(range(0, len(questions), len(questions) // CHECKED))[:CHECKED]
    best = best_of_all(bases, [questions[number] for number in checked], pages)
    found = [
        sum(one.similarity >= lowest for one in answers[number]) / 10
        for number, lowest in zip(checked, best, strict=True)
    ]
    return {
        "open": opened,
        "alike": alike,
        "containing": containing,
        "memory": peak,
        "found": statistics.mean(found),
        "pages": len(index),
    }


def best_of_all(
    bases: list[_kernel.Features], questions: list[_kernel.Features], pages: int
) -> list[float]:
    """For each question the tenth best estimate over all sketches."""
    import numpy as np

    asked = [
        np.frombuffer(_kernel.index_sketch(PLAN, question)[0], dtype=np.uint8)
        for question in questions
    ]
    values: list[list[Any]] = [[] for _ in questions]
    for chunk in made(bases, pages):
        for number, one in enumerate(asked):
            equal = (chunk.slots == one).reshape(-1, PLAN.families, PLAN.slots).mean(axis=2)
            share = np.maximum(0.0, (equal - 1 / 255) / (1 - 1 / 255))
            missing = (chunk.slots[:, :: PLAN.slots] == 0) & (one[:: PLAN.slots] == 0)
            counted = np.maximum(1, (~missing).sum(axis=1))
            values[number].append(
                (np.where(missing, 0.0, np.sqrt(share)).sum(axis=1) / counted) ** 2
            )
    return [float(np.sort(np.concatenate(all_of_it))[-10]) - 1e-9 for all_of_it in values]


def in_a_process(what: str, path: Path, pages: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.structure_index", what, str(path), str(pages)],
        check=True,
        capture_output=True,
        text=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def against_datasketch(corpus: Path | None, rounds: int) -> list[Row]:
    """The same sketches in MinHashLSH, with as many bands and rows: build, then ask."""
    import numpy as np
    from datasketch import MinHash, MinHashLSH  # type: ignore[import-untyped]

    bases = real_features(corpus)
    chunk = next(made(bases, 4_000))
    theirs = [
        MinHash(
            num_perm=PLAN.families * PLAN.slots, hashvalues=row.astype(np.uint64), scheme="legacy"
        )
        for row in chunk.slots
    ]
    questions = bases[:100]
    asked = [
        np.frombuffer(_kernel.index_sketch(PLAN, one)[0], dtype=np.uint8).astype(np.uint64)
        for one in questions
    ]
    their_questions = [MinHash(num_perm=len(one), hashvalues=one, scheme="legacy") for one in asked]
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "small.index"

    def build_ours() -> int:
        with StructureIndex.create(path, plan=PLAN, keeps_features=False, replace=True) as index:
            return index.add_sketches(*chunk)

    def build_theirs() -> int:
        index = MinHashLSH(num_perm=PLAN.families * PLAN.slots, params=(63, 4))
        for name, one in zip(chunk.names, theirs, strict=True):
            index.insert(name, one)
        build_theirs.index = index  # type: ignore[attr-defined]
        return len(index.keys)

    rows = [
        compare(
            "build, 4,000 sketches",
            ("on disk", build_ours),
            ("datasketch MinHashLSH, in memory", build_theirs),
            is_same=_equal,
            rounds=rounds,
        ),
    ]
    index, other = StructureIndex.open(path), build_theirs.index  # type: ignore[attr-defined]

    def ask_ours() -> list[list[Any]]:
        return [index.search(question) for question in questions]

    def ask_theirs() -> list[list[Any]]:
        answers = []
        for question in their_questions:
            near = other.query(question)
            answers.append(near)
        return answers

    rows.append(
        compare(
            "100 questions, 4,000 sketches",
            ("the ten best, ranked", ask_ours),
            ("MinHashLSH, not ranked", ask_theirs),
            is_same=_as_many,
            rounds=rounds,
        )
    )
    folder.cleanup()
    return rows


def _equal(ours: int, theirs: int) -> bool:
    return ours == theirs


def _as_many(ours: list[list[Any]], theirs: list[list[Any]]) -> bool:
    """Wherever they find pages, so do we."""
    return all(
        len(mine) >= min(10, len(other)) // 2 for mine, other in zip(ours, theirs, strict=True)
    )


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """Against datasketch."""
    return against_datasketch(corpus, rounds)


def report(corpus: Path | None, pages: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pages.index"
        built = in_a_process("build", path, pages)
        asked = in_a_process("ask", path, pages)
    lines = ["| what | figure | goal | |", "|---|---:|---:|---|"]

    def line(what: str, figure: float, goal: str | None, digits: int = 2) -> None:
        bound = None if goal is None else GOALS[goal]
        verdict = "" if bound is None else "reached" if figure <= bound else "**not reached**"
        lines.append(
            f"| {what} | {figure:,.{digits}f} | {'' if bound is None else f'{bound:g}'} |"
            f" {verdict} |"
        )

    line("build, wall seconds", built["wall"], "build, wall seconds")
    line("build, CPU seconds", built["cpu"], None)
    line(
        "build, peak memory of the process, GB (the sketches handed over included)",
        built["memory"] / 1e9,
        "memory, GB",
    )
    line("size of the file, GB", built["bytes"] / 1e9, None)
    line("open with every checksum compared, milliseconds", asked["open"] * 1e3, None, 0)
    for what in ("alike", "containing"):
        times = sorted(asked[what])
        line(
            f"pages {what} a given one: median question, CPU milliseconds",
            statistics.median(times) * 1e3,
            "question, milliseconds",
        )
        line(
            "… 95 of 100 questions take at most",
            times[math.ceil(len(times) * 0.95) - 1] * 1e3,
            "question, milliseconds",
        )
        line("… the longest", times[-1] * 1e3, None)
    line(
        "asking, peak memory of the process, GB (the mapped file included)",
        asked["memory"] / 1e9,
        "memory, GB",
    )
    line(
        f"of the ten best by a look at all sketches found ({CHECKED} questions), share",
        asked["found"],
        None,
    )
    machine = f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores"
    place = f"{machine}; {pages:,} sketches; `python -m benchmarks.structure_index`"
    table = as_markdown(rows(corpus, 5))
    return "\n".join(
        [
            "# The structure index",
            "",
            place,
            "",
            (__doc__ or "").split("\n\n")[1],
            "",
            *lines,
            "",
            "## Against datasketch",
            "",
            table,
            "",
        ]
    )


def main() -> int:
    if sys.argv[1:2] in (["build"], ["ask"]):
        work: Callable[[str, int], dict[str, Any]] = {"build": build, "ask": ask}[sys.argv[1]]
        print(json.dumps(work(sys.argv[2], int(sys.argv[3]))))
        return 0
    named = os.environ.get("TREELACE_CORPUS")
    page = report(Path(named) if named else None, int(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(page, encoding="utf-8")
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
