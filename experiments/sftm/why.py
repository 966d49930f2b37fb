"""Why BULD is ahead of SFTM here and not in the paper: what could make the difference, one by one.

    TREELACE_CORPUS=… python -m experiments.sftm.why

Mutants of every eighth page of 111 to 3,000 elements: as `treelace mutate` makes them; with every
text replaced by one letter, since SFTM does not see texts; with mutated subtrees of any size, as
the paper has them; and BULD that reaches up one level only, or leaves white space out. Writes
why.csv and why.md.
"""

from __future__ import annotations

import csv
import gzip
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import treelace as tl
from experiments.data import corpus
from experiments.write import table
from treelace.errors import MatchError
from treelace.matching import Matcher
from treelace.matching.matchers.buld import Buld
from treelace.matching.matchers.sftm import Sftm
from treelace.testing.mutate import mutate, original

RATIOS = (0.05, 0.1, 0.2, 0.3, 0.5)
SHARE, SEED = 8, 1977
MATCHERS: dict[str, Matcher] = {
    "buld": Buld(),
    "buld, depth=1": Buld(depth=1),
    "buld, blanks=False": Buld(blanks=False),
    "sftm": Sftm(),
    "sftm, latin=True": Sftm(latin=True),
}
LARGEST = {"our mutants": 0.05, "no texts": 0.05, "any subtree, as in the paper": 1.0}


def pages() -> Iterator[tl.Tree]:
    """Every eighth page that is neither tiny nor huge."""
    folder = corpus("pages")
    with (folder / "index.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows[::SHARE]:
        if 111 <= int(row["elements"]) <= 3000:
            packed = (folder / f"{row['id']}.html.gz").read_bytes()
            yield tl.parse(gzip.decompress(packed), format="html")


def without_texts(html: str) -> str:
    """Every text that is not blank replaced by one letter."""
    return re.sub(r">([^<]*[^<\s][^<]*)<", ">x<", html)


def count(html: str) -> int:
    """Elements of a page."""
    return sum(1 for _ in tl.parse(html, format="html").elements)


def f1(matcher: Matcher, old: tl.Tree, new: tl.Tree, truth: set[tuple[int, int]]) -> float:
    """Twice the right pairs over the pairs found and those to find."""
    pairs = {(i, j) for i, j, _ in matcher.match(old, new).element_pairs()}
    both = len(pairs) + len(truth)
    return 2 * len(pairs & truth) / both if both else 1.0


def main() -> None:
    """Writes the table."""
    found: dict[tuple[str, str, float], list[float]] = {}
    for tree in pages():
        for kind, largest in LARGEST.items():
            for ratio in RATIOS:
                try:
                    before = original(tree)
                    mutant = mutate(tree, ratio=ratio, seed=SEED, largest=largest)
                except MatchError:
                    continue
                texts = [before, mutant.html]
                if kind == "no texts":
                    bare = [without_texts(text) for text in texts]
                    if [count(text) for text in bare] != [count(text) for text in texts]:
                        continue  # a text in a script or an attribute was hit
                    texts = bare
                old, new = (tl.parse(text, format="html") for text in texts)
                for name, matcher in MATCHERS.items():
                    score = f1(matcher, old, new, set(mutant.truth))
                    found.setdefault((kind, name, ratio), []).append(score)
    rows: list[list[object]] = [
        [
            kind,
            name,
            str(len(found[kind, name, RATIOS[0]])),
            *(statistics.fmean(found[kind, name, ratio]) for ratio in RATIOS),
        ]
        for kind in LARGEST
        for name in MATCHERS
    ]
    table(
        Path(__file__).parent / "why",
        "BULD and SFTM: what could make the difference to the paper",
        "TREELACE_CORPUS=… python -m experiments.sftm.why",
        ["mutants", "matcher", "pages", *(f"{ratio:.0%}" for ratio in RATIOS)],
        rows,
        "F1 by the ratio of mutated elements.",
    )


if __name__ == "__main__":
    main()
