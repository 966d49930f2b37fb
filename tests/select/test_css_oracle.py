"""CSS against its definition (tests/oracles/css.py), and against soupsieve and cssselect on what
they know.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treelace as tl
from tests.oracles import css as oracle


def document(rng: random.Random, count: int) -> str:
    """Nested elements with classes, as XHTML."""
    text, open_tags = "<html>", ["html"]
    for _ in range(count):
        while len(open_tags) > 1 and rng.random() < 0.45:
            text += f"</{open_tags.pop()}>"
        tag = rng.choice(["div", "p", "b", "b"])
        marks = " ".join(rng.sample(["x", "y", "z"], rng.choice([0, 1, 1, 2])))
        attributes = (f' class="{marks}"' if marks or rng.random() < 0.1 else "") + rng.choice(
            ["", "", ' lang="en-GB"', ' title="ab cd"', ' title=""']
        )
        text += f"<{tag}{attributes}>" + rng.choice(["", "", "t", "<!--c-->"])
        open_tags.append(tag)
    return text + "".join(f"</{tag}>" for tag in reversed(open_tags))


class Selectors:
    """Random selectors of the oracle's form."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def listing(self, depth: int) -> list[oracle.Complex]:
        return [self.complex(depth) for _ in range(self.rng.choice([1, 1, 2]))]

    def complex(self, depth: int) -> oracle.Complex:
        count = self.rng.choice([1, 1, 2, 2, 3, 4])
        return oracle.Complex(
            [self.compound(depth) for _ in range(count)],
            [self.rng.choice([" ", ">", "+", "~"]) for _ in range(count - 1)],
        )

    def compound(self, depth: int) -> oracle.Compound:
        rng = self.rng
        made = oracle.Compound(tag=rng.choice(["*", "*", "div", "p", "b"]))
        if rng.random() < 0.3:
            made.classes.append(rng.choice("xyz"))
        if rng.random() < 0.1:
            name, value = rng.choice(
                [("lang", "en"), ("title", "ab"), ("title", "cd"), ("class", "x"), ("title", "")]
            )
            made.attributes.append((name, rng.choice(["=", "~=", "|=", "^=", "$=", "*="]), value))
        if rng.random() < 0.15:
            made.pseudos.append(rng.choice(list(oracle.PSEUDOS)))
        if rng.random() < 0.15:
            of_type = rng.random() < 0.4
            of = self.listing(depth - 1) if depth > 0 and not of_type and rng.random() < 0.4 else []
            made.nths.append(
                oracle.Nth(
                    rng.choice([0, 1, 2, 3, -1, -2]),
                    rng.choice([-1, 0, 1, 2, 3]),
                    rng.random() < 0.4,
                    of_type,
                    of,
                )
            )
        if depth > 0 and rng.random() < 0.15:
            made.any_of.append(self.listing(depth - 1))
        if depth > 0 and rng.random() < 0.15:
            made.none_of.append(self.listing(depth - 1))
        if depth == 2 and rng.random() < 0.2:
            made.has.append(
                [
                    (rng.choice([" ", ">", "+", "~"]), self.complex(0))
                    for _ in range(rng.choice([1, 2]))
                ]
            )
        return made


def compare(seed: int, count: int) -> int:
    rng = random.Random(seed)
    selectors = Selectors(rng)
    found = 0
    for _ in range(count):
        tree = tl.parse(document(rng, rng.choice([3, 8, 16])), format="html")
        chosen = selectors.listing(2)
        text = oracle.listed(chosen)
        start = rng.choice([tree.document, rng.choice(list(tree.elements))])
        expected = oracle.select(chosen, start)
        assert start.select(text) == expected, f"{text} from {start} of {tree.to_brackets()}"
        assert [
            node
            for node in start.descendants
            if node.is_element and tl.compile_css(text).matches(node)
        ] == expected or "scope" in text, text
        found += bool(expected)
    return found


def test_we_select_what_the_definition_says():
    assert compare(1, 400) > 50


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_we_select_what_the_definition_says_at_length(seed):
    compare(seed, 1200)


OTHERS_KNOW = [
    "div p",
    "div > p.x",
    "p + b",
    "p ~ b",
    ".x.y",
    "b:first-child",
    "b:last-child",
    "p:nth-child(2n+1)",
    "p:nth-last-child(2)",
    "b:nth-of-type(2)",
    "b:nth-last-of-type(odd)",
    "p:only-child",
    "b:empty",
    "[title]",
    "[title~=cd]",
    "[lang|=en]",
    "[class^=x]",
    "[title$='cd']",
    "[title*='b c']",
    "p:not(.x)",
    "div:not(.x):not(.y)",
    ":root",
    "div, b.x",
]
SOUPSIEVE_KNOWS = [
    "p:has(b)",
    "div:has(> p)",
    "p:has(+ b)",
    "p:has(~ b.x)",
    ":is(div, p) > b",
    ":where(.x, .y) b",
    "p:nth-child(2 of .x)",
    "p:not(div p, .x)",
    "b:lang(en)",
]


@given(st.integers(0, 10**9))
def test_others_answer_the_same(seed):
    from bs4 import BeautifulSoup
    from lxml import etree
    from lxml.cssselect import CSSSelector

    text = document(random.Random(seed), 14)
    theirs = etree.fromstring(text)
    tree = tl.parse(theirs.getroottree())
    places = {node: place for place, node in enumerate(theirs.iter("*"))}
    for selector in OTHERS_KNOW:
        expected = sorted(places[node] for node in CSSSelector(selector)(theirs))
        assert [node.element_index for node in tree.select(selector)] == expected, selector
    soup = BeautifulSoup(text, "html.parser")
    tree = tl.parse(soup)
    order = {id(node): place for place, node in enumerate(soup.find_all(True))}
    for selector in OTHERS_KNOW + SOUPSIEVE_KNOWS:
        expected = [order[id(node)] for node in soup.select(selector)]
        assert [node.element_index for node in tree.select(selector)] == expected, selector
