"""Which node is which: the matchers against lxml's parse of the same two pages, their growth, and
the exact edit distance against edist.

`lace` and `sftm` are given parsed trees of a page and of a mutant of it (10 % of the elements);
lxml parses the same two pages; the ratio is the median over the pages. Growth: the same real bodies
in eight documents, in four, two and one; a row holds if time grows by no more than the size to the
power of 1.2. `edist` (GPL, never a dependency) runs as a program of its own in an environment that
is made for it on first use, or that TREELACE_EDIST_PYTHON names; its distances must be ours.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import math
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import treelace as tl
from benchmarks.compare import Row
from benchmarks.corpus import part
from treelace.matching import matcher_named
from treelace.matching.matchers.tree_edit_distance import TreeEditDistance
from treelace.testing.mutate import mutate, original

PAGES = 52
GROWTH = (8, 4, 2, 1)
"""Into how many documents the bodies are put."""
NODES = 100_000
EDIST = Path(__file__).parent / "edist_worker.py"
MOST_SECONDS = 1.5
"""What two pages of 2,000 nodes may take with the mapping."""


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """The rows of this benchmark."""
    folder = part(corpus, "data", "pages")
    with (folder / "index.csv").open(encoding="utf-8") as file:
        index = [(row["id"], int(row["elements"])) for row in csv.DictReader(file)]
    pairs = []
    for number, (name, _) in enumerate(index[1 :: len(index) // PAGES][:PAGES]):
        page = read(folder, name)
        pairs.append((original(page), mutate(page, ratio=0.1, seed=number).html))
    found = against_lxml(pairs[::2], min(rounds, 5))
    found += growth(pairs)
    found += edit_distance(folder, index)
    return found


def read(folder: Path, name: str) -> tl.Tree:
    """A page by its name."""
    return tl.parse(gzip.decompress((folder / f"{name}.html.gz").read_bytes()), format="html")


def clocked(work: Callable[..., object], *arguments: Any) -> float:
    """CPU seconds of one call."""
    began = time.process_time()
    work(*arguments)
    return time.process_time() - began


def against_lxml(texts: list[tuple[str, str]], rounds: int) -> list[Row]:
    """A row for `lace` and one for `sftm`."""
    import lxml.html

    def parse(old: bytes, new: bytes) -> tuple[object, object]:
        return lxml.html.document_fromstring(old), lxml.html.document_fromstring(new)

    pairs = [
        ((old.encode(), new.encode()), (tl.parse(old, format="html"), tl.parse(new, format="html")))
        for old, new in texts
    ]
    found = []
    for matcher, goal in (("lace", 1 / 8), ("sftm", 1 / 4)):
        run = matcher_named(matcher)
        ours: list[float] = []
        theirs: list[float] = []
        for (old_bytes, new_bytes), (old, new) in pairs:
            times = [
                (clocked(run.match, old, new), clocked(parse, old_bytes, new_bytes))
                for _ in range(rounds)
            ]
            ours.append(min(own for own, _ in times))
            theirs.append(min(rival for _, rival in times))
        ratios = sorted(rival / own for own, rival in zip(ours, theirs, strict=True))
        found.append(
            Row(
                task=f"match {len(pairs)} pages with mutants",
                ours=matcher,
                rival="lxml's parse of both",
                ours_seconds=sum(ours),
                rival_seconds=sum(theirs),
                ratio=statistics.median(ratios),
                low=ratios[len(ratios) // 4],
                high=ratios[-1 - len(ratios) // 4],
                goal=goal,
                note=f"median over pages: {1 / statistics.median(ratios):.1f} times the parse",
            )
        )
    return found


def body(text: str) -> tuple[str, int]:
    """What stands in the body of a page, as one element, and how many nodes that is."""
    page = tl.parse(text, format="html")
    top = next(node for node in page.elements if node.tag == "body")
    inside = "".join(child.to_html() for child in top.children if child.is_element)
    return f"<section>{inside}</section>", int(page.ends[top.index]) - top.index


def under_one_root(bodies: list[tuple[tuple[str, int], str]]) -> tuple[tl.Tree, tl.Tree]:
    """A document of these bodies, and one of the same bodies mutated."""
    sides = [old for (old, _), _ in bodies], [new for _, new in bodies]
    old, new = (tl.parse("<!DOCTYPE html><body>" + "".join(side), format="html") for side in sides)
    return old, new


def growth(texts: list[tuple[str, str]]) -> list[Row]:
    """How time grows with size, up to 100,000 nodes: real bodies put under one root, and the same
    bodies mutated.

    The same bodies stand in documents of every size, in eight of an eighth down to one of all of
    them: pages differ in what a node of theirs costs, so other pages at each size would measure the
    pages.
    """
    bodies: list[tuple[tuple[str, int], str]] = []
    for old, new in texts:
        if sum(count for (_, count), _ in bodies) < NODES:
            bodies.append((body(old), body(new)[0]))
    found = []
    for matcher in ("lace", "sftm"):
        run = matcher_named(matcher)
        sizes, times = [], []
        for parts in GROWTH:
            documents = [under_one_root(bodies[part::parts]) for part in range(parts)]
            sizes.append(sum(len(old) for old, _ in documents) // parts)
            times.append(
                sum(min(clocked(run.match, old, new) for _ in range(2)) for old, new in documents)
                / parts
            )
        exponent = statistics.linear_regression(
            [math.log(size) for size in sizes], [math.log(spent) for spent in times]
        ).slope
        allowed = times[0] * (sizes[-1] / sizes[0]) ** 1.2
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        found.append(
            Row(
                task=f"grow from {sizes[0]:,} to {sizes[-1]:,} nodes",
                ours=matcher,
                rival="growth by the power of 1.2",
                ours_seconds=times[-1],
                rival_seconds=allowed,
                ratio=allowed / times[-1],
                low=allowed / times[-1],
                high=allowed / times[-1],
                goal=1.0 if matcher == "lace" else None,
                note=f"exponent {exponent:.2f}; at most {peak:.1f} GiB so far",
            )
        )
    return found


def edit_distance(folder: Path, index: list[tuple[str, int]]) -> list[Row]:
    """Distance alone against edist at 1,000 nodes; and two pages of 2,000 nodes with the
    mapping.
    """
    found = []
    worker = edist_python()
    if worker is not None:
        rng = random.Random(1989)
        kinds = {
            "random trees of 1,000 nodes": [random_tree(rng, 1000) for _ in range(4)],
            "pages of about 1,000 elements": like_size(folder, index, 1000, 4),
        }
        for task, trees in kinds.items():
            found.append(against_edist(worker, task, trees))
    near = sorted(index, key=lambda row: (abs(row[1] - 2000), row[0]))[:4]
    pages = [read(folder, name) for name, _ in near]
    ted = TreeEditDistance()
    times = [clocked(ted.match, left, right) for left, right in itertools.pairwise(pages)]
    sizes = ", ".join(f"{count:,}" for _, count in near)
    found.append(
        Row(
            task=f"edit distance with mapping, two pages of 2,000 elements ({sizes})",
            ours="tree-edit-distance",
            rival=f"{MOST_SECONDS} s",
            ours_seconds=statistics.median(times),
            rival_seconds=MOST_SECONDS,
            ratio=MOST_SECONDS / statistics.median(times),
            low=MOST_SECONDS / max(times),
            high=MOST_SECONDS / min(times),
            goal=1.0,
            note="pages of different sites",
        )
    )
    return found


def random_tree(rng: random.Random, nodes: int) -> tl.Tree:
    """A tree of four labels; each node hangs below a random earlier one, near the last one half of
    the time.
    """
    children: list[list[int]] = [[] for _ in range(nodes)]
    for i in range(1, nodes):
        children[
            rng.randrange(max(0, i - 8), i) if rng.random() < 0.5 else rng.randrange(i)
        ].append(i)

    def written(i: int) -> str:
        return "{" + rng.choice("abcd") + "".join(map(written, children[i])) + "}"

    return tl.Tree.from_brackets(written(0))


def like_size(folder: Path, index: list[tuple[str, int]], size: int, count: int) -> list[tl.Tree]:
    """The pages with about so many elements."""
    near = sorted(index, key=lambda row: (abs(row[1] - size), row[0]))[:count]
    return [read(folder, name) for name, _ in near]


def plain(tree: tl.Tree) -> tuple[list[str], list[list[int]]]:
    """Tags in document order, and the children of each: elements only, as edist wants them."""
    nodes = list(tree.elements)
    number = {node.index: i for i, node in enumerate(nodes)}
    return [node.tag for node in nodes], [
        [number[child.index] for child in node.children if child.is_element] for node in nodes
    ]


def against_edist(worker: Path, task: str, trees: list[tl.Tree]) -> Row:
    """Neighbours in the list are compared; edist's answers must be ours."""
    pairs = list(itertools.pairwise(trees))
    ran = subprocess.run(
        [worker, EDIST],
        input=json.dumps([[plain(left), plain(right)] for left, right in pairs]),
        capture_output=True,
        text=True,
        check=True,
    )
    ted = TreeEditDistance()
    ratios, ours, theirs = [], [], []
    for (left, right), (distance, seconds) in zip(pairs, json.loads(ran.stdout), strict=True):
        assert ted.distance(left, right) == distance, f"{task}: edist says {distance}"
        own = min(clocked(ted.distance, left, right) for _ in range(3))
        ours.append(own)
        theirs.append(seconds)
        ratios.append(seconds / own)
    return Row(
        task=f"edit distance of {task}",
        ours="tree-edit-distance",
        rival="edist",
        ours_seconds=statistics.median(ours),
        rival_seconds=statistics.median(theirs),
        ratio=statistics.median(ratios),
        low=min(ratios),
        high=max(ratios),
        goal=3.0,
        note=f"{len(pairs)} pairs",
    )


def edist_python() -> Path | None:
    """A Python that has edist: the one named, or one made in the cache folder; None, with a word,
    where that fails.
    """
    named = os.environ.get("TREELACE_EDIST_PYTHON")
    if named:
        return Path(named)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "treelace" / "edist"
    python = home / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", home], check=True, capture_output=True)
        if subprocess.run(
            [python, "-c", "import edist.ted"], capture_output=True, check=False
        ).returncode:
            subprocess.run(
                [python, "-m", "pip", "install", "-q", "edist"], check=True, capture_output=True
            )
    except (OSError, subprocess.CalledProcessError) as failed:
        print(f"edist left out: it cannot be installed ({failed})\n", file=sys.stderr)
        return None
    return python
