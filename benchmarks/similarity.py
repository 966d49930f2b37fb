"""Similarity: features against parsing, pairs a second, sketches against datasketch, a matrix
against html-similarity.

Real pages (`data/pages` and `data/classes` of the corpus). html-similarity pins an old parsel, so
it runs in a Python of its own: set TREELACE_HTML_SIMILARITY to an interpreter that has it (`python
-m venv v && v/bin/pip install html-similarity "cssselect<1.2"`), or its row is left out by name.

`python -m benchmarks.similarity` runs this one, fits how time grows with size, and writes
`benchmarks/results/similarity.md`.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import os
import platform
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.compare import Row, as_markdown, compare
from benchmarks.corpus import part
from benchmarks.xml_parse import exponent
from treelace import Tree, _kernel, parse
from treelace.similarity import MEASURES, FeatureMeasure, measure_named
from treelace.similarity.engine import compare_all
from treelace.similarity.measures.path_shingles import PathShingles
from treelace.similarity.measures.structure import Structure
from treelace.similarity.measures.tag_weighted import TagWeighted

RESULT = Path(__file__).with_name("results") / "similarity.md"
HTML_SIMILARITY = "TREELACE_HTML_SIMILARITY"
TIMES = 5
MATRIX = 100
THEIR_PAIRS = 30
WORKER = """
import json, sys, time
from html_similarity import structural_similarity
pages = json.load(sys.stdin)
start = time.process_time()
values = [structural_similarity(left, right) for left, right in pages]
print(json.dumps({"seconds": time.process_time() - start, "values": values}))
"""


def pages_of(corpus: Path | None, every: int) -> list[bytes]:
    """Every so many pages of `data/pages`."""
    folder = part(corpus, "data", "pages")
    with (folder / "index.csv").open(newline="") as file:
        names = [row["id"] for row in csv.DictReader(file)]
    return [gzip.decompress((folder / f"{name}.html.gz").read_bytes()) for name in names[::every]]


def class_pages(corpus: Path | None) -> list[bytes]:
    """The pages of `data/classes`."""
    folder = part(corpus, "data", "classes")
    with (folder / "labels.csv").open(newline="") as file:
        return [
            gzip.decompress((folder / row["file"]).read_bytes()) for row in csv.DictReader(file)
        ]


def features_of(measure: FeatureMeasure, trees: list[Tree]) -> list[_kernel.Features]:
    """All that a measure computes for one page alone, for each, several times over."""
    return [measure.together([measure.features(tree)])[0] for tree in trees * TIMES]


def label(measure: FeatureMeasure) -> str:
    """Its name, and the options that are not as they come."""
    fields, plain = getattr(measure, "__dataclass_fields__", {}), type(measure)()
    given = [
        f"{name}={getattr(measure, name)}"
        for name in fields
        if getattr(measure, name) != getattr(plain, name)
    ]
    return " ".join([measure.name, *given])


def against_parsing(corpus: Path | None, rounds: int) -> list[Row]:
    """Features of a page, given the tree, against parsing it."""
    pages = pages_of(corpus, 8)
    trees = [parse(page, format="html") for page in pages]
    found = []
    measures = [measure_named(name) for name in MEASURES]
    for measure in [*measures, Structure(slots=256), PathShingles(k=128)]:
        if not isinstance(measure, FeatureMeasure):
            continue
        expected = features_of(measure, trees)
        found.append(
            compare(
                "features",
                (label(measure), lambda measure=measure: features_of(measure, trees)),
                (
                    "parsing the same pages",
                    lambda: [parse(page, format="html") for page in pages * TIMES],
                ),
                is_same=lambda ours, theirs, expected=expected: (
                    ours == expected and len(theirs) == len(expected)
                ),
                goal=1.0,
                rounds=rounds,
                note=(
                    f"{len(pages)} pages, {sum(map(len, pages)) / 1e6:.1f} MB, {TIMES} times"
                    if not found
                    else ""
                ),
            )
        )
    return found


def pairs_a_second(corpus: Path | None, rounds: int) -> list[Row]:
    """A matrix of all pairs; the rival is the goal of a million pairs a core-second."""
    trees = [parse(page, format="html") for page in class_pages(corpus)]
    found = []
    for measure in (TagWeighted(), PathShingles(k=128), Structure(slots=128)):
        features = [measure.features(tree) for tree in trees] * 3
        pairs = len(features) * (len(features) + 1) // 2
        expected = compare_all(features[:50], measure)
        clock = _Clock()
        row = compare(
            f"{pairs:,} pairs",
            (
                label(measure),
                lambda features=features, measure=measure: compare_all(features, measure),
            ),
            ("a million a core-second", lambda pairs=pairs, clock=clock: clock.skip(pairs / 1e6)),
            is_same=lambda ours, _, expected=expected: bool((ours[:50, :50] == expected).all()),
            goal=1.0,
            rounds=rounds,
            clock=clock,
        )
        found.append(row)
    return found


class _Clock:
    """CPU time that can be put forward: for a rival that is a figure."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.process_time() + self.ahead

    def skip(self, seconds: float) -> None:
        """That much later."""
        self.ahead += seconds


def tokens_of(features: _kernel.Features) -> list[bytes]:
    """The tokens of a bag as bytes, as datasketch takes them, from the stored form: six bytes of
    kind, then the count, then the tokens.
    """
    data = features.to_bytes()
    keys = int.from_bytes(data[6:14], "little")
    return [data[14 + 8 * at : 22 + 8 * at] for at in range(keys)]


def against_datasketch(corpus: Path | None, rounds: int) -> list[Row]:
    """Sketches of a folder of pages that are parsed already, from the same shingles (as sets);
    datasketch is handed the shingles ready made.
    """
    from datasketch import MinHash  # type: ignore[import-untyped]

    trees = [parse(page, format="html") for page in class_pages(corpus)[::4]]
    sets = PathShingles(is_bag=False)
    exact = compare_all([sets.features(tree) for tree in trees], sets)
    shingles = [tokens_of(sets.features(tree)) for tree in trees]
    sketch = PathShingles(is_bag=False, k=128)

    def ours() -> list[_kernel.Features]:
        return [sketch.features(tree) for tree in trees]

    def theirs() -> list[Any]:
        made = []
        for tokens in shingles:
            one = MinHash(num_perm=128)
            one.update_batch(tokens)
            made.append(one)
        return made

    def is_same(mine: list[_kernel.Features], other: list[Any]) -> bool:
        """Both estimate the same resemblances."""
        choose = random.Random(1)
        some = [(choose.randrange(len(trees)), choose.randrange(len(trees))) for _ in range(200)]
        wrong = [abs(sketch.compare(mine[i], mine[j]) - exact[i, j]) for i, j in some]
        their_wrong = [abs(other[i].jaccard(other[j]) - exact[i, j]) for i, j in some]
        return sum(wrong) / len(some) < 0.03 and sum(their_wrong) / len(some) < 0.03

    return [
        compare(
            f"sketches of {len(trees)} pages, {sum(map(len, shingles)):,} shingles",
            (label(sketch) + ", shingling included", ours),
            ("datasketch MinHash(128).update_batch", theirs),
            is_same=is_same,
            goal=5.0,
            rounds=rounds,
        )
    ]


def against_html_similarity(corpus: Path | None, rounds: int) -> list[Row]:
    """A matrix of 100 pages from their bytes; html-similarity's cost for all pairs is that of some
    pairs drawn at random, times all by some.
    """
    interpreter = os.environ.get(HTML_SIMILARITY)
    if not interpreter:
        print(f"html-similarity is left out: set {HTML_SIMILARITY} to a Python that has it")
        return []
    choose = random.Random(100)
    pages = choose.sample(class_pages(corpus), MATRIX)
    pairs = [choose.sample(range(MATRIX), 2) for _ in range(THEIR_PAIRS)]
    texts = [page.decode("utf-8", "replace") for page in pages]
    handed = json.dumps([(texts[i], texts[j]) for i, j in pairs])
    clock = _Clock()
    measure = PathShingles()

    def ours() -> Any:
        return compare_all(
            [measure.features(parse(page, format="html")) for page in pages], measure
        )

    def theirs() -> list[float]:
        done = subprocess.run(
            [interpreter, "-c", WORKER], input=handed, capture_output=True, text=True, check=True
        )
        answer = json.loads(done.stdout)
        clock.skip(answer["seconds"] * (MATRIX * (MATRIX - 1) / 2) / THEIR_PAIRS)
        values: list[float] = answer["values"]
        return values

    expected = ours()

    def is_same(mine: Any, other: list[float]) -> bool:
        return bool((mine == expected).all()) and all(0.0 <= value <= 1.0 for value in other)

    row = compare(
        f"matrix of {MATRIX} pages from bytes",
        (label(measure) + ", parsing and features included", ours),
        ("html-similarity, structural_similarity", theirs),
        is_same=is_same,
        goal=100.0,
        rounds=min(rounds, 3),
        note=f"theirs from {THEIR_PAIRS} random pairs",
        clock=clock,
    )
    return [row]


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """Everything but growth."""
    return [
        *against_parsing(corpus, rounds),
        *pairs_a_second(corpus, rounds),
        *against_datasketch(corpus, rounds),
        *against_html_similarity(corpus, rounds),
    ]


def made_page(records: int, seed: int) -> bytes:
    """A page with so many records, every one of a few kinds, some attributes drawn from the
    seed.
    """
    choose = random.Random(seed)
    kinds = [
        "<li class='item k{0}'><h3><a href=/{1}>t</a></h3><p>text <b>bold</b> text</p></li>",
        "<li class='item offer' id=n{1}><img src=/{1}.png><span class=price>{0}</span></li>",
        "<li><div class=box{0}><ul><li>one</li><li>two <em>x</em></li></ul></div></li>",
    ]
    body = "".join(
        choose.choice(kinds).format(choose.randrange(9), number) for number in range(records)
    )
    return f"<!doctype html><title>t</title><body><ul>{body}</ul>".encode()


GROWTH = {"time-warping": [40, 80, 160, 320, 640], "": [500, 1000, 2000, 4000, 8000, 16000, 32000]}


def growth() -> str:
    """Time of one similarity, features and comparison, against nodes: the slope of the line through
    the logarithms.
    """
    lines = [
        "| measure | nodes of the two pages | CPU milliseconds | exponent | goal | |",
        "|---|---|---|---:|---:|---|",
    ]
    for name, cls in MEASURES.items():
        measure = cls()
        if not isinstance(measure, FeatureMeasure):
            continue
        bound = 2.1 if name == "time-warping" else 1.2 if name == "fourier" else 1.15
        nodes, seconds = [], []
        for records in GROWTH.get(name, GROWTH[""]):
            left, right = parse(made_page(records, 1)), parse(made_page(records, 2))
            nodes.append(len(left))
            seconds.append(
                _once(
                    lambda left=left, right=right, measure=measure: measure.similarity(left, right)
                )
            )
        slope = exponent(nodes, seconds)
        verdict = "reached" if slope <= bound else "**not reached**"
        words = "2 may be" if name == "time-warping" else "n log n" if name == "fourier" else "1"
        times = ", ".join(f"{second * 1e3:.2f}" for second in seconds)
        lines.append(
            f"| {name} | {nodes[0]:,} … {nodes[-1]:,} | {times} | {slope:.3f} | {words} |"
            f" {verdict} |"
        )
    return "\n".join(lines)


def _once(work: Callable[[], object]) -> float:
    """CPU seconds of one call: the least of several rounds of as many calls as fill a twentieth of
    a second.
    """
    start = time.process_time()
    work()
    repeat = max(1, math.ceil(0.05 / max(1e-9, time.process_time() - start)))
    best = math.inf
    for _ in range(7):
        start = time.process_time()
        for _ in range(repeat):
            work()
        best = min(best, (time.process_time() - start) / repeat)
    return best


def main() -> int:
    named = os.environ.get("TREELACE_CORPUS")
    found = rows(Path(named) if named else None, 7)
    machine = f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores"
    page = [
        "# Similarity: speed and growth",
        "",
        f"{machine}; CPU seconds, median of 7 rounds; `python -m benchmarks.similarity`",
        "",
        as_markdown(found),
        "",
        "## Growth with size",
        "",
        (
            "One similarity of two made pages, features and comparison, by number of nodes. Goal:"
            " linear; `fourier` n log n (its exponent may be a"
        ),
        "little above 1); `time-warping`, a counter-example, may be quadratic.",
        "",
        growth(),
        "",
    ]
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text("\n".join(page), encoding="utf-8")
    print("\n".join(page))
    return 0


if __name__ == "__main__":
    sys.exit(main())
