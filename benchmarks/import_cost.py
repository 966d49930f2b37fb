"""What `import treelace` costs in a fresh process, bytecode warm, against `import lxml.html`; both
include the bare interpreter.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.compare import Row, compare


def children_seconds() -> float:
    """CPU of all processes started so far and ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def importing(code: str) -> Callable[[], None]:
    """Ten fresh processes that run the code."""
    surroundings = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }

    def run() -> None:
        for _ in range(10):
            subprocess.run([sys.executable, "-c", code], env=surroundings, check=True)

    return run


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """One row for lxml, one for the bare interpreter."""
    ours = ("import treelace, 10 times", importing("import treelace"))
    return [
        compare(
            "import",
            ours,
            ("import lxml.html", importing("import lxml.html")),
            rounds=rounds,
            clock=children_seconds,
        ),
        compare(
            "import", ours, ("nothing", importing("pass")), rounds=rounds, clock=children_seconds
        ),
    ]
