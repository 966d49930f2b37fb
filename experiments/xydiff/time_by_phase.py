"""Figure 4: time by phase and size, with 10 % each of update, delete, insert and move.

    python -m experiments.xydiff.time_by_phase

CPU seconds to parse both versions, to match them, and to build the delta, for catalogues of 100 KB
to 3 MB of our own making and their simulated versions. Writes time_by_phase.csv and
time_by_phase.svg, and says how each phase grows.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from experiments.charts import Chart, as_svg
from experiments.write import picture, rows_as_csv
from treelace import Tree, diff, match, parse
from treelace.testing.simulate import Chances, simulate

SIZES = (100_000, 300_000, 1_000_000, 3_000_000)
Answer = TypeVar("Answer")


def catalogue(size: int, seed: int = 1) -> str:
    """An XML catalogue of about `size` bytes."""
    rng = random.Random(seed)
    parts = ["<catalogue>"]
    length = 0
    while length < size:
        words = " ".join(f"w{rng.randrange(4000)}" for _ in range(rng.randrange(4, 20)))
        stock = rng.choice(("yes", "no"))
        fields = f"<name>{words}</name><price>{rng.randrange(500)}.00</price><stock>{stock}</stock>"
        parts.append(f'\n <product id="p{len(parts)}">{fields}</product>')
        length += len(parts[-1])
    return "".join([*parts, "\n</catalogue>"])


def timed(work: Callable[[], Answer]) -> tuple[float, Answer]:
    """CPU seconds, the best of three, and the answer."""
    best = math.inf
    for _ in range(3):
        start = time.process_time()
        answer = work()
        best = min(best, time.process_time() - start)
    return best, answer


def _both(old: bytes, new: bytes) -> tuple[Tree, Tree]:
    return parse(old, format="xml"), parse(new, format="xml")


def main() -> None:
    """Prints a line for each size."""
    lines = [("matcher", "bytes of both", "parse", "match", "build", "nodes")]
    for matcher in ("document", "buld"):
        for size in SIZES:
            made = simulate(parse(catalogue(size), format="xml"), Chances(), seed=1)
            texts = made.old.to_xml().encode(), made.new.to_xml().encode()
            reading, (old, new) = timed(partial(_both, *texts))
            matching_time, matching = timed(partial(match, old, new, matcher=matcher))
            building, _ = timed(partial(diff, old, new, matcher=matching))
            row = (
                matcher,
                str(sum(map(len, texts))),
                f"{reading:.4f}",
                f"{matching_time:.4f}",
                f"{building:.4f}",
                str(len(old) + len(new)),
            )
            lines.append(row)
            print(*row, flush=True)
        first, last = lines[-len(SIZES)], lines[-1]
        span = math.log(int(last[1]) / int(first[1]))
        growth = [
            f"{lines[0][k]} {math.log(float(last[k]) / max(1e-6, float(first[k]))) / span:.2f}"
            for k in (2, 3, 4)
        ]
        print(f"{matcher}: exponent of growth: {', '.join(growth)}")
    rows_as_csv(Path(__file__).parent / "time_by_phase.csv", lines)
    picture(Path(__file__).parent / "time_by_phase.svg", drawn(lines))


def drawn(lines: Sequence[tuple[str, ...]]) -> str:
    """The table as pictures: seconds over bytes, a line for each phase."""
    charts = []
    for matcher in dict.fromkeys(line[0] for line in lines[1:]):
        mine = [line for line in lines[1:] if line[0] == matcher]
        phases = {
            lines[0][k]: [(float(line[1]), float(line[k])) for line in mine] for k in (2, 3, 4)
        }
        charts.append(
            Chart(
                title=matcher,
                x="bytes of both versions",
                y="CPU seconds",
                lines=phases,
                is_log_x=True,
                is_log_y=True,
            )
        )
    return as_svg(charts)


if __name__ == "__main__":
    main()
