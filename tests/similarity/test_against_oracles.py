"""The kernel's measures against their definitions, on generated trees."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import fourier as signals
from tests.oracles import paths
from tests.strategies import any_trees, page_trees, trees
from treelace import Tree
from treelace.similarity.measures.fourier import SCHEMES, Fourier, Signal
from treelace.similarity.measures.path_binary import PathBinary
from treelace.similarity.measures.path_partial import PathPartial
from treelace.similarity.measures.path_shingles import PathShingles
from treelace.similarity.measures.path_weighted import PathWeighted
from treelace.similarity.measures.tag_set import TagSet
from treelace.similarity.measures.tag_weighted import TagWeighted
from treelace.similarity.measures.time_warping import TimeWarping

SOME = st.one_of(trees(max_nodes=25), page_trees(), any_trees(), st.just(Tree.from_brackets("")))
SMALL = st.one_of(trees(max_nodes=16, labels="abcd"), any_trees(), st.just(Tree.from_brackets("")))
CLOSE = pytest.approx


@given(SOME, SOME, st.booleans())
def test_tags(left: Tree, right: Tree, texts: bool) -> None:
    a, b = paths.tags(left, texts), paths.tags(right, texts)
    assert TagSet(texts=texts).similarity(left, right) == CLOSE(
        float(paths.set_jaccard(a, b)), abs=1e-12
    )
    assert TagWeighted(texts=texts).similarity(left, right) == CLOSE(
        float(paths.bag_dice(a, b)), abs=1e-12
    )


@given(SOME, SOME, st.booleans(), st.booleans())
def test_whole_paths(left: Tree, right: Tree, texts: bool, leaves: bool) -> None:
    of = paths.leaf_paths if leaves else paths.node_paths
    a, b = Counter(of(left, texts)), Counter(of(right, texts))
    assert PathBinary(texts=texts, leaves=leaves).similarity(left, right) == CLOSE(
        float(paths.bag_dice(a, b)), abs=1e-12
    )
    assert PathBinary(texts=texts, leaves=leaves, is_bag=False).similarity(left, right) == CLOSE(
        float(paths.set_jaccard(a, b)), abs=1e-12
    )


@given(SOME, SOME, st.booleans())
def test_the_best_pairing_of_paths(left: Tree, right: Tree, texts: bool) -> None:
    """Linear time against an assignment solver."""
    wanted = paths.best_pairing(left, right, texts=texts)
    assert PathPartial(texts=texts).similarity(left, right) == CLOSE(float(wanted), abs=1e-9)
    outer = paths.best_pairing(left, right, lambda depth: Fraction(1, 1 + depth), texts)
    assert PathWeighted(texts=texts).similarity(left, right) == CLOSE(float(outer), abs=1e-9)
    inner = paths.best_pairing(left, right, lambda depth: Fraction(1 + depth), texts)
    assert PathWeighted(texts=texts, weights="inner").similarity(left, right) == CLOSE(
        float(inner), abs=1e-9
    )


@given(trees(max_nodes=7, labels="ab"), trees(max_nodes=7, labels="ab"))
def test_the_solver_itself_finds_the_best_of_all_pairings(left: Tree, right: Tree) -> None:
    a, b = sorted((paths.leaf_paths(left), paths.leaf_paths(right)), key=len)
    one = lambda depth: Fraction(1)
    best = max(
        sum((paths.shared_weight(x, y, one) for x, y in zip(a, some, strict=True)), Fraction(0))
        for some in itertools.permutations(b, len(a))
    )
    assert paths.best_pairing(left, right) == 2 * best / sum(map(len, a + b))


@given(SOME, SOME, st.integers(1, 5), st.booleans(), st.booleans())
def test_shingles(left: Tree, right: Tree, window: int, is_bag: bool, texts: bool) -> None:
    a, b = (
        Counter(paths.shingles(left, window, texts)),
        Counter(paths.shingles(right, window, texts)),
    )
    resemblance = paths.bag_jaccard(a, b) if is_bag else paths.set_jaccard(a, b)
    containment = paths.bag_containment(a, b) if is_bag else paths.set_containment(a, b)
    for k in (None, 10_000):  # a sketch that holds everything is exact
        measure = PathShingles(window=window, is_bag=is_bag, texts=texts, k=k)
        assert measure.similarity(left, right) == CLOSE(float(resemblance), abs=1e-12)
        measure = PathShingles(window=window, is_bag=is_bag, texts=texts, k=k, ask="containment")
        assert measure.similarity(left, right) == CLOSE(float(containment), abs=1e-12)


def oracle_series(left: Tree, right: Tree, signal: Signal) -> tuple[list[float], list[float]]:
    """Both series by the oracle, numbered in the order the kernel chose (read from the collection
    by trying both).
    """
    attributes = bool(signal.attributes)
    skeletons = [signals.skeleton(tree, attributes) for tree in (left, right)]
    made = [
        one.values().tolist()
        for one in signal.series([signal.skeleton(left), signal.skeleton(right)])
    ]
    depth = max((len(above) for tags in skeletons for _, _, above in tags), default=0)
    for order in (skeletons, skeletons[::-1]):
        numbers = signals.numbering(order, signal.tags)
        base = len(numbers) + 1
        scale = Fraction(base) ** depth if signal.document == "multilevel" else Fraction(1)
        both = [
            [
                float(x / scale)
                for x in signals.series(
                    tags, numbers, signal.document, signal.tags, signal.ends, depth, base
                )
            ]
            for tags in skeletons
        ]
        if all(x == CLOSE(y, abs=1e-9) for x, y in zip(made, both, strict=True)):
            return both[0], both[1]
    raise AssertionError(f"neither order of the two documents gives the kernel's series {made}")


@given(
    SMALL,
    SMALL,
    st.sampled_from(sorted(SCHEMES)),
    st.sampled_from(["symmetric", "null"]),
    st.booleans(),
)
def test_signals(left: Tree, right: Tree, scheme: str, ends: str, attributes: bool) -> None:
    document, tags = SCHEMES[scheme]
    signal = Signal(
        document=document,  # type: ignore[arg-type]
        tags=tags,  # type: ignore[arg-type]
        ends=ends,  # type: ignore[arg-type]
        attributes=attributes,
        scaling="amplitude",
    )
    x, y = oracle_series(left, right, signal)
    assert Fourier(scheme=signal).distance(left, right) == CLOSE(
        signals.union_distance(x, y), abs=1e-9, rel=1e-9
    )
    assert Fourier(scheme=signal, transform="power-of-two").distance(left, right) == CLOSE(
        signals.power_distance(x, y), abs=1e-9, rel=1e-9
    )
    assert TimeWarping(scheme=signal).distance(left, right) == CLOSE(
        signals.warping(x, y), abs=1e-9, rel=1e-9
    )
