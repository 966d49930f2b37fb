"""Two measures of the loop on real sites: the columns that a table has for each true field, and the
pages a second of one version of treelace against another.

    python -m experiments.site_loop columns SCORED.json...      # written by score_site.py --json
    python -m experiments.site_loop speed OLD/src NEW/src [SITE...] [--rounds 3]

Both print a table. `speed` needs TREELACE_CORPUS (data/sites). Each site is crawled from its
archives into a new folder, once to learn and then day by day, by both versions in turn; CPU seconds
of the processes are compared, since a machine is seldom idle. The figures of a day are in
`site_loop.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SITES = ("shopify-pillowcase", "hugo-reiskoch")


def columns(files: Sequence[Path]) -> str:
    """The columns of each table with truth, by its true fields."""
    lines = ["| site | kind | columns | true fields | columns a field |", "|---|---|---|---|---|"]
    ratios = []
    for file in files:
        said = json.loads(file.read_text(encoding="utf-8"))
        for site in said if isinstance(said, list) else [said]:
            for kind, count, fields in _tables(site):
                ratios.append(count / fields)
                lines.append(f"| {site['site']} | {kind} | {count} | {fields} | {ratios[-1]:.1f} |")
    lines.append(f"| | **median of {len(ratios)}** | | | **{statistics.median(ratios):.1f}** |")
    return "\n".join(lines)


def _tables(site: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Kind, columns and true fields of each table that has truth."""
    count = {table["class"]: table["columns"] for table in site["tables"].values()}
    found = [
        (kind, count[site["classes"][kind]["class"]], len(fields["fields"]))
        for kind, fields in site["fields"].items()
        if site["classes"][kind]["class"] in count
    ]
    lists = site.get("lists") or {"classes": []}
    found += [
        (name, count[name], len(lists["fields"])) for name in lists["classes"] if name in count
    ]
    return [one for one in found if one[2]]


def speed(old: Path, new: Path, sites: Sequence[str], rounds: int) -> str:
    """CPU seconds of both versions, site by site."""
    corpus = Path(os.environ["TREELACE_CORPUS"]) / "data/sites"
    lines = [
        "| site | archive | old s | new s | pages a second, new / old |",
        "|---|---|---|---|---|",
    ]
    for site in sites:
        times: dict[str, dict[Path, list[float]]] = {}
        for number in range(rounds):
            order = (old, new) if number % 2 == 0 else (new, old)
            with tempfile.TemporaryDirectory() as folder:
                _crawl(corpus / site, Path(folder), order, times)
        for archive, seconds in times.items():
            before, now = (statistics.median(seconds[tree]) for tree in (old, new))
            ratios = [a / b for a, b in zip(seconds[old], seconds[new], strict=True)]
            lines.append(
                f"| {site} | {archive} | {before:.2f} | {now:.2f} | {before / now:.2f}"
                f" ({min(ratios):.2f} to {max(ratios):.2f}) |"
            )
    return "\n".join(lines)


def _crawl(
    site: Path, folder: Path, trees: Sequence[Path], times: dict[str, dict[Path, list[float]]]
) -> None:
    """Crawls all archives of a site with each version, into a folder of its own."""
    start = json.loads((site / "site.json").read_text(encoding="utf-8"))["start"]
    homes = {tree: folder / str(number) for number, tree in enumerate(trees)}
    for tree in trees:
        _seconds(tree, "init", str(homes[tree]), start)
    for archive in ("pages", "day2", "day3"):
        file = site / f"{archive}.warc.gz"
        accept = ["--auto-accept"] if archive == "pages" else []
        for tree in trees if file.exists() else ():
            taken = _seconds(
                tree, "crawl", "--from", str(file), "--site", str(homes[tree]), *accept
            )
            times.setdefault(archive, {}).setdefault(tree, []).append(taken)


def _seconds(tree: Path, *arguments: str) -> float:
    """The CPU seconds of a command of treelace from a source tree."""
    process = subprocess.Popen(
        [sys.executable, "-m", "treelace", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(tree)},
    )
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{tree}: treelace {' '.join(arguments)} failed")
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Prints what was asked for."""
    arguments = argparse.ArgumentParser(description=__doc__)
    verbs = arguments.add_subparsers(dest="verb", required=True)
    verbs.add_parser("columns").add_argument("files", nargs="+", type=Path)
    fast = verbs.add_parser("speed")
    fast.add_argument("old", type=Path)
    fast.add_argument("new", type=Path)
    fast.add_argument("sites", nargs="*", default=SITES)
    fast.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    if options.verb == "columns":
        print(columns(options.files))
    else:
        print(speed(options.old, options.new, options.sites, options.rounds))


if __name__ == "__main__":
    main()
