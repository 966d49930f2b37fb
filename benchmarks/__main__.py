"""`make bench`, or `python -m benchmarks [NAME…]`: runs the benchmarks and prints their tables.

Each benchmark is a module with a function `rows(corpus: Path | None, rounds: int) -> list[Row]`; it
stands in the list below. One that needs outside data (TREELACE_CORPUS) raises `NeedsCorpusError`
where there is none, and is named as left out.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from pathlib import Path

from benchmarks.compare import as_markdown
from benchmarks.corpus import NeedsCorpusError

BENCHMARKS = {
    "diff": "benchmarks.diff",
    "extract": "benchmarks.extract",
    "html_parse": "benchmarks.html_parse",
    "import": "benchmarks.import_cost",
    "loop": "benchmarks.loop",
    "matching": "benchmarks.matching",
    "select": "benchmarks.select",
    "similarity": "benchmarks.similarity",
    "structure_index": "benchmarks.structure_index",
    "xml": "benchmarks.xml_parse",
}


def main() -> int:
    """1 if a goal was not reached."""
    reader = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Ratios against peers, in CPU time."
    )
    reader.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"which of {', '.join(BENCHMARKS)}; all without a name",
    )
    reader.add_argument("--rounds", type=int, default=7, help="turns of each pair (default 7)")
    chosen = reader.parse_args()
    unknown = [name for name in chosen.names if name not in BENCHMARKS]
    if unknown:
        reader.error(f"no benchmark {', '.join(unknown)}: there are {', '.join(BENCHMARKS)}")
    named = os.environ.get("TREELACE_CORPUS")
    corpus = Path(named) if named else None
    print(
        f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores; CPU"
        f" seconds, median of {chosen.rounds} rounds\n"
    )
    missed = 0
    for name in chosen.names or BENCHMARKS:
        module = importlib.import_module(BENCHMARKS[name])
        print(f"## {name}\n\n{(module.__doc__ or '').strip()}\n", flush=True)
        try:
            rows = module.rows(corpus, chosen.rounds)
        except NeedsCorpusError as needed:
            print(f"left out: {needed}\n")
            continue
        print(as_markdown(rows) + "\n", flush=True)
        missed += sum(row.is_reached is False for row in rows)
    if missed:
        print(f"{missed} goals not reached")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
