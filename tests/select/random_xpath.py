"""Random XPath 1.0 expressions, and random XML for them to be asked of: few names, so that answers
are not all empty.

Numbers become strings only where they are whole, because libxml2 writes others with 15 digits or an
exponent, which the Recommendation does not.
"""

from __future__ import annotations

import random

NAMESPACES = {"x": "urn:x", "y": "urn:y"}
AXES = [
    "ancestor",
    "ancestor-or-self",
    "attribute",
    "child",
    "descendant",
    "descendant-or-self",
    "following",
    "following-sibling",
    "namespace",
    "parent",
    "preceding",
    "preceding-sibling",
    "self",
]
NAMES = [
    "a",
    "a",
    "a",
    "b",
    "b",
    "c",
    "x:a",
    "x:*",
    *["*"] * 5,
    *["node()"] * 4,
    "text()",
    "text()",
    "comment()",
    "processing-instruction()",
]
COMMON_AXES = [
    "ancestor",
    "ancestor-or-self",
    "descendant",
    "descendant-or-self",
    "following",
    "following-sibling",
    "preceding",
    "preceding-sibling",
    "self",
]
WORDS = ["", "a", "b", "7", "12", "0.5", "-3", " a  b ", "Grüße", "x y", "en-GB", "abcabc", "𝒜b"]
COMPARISONS = ["=", "!=", "<", "<=", ">", ">="]


def document(rng: random.Random) -> str:
    """A small XML document with namespaces, attributes, comments and instructions."""
    parts = [
        rng.choice(["", "<!--top-->", "<?p top?>"]),
        element(rng, 0, rng.choice([8, 16, 30, 50])),
        rng.choice(["", "<!--end-->"]),
    ]
    return "".join(parts)


def element(rng: random.Random, depth: int, budget: int) -> str:
    prefix = "" if depth == 0 else rng.choice(["", "", "", "", "", "x:"])
    name = prefix + rng.choice("aaabbc")
    declarations = (
        ' xmlns:x="urn:x" xmlns:y="urn:y"'
        if depth == 0
        else rng.choice([*[""] * 12, ' xmlns="urn:x"', ' xmlns=""', ' xmlns:z="urn:z"'])
    )
    keys = rng.sample(["k", "m", "x:k", "xml:lang"], rng.choice([0, 0, 1, 2, 3]))
    attributes = "".join(f' {key}="{rng.choice(WORDS)}"' for key in keys)
    inside = []
    while budget > 0 and rng.random() < 0.8 and depth < 8:
        kind = rng.random()
        if kind < 0.55:
            share = rng.randint(0, budget - 1)
            inside.append(element(rng, depth + 1, share))
            budget -= share + 1
        elif kind < 0.85:
            inside.append(rng.choice(WORDS))
            budget -= 1
        else:
            inside.append(rng.choice(["<!--c-->", "<?p i?>", "<?q?>", "<!---->"]))
            budget -= 1
    return f"<{name}{declarations}{attributes}>{''.join(inside)}</{name}>"


class Grammar:
    """Expressions of each of the four types, to a given depth."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def expression(self, depth: int = 3) -> str:
        kind = self.rng.random()
        if kind < 0.6:
            return self.nodes(depth)
        return self.rng.choice([self.number, self.boolean, self.text])(depth)

    def nodes(self, depth: int) -> str:
        rng = self.rng
        kind = rng.random()
        if depth > 0 and kind < 0.1:
            return f"{self.nodes(depth - 1)} | {self.nodes(depth - 1)}"
        if depth > 0 and kind < 0.2:
            predicates = "".join(self.predicate(depth - 1) for _ in range(rng.randint(0, 2)))
            tail = rng.choice(["", f"/{self.relative(depth - 1)}", f"//{self.relative(depth - 1)}"])
            return f"({self.nodes(depth - 1)}){predicates}{tail}"
        return rng.choice(["", "", "//", "//", "//", ".//", "/*/"]) + self.relative(depth)

    def relative(self, depth: int) -> str:
        rng = self.rng
        steps = [self.step(depth) for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]
        path = steps[0]
        for step in steps[1:]:
            path += rng.choice(["/", "/", "//"]) + step
        return path

    def step(self, depth: int) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.06:
            return "."
        if kind < 0.12:
            return ".."
        if kind < 0.45:
            head = rng.choice(NAMES)
        elif kind < 0.55:
            head = rng.choice(["@k", "@m", "@*", "@x:k", "@x:*", "@node()"])
        else:
            axis = rng.choice(AXES if rng.random() < 0.3 else COMMON_AXES)
            tests = {
                "attribute": ["k", "m", "*", "x:k", "node()"],
                "namespace": ["x", "*", "node()", "z"],
            }.get(axis, NAMES)
            head = f"{axis}::{rng.choice(tests)}"
        count = rng.choice([0, 0, 0, 0, 1, 1, 2]) if depth > 0 else 0
        return head + "".join(self.predicate(depth - 1) for _ in range(count))

    def predicate(self, depth: int) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.25:
            inside = rng.choice(["1", "2", "3", "last()", "last() - 1", "0", "1.5"])
        elif kind < 0.45:
            inside = (
                f"position() {rng.choice(COMPARISONS)}"
                f" {rng.choice(['1', '2', 'last()', '1.5', 'last() - 1'])}"
            )
        elif kind < 0.5:
            inside = "position() mod 2 = 1"
        elif kind < 0.75:
            inside = self.nodes(depth)
        elif kind < 0.95:
            inside = self.boolean(depth)
        else:
            inside = self.number(depth)
        return f"[{inside}]"

    def boolean(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0:
            return rng.choice(
                ["true()", "false()", "@k", "not(@m)", "self::a", ". = 'a'", "lang('en')", "* > 3"]
            )
        below = depth - 1
        return rng.choice(
            [
                lambda: f"{self.any(below)} {rng.choice(COMPARISONS)} {self.any(below)}",
                lambda: f"{self.nodes(below)} {rng.choice(COMPARISONS)} {self.any(below)}",
                lambda: f"not({self.any(below)})",
                lambda: f"boolean({self.any(below)})",
                lambda: f"({self.boolean(below)}) and {self.boolean(below)}",
                lambda: f"{self.boolean(below)} or ({self.boolean(below)})",
                lambda: f"contains({self.text(below)}, {self.text(below)})",
                lambda: f"starts-with({self.text(below)}, {self.text(below)})",
                lambda: f"lang({rng.choice(['en', 'EN', 'en-GB', 'de'])!r})",
            ]
        )()

    def number(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0:
            return rng.choice(
                [
                    "0",
                    "1",
                    "2.5",
                    "position()",
                    "last()",
                    "-1",
                    "count(*)",
                    "number()",
                    "string-length()",
                ]
            )
        below = depth - 1
        return rng.choice(
            [
                lambda: f"count({self.nodes(below)})",
                lambda: f"sum({self.nodes(below)})",
                lambda: f"number({self.any(below)})",
                lambda: f"string-length({self.text(below)})",
                lambda: (
                    f"({self.number(below)}) {rng.choice(['+', '-', '*', 'div', 'mod'])}"
                    f" {self.number(below)}"
                ),
                lambda: f"- ({self.number(below)})",
                lambda: f"{rng.choice(['floor', 'ceiling', 'round'])}({self.number(below)})",
            ]
        )()

    def text(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0:
            return rng.choice(
                [
                    "'a'",
                    "'b'",
                    "''",
                    "' a  b '",
                    "name()",
                    "local-name()",
                    "string()",
                    "normalize-space()",
                    "string(@k)",
                    "namespace-uri()",
                ]
            )
        below = depth - 1
        return rng.choice(
            [
                lambda: f"string({self.nodes(below)})",
                lambda: (
                    f"{rng.choice(['name', 'local-name', 'namespace-uri'])}({self.nodes(below)})"
                ),
                lambda: (
                    f"concat({self.text(below)}, {self.text(below)}, count({self.nodes(below)}))"
                ),
                lambda: f"substring({self.text(below)}, {self.number(below)})",
                lambda: (
                    f"substring({self.text(below)}, {self.number(below)}, {self.number(below)})"
                ),
                lambda: f"substring-before({self.text(below)}, {self.text(below)})",
                lambda: f"substring-after({self.text(below)}, {self.text(below)})",
                lambda: f"normalize-space({self.text(below)})",
                lambda: f"translate({self.text(below)}, {self.text(below)}, {self.text(below)})",
                lambda: f"string({self.boolean(below)})",
            ]
        )()

    def any(self, depth: int) -> str:
        kind = self.rng.random()
        if kind < 0.5:
            return f"({self.nodes(depth)})"
        return f"({self.rng.choice([self.number, self.boolean, self.text])(depth)})"
