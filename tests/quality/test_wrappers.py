"""Wrappers on real pages: detail pages of a few sites, and lists after a redesign. Floors only
rise; `experiments/wrappers` has all sites.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.wrappers import repair, swde
from treelace import parse

ONE_RECORD = ["book-borders", "job-dice", "movie-msn", "university-usnews"]
ONE_RECORD_BESIDE_A_LIST = ["auto-automotive", "movie-rottentomatoes", "restaurant-usdiners"]


@pytest.mark.parametrize("site", [*ONE_RECORD, *ONE_RECORD_BESIDE_A_LIST])
def test_detail_pages_give_their_attributes(corpus: Path, site: str) -> None:
    f1, transfer, first, *_ = swde.run(corpus / "data/swde" / site, swde.scorer(corpus))
    assert min(f1, transfer) >= 0.99
    assert first >= 0.95


@pytest.mark.parametrize("page", ["est-9gag.com", "est-unity3d.com", "vints-cup"])
def test_lists_are_repaired_after_a_redesign(corpus: Path, page: str) -> None:
    by_repair, by_wrapper, _ = repair.run(
        page, parse(corpus / f"data/records/{page}.html"), "redesign", 7, starts=["old page"]
    )
    assert by_repair.wrong == by_repair.contaminated == by_wrapper.contaminated == 0
    assert by_repair.restored >= 0.95 * by_repair.columns
