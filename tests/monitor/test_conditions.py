"""Conditions on a value: both sides of each comparison, and the words that say why."""

from __future__ import annotations

import re

import pytest

from treelace.errors import UsageError
from treelace.monitor.conditions import Condition, number, shown
from treelace.monitor.noise import news_of
from treelace.monitor.rules import restless


@pytest.mark.parametrize(
    ("words", "old", "new", "why"),
    [
        ("< 5", 6, 5, None),
        ("< 5", 5, 4, "5 → 4 (now < 5)"),
        ("<= 5", 6, 5, "6 → 5 (now <= 5)"),
        ("<= 5", 5, 4, None),
        ("> 5", 4, 5, None),
        ("> 5", 5, 6, "5 → 6 (now > 5)"),
        (">= 5", 4, 5, "4 → 5 (now >= 5)"),
        (">= 5", 5, 6, None),
        ("= 5", 4, "5.0", "4 → 5.0 (now = 5)"),
        ("!= 5", 5, 4, "5 → 4 (now != 5)"),
        ("!= 5", 4, 6, None),
        ("= Sold Out", "3", " sold out ", "3 →  sold out  (now = Sold Out)"),
        ("< 5", "6", "none", None),
        ("contains Tea", None, "green tea", "nothing → green tea (now contains Tea)"),
        ("contains tea", "tea", "black tea", None),
        ("changes", None, 2.50, "nothing → 2.5"),
        ("changes", 2, None, None),
        ("changes", 2, 2, None),
        ("drops", 20, 19, "20 → 19 (drops 1)"),
        ("drops", 19, 20, None),
        ("rises", 19, 20, "19 → 20 (rises 1)"),
        ("rises", 20, 19, None),
        ("rises 10%", 20, 22, "20 → 22 (rises 10%, asked: 10%)"),
        ("rises 10%", 20, 21.9, None),
        ("moves", 20, 19, "20 → 19 (drops 1)"),
        ("moves 1", 19, 20, "19 → 20 (rises 1, asked: 1)"),
        ("moves 1.5", 19, 20, None),
        ("moves", 19, 19.5, "19 → 19.5 (rises 0.5)"),
        ("moves 10%", 0, 5, "0 → 5 (rises from 0, asked: 10%)"),
        ("moves", -20, -10, "-20 → -10 (rises 10)"),
        ("moves 50%", -20, -10, "-20 → -10 (rises 50%, asked: 50%)"),
        ("moves", None, 20, None),
        ("moves", 20, "none", None),
        ("moves", "20", "20.0", None),
    ],
)
def test_why_a_step_is_of_interest(words, old, new, why):
    assert Condition.read(words).why(old, new) == why


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("< cheap", "'< cheap': 'cheap' is no number"),
        (
            "cheap",
            "'cheap' is no condition: write < 900, >= 4.5, = sold out, contains green, drops",
        ),
        ("contains ", "'contains ' is no condition"),
    ],
)
def test_words_that_are_no_condition_are_named_with_examples(words, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        Condition.read(words)


def test_values_as_numbers_and_for_people():
    texts = ["1,234,567.50", "-3", "a 1,23", "2.", "x"]
    assert [number(text) for text in texts] == [1234567.5, -3.0, 1.0, 2.0, None]
    assert [number(value) for value in (False, None, 0)] == [None, None, 0.0]
    assert [shown(value) for value in (None, 2.0, 2, "a")] == ["nothing", "2", "2", "a"]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([1, 2, 3, 4], ""),
        ([1, 2, 3, 4, 5], "changed in each of the last 4 versions"),
        ([1, 1, 2, 3, 4], ""),
        ([9, 9, 1, 2, 3, 4, 5], "changed in each of the last 4 versions"),
        (["a", "b", "a", "b"], ""),
        (["a", "b", "a", "b", "a"], "goes back and forth"),
        (["c", "a", "b", "a", "b", "a"], "goes back and forth"),
        (["a", "b", "a", "b", "c"], "changed in each of the last 4 versions"),
    ],
)
def test_the_fourth_change_in_a_row_is_no_news(values, why):
    assert restless(values) == why


@pytest.mark.parametrize(
    ("old", "new", "come", "gone"),
    [
        (["2024"], ["2026"], ["2026"], ["2024"]),
        (["2024", "2024"], ["2025", "2025"], ["2025"], ["2024"]),
        (["1899"], ["1900"], ["1900"], ["1899"]),
        (["a b"], ["b", "a b", "a b"], ["b", "a b"], []),
    ],
)
def test_only_what_is_no_noise_is_news(old, new, come, gone):
    news = news_of(old, new, ())
    assert (sorted(news.come), sorted(news.gone)) == (sorted(come), sorted(gone))
