"""Why BULD is ahead of SFTM here and not in the paper: what could make the difference, one by one.

    TREELACE_CORPUS=… python -m experiments.sftm.why

Mutants of every eighth page of 111 to 3,000 elements: as `treelace mutate` makes them; with every
text replaced by one letter, since SFTM does not see texts; with mutated subtrees of any size, as
the paper has them. BULD as it is, reaching up one level only, without white space, and with only
those pairs whose subtrees are equal, which is how the paper describes XyDiff ("relies entirely on
hashing subtrees"). SFTM as it is, with the paper's rule for words, without propagation, with the
settings of the authors' library. Writes why.csv and why.md.
"""

from __future__ import annotations

import csv
import gzip
import re
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
LARGEST = {"our mutants": 0.05, "no texts": 0.05, "any subtree, as in the paper": 1.0}
Pairs = set[tuple[int, int]]


def pairs_of(matcher: Matcher) -> Callable[[tl.Tree, tl.Tree], Pairs]:
    """The pairs of elements that a matcher finds."""
    return lambda old, new: {(i, j) for i, j, _ in matcher.match(old, new).element_pairs()}


def equal_pairs(old: tl.Tree, new: tl.Tree) -> Pairs:
    """Those pairs of BULD whose subtrees are equal: nothing from its phases 3 and 4."""
    pairs = pairs_of(Buld())(old, new)
    return {(i, j) for i, j in pairs if old.element(i).digest == new.element(j).digest}


SYSTEMS: dict[str, Callable[[tl.Tree, tl.Tree], Pairs]] = {
    "sftm": pairs_of(Sftm()),
    "sftm, Latin words": pairs_of(Sftm(latin=True)),
    "sftm, no propagation": pairs_of(Sftm(from_parents=(0.0,), to_parents=(0.0,))),
    "sftm, authors' library": pairs_of(Sftm.library()),
    "buld": pairs_of(Buld()),
    "buld, depth=1": pairs_of(Buld(depth=1)),
    "buld, blanks=False": pairs_of(Buld(blanks=False)),
    "buld, equal subtrees only": equal_pairs,
}


@dataclass(frozen=True)
class Score:
    """Right pairs, pairs found, pairs to find."""

    good: int
    found: int
    wanted: int

    @property
    def f1(self) -> float:
        """Twice the right pairs over the pairs found and those to find."""
        return 2 * self.good / (self.found + self.wanted) if self.found + self.wanted else 1.0


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


def versions(tree: tl.Tree, kind: str, ratio: float) -> tuple[tl.Tree, tl.Tree, Pairs] | None:
    """A page, its mutant, and the true pairs; None where there is no such mutant."""
    try:
        texts = [original(tree)]
        mutant = mutate(tree, ratio=ratio, seed=SEED, largest=LARGEST[kind])
    except MatchError:
        return None
    texts.append(mutant.html)
    if kind == "no texts":
        bare = [without_texts(text) for text in texts]
        if [count(text) for text in bare] != [count(text) for text in texts]:
            return None  # a text in a script or an attribute was hit
        texts = bare
    old, new = (tl.parse(text, format="html") for text in texts)
    return old, new, set(mutant.truth)


def line(kind: str, name: str, found: dict[tuple[str, str, float], list[Score]]) -> list[object]:
    """A row of the table."""
    by_ratio = [found[kind, name, ratio] for ratio in RATIOS]
    every = [score for scores in by_ratio for score in scores]
    good = sum(score.good for score in every)
    sftm = sum(score.good for ratio in RATIOS for score in found[kind, "sftm", ratio])
    return [
        kind,
        name,
        str(len(by_ratio[0])),
        *(statistics.fmean(score.f1 for score in scores) for scores in by_ratio),
        good / sum(score.found for score in every),
        good / sum(score.wanted for score in every),
        good / sftm,
    ]


def main() -> None:
    """Writes the table."""
    found: dict[tuple[str, str, float], list[Score]] = {}
    for tree in pages():
        for kind in LARGEST:
            for ratio in RATIOS:
                pair = versions(tree, kind, ratio)
                if pair is None:
                    continue
                old, new, truth = pair
                for name, system in SYSTEMS.items():
                    pairs = system(old, new)
                    score = Score(len(pairs & truth), len(pairs), len(truth))
                    found.setdefault((kind, name, ratio), []).append(score)
    table(
        Path(__file__).parent / "why",
        "BULD and SFTM: what could make the difference to the paper",
        "TREELACE_CORPUS=… python -m experiments.sftm.why",
        [
            *("mutants", "matcher", "pages"),
            *(f"{ratio:.0%}" for ratio in RATIOS),
            *("precision", "recall", "good matches / those of sftm"),
        ],
        [line(kind, name, found) for kind in LARGEST for name in SYSTEMS],
        "F1 by the ratio of mutated elements; precision, recall and good matches over all ratios.",
    )


if __name__ == "__main__":
    main()
