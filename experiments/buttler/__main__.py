"""`python -m experiments.buttler [table1 table2 table3 table45 figure1 figure2]`; all without a
name.
"""

from __future__ import annotations

import sys

from experiments.buttler import clustering, cost

PARTS = {
    "table1": clustering.table1,
    "table2": clustering.table2,
    "table3": clustering.table3,
    "table45": clustering.table45,
    "figure1": cost.figure1,
    "figure2": cost.figure2,
}


def main() -> None:
    chosen = sys.argv[1:] or list(PARTS)
    unknown = [name for name in chosen if name not in PARTS]
    if unknown:
        raise SystemExit(f"no part {', '.join(unknown)}: there are {', '.join(PARTS)}")
    for name in chosen:
        PARTS[name]()


if __name__ == "__main__":
    main()
