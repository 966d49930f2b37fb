"""Rules on changes: what is told, what is suppressed and why, what makes no sense."""

from __future__ import annotations

import pytest

from treelace.errors import UsageError
from treelace.monitor.conditions import Condition, number
from treelace.monitor.rules import Rule, of_records, of_selection
from treelace.store.records import Change
from treelace.tree import parse


def changed(old, new, *, kind="tea", what="changed"):
    return [Change(kind, what, "k", 1, old, new)]


def told(rule, changes, earlier=()):
    return [
        (found.why, found.suppressed)
        for found in of_records(rule, changes, lambda kind, key: list(earlier))
    ]


@pytest.mark.parametrize(
    ("words", "old", "new", "fires"),
    [
        ("< 900", 950.0, 899.0, True),
        ("< 900", 899.0, 850.0, False),
        ("< 900", None, 850.0, True),
        (">= 4.5", 4.4, 4.5, True),
        ("drops 10%", 20.0, 18.0, True),
        ("drops 10%", 20.0, 18.1, False),
        ("drops 10%", 20.0, 25.0, False),
        ("drops", 20.0, 19.99, True),
        ("rises 5", 20.0, 25.0, True),
        ("rises 5", 20.0, 24.0, False),
        ("moves 10%", 20.0, 22.0, True),
        ("= sold out", "3 in stock", "sold out", True),
        ("= sold out", "sold out", "sold out", False),
        ("contains green", "Red", "Dark Green", True),
        ("< 5", "€7.20", "€4.80", True),
        ("< 5", "none", "none at all", False),
        ("changes", 1, 2, True),
        ("drops 10%", "€1,299.00", "€999.00", True),
        ("drops 10%", 20.0, None, False),
    ],
)
def test_conditions(words, old, new, fires):
    assert (Condition.read(words).why(old, new) is not None) == fires


@pytest.mark.parametrize("words", ["", "cheap", "< cheap", "drops a lot", "contains "])
def test_a_condition_that_makes_no_sense_is_said(words):
    with pytest.raises(UsageError):
        Condition.read(words)


def test_numbers_are_read_out_of_texts():
    assert [number(value) for value in ("€ 1,299.00", "3 in stock", -2, "none", None, True)] == [
        1299.0,
        3.0,
        -2.0,
        None,
        None,
        None,
    ]


def test_new_gone_and_changed_records():
    row = {"title": "Assam", "price": 4.2}
    assert told(Rule(records="tea", when="new"), changed(None, row, what="new")) == [
        ("new record: Assam", "")
    ]
    assert told(Rule(records="tea", when="gone"), changed(row, None, what="gone")) == [
        ("record gone: Assam", "")
    ]
    assert told(Rule(records="tea", when="changed"), changed(row, {**row, "price": 3.9})) == [
        ("Assam: price 4.2 → 3.9", "")
    ]
    assert told(
        Rule(records="tea", when="price drops 5%"), changed(row, {**row, "price": 3.9})
    ) == [("Assam: price 4.2 → 3.9 (drops 7.143%, asked: 5%)", "")]
    assert told(Rule(records="tea", when="price < 4"), changed(row, {**row, "stock": 3})) == []
    assert told(Rule(records="cups", when="changed"), changed(row, {**row, "price": 3.9})) == []


def test_what_comes_back_as_it_was_is_suppressed():
    row = {"title": "Assam", "price": 4.2}
    assert told(Rule(records="tea", when="new"), changed(None, row, what="new"), [row]) == [
        ("new record: Assam", "it was there before and came back as it was")
    ]


def test_values_that_change_at_every_look_are_suppressed_unless_asked_for():
    earlier = [{"title": "Assam", "views": count} for count in (1, 2, 3, 4)]
    step = changed({"title": "Assam", "views": 5}, {"title": "Assam", "views": 6})
    ((why, suppressed),) = told(Rule(records="tea", when="changed"), step, earlier)
    assert suppressed and "changed in each of the last 4 versions" in why
    assert told(Rule(records="tea", when="changed", restless=True), step, earlier) == [
        ("Assam: views 5 → 6", "")
    ]
    both = changed(
        {"title": "Assam", "views": 5, "price": 1}, {"title": "Assam", "views": 6, "price": 2}
    )
    assert told(
        Rule(records="tea", when="changed"), both, [{**row, "price": 1} for row in earlier]
    ) == [("Assam: price 1 → 2", "")]


def test_tags_in_another_order_are_suppressed_and_other_tags_are_not():
    old = {"name": "Assam", "tags": "black", "tags 2": "strong", "tags 3": None}
    rule = Rule(records="tea", when="changed")
    ((why, suppressed),) = told(rule, changed(old, {**old, "tags": "strong", "tags 2": "black"}))
    assert suppressed and "another order" in why
    ((_, suppressed),) = told(rule, changed(old, {**old, "tags": "strong", "tags 2": "green"}))
    assert not suppressed
    sizes = {"size": "30 cm", "size 2": "40 cm"}
    ((_, suppressed),) = told(rule, changed(sizes, {"size": "40 cm", "size 2": "30 cm"}))
    assert not suppressed, "numbers are no names"


def test_flip_flops_are_suppressed():
    earlier = [{"title": "Assam", "state": state} for state in ("on", "off", "on")]
    ((why, suppressed),) = told(
        Rule(records="tea"),
        changed({"title": "Assam", "state": "off"}, {"title": "Assam", "state": "on"}),
        earlier,
    )
    assert suppressed and "goes back and forth" in why


def page(*names: str, extra: str = "") -> object:
    return parse("<ul>" + "".join(f"<li>{name}" for name in names) + f"</ul>{extra}")


def selection(when: str, old: object, new: object, select: str = "li", rate=None, **more):
    return [
        (found.what, found.suppressed)
        for found in of_selection(Rule(page="u", select=select, when=when, **more), old, new, rate)
    ]


def test_selections_change_appear_and_vanish():
    assert selection("changes", page("a"), page("b")) == [("changed", "")]
    assert selection("changes", page("a"), page("a", extra="<p>x")) == []
    assert selection("changes", page("a", "b"), page("b", "a")) == [
        ("changed", "only the order changed")
    ]
    assert selection("appears", page("a"), page("a", extra="<b>!</b>"), "b") == [("appears", "")]
    assert selection("vanishes", page("a", extra="<b>!</b>"), page("a"), "b") == [("vanishes", "")]
    assert selection("appears", page("a"), page("b"), "li") == []
    assert selection("changes", page("a"), page("a", "b"), "xpath://li") == [("changed", "")]
    assert selection("< 5", page("€7"), page("€4")) == [("changed", "")]


def test_nodes_that_change_at_every_fetch_are_suppressed():
    ((what, suppressed),) = selection(
        "changes", page("1 visitor"), page("2 visitors"), rate=lambda node: 0.9
    )
    assert what == "changed" and suppressed == "only numbers that change at most looks changed"
    assert selection(
        "changes", page("1 visitor"), page("2 visitors"), rate=lambda node: 0.9, restless=True
    ) == [("changed", "")]


@pytest.mark.parametrize(
    "rule",
    [
        Rule(),
        Rule(records="a", page="b"),
        Rule(page="u"),
        Rule(records="a", when="cheap"),
        Rule(page="u", select="a", when="?"),
    ],
)
def test_a_rule_that_makes_no_sense_is_said(rule):
    with pytest.raises(UsageError):
        rule.check()
