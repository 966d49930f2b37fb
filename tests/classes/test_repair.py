"""A class is repaired from the pages that can be compared, and not from one page alone."""

from __future__ import annotations

import random

import pytest

import treelace as tl
from treelace.classes.learning import PAGES_TO_LEARN_FROM, learn
from treelace.classes.repair import MAX_PAIRS_LOOKED_AT, repair
from treelace.testing.shop import open_shop
from treelace.testing.shop_pages import render
from treelace.wrappers import Wrapper

WORDS = (
    "amber birch cedar dune elm fern grove heath iris juniper kelp larch moss nettle oak".split()
)


def shelf(number: int, count: int, tag: str = "li") -> tl.Tree:
    rows = "".join(
        f"<{tag} class=k{tag}><h3><a href=/{word}{number}>Tea of {word} {'abcdefghij'[number]}</a>"
        f"</h3><span>{word} garden</span></{tag}>"
        for word in WORDS[:count]
    )
    return tl.parse(f"<body><p>Home</p><div class=f{tag}>{rows}</div><p>Imprint</p></body>")


@pytest.mark.parametrize(("small", "is_repaired"), [(3, True), (2, True), (1, False)])
def test_lists_that_are_cut_into_pages_now_are_repaired_from_those_that_are_not(small, is_repaired):
    """Long lists show three of fifteen rows now; some short ones show all they did."""
    long = [(shelf(at, 15), shelf(at, 3, "article")) for at in range(MAX_PAIRS_LOOKED_AT - small)]
    short = [(shelf(at, 6), shelf(at, 6, "article")) for at in range(small)]
    wrapper = Wrapper.learn([shelf(0, 15)], kind="list")
    found = repair("teas", wrapper, [*long, *short], [new for _, new in (*long, *short)])
    assert (found.wrapper is not None) is is_repaired
    if found.wrapper is not None:
        assert "title" in found.restored
        assert len(found.wrapper.apply(shelf(9, 4, "article"), force=True)[0].cells) == 4


@pytest.mark.parametrize("seed", [2, 14, 21])
def test_a_repair_of_detail_pages_does_not_depend_on_the_order_of_its_pages(seed):
    """Some orders put five stories first from which the author is read wrongly on ten others."""
    shop = open_shop()
    paths = [story.path for story in shop.days[-1].stories]
    urls = [f"https://shop.example{path}" for path in paths]
    old, new = (
        [tl.parse(render(day, path, day.number) or "") for path in paths]
        for day in (shop.days[-1], shop.redesign)
    )
    wrapper, _ = learn(old[:PAGES_TO_LEARN_FROM], urls[:PAGES_TO_LEARN_FROM], urls)
    assert wrapper is not None
    pairs = list(zip(old, new, strict=True))
    random.Random(seed).shuffle(pairs)
    repaired = repair("news", wrapper, pairs, new).wrapper
    assert repaired is not None
    found = [author_of(repaired, page).removeprefix("By ") for page in new]
    assert found == [story.author for story in shop.redesign.stories]


def author_of(wrapper: Wrapper, page: tl.Tree) -> str:
    table = wrapper.apply(page, force=True)[0]
    at = [column.name for column in table.columns].index("author")
    cell = table.cells[0][at]
    return "" if cell is None else cell.text
