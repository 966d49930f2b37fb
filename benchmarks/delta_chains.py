"""Chains of real versions: bytes of our binary deltas against zstd with the version before as
dictionary; every step checked.

usage: python benchmarks/delta_chains.py [--sites ccc-calendar,…] [--most N]      needs
TREELACE_CORPUS
"""

from __future__ import annotations

import argparse
import gzip
import os
import statistics
from itertools import pairwise
from pathlib import Path

import treelace as tl
from treelace.diff import Delta, Xids, diff
from treelace.tree.zstandard import load_zstd

zstd = load_zstd()
LONG = ("ccc-calendar", "christiandailyreporter", "eharmony-trackers")


def measure(folder: Path, most: int | None) -> tuple[int, int, list[float]]:
    """Our bytes, zstd's, and the ratio of each step."""
    files = sorted(folder.glob("*.html.gz"))[:most]
    pages = [gzip.decompress(file.read_bytes()) for file in files]
    trees = [tl.parse(page, format="html") for page in pages]
    xids = Xids.first(trees[0])
    ours, theirs, ratios = 0, 0, []
    for (old, new), (before, after) in zip(pairwise(trees), pairwise(pages), strict=True):
        delta = diff(old, new, xids=xids)
        data = delta.to_bytes()
        read = Delta.from_bytes(data)
        made, following = read.apply_with_xids(old, xids=xids)
        assert read == delta and made == new and (~read).apply(new) == old
        assert made.to_html() == new.to_html() and made.quirks == new.quirks
        assert following == delta.new_xids(new)
        xids = following
        packed = len(zstd.compress(after, level=19, zstd_dict=zstd.ZstdDict(before, is_raw=True)))
        ours, theirs = ours + len(data), theirs + packed
        ratios.append(len(data) / packed)
    return ours, theirs, ratios


def main() -> None:
    """Prints a line a chain."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", default=",".join(LONG))
    parser.add_argument("--most", type=int)
    arguments = parser.parse_args()
    folder = Path(os.environ["TREELACE_CORPUS"]) / "data/snapshots"
    print(f"{'chain':28}{'versions':>9}{'ours':>10}{'zstd-19':>10}{'ratio':>8}{'median':>8}")
    for site in arguments.sites.split(","):
        ours, theirs, ratios = measure(folder / site, arguments.most)
        print(
            f"{site:28}{len(ratios) + 1:>9}{ours:>10,}{theirs:>10,}{ours / theirs:>8.2f}"
            f"{statistics.median(ratios):>8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
