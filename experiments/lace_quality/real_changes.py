"""`python -m experiments.lace_quality.real_changes [--each N] [--sites SPLIT]`: matching on changes
that real sites made, in `real_changes.md`.

Two versions of a page some steps apart (`data/snapshots`); every element whose `id` stands once in
both, on the same tag, is a true pair. All ids, and what points at them, are taken out before the
versions are matched. *found* is the share of the true pairs that were paired so, *wrong* the share
whose old element was given another partner. What is fitted sees the sites of `tune` only.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lxml.html

from treelace import match, parse
from treelace.tree import Tree

GAPS = (1, 5, 15)
POINTERS = (
    "for name aria-labelledby aria-controls aria-describedby aria-owns headers form list".split()
)
MARK = "data-hidden-name"
REPORT = {"spiegel-science", "github-dmca", "netcup-offers", "uptimerobot-privacy"}
"""Sites that nothing is fitted to: one in three, drawn before anything was measured."""
FEWEST_NAMES = 3


@dataclass(frozen=True)
class Change:
    """Two versions of a page without their ids, and the elements that are known to be the same."""

    site: str
    gap: int
    number: int
    texts: tuple[str, str]
    truth: frozenset[tuple[int, int]]

    def trees(self) -> tuple[Tree, Tree]:
        """Both versions, parsed."""
        return parse(self.texts[0], format="html"), parse(self.texts[1], format="html")


def main() -> int:
    """Measures and writes the table."""
    reader = argparse.ArgumentParser(prog="python -m experiments.lace_quality.real_changes")
    reader.add_argument("--each", type=int, default=6, help="pairs of versions a site and gap")
    reader.add_argument("--matchers", default="lace,auto,document,sftm")
    reader.add_argument("--sites", choices=("tune", "report"))
    chosen = reader.parse_args()
    changes = list(all_changes(chosen.each, chosen.sites, Path(os.environ["TREELACE_CORPUS"])))
    table = report(changes, chosen.matchers.split(","))
    print(table)
    if chosen.sites is None:
        Path(__file__).with_suffix(".md").write_text(
            "# Matching on changes that real sites made\n\n"
            f"`{reader.prog} --each {chosen.each}`\n\n{table}"
        )
    return 0


def report(changes: list[Change], matchers: list[str]) -> str:
    """Found and wrong by gap, split and matcher, as Markdown."""
    counts: dict[tuple[str, int, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for change in changes:
        old, new = change.trees()
        split = "report" if change.site in REPORT else "tune"
        for matcher in matchers:
            found, wrong = count(change, old, new, matcher)
            for place in ((split, change.gap, matcher), ("all", change.gap, matcher)):
                for at, more in enumerate((1, len(change.truth), found, wrong)):
                    counts[place][at] += more
    lines = ["| sites | steps | matcher | pairs | names | found | wrong |", "|" + "---|" * 7]
    for (split, gap, matcher), (pairs, names, found, wrong) in sorted(counts.items()):
        lines.append(
            f"| {split} | {gap} | {matcher} | {pairs} | {names} | {found / names:.4f} |"
            f" {wrong / names:.4f} |"
        )
    return "\n".join([*lines, ""])


def count(change: Change, old: Tree, new: Tree, matcher: str) -> tuple[int, int]:
    """How many true pairs were found, and how many old elements were given another partner."""
    partner = {i: j for i, j, _ in match(old, new, matcher).element_pairs()}
    found = sum(partner.get(i) == j for i, j in change.truth)
    return found, sum(partner.get(i, j) != j for i, j in change.truth)


def all_changes(each: int, sites: str | None, corpus: Path) -> Iterator[Change]:
    """Pairs of versions of every chain, `each` for each number of steps."""
    for folder in sorted((corpus / "data/snapshots").iterdir()):
        if not folder.is_dir() or (sites and (folder.name in REPORT) != (sites == "report")):
            continue
        versions = sorted(folder.glob("*.html*"))
        for gap in GAPS:
            steps = len(versions) - gap
            for number in range(0, steps, max(1, steps // each)):
                change = _change(folder.name, gap, number, versions)
                if len(change.truth) >= FEWEST_NAMES:
                    yield change


def _change(site: str, gap: int, number: int, versions: list[Path]) -> Change:
    old, before = _without_names(versions[number])
    new, after = _without_names(versions[number + gap])
    truth = {
        (old[name][1], new[name][1])
        for name in old.keys() & new.keys()
        if old[name][0] == new[name][0]
    }
    return Change(site, gap, number, (before, after), frozenset(truth))


def _without_names(path: Path) -> tuple[dict[str, tuple[str, int]], str]:
    """Tag and number of each element by its name, and the page without names. No name is known
    where the page reads otherwise without them: equal formatting elements that are never closed are
    opened again three times at most.
    """
    marked = _hidden(path)
    bare = re.sub(rf' {MARK}="[^"]*"', "", marked)
    with_names, without = parse(marked, format="html"), parse(bare, format="html")
    is_same = [node.tag for node in with_names.elements] == [node.tag for node in without.elements]
    return _names(with_names) if is_same else {}, bare


def _hidden(path: Path) -> str:
    """The page with each id as MARK, and nothing that points at an id."""
    data = path.read_bytes()
    root = lxml.html.document_fromstring(gzip.decompress(data) if path.suffix == ".gz" else data)
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        name = element.attrib.pop("id", "")
        for pointer in POINTERS:
            element.attrib.pop(pointer, None)
        if element.get("href", "").startswith("#"):
            element.set("href", "#")
        if re.fullmatch(r"[\w:.-]+", name):
            element.set(MARK, name)
    return f"<!DOCTYPE html>{lxml.html.tostring(root, encoding='unicode')}"


def _names(tree: Tree) -> dict[str, tuple[str, int]]:
    """Tag and number of each element whose hidden name stands once."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for node in tree.elements:
        name, number = node.attribute(MARK), node.element_index
        if name and number is not None:
            found[name].append((node.tag, number))
    return {name: places[0] for name, places in found.items() if len(places) == 1}


if __name__ == "__main__":
    sys.exit(main())
