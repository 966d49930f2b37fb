"""Wrappers of detail pages repaired after a redesign, on the sites of SWDE, with known truth.

    python -m experiments.wrappers.repair_details              # held-out sites; writes
    repair_details.csv and repair_details.md here python -m experiments.wrappers.repair_details
    --half development --site auto-automotive --verbose

Needs TREELACE_CORPUS (data/swde: 6 of the 24 sites of each half). A wrapper is learnt from five
pages of a site. The redesign renames half of the tags and all classes, the same way on every page
of the site; every digit of every text is changed; `ratio` mutations come on top. The wrapper is
repaired from one or all of the five pages, as they were and as they are, or from its evidence rows
and one new page. The repaired wrapper reads all ten pages of the redesign: `seen` are those it was
repaired from, `others` the rest, which the repair never sees.

- A field is a column of the old wrapper that it fills on one of the pages, of `others` on two; the
  table of the page itself, and those inside it whose name no other has.
- Right, undamaged, restored and holding another field are as in `experiments.wrappers.judging`, a
  page (or a record of a table inside) as the record.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from experiments.wrappers.judging import Column, columns_of, index_of, is_right
from experiments.wrappers.repair import changed
from experiments.wrappers.reporting import SEEDS, parser, summary
from experiments.wrappers.reporting import write as write_results
from experiments.wrappers.swde import halves, scorer
from treelace import Table, WrapperError, parse
from treelace.testing.document import read, write
from treelace.testing.mutate import mutate, original
from treelace.testing.redesign import new_tags
from treelace.tree import Tree
from treelace.wrappers import Wrapper

STARTS = {"1 page": 1, "5 pages": 5, "evidence": 0}
RATIOS = {"redesign": 0.0, "10 %": 0.1}
HEAD = (
    "case",
    "repaired from",
    "pages",
    "sites",
    "fields",
    "restored",
    "left out",
    "hold another field",
    "wrong of given",
    "restored in tables inside",
)


@dataclass
class Result:
    """What came of one site."""

    site: str
    case: str
    start: str
    pages: str
    columns: int = 0
    restored: int = 0
    left_out: int = 0
    contaminated: int = 0
    given: int = 0
    wrong: int = 0
    inner: int = 0
    inner_restored: int = 0


def redesigned(pages: Sequence[Tree], seed: int) -> list[str]:
    """The pages with half of their tags and all their classes renamed, everywhere alike."""
    chance = Random(seed)
    documents = [read(parse(original(page))) for page in pages]
    tags = new_tags(
        {
            element.tag
            for document in documents
            for element in document.elements()
            if element.is_html
        },
        chance,
    )
    words = sorted(
        {
            word
            for document in documents
            for element in document.elements()
            for word in element.attributes.get("class", "").split()
        }
    )
    classes = {
        word: f"{chance.choice('abcdefghijklmnopqrstuvwxyz')}{chance.randrange(16**5):05x}"
        for word in words
    }
    made = []
    for document in documents:
        for element in document.elements():
            if element.is_html:
                element.tag = tags.get(element.tag, element.tag)
            if "class" in element.attributes:
                element.attributes["class"] = " ".join(
                    classes[word] for word in element.attributes["class"].split()
                )
        made.append(write(document))
    return made


@dataclass(frozen=True)
class Pair:
    """A page as it was and as it is, the same before its digits were changed, and what each element
    became.
    """

    old: Tree
    new: Tree
    unchanged: Tree
    became: dict[int, int]


def pairs_of(pages: Sequence[Tree], ratio: float, seed: int) -> list[Pair]:
    """The pages with their redesign."""
    made = []
    for number, (page, html) in enumerate(zip(pages, redesigned(pages, seed), strict=True)):
        old = parse(original(page))
        mutant = mutate(parse(html), ratio=ratio, seed=seed + number)
        made.append(
            Pair(
                old,
                parse(changed(mutant.html, seed + number, set())),
                parse(mutant.html),
                dict(mutant.truth),
            )
        )
    return made


def tables_of(wrapper: Wrapper, page: Tree) -> dict[str, Table]:
    """The tables of a page by the names of their regions."""
    return {table.place: table for table in wrapper.apply(page, force=True)}


def run(
    site: str,
    trees: Sequence[Tree],
    case: str,
    seed: int,
    *,
    starts: Sequence[str],
    verbose: bool = False,
) -> list[Result]:
    """One site in one case: learnt from its first five pages."""
    wrapper = Wrapper.learn([parse(original(tree)) for tree in trees[:5]], kind="detail")
    pairs = pairs_of(trees, RATIOS[case], seed)
    before = [tables_of(wrapper, pair.old) for pair in pairs]
    results = []
    for start in starts:
        used = STARTS[start]
        try:
            if used:
                repair = wrapper.repair(
                    [pair.old for pair in pairs[:used]], [pair.new for pair in pairs[:used]]
                )
            else:
                repair = wrapper.repair(None, pairs[0].new)
        except WrapperError as error:
            print(f"{site}: {error}")
            continue
        if verbose:
            print(repair)
        after = [
            tables_of(repair.wrapper, pair.new) if repair.wrapper is not None else {}
            for pair in pairs
        ]
        seen = max(1, used)
        for which, numbers in (("seen", range(seen)), ("others", range(seen, len(pairs)))):
            result = Result(site, case, start, which)
            judge(
                result,
                wrapper,
                [pairs[at] for at in numbers],
                [before[at] for at in numbers],
                [after[at] for at in numbers],
                verbose=verbose,
            )
            results.append(result)
    return results


def judge(
    result: Result,
    wrapper: Wrapper,
    pairs: Sequence[Pair],
    before: Sequence[dict[str, Table]],
    after: Sequence[dict[str, Table]],
    *,
    verbose: bool,
) -> None:
    """Counts what is right and wrong of every column of every table."""
    names = [region.name for region in wrapper.regions]
    for region in [region for region in wrapper.regions if names.count(region.name) == 1]:
        for number, column in enumerate(region.columns):
            judged = Column(number)
            is_out = True
            for pair, olds, news in zip(pairs, before, after, strict=True):
                old, new = olds.get(region.name), news.get(region.name)
                if old is None:
                    continue
                made = _cells(new, column.name)
                is_out = is_out and made is None
                column_of = columns_of(old, pair.became)
                for cell in (row[number] for row in old.cells if row[number] is not None):
                    home = pair.became.get(index_of(cell))
                    judged.add(
                        cell,
                        _made_of(cell, made, home, region.kind),
                        home,
                        pair.unchanged,
                        column_of,
                    )
            if not judged.there or (judged.there < 2 and len(pairs) > 3):
                continue
            if region.kind == "page":
                result.columns += 1
                result.restored += judged.is_restored
                result.left_out += is_out
                result.contaminated += judged.holds_another
                result.given += judged.given
                result.wrong += judged.wrong
            else:
                result.inner += 1
                result.inner_restored += judged.is_restored
            if verbose and not judged.is_restored:
                print(
                    f"  {result.pages}: {region.name}/{column.name}:"
                    f" {judged}{', left out' if is_out else ''}"
                )


def _cells(table: Table | None, name: str) -> list[Any] | None:
    """The cells of a column, or None where there is no such column."""
    names = [column.name for column in table.columns] if table is not None else []
    if table is None or name not in names:
        return None
    return [row[names.index(name)] for row in table.cells]


def _made_of(old: Any, made: list[Any] | None, home: int | None, kind: str) -> Any:
    """What was read for an old cell: of a page its only cell, of a table inside the one in the
    right place, or with the same text.
    """
    cells = [cell for cell in made or [] if cell is not None]
    if kind == "page":
        return cells[0] if cells else None
    return next((cell for cell in cells if is_right(old, cell, home)), None)


def main() -> None:
    """Runs what was asked for; without choices writes the results."""
    arguments = parser(__doc__, RATIOS, STARTS)
    arguments.add_argument("--site", action="append")
    options = arguments.parse_args()
    corpus = Path(os.environ["TREELACE_CORPUS"])
    folders = sorted(path for path in (corpus / "data/swde").iterdir() if path.is_dir())
    half, score = halves([folder.name for folder in folders]), scorer(corpus)
    seed = SEEDS[options.half]
    results: list[Result] = []
    chosen = [folder for folder in folders if half[folder.name] == options.half][::4]
    for folder in chosen:
        if options.site and folder.name not in options.site:
            continue
        learn, test = score.split(json.loads((folder / "truth.json").read_text(encoding="utf-8")))
        trees = [parse(folder / f"{page}.html.gz") for page in (*learn, *test)]
        for case in options.case or RATIOS:
            if options.verbose:
                print(f"== {folder.name}, {case}")
            results += run(
                folder.name,
                trees,
                case,
                seed,
                starts=options.start or tuple(STARTS),
                verbose=options.verbose,
            )
    table = summary(
        results, {"case": RATIOS, "start": STARTS, "pages": ("seen", "others")}, HEAD, _inside
    )
    print(table)
    if options.half == "held out" and not (options.site or options.case or options.start):
        write_results(
            "repair_details", "Repair of wrappers of detail pages after a redesign", results, table
        )


def _inside(rows: Sequence[Result]) -> str:
    inner = sum(row.inner for row in rows)
    return f"{sum(row.inner_restored for row in rows) / inner:.3f} of {inner}" if inner else "none"


if __name__ == "__main__":
    main()
