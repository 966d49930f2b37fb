"""List wrappers repaired after a redesign, on labelled list pages, with known truth.

    python -m experiments.wrappers.repair                      # all pages, all cases; writes repair.csv and repair.md beside this file
    python -m experiments.wrappers.repair --pages 12 --case redesign --verbose

Needs TREELACE_CORPUS (data/records). A wrapper is learnt from each page; `treelace mutate` renames half of the tags and all classes, does
`ratio` mutations on top and tells where each element went; then every digit of every text is changed (and, in the case `new rows`,
half of the records get other words). The wrapper is repaired from the old and the new page and applied to the new one.

- A given cell is right if its element is what the old cell's element became, or if it has the same text, digits aside, in the same record (a text
  with three letters at least: one that is only digits must be in the right element).
- A cell is undamaged if its element is still there with the same text but for digits.
- A column is restored if at least 95 % of the given cells are right and 90 % of the undamaged ones are given and right.
- A column holds another field if more than 5 % of its given cells are what cells of another column became.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from treelace import Table, WrapperError, parse
from treelace.errors import TreelaceError
from treelace.testing.document import Leaf, read, write
from treelace.testing.mutate import mutate, original
from treelace.tree import Node, Tree
from treelace.wrappers import Repair, Wrapper

HERE = Path(__file__).parent
CASES = {"redesign": (0.0, 0.0), "10 %": (0.1, 0.0), "20 %": (0.2, 0.0), "30 %": (0.3, 0.0), "new rows": (0.0, 0.5), "new rows, 10 %": (0.1, 0.5)}
"""Share of elements mutated on top of the redesign, share of records with new words."""

BY = ("repair", "wrapper")
"""The new page read by the repair itself, which has the old page to compare, and by the repaired wrapper alone."""


@dataclass
class Result:
    """What came of one page in one case."""

    page: str
    case: str
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
    """The page with every digit of its texts changed, and other words in the elements (by index) of `rows`."""
    chance = random.Random(seed)
    document = read(parse(html))
    elements = [element for element in document.elements() if element.tag]
    inside = set()
    for number, element in enumerate(elements):
        if number in rows:
            inside |= {id(below) for below in element.elements()}
    for element in document.elements():
        for leaf in element.children:
            if isinstance(leaf, Leaf) and leaf.text and element.tag not in ("script", "style"):
                if id(element) in inside:
                    leaf.text = re.sub(r"[A-Za-z]{3,}", lambda word: _word(len(word[0]), chance), leaf.text)
                leaf.text = re.sub(r"[0-9]", lambda digit: str((int(digit[0]) + chance.randrange(1, 10)) % 10), leaf.text)
    return write(document)


def _word(length: int, chance: random.Random) -> str:
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(length))


def has_words(text: str) -> bool:
    """Whether a text can be known again when its digits change."""
    return sum(map(str.isalpha, text)) >= 3


def masked(text: str) -> str:
    """A text with its digits made alike."""
    return re.sub(r"[0-9]", "0", " ".join(text.split()))


def run(name: str, page: Tree, case: str, seed: int, *, verbose: bool = False) -> list[Result]:
    """One page in one case, read in both ways; nothing where no wrapper can be learnt."""
    ratio, new_rows = CASES[case]
    old = parse(original(page))
    try:
        wrapper = Wrapper.learn([old], kind="list")
        before = wrapper.apply(old, force=True)[0]
    except WrapperError:
        return []
    mutant = mutate(page, ratio=ratio, seed=seed, rename_tags_too=True, restyle_too=True)
    became = dict(mutant.truth)
    roots = [[node.element_index for node in nodes if node.is_element] for nodes in before.records]
    fresh = {became[root] for number, record in enumerate(roots) for root in record if root in became and new_rows and number % 2}
    new = parse(changed(mutant.html, seed, fresh))
    filled = [any(row[number] for row in before.cells) for number in range(len(before.columns))]
    start = time.process_time()
    repair = wrapper.repair(old, new)
    seconds = round(time.process_time() - start, 3)
    if verbose:
        print(repair)
    truth = Truth(old, new, before, became, filled)
    return [
        judged(Result(name, case, by, columns=sum(filled), records=len(before.cells), seconds=seconds), truth, repair, verbose=verbose) for by in BY
    ]


@dataclass(frozen=True)
class Truth:
    """The old page and table, the new page, what each element became, and which columns the old table fills."""

    old: Tree
    new: Tree
    before: Table
    became: dict[int, int]
    filled: list[bool]


def judged(result: Result, truth: Truth, repair: Repair, *, verbose: bool) -> Result:
    """The result with what is right and wrong of the new page's cells."""
    old, new, before, became, filled = truth.old, truth.new, truth.before, truth.became, truth.filled
    if result.by == "wrapper":
        if repair.wrapper is None:
            result.left_out = result.columns
            return result
        after = repair.wrapper.apply(new, force=True)[0]
        # which old record a new one is: the one most of whose elements became elements in it
        owner = {
            became[index]: number
            for number, nodes in enumerate(before.records)
            for node in nodes
            for index in _elements(old, node.index)
            if index in became
        }
        rows: dict[int, tuple[Any, ...]] = {}
        for nodes, row in zip(after.records, after.cells, strict=True):
            votes: dict[int, int] = {}
            for index in (index for node in nodes for index in _elements(new, node.index) if index in owner):
                votes[owner[index]] = votes.get(owner[index], 0) + 1
            if votes:
                rows.setdefault(max(votes, key=lambda number: votes[number]), row)
    else:
        if repair.table is None:
            result.left_out = result.columns
            return result
        after = repair.table
        rows = {origin: row for origin, row in zip(repair.origins, after.cells, strict=True) if origin is not None}
    result.found = len(after.cells)
    names = {column.name: number for number, column in enumerate(after.columns)}
    column_of = {
        became[cell.node.element_index]: number
        for row in before.cells
        for number, cell in enumerate(row)
        if cell is not None and cell.node.element_index in became
    }
    for number, column in enumerate(before.columns):
        if not filled[number]:
            continue
        if column.name not in names:
            result.left_out += 1
            continue
        given = wrong = undamaged = kept = foreign = 0
        misses = []
        for record, row in enumerate(before.cells):
            cell = row[number]
            made = rows.get(record, (None,) * len(names))[names[column.name]]
            home = None if cell is None else became.get(cell.node.element_index or -1)
            is_whole = cell is not None and home is not None and _is_whole(cell.text, new.element(home))
            is_right = (
                made is not None
                and cell is not None
                and (made.node.element_index == home or (has_words(cell.text) and masked(made.text) == masked(cell.text)))
            )
            given += made is not None
            wrong += made is not None and not is_right
            foreign += made is not None and not is_right and column_of.get(made.node.element_index, number) != number
            undamaged += is_whole
            kept += is_whole and is_right
            if verbose and ((made is not None and not is_right) or (is_whole and not is_right)):
                misses.append((record, cell.text[:40] if cell else None, made.text[:40] if made else None))
        result.given += given
        result.wrong += wrong
        is_fine = given and wrong <= 0.05 * given and kept >= 0.9 * undamaged
        result.restored += bool(is_fine)
        result.contaminated += bool(given and foreign > 0.05 * given)
        if verbose and not is_fine:
            print("  ", column.name, f"given {given} wrong {wrong} undamaged {undamaged} kept {kept}", misses[:4])
    return result


def _elements(tree: Tree, node: int) -> list[int]:
    indexes = tree.element_indexes[node : tree._core.end(node)].tolist()
    return [index for index in indexes if index < 2**32 - 1]


def _is_whole(text: str, element: Node) -> bool:
    return masked(text) in masked(element.text) or (element.tag == "img" and text.endswith(element.attribute("src") or "?"))


def main() -> None:
    """Runs what was asked for; without --pages writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, help="only every n-th page so that there are about so many")
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--name", help="only pages whose name has this")
    options = parser.parse_args()
    corpus = Path(os.environ["TREELACE_CORPUS"])
    files = sorted(path for path in (corpus / "data/records").iterdir() if path.name.endswith((".html", ".html.gz")))
    files = [file for file in files if not options.name or options.name in file.name]
    if options.pages:
        files = files[:: max(1, len(files) // options.pages)]
    results: list[Result] = []
    for file in files:
        page, name = parse(file), file.name.split(".html")[0]
        for case in options.case or CASES:
            try:
                made = run(name, page, case, 7, verbose=options.verbose)
            except TreelaceError as error:
                print(f"{name}, {case}: {error}", flush=True)
                continue
            results += made
            if options.verbose:
                print(*made, sep="\n", flush=True)
    table = summary(results)
    print(table)
    if not (options.case or options.name):
        with (HERE / "repair.csv").open("w", newline="") as out:
            writer = csv.DictWriter(out, fieldnames=list(asdict(results[0])), lineterminator="\n")
            writer.writeheader()
            writer.writerows(asdict(result) for result in results)
        (HERE / "repair.md").write_text(
            f"# Repair of list wrappers after a redesign\n\n`python -m experiments.wrappers.repair`\n\n{table}", encoding="utf-8"
        )


def summary(results: list[Result]) -> str:
    """A table in Markdown, a line for each case."""
    lines = [
        "| case | read by | pages | columns | restored | left out | hold another field | wrong of given cells | CPU s a page |",
        "|---|" + "---|" * 8,
    ]
    for case in CASES:
        for by in BY:
            rows = [result for result in results if result.case == case and result.by == by]
            if rows:
                columns, given, wrong = (sum(getattr(row, name) for row in rows) for name in ("columns", "given", "wrong"))
                restored, left_out = (sum(getattr(row, name) for row in rows) / columns for name in ("restored", "left_out"))
                lines.append(
                    f"| {case} | {by} | {len(rows)} | {columns} | {restored:.3f} | {left_out:.3f} | {sum(row.contaminated for row in rows)} "
                    f"| {wrong} of {given} ({wrong / max(1, given):.2%}) | {sum(row.seconds for row in rows) / len(rows):.2f} |"
                )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
