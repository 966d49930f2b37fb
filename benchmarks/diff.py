"""Parsing two versions and building their delta against lxml's parse of both files alone: made
catalogues with 1 % edits, and shapes that hurt.

The goal at 1 MB is at most 3 times lxml's parse (a ratio of 0.33). Every delta is applied while it
is timed (not in the time). `python -m benchmarks.diff` also measures the growth of time with size,
peak memory at 50 MB, and counts the moves against the edit log.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.compare import Row, as_markdown, compare
from benchmarks.corpus import part
from treelace import Delta, Limits, Tree, diff, parse

ROOM = Limits(bytes=1 << 30, nodes=50_000_000, seconds=600, memory=8 << 30)
SIZES = {"100 KB": "100K", "1 MB": "1M", "10 MB": "10M"}
LARGE = "50M"
GOAL = 1 / 3


def made(corpus: Path | None, size: str, folder: Path) -> tuple[Path, Path, Path]:
    """A catalogue of this size, its edited version and the edit log."""
    maker = part(corpus, "tools/make_large_xml.py")
    old = folder / f"{size}.xml"
    subprocess.run(
        [sys.executable, str(maker), size, str(old), "--edit", "0.01"],
        check=True,
        capture_output=True,
    )
    return old, folder / f"{size}.new.xml", folder / f"{size}.edits.json"


def delta_of(old: bytes, new: bytes) -> tuple[Tree, Tree, Delta]:
    """Parse, match, build."""
    trees = parse(old, format="xml", limits=ROOM), parse(new, format="xml", limits=ROOM)
    return *trees, diff(*trees, matcher="document", limits=ROOM)


def parse_with_lxml(old: bytes, new: bytes) -> int:
    """lxml's parse of both."""
    from lxml import etree

    reader = etree.XMLParser(huge_tree=True)
    return sum(len(etree.fromstring(text, reader)) for text in (old, new))


def is_right(answer: tuple[Tree, Tree, Delta], _: int) -> bool:
    """Whether the delta makes the new version."""
    old, new, delta = answer
    return delta.apply(old, limits=ROOM) == new


def rows(corpus: Path | None, rounds: int) -> list[Row]:
    """One row a size."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, size in SIZES.items():
            old, new, _ = made(corpus, size, Path(folder))
            texts = old.read_bytes(), new.read_bytes()
            goal = GOAL if name == "1 MB" else None
            ours = ("parse, match, delta", partial(delta_of, *texts))
            rival = ("lxml parses both", partial(parse_with_lxml, *texts))
            found.append(
                compare(
                    f"{name}, 1 % edits", ours, rival, is_same=is_right, goal=goal, rounds=rounds
                )
            )
    return found


def shapes(scale: int) -> dict[str, tuple[str, str]]:
    """Pairs of documents that break slower algorithms, of a size that grows with `scale`."""
    items = [f"<i>{n}</i>" for n in range(scale)]
    kept = [item for n, item in enumerate(items) if n % 100]
    depth = scale // 2
    return {
        "reversed children": (f"<r>{''.join(items)}</r>", f"<r>{''.join(reversed(items))}</r>"),
        "siblings, 1 % deleted": (f"<r>{''.join(items)}</r>", f"<r>{''.join(kept)}</r>"),
        "identical elements, 1 % deleted": (
            f"<r>{'<i>x</i>' * scale}</r>",
            f"<r>{'<i>x</i>' * (scale - scale // 100)}</r>",
        ),
        "two kinds of identical elements": (
            f"<r>{'<i>x</i><i>y</i>' * (scale // 2)}</r>",
            f"<r>{'<i>y</i><i>x</i><i>x</i>' * (scale // 3)}</r>",
        ),
        "depth": ("<a>" * depth + "x" + "</a>" * depth, "<a>" * depth + "y" + "</a>" * depth),
    }


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The least CPU time of some runs."""
    best = math.inf
    for _ in range(times):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def growth() -> None:
    """Prints the exponent by which time grows for each shape."""
    small, large = 20_000, 200_000
    for name in shapes(100):
        spent = []
        for scale in (small, large):
            old, new = (text.encode() for text in shapes(scale)[name])
            spent.append((seconds(partial(delta_of, old, new)), len(old) + len(new)))
        exponent = math.log(spent[1][0] / spent[0][0]) / math.log(spent[1][1] / spent[0][1])
        print(
            f"{name}: {spent[0][0]:.3f} s → {spent[1][0]:.3f} s, exponent {exponent:.2f}",
            flush=True,
        )


def main(corpus: Path) -> None:
    """Everything."""
    print(as_markdown(rows(corpus, 5)))
    growth()
    spent = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in ("100K", "1M", "10M", LARGE):
            old, new, log = made(corpus, size, Path(folder))
            texts = old.read_bytes(), new.read_bytes()
            spent[size] = seconds(partial(delta_of, *texts), 1 if size == LARGE else 3)
            counts = delta_of(*texts)[2].counts
            edits = json.loads(log.read_text())["edits"]
            moves = sum(edit["op"] == "move" for edit in edits)
            inner = sum(
                change["change"] == "child-move"
                for edit in edits
                for change in edit.get("changes", ())
            )
            print(
                f"{size}: {spent[size]:.3f} s; moves found {counts.get('move', 0)}, in the log"
                f" {moves} and {inner} of children; {dict(counts)}",
                flush=True,
            )
    print(
        "exponent from 100 KB to 50 MB:"
        f" {math.log(spent[LARGE] / spent['100K']) / math.log(500):.2f}"
    )
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    import os

    main(Path(os.environ["TREELACE_CORPUS"]))
