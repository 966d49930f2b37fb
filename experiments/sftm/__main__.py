"""python -m experiments.sftm: quality by ratio, time by size, matches per millisecond, and α, on
mutants of real pages.

Brisset et al., SFTM, Figures 5 to 9. Pages are found through TREELACE_CORPUS. Writes results.csv (a
row for each pair of pages and matcher), alpha.csv, table.md and figures.svg beside this file. Time
is CPU time, trees already parsed. `--draw` only draws and tabulates what results.csv has.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import itertools
import os
import statistics
import sys
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_type_hints

import treelace as tl
from experiments.charts import Chart, as_svg
from experiments.write import note, picture, rows_as_csv
from treelace.errors import LimitError, MatchError
from treelace.limits import Limits
from treelace.matching import MATCHERS, Matcher, matcher_named
from treelace.matching.matchers.sftm import Sftm
from treelace.testing.mutate import mutate, original

HERE = Path(__file__).parent
RATIOS = (0.05, 0.1, 0.2, 0.3, 0.5)
ALPHAS = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8)
CLASSES = {
    "cut to 110": (0, 111),
    "under 1,000": (111, 1000),
    "1,000 to 5,000": (1000, 5001),
    "over 5,000": (5001, 10**9),
}
QUADRATIC = {
    "tree-edit-distance",
    "tree-edit-distance, attributes",
    "constrained",
    "alignment",
    "nierman-jagadish",
}
SEED = 1977


@dataclass(frozen=True, slots=True)
class Result:
    """What one matcher did with one pair."""

    page: str
    elements: int
    ratio: float
    matcher: str
    precision: float
    recall: float
    f1: float
    milliseconds: float
    good: int


def matchers() -> dict[str, Matcher]:
    """Every matcher by its name, and variants worth a line; none may take longer than 20 seconds
    for a pair.
    """
    limits = Limits(seconds=20)
    found = {name: matcher_named(name, limits=limits) for name in MATCHERS}
    found["lace, no text"] = matcher_named("lace", text=False, limits=limits)
    found["sftm, authors' library"] = Sftm.library(limits=limits)
    found["sftm, greedy"] = Sftm(iterations=0, limits=limits)
    found["sftm, Latin words"] = Sftm(latin=True, limits=limits)
    found["tree-edit-distance, attributes"] = matcher_named(
        "tree-edit-distance", attributes=True, limits=limits
    )
    return found


def pages(folder: Path, share: int) -> Iterator[tuple[str, int, tl.Tree]]:
    """Every `share`-th page in the order of the index, and the first three over 5,000 elements; and
    small parts of some.
    """
    with (folder / "index.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    seen_large = 0
    for place, row in enumerate(rows):
        elements = int(row["elements"])
        is_large = elements > 5000
        seen_large += is_large
        if place % share and not (is_large and seen_large <= 3):
            continue
        tree = tl.parse(
            gzip.decompress((folder / f"{row['id']}.html.gz").read_bytes()), format="html"
        )
        yield row["id"], elements, tree
        if place % (share * 2) == 0:
            part = small_part(tree)
            if part is not None:
                yield f"{row['id']}-part", part[0], part[1]


def small_part(tree: tl.Tree, most: int = 110) -> tuple[int, tl.Tree] | None:
    """The largest subtree of at most so many elements, as a page of its own."""
    ends = tree.ends.tolist()
    elements = [node.index for node in tree.elements]
    sizes = (
        (bisect_left(elements, ends[index]) - place, index) for place, index in enumerate(elements)
    )
    best = max(
        (found for found in sizes if found[0] <= most - 3),
        key=lambda found: (found[0], -found[1]),
        default=None,
    )
    if best is None or best[0] < 40:
        return None
    page = tl.parse(f"<!DOCTYPE html><title>part</title>{tree[best[1]].to_html()}", format="html")
    count = sum(1 for _ in page.elements)
    return (count, page) if count <= most else None


def run(
    matcher: Matcher,
    name: str,
    page: str,
    elements: int,
    ratio: float,
    old: tl.Tree,
    new: tl.Tree,
    truth: set[tuple[int, int]],
) -> Result | None:
    """None where the matcher refuses the pair."""
    began = time.process_time()
    try:
        matching = matcher.match(old, new)
    except (LimitError, MatchError):
        return None
    spent = time.process_time() - began
    pairs = {(i, j) for i, j, _ in matching.element_pairs()}
    good = len(pairs & truth)
    precision, recall = good / len(pairs) if pairs else 1.0, good / len(truth) if truth else 1.0
    f1 = 2 * good / (len(pairs) + len(truth)) if pairs or truth else 1.0
    return Result(
        page,
        elements,
        ratio,
        name,
        round(precision, 4),
        round(recall, 4),
        round(f1, 4),
        round(1000 * spent, 3),
        good,
    )


def size_class(elements: int) -> str:
    """One of `CLASSES`."""
    return next(name for name, (low, high) in CLASSES.items() if low <= elements < high)


def mean(values: Iterable[float]) -> float:
    """NaN where there are none."""
    found = list(values)
    return statistics.fmean(found) if found else float("nan")


def names_of(results: list[Result]) -> list[str]:
    """The matchers that have results, in the order of `matchers`."""
    return [name for name in matchers() if any(result.matcher == name for result in results)]


def table(results: list[Result], alphas: list[Result], share: int) -> str:
    """Every figure as a table."""
    names = names_of(results)
    lines = [
        "# SFTM, Figures 5 to 9, on our pages",
        "",
        f"Written by `python -m experiments.sftm --share {share}`; see README.md.",
    ]
    for kind in CLASSES:
        chosen = [result for result in results if size_class(result.elements) == kind]
        if not chosen:
            continue
        lines += [
            "",
            (
                f"## F1 by ratio of mutated elements: {kind} elements"
                f" ({len({r.page for r in chosen})} pages)"
            ),
            "",
        ]
        lines += [
            "| matcher | "
            + " | ".join(f"{ratio:.0%}" for ratio in RATIOS)
            + " | precision | recall | ms | good matches / ms |"
        ]
        lines += ["|---|" + "---:|" * (len(RATIOS) + 4)]
        for name in names:
            own = [result for result in chosen if result.matcher == name]
            if own:
                cells = [
                    f"{mean(result.f1 for result in own if result.ratio == ratio):.3f}"
                    for ratio in RATIOS
                ]
                cells += [
                    f"{mean(result.precision for result in own):.3f}",
                    f"{mean(result.recall for result in own):.3f}",
                ]
                cells += [
                    f"{mean(result.milliseconds for result in own):.1f}",
                    f"{mean(r.good / max(r.milliseconds, 1e-3) for r in own):.0f}",
                ]
                lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "## α (Figure 9): sftm with f(N) = N^α, pages of up to 5,000 elements, all ratios",
        "",
        "| α | F1 | ms |",
        "|---:|---:|---:|",
    ]
    for alpha in ALPHAS:
        own = [result for result in alphas if result.matcher == f"{alpha}"]
        lines.append(
            f"| {alpha} | {mean(result.f1 for result in own):.3f} |"
            f" {mean(result.milliseconds for result in own):.1f} |"
        )
    return "\n".join(lines) + "\n"


def figures(results: list[Result], alphas: list[Result]) -> str:
    """The figures in one picture."""
    names = names_of(results)
    whole = [result for result in results if 111 <= result.elements <= 5000]
    edges = [0, 111, 300, 600, 1000, 2000, 4000, 8000, 10**9]

    def by_ratio(name: str, figure: str) -> list[tuple[float, float]]:
        own = [result for result in whole if result.matcher == name]
        return [(100 * r, mean(getattr(x, figure) for x in own if x.ratio == r)) for r in RATIOS]

    def sizes() -> list[tuple[float, float]]:
        pages = {result.page: result.elements for result in results}
        found = sorted(pages.values())
        return [(float(size), (at + 1) / len(found)) for at, size in enumerate(found)]

    def by_size(name: str) -> list[tuple[float, float]]:
        buckets = [
            [r for r in results if r.matcher == name and low <= r.elements < high]
            for low, high in itertools.pairwise(edges)
        ]
        return [
            (mean(r.elements for r in bucket), mean(r.milliseconds for r in bucket))
            for bucket in buckets
            if bucket
        ]

    def efficiency(name: str) -> list[tuple[float, float]]:
        own = {
            ratio: [
                r.good / max(r.milliseconds, 1e-3)
                for r in whole
                if r.matcher == name and r.ratio == ratio
            ]
            for ratio in RATIOS
        }
        return [(100 * ratio, mean(values)) for ratio, values in own.items() if values]

    on_whole = [name for name in names if any(result.matcher == name for result in whole)]
    by_alpha = [
        (alpha, [result for result in alphas if result.matcher == f"{alpha}"]) for alpha in ALPHAS
    ]
    return as_svg(
        [
            Chart(
                title="Figure 5: sizes of pages",
                x="elements",
                y="share of pages up to that size",
                lines={"pages and parts": sizes()},
                is_log_x=True,
            ),
            *(
                Chart(
                    title=f"Figure 6: {figure} by ratio",
                    x="% of elements mutated",
                    y=f"{figure}, pages up to 5,000",
                    lines={n: by_ratio(n, figure) for n in on_whole},
                )
                for figure in ("precision", "recall", "f1")
            ),
            Chart(
                title="Figure 7: time by size",
                x="elements",
                y="CPU ms",
                lines={n: by_size(n) for n in names},
                is_log_x=True,
                is_log_y=True,
            ),
            Chart(
                title="Figure 8: efficiency",
                x="% of elements mutated",
                y="good matches / ms",
                lines={n: efficiency(n) for n in on_whole},
                is_log_y=True,
            ),
            Chart(
                title="Figure 9: α of sftm",
                x="α",
                y="F1 (line); ms / 1000 (dots below)",
                lines={
                    "F1": [(alpha, mean(r.f1 for r in own)) for alpha, own in by_alpha],
                    "seconds": [
                        (alpha, mean(r.milliseconds for r in own) / 1000) for alpha, own in by_alpha
                    ],
                },
            ),
        ]
    )


def write(path: Path, results: list[Result]) -> None:
    """A CSV file with a row for each result."""
    head = list(Result.__dataclass_fields__)
    rows_as_csv(path, [head, *(list(asdict(result).values()) for result in results)])


def read(path: Path) -> list[Result]:
    """What `write` wrote."""
    kinds = get_type_hints(Result)
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Result(**{name: kinds[name](value) for name, value in row.items()})
            for row in csv.DictReader(file)
        ]


def main() -> int:
    """Runs everything."""
    reader = argparse.ArgumentParser(prog="python -m experiments.sftm", description=__doc__)
    reader.add_argument(
        "--share", type=int, default=4, help="every SHARE-th page (default 4; 1: all 156)"
    )
    reader.add_argument(
        "--only",
        metavar="NAME",
        nargs="+",
        help="measure these matchers again (same --share); the rows of the others stay",
    )
    reader.add_argument(
        "--draw", action="store_true", help="only table and figures, from results.csv"
    )
    reader.add_argument("-o", "--output", type=Path, default=HERE, help="where the files go")
    chosen = reader.parse_args()
    if chosen.draw:
        results, alphas = (read(chosen.output / name) for name in ("results.csv", "alpha.csv"))
        publish(chosen.output, results, alphas, chosen.share)
        return 0
    corpus = os.environ.get("TREELACE_CORPUS")
    if not corpus:
        print("needs the pages: set TREELACE_CORPUS to their folder", file=sys.stderr)
        return 2
    results, alphas = [], []
    everyone = matchers()
    if chosen.only:
        if not set(chosen.only) <= set(everyone):
            print(f"--only takes these names: {'; '.join(everyone)}", file=sys.stderr)
            return 2
        everyone = {name: matcher for name, matcher in everyone.items() if name in chosen.only}
        results = [
            result
            for result in read(chosen.output / "results.csv")
            if result.matcher not in everyone
        ]
        alphas = read(chosen.output / "alpha.csv")
    for page, elements, tree in pages(Path(corpus) / "data" / "pages", chosen.share):
        try:
            old = tl.parse(original(tree), format="html")
            mutants = [(ratio, mutate(tree, ratio=ratio, seed=SEED)) for ratio in RATIOS]
        except MatchError as cannot:
            print(f"{page}: {cannot}", file=sys.stderr)
            continue
        for ratio, mutant in mutants:
            new, truth = tl.parse(mutant.html, format="html"), set(mutant.truth)
            for name, matcher in everyone.items():
                if name in QUADRATIC and elements > 1000:
                    continue
                result = run(matcher, name, page, elements, ratio, old, new, truth)
                results += [result] if result else []
            if 111 <= elements <= 5000 and not chosen.only:
                found = (
                    run(Sftm(alpha=alpha), f"{alpha}", page, elements, ratio, old, new, truth)
                    for alpha in ALPHAS
                )
                alphas += [result for result in found if result]
        print(f"{page}: {elements:,} elements", file=sys.stderr, flush=True)
    order = {name: place for place, name in enumerate(matchers())}
    results.sort(key=lambda result: (result.page, result.ratio, order[result.matcher]))
    write(chosen.output / "results.csv", results)
    if not chosen.only:
        write(chosen.output / "alpha.csv", alphas)
    publish(chosen.output, results, alphas, chosen.share)
    return 0


def publish(folder: Path, results: list[Result], alphas: list[Result], share: int) -> None:
    """Writes the table and the pictures."""
    (folder / "table.md").write_text(table(results, alphas, share), encoding="utf-8")
    note(folder / "table.md")
    picture(folder / "figures.svg", figures(results, alphas))


if __name__ == "__main__":
    sys.exit(main())
