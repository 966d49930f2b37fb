"""`python -m experiments.lace_quality.learn [--confidence] [--into DIR]`: learns all that lace has
learnt, and writes it into the kernel.

From the guesses in `start` and no trees at all: weights (`fit`), trees (`forest`) and the trees of
the confidence (`confidence`), with texts and without, from the lessons in `lessons`; with
`--confidence` the last of these only, for the weights and trees in use. Needs TREELACE_CORPUS. The
same corpus, packages and kind of processor give the same files, byte for byte, whatever the number
of processes; `tests/testing/test_lace_learning.py` compares what `--confidence` makes with what is
in the repository. The kernel must be built again afterwards. A quarter of an hour of CPU or so, the
confidence three minutes.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Pool
from multiprocessing.pool import Pool as Workers
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.lace_quality.confidence import surely
from experiments.lace_quality.fit import fitted
from experiments.lace_quality.forest import TREES, both, grown
from experiments.lace_quality.lessons import Lesson, lessons, mutants
from experiments.lace_quality.start import HALF, STAGES, TERMS, K, start_weights
from treelace import _kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

GENERATED = Path(__file__).parents[2] / "crates/matching/src/lace/generated"
WITH_TEXTS_AND_WITHOUT = (True, False)
MUTANTS_FOR_CONFIDENCE = 12
"""Of each page: right and wrong pairs are told apart by few things, and learnt quickly."""


@dataclass(frozen=True)
class Learnt:
    """Weights and trees for matching with texts, and without."""

    weights: tuple[Floats, Floats]
    forests: tuple[bytes, bytes]

    @classmethod
    def in_use(cls) -> Learnt:
        """Those of the kernel."""
        *_, with_text, without = _kernel.lace_weights()
        forests = both((GENERATED / "forest.bin").read_bytes())
        return cls((np.array(with_text), np.array(without)), forests)

    def files(self) -> dict[str, bytes]:
        """The generated files of the kernel."""
        return {
            "table.rs": table(*self.weights).encode(),
            "forest.bin": b"".join(self.forests),
        }


def main() -> int:
    """Learns and writes."""
    reader = argparse.ArgumentParser(prog="python -m experiments.lace_quality.learn")
    reader.add_argument(
        "--into", type=Path, default=GENERATED, help="where to write, in place of the kernel"
    )
    reader.add_argument("--processes", type=int, default=os.cpu_count())
    reader.add_argument("--every", type=int, default=1, help="learn from every n-th page only")
    reader.add_argument(
        "--confidence", action="store_true", help="only how sure pairs are, as they are made today"
    )
    chosen = reader.parse_args()
    corpus = os.environ.get("TREELACE_CORPUS")
    if not corpus:
        print("learn: set TREELACE_CORPUS to the folder that has data/", file=sys.stderr)
        return 2
    files = {}
    if chosen.confidence:
        learnt = Learnt.in_use()
    else:
        learnt = learn(lessons(Path(corpus), every=chosen.every), chosen.processes)
        files = learnt.files()
    more = list(mutants(Path(corpus) / "data/pages", chosen.every, MUTANTS_FOR_CONFIDENCE))
    files["confidence.bin"] = confidence(learnt, more, chosen.processes)
    for name, content in files.items():
        (chosen.into / name).write_bytes(content)
    return 0


def learn(what: list[Lesson], processes: int | None, trees: int = TREES) -> Learnt:
    """Weights and trees: the trees see what the weights leave in doubt."""
    weights, forests = [], []
    with _workers(processes) as pool:
        for reads_text in WITH_TEXTS_AND_WITHOUT:
            here = _fit_for(what, reads_text)
            found = fitted(here[::2], reads_text, start_weights(), pool)
            weights.append(found)
            forests.append(grown(here, reads_text, found, pool, trees))
    return Learnt((weights[0], weights[1]), (forests[0], forests[1]))


def confidence(learnt: Learnt, what: list[Lesson], processes: int | None) -> bytes:
    """How sure pairs are that are made with what was learnt: the file of the kernel."""
    with _workers(processes) as pool:
        return b"".join(
            surely(_fit_for(what, reads_text), reads_text, weights, forest, pool)
            for reads_text, weights, forest in zip(
                WITH_TEXTS_AND_WITHOUT, learnt.weights, learnt.forests, strict=True
            )
        )


def _fit_for(what: list[Lesson], reads_text: bool) -> list[Lesson]:
    """Without texts nothing is left of what was renamed all over a page."""
    return [one for one in what if reads_text or one.kind not in ("redesign", "move")]


@contextmanager
def _workers(processes: int | None) -> Iterator[Workers]:
    """Processes of one thread each."""
    with (
        threadpool_limits(1),
        Pool(processes, initializer=threadpool_limits, initargs=(1,)) as pool,
    ):
        yield pool


def table(with_text: Floats, without: Floats) -> str:
    """The file of the kernel that holds the weights."""
    halves = (with_text[:HALF], with_text[HALF : 2 * HALF], without[:HALF])
    columns = np.concatenate([half.reshape(STAGES, K + 2) for half in halves])

    def row(values: Floats) -> str:
        return (
            "["
            + ", ".join(f"{value:.3f}" if abs(value) >= 5e-4 else "0.0" for value in values)
            + "]"
        )

    def constant(name: str, values: Floats) -> str:
        """One line, or two as rustfmt cuts it."""
        text = f"pub(super) const {name}: [f32; 9] = {row(values)};"
        return text if len(text) <= 100 else text.replace(" = ", " =\n    ")

    terms = "".join(
        f"    (Term::{name}, {row(columns[:, at])}),\n" for at, name in enumerate(TERMS)
    )
    return f"""//! The weights of lace. Written by `python -m experiments.lace_quality.learn`.

use super::weights::{{Term, TERMS}};

/// How much of what a pair says by itself counts. By stage: with texts for elements and for texts,
/// without texts for elements.
{constant("SHARE", columns[:, K])}
/// What a pair must reach. As [`SHARE`].
{constant("THRESHOLD", columns[:, K + 1])}

/// As [`SHARE`]. What a pair says by itself is weighed once, as in the last stage.
#[rustfmt::skip]
#[allow(clippy::approx_constant)] // chance
pub(super) const TABLE: [(Term, [f32; 9]); TERMS] = [
{terms}];
"""


if __name__ == "__main__":
    sys.exit(main())
