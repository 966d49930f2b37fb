"""Sketches: cut, stored, estimated."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import page_trees
from treelace import DamagedError, Tree, UsageError, _kernel, parse
from treelace.similarity.measures.path_shingles import PathShingles
from treelace.similarity.measures.structure import Structure

LARGE = Tree.from_brackets("{a" + "".join(f"{{b{{c{i}}}{{d}}}}" for i in range(600)) + "}")
PART = Tree.from_brackets("{a" + "".join(f"{{b{{c{i}}}{{d}}}}" for i in range(300, 800)) + "}")


@given(page_trees(), st.integers(1, 60), st.integers(0, 2**64 - 1), st.booleans())
def test_a_sketch_cut_down_is_the_smaller_sketch(
    tree: Tree, k: int, seed: int, is_bag: bool
) -> None:
    whole = PathShingles(k=60, seed=seed, is_bag=is_bag).features(tree)
    assert whole.cut(k) == PathShingles(k=k, seed=seed, is_bag=is_bag).features(tree)


def test_sketches_of_different_size_compare_at_the_smaller() -> None:
    small, large = PathShingles(k=64), PathShingles(k=256)
    left, right = large.features(LARGE), small.features(PART)
    assert small.compare(left, right) == small.compare(left.cut(64), right)


@pytest.mark.parametrize("ask", ["resemblance", "containment"])
@pytest.mark.parametrize("is_bag", [True, False])
def test_estimates_are_right_on_average(ask: str, is_bag: bool) -> None:
    exact = PathShingles(window=2, ask=ask, is_bag=is_bag).similarity(LARGE, PART)  # type: ignore[arg-type]
    estimates = [
        PathShingles(window=2, ask=ask, is_bag=is_bag, k=128, seed=seed).similarity(LARGE, PART)
        for seed in range(60)
    ]  # type: ignore[arg-type]
    assert np.mean(estimates) == pytest.approx(exact, abs=0.02)
    assert np.std(estimates) < 0.09


def test_only_like_is_compared_with_like() -> None:
    sketch = PathShingles(k=32).features(LARGE)
    for other in (
        PathShingles(k=32, seed=1),
        PathShingles(k=32, window=2),
        PathShingles(k=32, texts=False),
        PathShingles(k=32, is_bag=False),
    ):
        with pytest.raises(UsageError, match="different settings"):
            PathShingles(k=32).compare(sketch, other.features(LARGE))
    with pytest.raises(UsageError, match="cannot be cut to 33"):
        sketch.cut(33)
    with pytest.raises(UsageError, match="only a sketch can be cut"):
        PathShingles().features(LARGE).cut(3)


def test_the_stored_form_carries_its_version() -> None:
    data = PathShingles(k=8).features(LARGE).to_bytes()
    assert data[:5] == b"TLF\x01\x01"
    assert _kernel.Features.from_bytes(data) == PathShingles(k=8).features(LARGE)
    assert pickle.loads(pickle.dumps(PathShingles(k=8).features(LARGE))).to_bytes() == data
    with pytest.raises(DamagedError, match=r"version 1\.2; this treelace reads 1\.1"):
        _kernel.Features.from_bytes(data[:4] + b"\x02" + data[5:])
    for broken in (b"", data[:-1], data + b"\0", b"XXX" + data[3:], data[:5] + b"\x63" + data[6:]):
        with pytest.raises(DamagedError):
            _kernel.Features.from_bytes(broken)


def test_stored_sketches_never_change() -> None:
    """The values of today, for those who read them tomorrow: another hash is another version."""
    tree = Tree.from_brackets("{html{head{title}}{body{p}{p}}}")
    shingles = [4650716361439083009, 10976946757291575589, 11843562825372920494]
    assert PathShingles(window=2, k=3).features(tree).values().tolist() == shingles
    page = Structure(slots=14).features(parse("<p class=a>x", format="html"))
    minima = [
        [2346109077, 214736856],
        [1767938611, 1478916997],
        [2835436062, 3210195113],
        [],
        [],
        [],
        [1289215734, 67361556],
    ]
    assert [values.tolist() for _, values in page.families()] == minima


def test_facts_of_a_page_can_be_sketched_later() -> None:
    tree = parse("<ul class=shop><li>1<li>2</ul>", format="html")
    facts = Structure().features(tree)
    assert facts.sketch(70, 3) == Structure(slots=70, seed=3).features(tree)
    assert [name for name, _ in facts.families()] == [
        "shapes",
        "edges",
        "words",
        "resources",
        "looks",
        "roles",
        "paths",
    ]
    with pytest.raises(UsageError, match="only families can be sketched"):
        PathShingles().features(tree).sketch(70, 3)
    with pytest.raises(UsageError, match="has no families"):
        PathShingles().features(tree).families()
