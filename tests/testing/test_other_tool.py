"""The mutation tool of `experiments/lace_quality` that shares nothing with ours: its truth is true,
and its signatures do not stay in the page.
"""

from __future__ import annotations

import random

import lxml.html
import pytest

from experiments.lace_quality.mutants import pairs
from experiments.lace_quality.other_tool import (
    CATEGORIES,
    READINGS,
    SIGNATURE,
    Reading,
    _exchange,
    _keeps_shape,
    _unwrap,
    _Work,
    _wrap,
    make,
    mutate,
)
from treelace import parse
from treelace.matching.matchers.lace import Lace

PAGE = (
    "<!DOCTYPE html><html id=e0><head id=e1><title id=e2>Shop</title></head><body id=e3><main id=e4"
    " class='wide front'>"
    + "".join(
        f"<section id=s{n}><h2 id=h{n}>Tea {n}</h2> price <b id=b{n}>{n}.20</b> or<p id=p{n}"
        f" class='a b'>words <i id=i{n}>about</i> {n}</p></section>"
        for n in range(40)
    )
    + "<table id=t><tbody id=tb><tr id=tr><th id=th>a</th><td"
    " id=td>b</td></tr></tbody></table></main></body></html>"
)
ELEMENTS = 5 + 40 * 5 + 5


@pytest.mark.parametrize("reading", READINGS)
def test_nothing_mutated_is_everything_kept(reading):
    mutant = mutate(PAGE, 0, seed=1, reading=READINGS[reading])
    assert mutant.original == mutant.mutant
    assert mutant.truth == [(i, i) for i in range(ELEMENTS)]
    old, new = parse(mutant.original, format="html"), parse(mutant.mutant, format="html")
    assert [(i, j) for i, j, _ in Lace().match(old, new).element_pairs()] == mutant.truth


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("ratio", [0.1, 0.5])
def test_a_pair_of_the_truth_is_one_element_and_the_signatures_are_gone(reading, ratio):
    mutant = mutate(PAGE, ratio, seed=2, reading=READINGS[reading])
    assert SIGNATURE not in mutant.original + mutant.mutant
    old, new = (
        list(parse(text, format="html").elements) for text in (mutant.original, mutant.mutant)
    )
    assert len(dict(mutant.truth)) == len({j for _, j in mutant.truth}) == len(mutant.truth) > 10
    named = [
        (old[i].attributes["id"], new[j].attributes["id"])
        for i, j in mutant.truth
        if new[j].attributes.get("id")
    ]
    assert len(named) > 10
    assert all(one == other for one, other in named)
    assert all(old[i].tag == new[j].tag for i, j in mutant.truth)


def test_what_was_removed_or_unwrapped_has_no_partner_and_the_ratio_is_kept():
    mutant = mutate(
        PAGE, 0.5, seed=3, reading=Reading(largest=10)
    )  # without a bound the page may be gone before
    assert len(mutant.operations) == round(0.5 * ELEMENTS)
    gone = {
        signature for operator, signature in mutant.operations if operator in ("remove", "unwrap")
    }
    assert gone
    assert not gone & {i for i, _ in mutant.truth}
    assert {operator for operator, _ in mutant.operations} == {
        operator for group in CATEGORIES.values() for operator in group
    }


def test_where_subtrees_count_no_more_is_lost_than_the_ratio_says():
    chain = f"<!DOCTYPE html><html><head></head><body>{'<div>' * 17}x{'</div>' * 17}</body></html>"
    assert all(
        len(mutate(chain, 0.1, seed, Reading(counts_subtrees=True)).truth) >= 20 - 2
        for seed in range(30)
    )
    assert any(len(mutate(chain, 0.1, seed, Reading()).truth) < 20 - 2 for seed in range(30))


def test_the_same_seed_gives_the_same_mutant():
    reading = READINGS["tool-d"]
    assert mutate(PAGE, 0.3, 5, reading) == mutate(PAGE, 0.3, 5, reading)
    assert mutate(PAGE, 0.3, 5, reading).mutant != mutate(PAGE, 0.3, 6, reading).mutant


def test_operators_leave_the_text_around_where_it_is():
    top = lxml.html.fromstring("<div>1<a>x</a>2<b>y</b>3<i>z<u>w</u></i>4</div>")
    _exchange(top[2], top[0])
    assert lxml.html.tostring(top) == b"<div>1<i>z<u>w</u></i>2<b>y</b>3<a>x</a>4</div>"
    _exchange(top[0], top[1])
    assert lxml.html.tostring(top) == b"<div>1<b>y</b>2<i>z<u>w</u></i>3<a>x</a>4</div>"
    assert _wrap(top[0])
    assert _unwrap(top[1])
    assert lxml.html.tostring(top) == b"<div>1<div><b>y</b></div>2z<u>w</u>3<a>x</a>4</div>"
    assert not _unwrap(top[2])


@pytest.mark.parametrize("reading", READINGS)
def test_a_copy_carries_no_signature(reading):
    top = lxml.html.document_fromstring("<body><ul><li>a<li>b<li>c</ul><p>d")
    for number, element in enumerate(top.iter()):
        element.set(SIGNATURE, str(number))
    signed = [element.get(SIGNATURE) for element in top.iter()]
    assert _Work(top, READINGS[reading], random.Random(1))._duplicate(top.find(".//ul"), 0)
    after = [element.get(SIGNATURE) for element in top.iter()]
    assert sorted(filter(None, after)) == sorted(signed)
    assert len(after) == len(signed) + 4


def test_a_shape_that_hangs_on_the_signatures_is_seen():
    bold = "".join(f'<b {SIGNATURE}="{n}">' for n in range(4))
    assert _keeps_shape(f"<p>{bold}x</b></b></b></b><p>y")
    assert not _keeps_shape(f"<p>{bold}x<p>y")


def test_elements_in_a_template_have_no_index_and_no_place_in_the_truth():
    page = (
        "<!DOCTYPE"
        " html><html><head></head><body><template><p>in</p></template><p>out</p></body></html>"
    )
    assert mutate(page, 0, 1, Reading()).truth == [(i, i) for i in range(5)]


def test_mutants_are_written_where_the_measurement_looks(tmp_path):
    source = tmp_path / "report/base/shop-05"
    source.mkdir(parents=True)
    (source / "original.html").write_text(PAGE)
    make(tmp_path, "tool-b")
    assert sorted(path.name for path in (tmp_path / "tool-b/base").iterdir()) == [
        f"shop-{percent:02d}" for percent in (5, 10, 20, 30, 50)
    ]
    for pair in pairs(tmp_path, "tool-b"):
        assert pair.elements == ELEMENTS
        assert len(pair.truth) > ELEMENTS / 3
