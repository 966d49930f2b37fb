"""How `experiments/lace_quality` makes the weights and trees of lace: what it writes is what it
fitted, and what is to stay unseen does.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from experiments.lace_quality import fit, forest, learn, mutants, start
from treelace import _kernel


def unpacked(data: bytes) -> tuple[forest.Forest, bytes]:
    """A forest of the file, read as the kernel reads it, and the rest of the file."""
    trees, count = struct.unpack_from("<HH", data)
    roots = list(struct.unpack_from(f"<{trees}H", data, 4))
    start = 4 + 2 * trees
    nodes = [struct.unpack_from("<BHf", data, start + 7 * at) for at in range(count)]
    return forest.Forest(roots, nodes), data[start + 7 * count :]


def asked(trees: forest.Forest, features: list[float]) -> float:
    """What the trees say, walked as the kernel walks them."""
    total = 0.0
    for at in trees.roots:
        feature, right, bound = trees.nodes[at]
        while feature != forest.LEAF:
            at = at + 1 if features[feature] <= bound else right
            feature, right, bound = trees.nodes[at]
        total += bound
    return total


@pytest.fixture(scope="module")
def doubts() -> forest.Doubts:
    random = np.random.default_rng(0)
    features = random.normal(size=(4_000, 5)).astype(np.float32)
    features[:, 3] = random.integers(0, 3, 4_000)  # many equal values, as of counts
    features[:, 4] = random.choice(
        [np.nextafter(np.float32(1), np.float32(0)), np.float32(1)], 4_000
    )  # a bound between them is nearer to neither
    is_true = (
        features[:, 0] * (features[:, 3] - 1) + 0.3 * features[:, 1] + (features[:, 4] == 1) > 0.9
    )
    return forest.Doubts(features, is_true, random.uniform(0.5, 2, 4_000))


def test_the_packed_trees_say_what_the_model_says(doubts):
    model = forest.grow(doubts, trees=12)
    trees, rest = unpacked(forest.packed(forest.flat(model)))
    assert rest == b""
    assert len(trees.roots) == 12
    assert {node[0] for node in trees.nodes} > {0, 3, 4}
    said = [asked(trees, row) for row in doubts.features.tolist()]
    np.testing.assert_allclose(said, model.decision_function(doubts.features), atol=1e-5)


def test_two_forests_follow_one_another_and_the_file_of_the_kernel_is_such_a_file(doubts):
    one, other = (forest.flat(forest.grow(doubts, trees=trees)) for trees in (2, 3))
    first, rest = unpacked(forest.packed(one) + forest.packed(other))
    second, rest = unpacked(rest)
    assert (len(first.roots), len(second.roots), rest) == (2, 3, b"")
    for name in ("forest.bin", "confidence.bin"):
        data = (learn.GENERATED / name).read_bytes()
        first, rest = unpacked(data)
        second, rest = unpacked(rest)
        assert rest == b""
        assert (forest.packed(first), forest.packed(second)) == forest.both(data)


def test_the_weights_in_use_keep_their_signs_and_are_written_as_they_are():
    assert not start.POSITIVE & start.NEGATIVE
    assert set(start.TERMS) > start.POSITIVE | start.NEGATIVE
    _, _, with_text, without = (np.array(part) for part in _kernel.lace_weights())
    for weights in (with_text, without):
        by_stage = weights[: start.HALF].reshape(start.STAGES, start.K + 2)
        for at, term in enumerate(start.TERMS):
            assert term not in start.POSITIVE or by_stage[:, at].min() >= 0, term
            assert term not in start.NEGATIVE or by_stage[:, at].max() <= 0, term
    assert learn.table(with_text, without) == (learn.GENERATED / "table.rs").read_text()


def test_the_guesses_to_start_from_keep_the_signs_too_and_name_terms_there_are():
    guesses = {term: value for value, terms in start.GUESSES.items() for term in terms.split()}
    assert set(guesses) < set(start.TERMS)
    assert all(value > 0 for term, value in guesses.items() if term in start.POSITIVE)
    assert all(value < 0 for term, value in guesses.items() if term in start.NEGATIVE)
    weights = start.start_weights()
    assert len(weights) == len(_kernel.lace_weights()[2])
    first = weights[: start.K]
    assert not first[: start.ALONE].any()
    assert first[start.TERMS.index("Parent")] == guesses["Parent"]


def test_a_fit_stays_in_its_bounds_and_finds_the_true_candidates():
    random = np.random.default_rng(1)
    node = np.repeat(np.arange(500), 3)
    columns = random.normal(size=(1_500, 2)).astype(np.float32)
    is_true = np.arange(1_500) % 3 == 0
    columns[is_true] += (2, -1)  # the second one misleads
    found = fit._logistic(
        columns,
        is_true,
        node,
        np.ones(1_500),
        np.array([0.1, -0.5]),
        0.0,
        [(None, None), (0, None)],
    )
    assert found[0][0] > 1
    assert found[0][1] == 0
    free = fit._logistic(
        columns,
        is_true,
        node,
        np.ones(1_500),
        np.array([0.1, -0.5]),
        0.0,
        [(None, None), (None, None)],
    )
    assert free[0][1] < -0.5


@pytest.mark.parametrize(
    ("page", "site"),
    [
        ("records/est-amazon.com.html.gz", "amazon"),
        ("records/est-shop.bbc.com.html", "bbc"),
        ("records/vints-amazon.html", "amazon"),
        ("records/tbdw-07.html", "tbdw-07"),
        ("swde/book-amazon/0083.html.gz", "amazon"),
        ("classes/news-bbc2005/00.html.gz", "bbc"),
        ("classes/museum-getty-ambers/00.html.gz", "getty"),
        ("snapshots/github-dmca/001.html.gz", "github"),
        ("snapshots/christiandailyreporter/001.html.gz", "christiandailyreporter"),
    ],
)
def test_the_site_of_a_page_is_read_from_its_name(page, site):
    assert mutants.site_of(Path("data") / page) == site


def test_no_site_of_blind_is_known_or_fresh_or_twice_there(tmp_path):
    def page(name: str, elements: int) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<!DOCTYPE html><title>t</title>" + "<br>" * elements)

    sites = [f"{letter}{other}shop" for letter in "abcdefgh" for other in "abcdefghijk"]
    for number, site in enumerate(sites):
        page(
            f"records/est-{site}.com.html",
            5_100 if number % 11 == 0 else 190 if number % 11 == 1 else 230,
        )
        page(f"swde/book-{site}/1.html", 230)
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "classes").mkdir()
    page("pages/none.html", 1)
    (tmp_path / "pages/index.csv").write_text("id,site\ns001,bcshop.com\n")
    chosen = mutants.others(tmp_path)
    fresh, blind = (
        [mutants.site_of(path) for path, _ in chosen[split]] for split in ("fresh", "blind")
    )
    assert (
        sum(elements <= 5_000 for _, elements in chosen["fresh"])
        == sum(elements <= 5_000 for _, elements in chosen["blind"])
        == 30
    )
    assert sum(elements > 5_000 for _, elements in chosen["fresh"]) == 6
    assert min(elements for _, elements in chosen["fresh"] + chosen["blind"]) >= 200
    assert len(set(blind)) == len(blind)
    assert not set(fresh) & set(blind)
    assert "bcshop" not in fresh + blind
