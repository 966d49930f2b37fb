"""Reading tables from parsed pages, by mining (`extract`) and by a wrapper (`Wrapper.apply`): CPU a
page, at ten thousand nodes, and how it grows.

*extract alone* finds the regions; *first table* also reads the names, types and texts of the first
one (`table.columns`, `table.rows`); *every cell* looks at every item, link and value of it too.
*apply* is `Wrapper.apply` with all texts read: *list* with a wrapper learnt from the page itself,
*detail* with one learnt from five pages of a site, on five others. Each is set beside its goal
(where the rival is a goal, its time is the goal's, and the ratio says how much of it is left) and
beside lxml, which parses the same page's bytes in the same run. Real pages are the labelled list
pages of `data/records` and detail pages of `data/swde`; what is read must hold their labels. Made
pages are lists of cards between menus, of 1,000 to 200,000 nodes, and every text of the answer is
compared. *plain Python* is the oracle of the tests, the way `records` was first written: finding
candidates and measuring them, without ranking and tables.

`python -m benchmarks extract` prints this table; `python -m benchmarks.extract` writes it to
`benchmarks/results/extract.md`.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from html import unescape
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from benchmarks.compare import Row, as_markdown, compare
from benchmarks.corpus import part
from tests.oracles.records.candidates import candidates as slow_candidates
from tests.oracles.records.context import context
from tests.oracles.records.features import Measured, features, looked_at
from tests.oracles.records.shapes import Shapes
from tests.oracles.records.view import PageView as SlowView
from treelace import Tree, Wrapper, extract, parse
from treelace.extract import Table
from treelace.extract.page.page_view import PageView
from treelace.extract.regions.candidates import candidates

RESULT = Path(__file__).with_name("results") / "extract.md"
MEDIAN, LARGE, APPLY, EXPONENT = 0.005, 0.050, 0.003, 1.1
USUAL = 1_500
"""Nodes of the page that the goal of applying a wrapper speaks of."""
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
FOUND = 0.9
"""Share of the labelled records that the first tables of all pages must hold, text by text."""


def page_of(nodes: int) -> tuple[str, list[list[str]]]:
    """A page of about so many nodes, and the texts of each of its records."""
    menu = (
        "<nav><ul>"
        + "".join(f"<li><a href=/{n}>Part {n}</a></li>" for n in range(12))
        + "</ul></nav>"
    )
    rows, cards = [], []
    for n in range((nodes - 60) // 14):
        rows.append(
            [
                f"Thing number {n}",
                f"What thing {n} is good for, in a few words",
                f"{n % 90 + 1}.20 EUR",
                *([f"{n % 7 + 1} left"] if n % 3 else []),
            ]
        )
        left = f"<span class=stock>{rows[-1][3]}</span>" if n % 3 else ""
        cards.append(
            f"<li class=card><a href=/p/{n}><img src=/{n}.png></a><h3><a"
            f" href=/p/{n}>{rows[-1][0]}</a></h3><p class=about>{rows[-1][1]}</p><b"
            f" class=price>{rows[-1][2]}</b>{left}</li>"
        )
    return (
        f"<body>{menu}<main><ul class=results>{''.join(cards)}</ul></main><footer>{menu}</footer>",
        rows,
    )


def texts_of(table: Table) -> list[list[str]]:
    """The texts of each record, cell by cell, those of columns that are not shown too."""
    return [
        [item.text for cell in row if cell for item in cell.items if item.kind == "text"]
        for row in (table.full or table).cells
    ]


def first_table(tree: Tree) -> Table:
    """The first table: columns with their types, and all texts."""
    table = extract(tree)[0]
    assert len(table.columns) >= 1
    assert len(table.rows) == len(table)
    return table


def every_cell(tree: Tree) -> Table:
    """The first table, every item and value looked at."""
    table = first_table(tree)
    assert all(
        cell is None or ((cell.items or cell.text) and cell.value != "")  # drawn: no items
        for row in table.cells
        for cell in row
    )
    return table


def applied(wrapper: Wrapper, tree: Tree) -> list[Table]:
    """The tables of a page by a wrapper, all texts read."""
    tables = wrapper.apply(tree)
    assert all(len(table.rows) == len(table) for table in tables)
    return tables


def by_lxml(markup: bytes) -> object:
    """The page, parsed by lxml."""
    return etree.fromstring(markup, etree.HTMLParser(recover=True, huge_tree=True))


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


def beside_lxml(
    task: str, what: str, times: Sequence[float], parses: Sequence[float], note: str
) -> Row:
    """Times of pages beside those of their parse by lxml: medians, and the ratios page by page."""
    ratios = sorted(parse_time / own for own, parse_time in zip(times, parses, strict=True))
    quarter = len(ratios) // 4
    return Row(
        task=task, ours=what, rival="lxml's parse",
        ours_seconds=statistics.median(times), rival_seconds=statistics.median(parses),
        ratio=statistics.median(ratios), low=ratios[quarter], high=ratios[-1 - quarter],
        goal=None, note=note,
    )  # fmt: skip


class Labelled(NamedTuple):
    """A page, its bytes, and the texts of each of its records."""

    tree: Tree
    markup: bytes
    records: list[set[str]]


def labelled(folder: Path) -> list[Labelled]:
    """The labelled pages."""
    found = []
    for label in sorted((folder / "labels").glob("*.json")):
        page = next(
            path
            for path in (folder / f"{label.stem}.html", folder / f"{label.stem}.html.gz")
            if path.exists()
        )
        regions = json.loads(label.read_text(encoding="utf-8"))["regions"]
        records = [
            {" ".join(text.split()) for text in record["texts"]}
            for region in regions
            for record in region["records"]
        ]
        found.append(
            Labelled(parse(page), contents(page), [record for record in records if record])
        )
    return found


def contents(path: Path) -> bytes:
    """The bytes of a page."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def share_found(tables: Sequence[Table], truths: Sequence[Sequence[set[str]]]) -> float:
    """Share of the labelled records whose texts stand, four fifths of them, in one record of their
    page's first table.
    """
    right = total = 0
    for table, records in zip(tables, truths, strict=True):
        made = [set(texts) for texts in texts_of(table)]
        total += len(records)
        right += sum(
            any(5 * len(record & one) >= 4 * len(record) for one in made) for record in records
        )
    return right / total


def real(pages: Sequence[Labelled], rounds: int) -> list[Row]:
    """The median page, and the pages against plain Python."""
    share = share_found(
        [first_table(page.tree) for page in pages], [page.records for page in pages]
    )
    assert share >= FOUND, f"only {share:.3f} of the labelled records are in the first tables"
    nodes = statistics.median(len(page.tree) for page in pages)
    made = []
    works = (("extract alone", extract), ("first table", first_table), ("every cell", every_cell))
    times: dict[str, list[float]] = {name: [] for name, _ in works}
    parses = []
    for page in pages:
        parses.append(spent(lambda page=page: by_lxml(page.markup), rounds))  # type: ignore[misc]
        for name, work in works:
            times[name].append(spent(lambda page=page, work=work: work(page.tree), rounds))  # type: ignore[misc]
    note = (
        f"{len(pages)} labelled pages, median {nodes:,.0f} nodes; {share:.3f} of the labelled"
        " records in the first tables"
    )
    for name, those in times.items():
        spread = f"{note}; slowest {max(those) * 1000:.1f} ms"
        row = by_goal("the median page", name, statistics.median(those), MEDIAN, spread)
        made += [
            _without_goal(row) if name == "every cell" else row,
            beside_lxml("the median page", name, those, parses, ""),
        ]
    some = [page.tree for page in pages][::30]
    ours = (
        "candidates",
        lambda: [
            (list(found), found.features) for found in map(candidates, map(PageView.of, some))
        ],
    )
    theirs = ("plain Python", lambda: [_plainly(tree) for tree in some])
    made.append(
        compare(
            f"candidates and features of {len(some)} pages",
            ours,
            theirs,
            is_same=_is_same,
            rounds=max(3, rounds // 2),
        )
    )
    return made


def wrapped(pages: Sequence[Labelled], folder: Path, rounds: int) -> list[Row]:
    """Wrappers on list pages and on detail pages."""
    lists = [(Wrapper.learn([page.tree], kind="list"), page.tree, page.markup) for page in pages]
    share = share_found(
        [applied(wrapper, tree)[0] for wrapper, tree, _ in lists], [page.records for page in pages]
    )
    assert share >= FOUND, (
        f"only {share:.3f} of the labelled records are in the tables of their wrappers"
    )
    made = _applied("list", lists, rounds, f"{share:.3f} of the labelled records found")
    details, right, total = [], 0, 0
    for site in sorted(path for path in folder.iterdir() if path.is_dir())[::3]:
        truth = json.loads((site / "truth.json").read_text(encoding="utf-8"))
        files = sorted(site.glob("*.html.gz"))
        wrapper = Wrapper.learn([parse(path) for path in files[:5]])
        for path in files[5:10]:
            tree = parse(path)
            details.append((wrapper, tree, contents(path)))
            values = {
                " ".join(unescape(value).split())
                for given in truth[path.name.removesuffix(".html.gz")].values()
                for value in given
            }
            found = {
                text
                for table in applied(wrapper, tree)
                for texts in texts_of(table)
                for text in texts
            }
            right, total = right + len(values & found), total + len(values)
    assert right >= FOUND * total, (
        f"only {right} of {total} labelled values are in the tables of their wrappers"
    )
    return made + _applied(
        "detail", details, rounds, f"{right / total:.3f} of the labelled values found"
    )


def _applied(
    kind: str, pages: Sequence[tuple[Wrapper, Tree, bytes]], rounds: int, note: str
) -> list[Row]:
    times, parses = [], []
    for wrapper, tree, markup in pages:
        parses.append(spent(lambda markup=markup: by_lxml(markup), rounds))  # type: ignore[misc]
        times.append(spent(lambda wrapper=wrapper, tree=tree: applied(wrapper, tree), rounds))  # type: ignore[misc]
    each = [seconds * USUAL / len(tree) for seconds, (_, tree, _) in zip(times, pages, strict=True)]
    nodes = statistics.median(len(tree) for _, tree, _ in pages)
    note = (
        f"{len(pages)} pages, median {nodes:,.0f} nodes in {statistics.median(times) * 1000:.2f}"
        f" ms; {note}"
    )
    return [
        by_goal(
            f"wrapper on a {kind} page, for {USUAL:,} nodes",
            "apply",
            statistics.median(each),
            APPLY,
            note,
        ),
        beside_lxml(f"wrapper on a {kind} page", "apply", times, parses, ""),
    ]


def _plainly(tree: Tree) -> tuple[list[object], list[list[float]]]:
    view = SlowView.of(tree)
    shapes = Shapes(view)
    found = slow_candidates(view, shapes)
    measured = Measured(view, shapes)
    values = [
        features(measured, one) + context(view, one, looked_at(one.records), len(found))
        for one in found
    ]
    return list(found), values


def _is_same(ours: object, theirs: object) -> bool:
    import numpy as np

    return all(
        [tuple(one) for one in left[0]] == [tuple(one) for one in right[0]]
        and np.allclose(left[1], right[1])
        for left, right in zip(ours, theirs, strict=True)  # type: ignore[call-overload]
    )


def _without_goal(row: Row) -> Row:
    from dataclasses import replace

    return replace(row, goal=None, rival="(the same)")


def growth(rounds: int) -> list[Row]:
    """Made pages: the time at each size, at ten thousand nodes, and the exponent it grows with."""
    wrapper = Wrapper.learn([parse(page_of(1_000)[0])], kind="list")
    works: dict[str, Callable[[Tree], object]] = {
        "extract alone": extract,
        "first table": first_table,
        "apply": partial(applied, wrapper),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    sizes, made = [], []
    for nodes in SIZES:
        markup, rows = page_of(nodes)
        tree = parse(markup)
        assert texts_of(first_table(tree)) == rows
        assert texts_of(applied(wrapper, tree)[0]) == rows
        turns = rounds if nodes <= 20_000 else 3
        parsed = spent(lambda markup=markup: by_lxml(markup.encode()), turns)  # type: ignore[misc]
        for name, work in works.items():
            seconds = spent(lambda tree=tree, work=work: work(tree), turns)  # type: ignore[misc]
            goal = APPLY * len(tree) / USUAL if name == "apply" else LARGE * len(tree) / 10_000
            note = (
                f"{seconds / len(tree) * 1e6:.2f} µs a node; lxml's parse takes"
                f" {parsed / seconds:.2f} times as long"
            )
            made.append(
                by_goal(
                    f"a list of {len(rows):,} cards, {len(tree):,} nodes", name, seconds, goal, note
                )
            )
            times[name].append(seconds)
        sizes.append(len(tree))
    return made + [_exponent(name, sizes, times[name]) for name in works]


def _exponent(name: str, sizes: Sequence[int], times: Sequence[float]) -> Row:
    exponent = _slope([math.log(size) for size in sizes], [math.log(seconds) for seconds in times])
    return Row(
        task=f"growth of {name}: exponent of the nodes",
        ours=f"{exponent:.2f}", rival=f"goal: {EXPONENT}",
        ours_seconds=times[-1], rival_seconds=times[-1],
        ratio=EXPONENT / exponent, low=EXPONENT / exponent, high=EXPONENT / exponent,
        goal=1.0, note=f"{sizes[0]:,} to {sizes[-1]:,} nodes",
    )  # fmt: skip


def _slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    middle, height = statistics.fmean(xs), statistics.fmean(ys)
    return sum((x - middle) * (y - height) for x, y in zip(xs, ys, strict=True)) / sum(
        (x - middle) ** 2 for x in xs
    )


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """Real pages, then made ones."""
    pages = labelled(part(corpus, "data", "records"))
    return [
        *real(pages, rounds),
        *wrapped(pages, part(corpus, "data", "swde"), rounds),
        *growth(rounds),
    ]


def main() -> int:
    """Writes the table."""
    named = os.environ.get("TREELACE_CORPUS")
    made = rows(Path(named) if named else None, 5)
    head = (
        f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores; CPU"
        " seconds, median of 5 rounds"
    )
    title = (
        "# Extracting tables\n\nMade by `python -m benchmarks.extract` with TREELACE_CORPUS set."
    )
    RESULT.write_text(
        "\n\n".join([title, head, (__doc__ or "").strip(), as_markdown(made)]) + "\n",
        encoding="utf-8",
    )
    print(as_markdown(made))
    return int(any(row.is_reached is False for row in made))


if __name__ == "__main__":
    sys.exit(main())
