"""Extracting tables from pages that are parsed already: CPU a page, at ten thousand nodes, and how it grows.

*first table* is `extract(page)` and every cell of its first table read; *all tables* reads every cell of all ten. Columns and cells are made
when someone looks at them, so `extract(page)` alone is less than either. The goals (5 ms for the median page, 50 ms at 10,000 nodes, time linear
in the nodes) are set beside both: where the rival is a goal, its time is the goal's, and the ratio says how much of it is left. Real pages
are the labelled list pages of `data/records`, and their labels are what the first tables must hold; made pages are lists of cards between menus,
of 1,000 to 200,000 nodes, and every text of the answer is compared. *plain Python* is the oracle of the tests, the way `records` was first
written: finding candidates and measuring them, without ranking and tables.

`python -m benchmarks extract` prints this table; `python -m benchmarks.extract` writes it to `benchmarks/results/extract.md`.
"""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.compare import Row, as_markdown, compare
from benchmarks.corpus import part
from tests.oracles.records.candidates import candidates as slow_candidates
from tests.oracles.records.features import Measured, features
from tests.oracles.records.shapes import Shapes
from tests.oracles.records.view import PageView as SlowView
from treelace import Tree, extract, parse
from treelace.extract import Table
from treelace.extract.candidates import candidates
from treelace.extract.view import PageView

RESULT = Path(__file__).with_name("results") / "extract.md"
MEDIAN, LARGE, EXPONENT = 0.005, 0.050, 1.1
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
FOUND = 0.9
"""Share of the labelled records that the first tables of all pages must hold, text by text."""


def page_of(nodes: int) -> tuple[str, list[list[str]]]:
    """A page of about so many nodes, and the texts of each of its records."""
    menu = "<nav><ul>" + "".join(f"<li><a href=/{n}>Part {n}</a></li>" for n in range(12)) + "</ul></nav>"
    rows, cards = [], []
    for n in range((nodes - 60) // 14):
        rows.append(
            [f"Thing number {n}", f"What thing {n} is good for, in a few words", f"{n % 90 + 1}.20 EUR", *([f"{n % 7 + 1} left"] if n % 3 else [])]
        )
        left = f"<span class=stock>{rows[-1][3]}</span>" if n % 3 else ""
        cards.append(
            f"<li class=card><a href=/p/{n}><img src=/{n}.png></a><h3><a href=/p/{n}>{rows[-1][0]}</a></h3>"
            f"<p class=about>{rows[-1][1]}</p><b class=price>{rows[-1][2]}</b>{left}</li>"
        )
    return f"<body>{menu}<main><ul class=results>{''.join(cards)}</ul></main><footer>{menu}</footer>", rows


def texts_of(table: Table) -> list[list[str]]:
    """The texts of each record, cell by cell."""
    return [[item.text for cell in row if cell for item in cell.items if item.kind == "text"] for row in table.cells]


def first_table(tree: Tree) -> Table:
    """The first table, every cell looked at."""
    table = extract(tree)[0]
    assert len(table.columns) >= 1
    assert all(cell is None or cell.text for row in table.cells for cell in row)
    return table


def all_tables(tree: Tree) -> list[Table]:
    """Every table, every cell looked at."""
    tables = extract(tree)
    assert all(table.columns and (cell is None or cell.text) for table in tables for row in table.cells for cell in row)
    return tables


def spent(work: Callable[[], object], rounds: int) -> float:
    """CPU seconds of one call: the median of some."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def by_goal(task: str, what: str, seconds: float, goal: float, note: str) -> Row:
    """A time beside the time that was promised."""
    ratio = goal / seconds
    return Row(
        task=task,
        ours=what,
        rival=f"goal: {goal * 1000:g} ms",
        ours_seconds=seconds,
        rival_seconds=goal,
        ratio=ratio,
        low=ratio,
        high=ratio,
        goal=1.0,
        note=note,
    )


def labelled(folder: Path) -> list[tuple[Tree, list[set[str]]]]:
    """The labelled pages, and the texts of each of their records."""
    found = []
    for label in sorted((folder / "labels").glob("*.json")):
        page = next(path for path in (folder / f"{label.stem}.html", folder / f"{label.stem}.html.gz") if path.exists())
        regions = json.loads(label.read_text(encoding="utf-8"))["regions"]
        records = [{" ".join(text.split()) for text in record["texts"]} for region in regions for record in region["records"]]
        found.append((parse(page), [record for record in records if record]))
    return found


def share_found(tables: Sequence[Table], truths: Sequence[Sequence[set[str]]]) -> float:
    """Share of the labelled records whose texts stand, four fifths of them, in one record of their page's first table."""
    right = total = 0
    for table, records in zip(tables, truths, strict=True):
        made = [set(texts) for texts in texts_of(table)]
        total += len(records)
        right += sum(any(5 * len(record & one) >= 4 * len(record) for one in made) for record in records)
    return right / total


def real(corpus: Path | None, rounds: int) -> list[Row]:
    """The median page, and the pages against plain Python."""
    pages = labelled(part(corpus, "data", "records"))
    tables = [first_table(tree) for tree, _ in pages]
    share = share_found(tables, [records for _, records in pages])
    assert share >= FOUND, f"only {share:.3f} of the labelled records are in the first tables"
    nodes = statistics.median(len(tree) for tree, _ in pages)
    note = f"{len(pages)} labelled pages, median {nodes:,.0f} nodes; {share:.3f} of the labelled records in the first tables"
    made = []
    for name, work, goal in (("extract alone", extract, MEDIAN), ("first table", first_table, MEDIAN), ("all tables", all_tables, MEDIAN)):
        times = [spent(lambda tree=tree, work=work: work(tree), rounds) for tree, _ in pages]  # type: ignore[misc]
        spread = f"slowest {max(times) * 1000:.1f} ms" if made else note
        row = by_goal("the median page", name, statistics.median(times), goal, spread)
        made.append(_without_goal(row) if name == "all tables" else row)
    some = [tree for tree, _ in pages][::6]
    ours = ("candidates", lambda: [(list(found), found.features) for found in map(candidates, map(PageView.of, some))])
    theirs = ("plain Python", lambda: [_plainly(tree) for tree in some])
    made.append(compare(f"candidates and features of {len(some)} pages", ours, theirs, is_same=_is_same, rounds=max(3, rounds // 2)))
    return made


def _plainly(tree: Tree) -> tuple[list[object], list[list[float]]]:
    view = SlowView.of(tree)
    shapes = Shapes(view)
    found = slow_candidates(view, shapes)
    measured = Measured(view, shapes)
    return list(found), [features(measured, one) for one in found]


def _is_same(ours: object, theirs: object) -> bool:
    import numpy as np

    return all(
        [tuple(one) for one in left[0]] == [tuple(one) for one in right[0]] and np.allclose(left[1], right[1])
        for left, right in zip(ours, theirs, strict=True)  # type: ignore[call-overload]
    )


def _without_goal(row: Row) -> Row:
    from dataclasses import replace

    return replace(row, goal=None, rival="(the same)")


def growth(rounds: int) -> list[Row]:
    """Made pages: the time at each size, at ten thousand nodes, and the exponent it grows with."""
    sizes, times, made = [], [], []
    for nodes in SIZES:
        markup, rows = page_of(nodes)
        tree = parse(markup)
        assert texts_of(first_table(tree)) == rows
        goal, turns = LARGE * len(tree) / 10_000, rounds if nodes <= 20_000 else 3
        for name, work in (("extract alone", extract), ("first table", first_table)):
            seconds = spent(lambda tree=tree, work=work: work(tree), turns)  # type: ignore[misc]
            task = f"a list of {len(rows):,} cards, {len(tree):,} nodes"
            made.append(by_goal(task, name, seconds, goal, f"{seconds / len(tree) * 1e6:.2f} µs a node"))
        sizes.append(len(tree))
        times.append(seconds)
    exponent = _slope([math.log(size) for size in sizes], [math.log(seconds) for seconds in times])
    made.append(
        Row(
            task="growth: exponent of the nodes", ours=f"{exponent:.2f}", rival=f"goal: {EXPONENT}", ours_seconds=times[-1], rival_seconds=times[-1],
            ratio=EXPONENT / exponent, low=EXPONENT / exponent, high=EXPONENT / exponent, goal=1.0, note=f"{sizes[0]:,} to {sizes[-1]:,} nodes",
        )
    )  # fmt: skip
    return made


def _slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    middle, height = statistics.fmean(xs), statistics.fmean(ys)
    return sum((x - middle) * (y - height) for x, y in zip(xs, ys, strict=True)) / sum((x - middle) ** 2 for x in xs)


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """Real pages, then made ones."""
    return [*real(corpus, rounds), *growth(rounds)]


def main() -> int:
    """Writes the table."""
    named = os.environ.get("TREELACE_CORPUS")
    made = rows(Path(named) if named else None, 5)
    head = f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores; CPU seconds, median of 5 rounds"
    title = "# Extracting tables\n\nMade by `python -m benchmarks.extract` with TREELACE_CORPUS set."
    RESULT.write_text("\n\n".join([title, head, (__doc__ or "").strip(), as_markdown(made)]) + "\n", encoding="utf-8")
    print(as_markdown(made))
    return int(any(row.is_reached is False for row in made))


if __name__ == "__main__":
    sys.exit(main())
