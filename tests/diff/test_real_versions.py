"""Laws on real versions: every pair and chain of xmlpairs, every chain of snapshots, exact both
ways with node ids kept.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from treelace import Tree, diff, parse


def holds(old: Tree, new: Tree, xids: object = None) -> object:
    """The laws for one step of a chain; the XIDs of the new version."""
    delta = diff(old, new, xids=xids)  # type: ignore[arg-type]
    made, new_xids = delta.apply_with_xids(old, xids=xids)  # type: ignore[arg-type]
    assert made == new
    back = ~delta
    again, old_xids = back.apply_with_xids(new, xids=new_xids)
    assert again == old
    assert ~back == delta
    if xids is not None:
        assert old_xids.of.tolist() == xids.of.tolist()  # type: ignore[attr-defined]
    return new_xids


def pair_ids(corpus: Path) -> list[str]:
    return [row["id"] for row in csv.DictReader((corpus / "data/xmlpairs/index.csv").open())]


def check_pair(corpus: Path, name: str) -> None:
    folder = corpus / "data/xmlpairs" / name
    old, new = (parse(next(folder.glob(f"{which}.xml*")), format="xml") for which in ("old", "new"))
    holds(old, new)


def check_chain(paths: Iterator[Path], form: str) -> int:
    xids: object = None
    steps = 0
    for old, new in itertools.pairwise(parse(path, format=form) for path in paths):  # type: ignore[arg-type]
        xids = holds(old, new, xids)
        steps += 1
    return steps


def test_some_pairs(corpus: Path) -> None:
    for name in pair_ids(corpus)[::12]:
        check_pair(corpus, name)


def test_a_chain_of_pages(corpus: Path) -> None:
    assert (
        check_chain(
            iter(sorted((corpus / "data/snapshots/netcup-offers").glob("*.html.gz"))[:6]), "html"
        )
        == 5
    )


@pytest.mark.slow
def test_every_pair(corpus: Path) -> None:
    for name in pair_ids(corpus):
        check_pair(corpus, name)


@pytest.mark.slow
def test_every_chain_of_documents(corpus: Path) -> None:
    chains = [
        folder for folder in sorted((corpus / "data/xmlpairs/chains").iterdir()) if folder.is_dir()
    ]
    assert (
        sum(check_chain(iter(sorted(folder.glob("*.xml*"))), "xml") for folder in chains) == 7 * 24
    )


@pytest.mark.slow
def test_every_chain_of_pages(corpus: Path) -> None:
    chains = [folder for folder in sorted((corpus / "data/snapshots").iterdir()) if folder.is_dir()]
    assert (
        sum(check_chain(iter(sorted(folder.glob("*.html.gz"))), "html") for folder in chains) > 600
    )
