"""How sure lace is: less where something beside a pair would do as well, and as sure as before
where nothing does.
"""

from __future__ import annotations

import random

import pytest

from treelace import Tree, match, parse

WORDS = "amber birch cedar delta ember fjord grove island juniper kestrel lagoon meadow".split()


def rows(seed: int, count: int = 40) -> list[str]:
    """Rows that all say something else."""
    draw = random.Random(seed)
    return [
        f"<li><b>{' '.join(draw.choices(WORDS, k=3))} {number}</b><i>{draw.random():.4f}</i></li>"
        for number in range(count)
    ]


def page(items: list[str]) -> Tree:
    return parse(f"<body><h1>A title</h1><ul>{''.join(items)}</ul><p>The end</p></body>")


def sure_of_rows(old: Tree, new: Tree) -> list[float]:
    """The confidence of each old row, 0 without a partner."""
    found = {i: confidence for i, _, confidence in match(old, new, "lace")}
    return [found.get(row.index, 0.0) for row in old.select("li")]


@pytest.mark.parametrize("seed", range(4))
def test_a_row_with_a_copy_beside_it_is_less_sure_and_the_others_are_not(seed: int):
    before = rows(seed)
    copied = set(random.Random(seed).sample(range(len(before)), 8))
    after = [html for at, html in enumerate(before) for _ in range(1 + (at in copied))]
    sure = sure_of_rows(page(before), page(after))
    others = [value for at, value in enumerate(sure) if at not in copied]
    assert min(others) > 0.99
    assert max(sure[at] for at in copied) < 0.99


def test_new_rows_that_say_something_else_make_nothing_less_sure():
    before = rows(1)
    after = [*rows(2)[:4], *before[:20], *rows(3)[:4], *before[20:]]
    assert min(sure_of_rows(page(before), page(after))) > 0.95


def test_a_text_that_outlives_its_element_is_likelier_right_than_not():
    article = "<h1>Late water and morning gentle</h1>{}<p>Slow garden whole warm pear mellow</p>"
    old = article.format("<p class=by>21 March 2026 · <span class=a>By Jo Marsh</span></p>")
    new = article.format("<div><time>21 March 2026</time><b class=w>By Jo Marsh</b></div>")
    matching = match(parse(old), parse(new), "lace")
    found = {
        matching.old_tree[i].text: (matching.new_tree[j].text, confidence)
        for i, j, confidence in matching
    }
    text, confidence = found["By Jo Marsh"]
    assert text == "By Jo Marsh"
    assert confidence >= 0.5
