"""The trees of the ranking, and the choice of tables by them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import treelace as tl
from treelace import _kernel
from treelace.errors import UsageError
from treelace.extract.explain import why
from treelace.extract.extractors.records import SAME, WHOLE, Records
from treelace.extract.page.page_view import PageView
from treelace.extract.regions.candidates import NAMES, candidates
from treelace.extract.regions.ranking import Trees, learnt_trees, ranking

MENU = "<nav><a href=1>Home</a> <a href=2>Shop</a> <a href=3>Help</a> <a href=4>About</a></nav>"
SAUCE = ["2 cups stock", "1 tbsp flour", "salt"]
DOUGH = ["300 g flour", "1 egg", "a pinch of sugar", "60 ml water"]
STEPS = [
    "Mix the flour with the egg, then add the water until it holds together.",
    "Let it rest for half an hour under a cloth, longer if the room is cold.",
    "Roll it out thinly and cut it into strips as wide as a thumb.",
    "Boil the strips in the stock and stir in the flour at the end.",
]


def items(texts: list[str]) -> str:
    return "".join(f"<li>{text}</li>" for text in texts)


RECIPE = (
    f"{MENU}<main><h1>Noodles in sauce</h1><p>My aunt made these every winter, and never wrote"
    " down how.</p><h2>Ingredients</h2><div class=ingredients><h3>For the dough</h3>"
    f"<ul>{items(DOUGH)}</ul><h3>For the sauce</h3><ul>{items(SAUCE)}</ul></div>"
    f"<h2>Method</h2><ol class=steps>{items(STEPS)}</ol></main>"
    "<footer><a href=5>Terms</a> <a href=6>Privacy</a> <a href=7>Contact</a></footer>"
)
STORY = (
    f"{MENU}<main><article><h1>The winter of the loom</h1>"
    + "".join(
        f"<p>It was in the {n}. year that the weavers of the valley, who had never asked for"
        " anything, asked for a road; and the road, once it was there, took them away.</p>"
        for n in range(2, 11)
    )
    + "</article></main><footer><a href=5>Terms</a> <a href=6>Privacy</a></footer>"
)


def weighed(trees: Trees, row: NDArray[np.float64]) -> float:
    total = trees.base
    for root in trees.roots:
        node = root
        while trees.rights[node]:
            is_left = row[trees.features[node]] <= trees.bounds[node]
            node = node + 1 if is_left else trees.rights[node]
        total += trees.values[node]
    return total


def test_the_kernel_weighs_as_the_trees_say():
    found, trees = candidates(PageView.of(tl.parse(RECIPE))), learnt_trees()
    wanted = [weighed(trees, row) for row in found.features]
    assert found.core.weigh(trees.core).tolist() == wanted


def test_parts_add_up():
    found, trees = candidates(PageView.of(tl.parse(RECIPE))), learnt_trees()
    row = found.features[0]
    start = trees.base + sum(trees.values[root] for root in trees.roots)
    assert start + sum(trees.parts(row.tolist()).values()) == pytest.approx(weighed(trees, row))
    assert max(trees.features) < len(NAMES)


def test_a_forest_that_does_not_go_down_is_wrong_use():
    with pytest.raises(UsageError):
        _kernel.Forest(roots=[0], features=[0], bounds=[0.0], rights=[1], values=[0.0], base=0.0)
    wide = _kernel.Forest(
        roots=[0],
        features=[len(NAMES), 0, 0],
        bounds=[0.0] * 3,
        rights=[2, 0, 0],
        values=[0.0] * 3,
        base=0.0,
    )
    with pytest.raises(ValueError, match="more than"):
        candidates(PageView.of(tl.parse(RECIPE))).core.weigh(wide)


def texts(table: tl.Table) -> set[int]:
    return {item.node.index for row in table.cells for cell in row if cell for item in cell.items}


@pytest.mark.parametrize("page", [RECIPE, STORY])
def test_tables_come_once_and_in_the_order_of_their_confidence(page: str):
    tables = Records(most=100).extract(tl.parse(page))
    assert [table.confidence for table in tables] == sorted(
        (table.confidence for table in tables), reverse=True
    )
    for number, table in enumerate(tables):
        for other in tables[:number]:
            one, two = texts(table), texts(other)
            assert len(one & two) < SAME * len(one | two)
    assert len(Records().extract(tl.parse(page))) <= 10


def test_lists_cut_by_headings_are_one_candidate():
    found = candidates(PageView.of(tl.parse(RECIPE)))
    assert any(len(one.records) == len(DOUGH) + len(SAUCE) and one.is_joined for one in found)


def test_why_names_features():
    page = tl.parse(RECIPE)
    lines = why(page, tl.extract(page)[0])
    assert "confidence" in lines[0]
    assert len(lines) > 1


def test_ranking_is_by_belief():
    found = candidates(PageView.of(tl.parse(RECIPE)))
    order, beliefs = ranking(found)
    assert (np.diff(beliefs[order]) <= 0).all()
    assert ((beliefs > 0) & (beliefs < 1)).all()


def chosen_first(
    part: float, whole: float, bounds: tuple[float, float, float] = WHOLE
) -> tuple[int, float]:
    """How many records come first, and with what belief, where the dough alone and all that goes
    into the noodles are believed in so much, and all else hardly.
    """
    tree = tl.parse(RECIPE)
    found = candidates(PageView.of(tree))
    believed = {len(DOUGH): part, len(DOUGH + SAUCE): whole}
    beliefs = np.array(
        [
            believed.get(len(one.records), 0.01)
            if tree[one.records[0][0]].text == DOUGH[0]
            else 0.01
            for one in found
        ]
    )
    order = np.argsort(-beliefs, kind="stable").astype(np.uint32)
    kept = found.core.choose(
        order, beliefs, most=3, looked_at=200, taken=0.9, same=SAME, whole=bounds
    )
    return len(kept[0][0]), kept[0][1]


def test_the_whole_comes_in_the_place_of_a_part_with_the_belief_in_the_part():
    assert chosen_first(0.9, 0.6) == (len(DOUGH + SAUCE), 0.9)


def test_a_whole_that_is_far_less_likely_stays_behind():
    odds = WHOLE[2] * 0.9 / (1 - 0.9)
    bound = odds / (1 + odds)
    assert chosen_first(0.9, bound + 0.001) == (len(DOUGH + SAUCE), 0.9)
    assert chosen_first(0.9, bound - 0.001) == (len(DOUGH), 0.9)


def test_a_whole_with_hardly_more_records_stays_behind():
    times = len(DOUGH + SAUCE) / len(DOUGH)
    assert chosen_first(0.9, 0.6, (times - 0.01, 0.87, 0.13))[0] == len(DOUGH + SAUCE)
    assert chosen_first(0.9, 0.6, (times + 0.01, 0.87, 0.13))[0] == len(DOUGH)


def test_a_whole_whose_records_are_less_alike_stays_behind():
    assert chosen_first(0.9, 0.6, (1.3, 1.0, 0.13))[0] == len(DOUGH + SAUCE)
    assert chosen_first(0.9, 0.6, (1.3, 1.01, 0.13))[0] == len(DOUGH)
