"""`python -m experiments.lace_quality.learn [--into DIR]`: learns all that lace has learnt, and
writes it into the kernel.

From the guesses in `start` and no trees at all: weights (`fit`), trees (`forest`) and the line of
the confidence (`confidence`), with texts and without, from the lessons in `lessons`. Needs
TREELACE_CORPUS. The same corpus, packages and kind of processor give the same files, byte for byte,
whatever the number of processes; `tests/testing/test_lace_learning.py` compares them with those in
the repository. The kernel must be built again afterwards. A quarter of an hour of CPU or so.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.lace_quality.confidence import line
from experiments.lace_quality.fit import fitted
from experiments.lace_quality.forest import TREES, grown
from experiments.lace_quality.lessons import Lesson, lessons
from experiments.lace_quality.start import HALF, LINE, STAGES, TERMS, K, start_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

GENERATED = Path(__file__).parents[2] / "crates/matching/src/lace/generated"


@dataclass(frozen=True)
class Learnt:
    """Weights and trees for matching with texts, and without."""

    weights: tuple[Floats, Floats]
    forests: tuple[bytes, bytes]

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
    chosen = reader.parse_args()
    corpus = os.environ.get("TREELACE_CORPUS")
    if not corpus:
        print("learn: set TREELACE_CORPUS to the folder that has data/", file=sys.stderr)
        return 2
    learnt = learn(lessons(Path(corpus), every=chosen.every), chosen.processes)
    for name, content in learnt.files().items():
        (chosen.into / name).write_bytes(content)
    return 0


def learn(what: list[Lesson], processes: int | None, trees: int = TREES) -> Learnt:
    """Everything, in order: the trees see what the weights leave in doubt, and the confidence what
    both decide.
    """
    weights, forests = [], []
    print(f"{len(what)} lessons, {time.process_time():.0f} s", flush=True)
    with (
        threadpool_limits(1),
        Pool(processes, initializer=threadpool_limits, initargs=(1,)) as pool,
    ):
        for reads_text in (True, False):
            here = [one for one in what if reads_text or one.kind not in ("redesign", "move")]
            found = fitted(here[::2], reads_text, start_weights(), pool)
            forest = grown(here, reads_text, found, pool, trees)
            found[-LINE:] = line(here[::3], reads_text, found, forest, pool)
            weights.append(found)
            forests.append(forest)
    return Learnt((weights[0], weights[1]), (forests[0], forests[1]))


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

    lines = ", ".join(
        "[" + ", ".join(f"{value:.3f}" for value in part[-LINE:]) + "]"
        for part in (with_text, without)
    )
    terms = "".join(
        f"    (Term::{name}, {row(columns[:, at])}),\n" for at, name in enumerate(TERMS)
    )
    return f"""//! The weights of lace. Written by `python -m experiments.lace_quality.learn`.

use super::weights::{{Term, TERMS}};

/// What makes log-odds of margins, with texts and without: slope, offset, what a near copy takes
/// away, and what is gone.
#[rustfmt::skip]
pub(super) const LINE: [[f32; 4]; 2] = [{lines}];

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
