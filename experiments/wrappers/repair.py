"""List wrappers repaired after a redesign, on labelled list pages, with known truth.

    python -m experiments.wrappers.repair                      # the held-out half, all cases;
    writes repair.csv and repair.md here python -m experiments.wrappers.repair --half development
    --case "10 %" --verbose

Needs TREELACE_CORPUS (data/records, 60 sites). The sites stand in two halves: the code was written
while looking at the first, the figures are those of the second, with other seeds. A wrapper is
learnt from each page. `treelace mutate` renames half of the tags and all classes: the redesign. Of
it there are two pages, each with `ratio` mutations of its own and every digit of every text
changed:

- the *new page*, from which the wrapper is repaired, with the old page at hand or from its evidence
  rows alone (in the cases `new rows` half of its records have other words);
- a *second page*, with other mutations, other digits, and other words in half of the records, that
  the repair never sees.

Read by `repair`: the table that the repair gives of the new page; `wrapper`: the repaired wrapper
on the new page; `second page`: on the second.

The cases `redesign` and `10 %` are run on all 30 pages of a half, the others on every third.

`experiments.wrappers.judging` says when a cell is right, and when a column is restored or holds
another field.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.wrappers.judging import Column, columns_of, index_of, masked
from experiments.wrappers.reporting import SEEDS, parser, summary, write
from treelace import Table, WrapperError, parse
from treelace.errors import TreelaceError
from treelace.testing import document as documents
from treelace.testing.document import Leaf
from treelace.testing.mutate import Mutant, mutate, original
from treelace.tree import Tree
from treelace.wrappers import Repair, Wrapper

CASES = {
    "redesign": (0.0, 0.0),
    "10 %": (0.1, 0.0),
    "20 %": (0.2, 0.0),
    "30 %": (0.3, 0.0),
    "new rows": (0.0, 0.5),
    "new rows, 10 %": (0.1, 0.5),
}
"""Share of elements mutated on top of the redesign, share of records with new words."""

SEVERAL = 3
"""A text that stands on a page so often is no value of a record."""

WHOLE = ("redesign", "10 %")
"""Cases that are run on every page; the others on every third."""

HALVES = {"development": 0, "held out": 1}
"""Which of every two pages."""

STARTS = ("old page", "evidence")
BY = ("repair", "wrapper", "second page")
"""What a repair starts from; what is read: the new page by the repair itself and by the repaired
wrapper alone, the second page by the wrapper.
"""

HEAD = (
    "case",
    "repaired from",
    "read by",
    "pages",
    "columns",
    "restored",
    "left out",
    "hold another field",
    "wrong of given cells",
    "CPU s a page",
)


@dataclass
class Result:
    """What came of one page in one case."""

    page: str
    case: str
    start: str
    by: str
    columns: int = 0
    restored: int = 0
    left_out: int = 0
    contaminated: int = 0
    given: int = 0
    wrong: int = 0
    records: int = 0
    found: int = 0
    seconds: float = 0.0


def changed(html: str, seed: int, rows: set[int]) -> str:
    """The page with every digit of its texts changed, and other words in the elements (by index) of
    `rows`.

    A text that stands on the page three times or more (`Add to cart`) keeps its words: it is the
    template's.
    """
    chance = random.Random(seed)
    document = documents.read(parse(html))
    texts = Counter(
        masked(leaf.text)
        for element in document.elements()
        for leaf in element.children
        if isinstance(leaf, Leaf) and leaf.text
    )
    elements = [element for element in document.elements() if element.tag]
    inside = set()
    for number, element in enumerate(elements):
        if number in rows:
            inside |= {id(below) for below in element.elements()}
    for element in document.elements():
        for leaf in element.children:
            if isinstance(leaf, Leaf) and leaf.text and element.tag not in ("script", "style"):
                if id(element) in inside and texts[masked(leaf.text)] < SEVERAL:
                    leaf.text = re.sub(
                        r"[A-Za-z]{3,}", lambda word: _word(len(word[0]), chance), leaf.text
                    )
                leaf.text = re.sub(
                    r"[0-9]",
                    lambda digit: str((int(digit[0]) + chance.randrange(1, 10)) % 10),
                    leaf.text,
                )
    return documents.write(document)


def _word(length: int, chance: random.Random) -> str:
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(length))


def run(
    name: str,
    page: Tree,
    case: str,
    seed: int,
    *,
    starts: Sequence[str] = STARTS,
    verbose: bool = False,
) -> list[Result]:
    """One page in one case, read in all ways; nothing where no wrapper can be learnt."""
    ratio, new_rows = CASES[case]
    old = parse(original(page))
    try:
        wrapper = Wrapper.learn([old], kind="list")
        before = wrapper.apply(old, force=True)[0]
    except WrapperError:
        return []
    redesign = mutate(page, ratio=0, seed=seed, rename_tags_too=True, restyle_too=True)
    pages = [
        redesigned(redesign, before, ratio=ratio, seed=seed + 1, new_rows=new_rows),
        redesigned(redesign, before, ratio=ratio, seed=seed + 2, new_rows=0.5),
    ]
    filled = [any(row[number] for row in before.cells) for number in range(len(before.columns))]
    results = []
    for start in starts:
        began = time.process_time()
        try:
            repair = wrapper.repair(old if start == "old page" else None, pages[0].tree)
        except WrapperError as error:
            if verbose:
                print(error)
            repair = Repair(None, (), 0, 0)
        seconds = round(time.process_time() - began, 3)
        if verbose:
            print(repair)
        for by in BY:
            result = Result(
                name,
                case,
                start,
                by,
                columns=sum(filled),
                records=len(before.cells),
                seconds=seconds,
            )
            truth = Truth(old, pages[by == "second page"], before, filled)
            if verbose:
                print(start, by)
            results.append(judge(result, truth, repair, verbose=verbose))
    return results


@dataclass(frozen=True)
class NewPage:
    """A page of the redesign: its tree, the same before its digits and words were changed, and what
    each old element became.
    """

    tree: Tree
    unchanged: Tree
    became: dict[int, int]


def redesigned(
    redesign: Mutant, before: Table, *, ratio: float, seed: int, new_rows: float
) -> NewPage:
    """A page of a redesign, with mutations, other digits, and other words in a share of the
    records.
    """
    mutant = mutate(parse(redesign.html), ratio=ratio, seed=seed)
    then = dict(mutant.truth)
    became = {old: then[new] for old, new in redesign.truth if new in then}
    roots = [[node.element_index for node in nodes if node.is_element] for nodes in before.records]
    step = round(1 / new_rows) if new_rows else 0
    fresh = {
        became[root]
        for number, record in enumerate(roots)
        for root in record
        if root in became and step and number % step
    }
    return NewPage(parse(changed(mutant.html, seed, fresh)), parse(mutant.html), became)


@dataclass(frozen=True)
class Truth:
    """The old page and table, the new page, and which columns the old table fills."""

    old: Tree
    new: NewPage
    before: Table
    filled: list[bool]


def judge(result: Result, truth: Truth, repair: Repair, *, verbose: bool) -> Result:
    """The result with what is right and wrong of the new page's cells."""
    new, before, became, filled = truth.new.tree, truth.before, truth.new.became, truth.filled
    if repair.wrapper is None and (result.by != "repair" or repair.table is None):
        result.left_out = result.columns
        return result
    if result.by != "repair":
        assert repair.wrapper is not None, "asked for above"
        after = repair.wrapper.apply(new, force=True)[0]
    else:
        assert repair.table is not None, "asked for above"
        after = repair.table
    if result.by == "repair" and result.start == "old page":
        rows = {
            origin: row
            for origin, row in zip(repair.origins, after.cells, strict=True)
            if origin is not None
        }
    else:
        rows = by_record(truth, after)
    result.found = len(after.cells)
    names = {column.name: number for number, column in enumerate(after.columns)}
    column_of = columns_of(before, became)
    for number, column in enumerate(before.columns):
        if not filled[number]:
            continue
        if column.name not in names:
            result.left_out += 1
            continue
        judged = Column(number)
        for record, row in enumerate(before.cells):
            cell = row[number]
            made = rows.get(record, (None,) * len(names))[names[column.name]]
            judged.add(
                cell,
                made,
                None if cell is None else became.get(index_of(cell)),
                truth.new.unchanged,
                column_of,
            )
        result.given += judged.given
        result.wrong += judged.wrong
        result.restored += judged.is_restored
        result.contaminated += judged.holds_another
        if verbose and not judged.is_restored:
            print(f"  {column.name}: {judged}")
    return result


def by_record(truth: Truth, after: Table) -> dict[int, tuple[Any, ...]]:
    """The row of each old record: that of the new record in which most of its elements are now."""
    became = truth.new.became
    owner = {
        became[index]: number
        for number, nodes in enumerate(truth.before.records)
        for node in nodes
        for index in _elements(truth.old, node.index)
        if index in became
    }
    rows: dict[int, tuple[Any, ...]] = {}
    most: dict[int, int] = {}
    for nodes, row in zip(after.records, after.cells, strict=True):
        votes = Counter(
            owner[index]
            for node in nodes
            for index in _elements(truth.new.tree, node.index)
            if index in owner
        )
        if votes:
            record, count = votes.most_common(1)[0]
            if count > most.get(record, 0):
                rows[record], most[record] = row, count
    return rows


def _elements(tree: Tree, node: int) -> list[int]:
    indexes = tree.element_indexes[node : tree._core.end(node)].tolist()
    return [index for index in indexes if index < 2**32 - 1]


def main() -> None:
    """Runs what was asked for; without choices writes the results."""
    arguments = parser(__doc__, CASES, STARTS)
    arguments.add_argument("--name", help="only pages whose name has this")
    options = arguments.parse_args()
    corpus = Path(os.environ["TREELACE_CORPUS"])
    files = sorted(
        path
        for path in (corpus / "data/records").iterdir()
        if path.name.endswith((".html", ".html.gz"))
    )
    which, seed = HALVES[options.half], SEEDS[options.half]
    results: list[Result] = []
    for number, file in enumerate(files[which::2]):
        if options.name and options.name not in file.name:
            continue
        page, name = parse(file), file.name.split(".html")[0]
        for case in options.case or [case for case in CASES if case in WHOLE or number % 3 == 0]:
            if options.verbose:
                print(f"== {name}, {case}")
            try:
                made = run(
                    name, page, case, seed, starts=options.start or STARTS, verbose=options.verbose
                )
            except TreelaceError as error:
                print(f"{name}, {case}: {error}", flush=True)
                continue
            results += made
            if options.verbose:
                print(*made, sep="\n", flush=True)
    table = summary(
        results,
        {"case": CASES, "start": STARTS, "by": BY},
        HEAD,
        lambda rows: f"{sum(row.seconds for row in rows) / len(rows):.2f}",
    )
    print(table)
    if options.half == "held out" and not (options.case or options.name or options.start):
        write("repair", "Repair of list wrappers after a redesign", results, table)


if __name__ == "__main__":
    main()
