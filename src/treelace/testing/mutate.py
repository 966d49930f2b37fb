"""Mutants of a page with the true matching: the tool of the SFTM paper (Brisset et al., §5.1).

A share of the elements each gets one operation, the operators drawn evenly. What is true is known
because every element of the original carries a *signature* through the edits. Signatures never
reach the page that a matcher sees:

1. the changed page is written with its signatures in an attribute and parsed, since a parser may
   repair what an edit broke (a `div` put around a table cell ends up before the table);
2. the truth is what that tree says; an element that appears twice (a copy made by the parser)
   counts once, the first;
3. the page is written without signatures and parsed: it must have the same shape, else step 1 is
   done again with the repaired page, in which there is less left to repair.

A duplicate has no partner. Whole-page redesigns come on top: tags renamed everywhere, classes
renamed everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from treelace.errors import MatchError, UsageError
from treelace.testing.document import Element, read, write
from treelace.testing.operators import FIXED, OPERATORS, PAPER, Operator, Page
from treelace.testing.redesign import rename_tags, restyle
from treelace.tree import Tree, parse

_REPAIRS = 8

LARGEST = 0.05
"""Larger shares of the page are not removed, copied or moved: an operation is one of many."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed page: its HTML, true pairs of element indexes (original, mutant), and edits."""

    html: str
    truth: tuple[tuple[int, int], ...]
    log: dict[str, Any]

    def __repr__(self) -> str:
        return (
            f"<Mutant: {len(self.log['operations'])} operations, {len(self.truth):,} elements kept>"
        )


def original(page: Tree) -> str:
    """The page as the mutants start from it: HTML that a parser reads as it was written.

    Some pages only settle after having been written and read more than once.
    """
    if not page.is_html:
        raise UsageError(
            "mutants are made of HTML pages, and this is XML: `treelace simulate` changes XML"
            " documents, format='html' reads it as a page"
        )
    html = write(read(page))
    for _ in range(_REPAIRS):
        again = write(read(parse(html, format="html")))
        if again == html:
            return html
        html = again
    raise MatchError(
        "the page changes each time it is written and read: it cannot be mutated with a known truth"
    )


def mutate(
    page: Tree,
    *,
    ratio: float,
    seed: int = 0,
    operators: Sequence[str] = tuple(PAPER),
    largest: float = LARGEST,
    rename_tags_too: bool = False,
    restyle_too: bool = False,
) -> Mutant:
    """One mutant of a page's settled form (`original`): `ratio` of the elements each get one edit.

    >>> from treelace.tree import parse
    >>> page = parse("<body><ul><li>one<li>two<li>three</ul></body>")
    >>> mutant = mutate(page, ratio=0.2, seed=1, operators=["swap"])
    >>> mutant
    <Mutant: 1 operations, 7 elements kept>
    """
    _check(ratio, operators)
    random = Random(f"treelace mutate {seed}")
    document = read(parse(original(page), format="html"))
    operations = _operate(document, ratio, random, list(operators), largest)
    log: dict[str, Any] = {
        "ratio": ratio,
        "seed": seed,
        "operators": list(operators),
        "operations": operations,
    }
    if rename_tags_too:
        log["tags"] = rename_tags(document, random)
    if restyle_too:
        log["classes"] = restyle(document, random)
    html, truth = _settled(document)
    return Mutant(html, truth, log)


def mutants(
    page: Tree, *, ratio: float, seed: int = 0, count: int = 1, **options: Any
) -> Iterator[Mutant]:
    """`count` mutants with seeds `seed`, `seed + 1`, …, made lazily; options as for `mutate`."""
    _check(ratio, options.get("operators", PAPER))
    return (mutate(page, ratio=ratio, seed=seed + number, **options) for number in range(count))


def _check(ratio: float, operators: Collection[str]) -> None:
    unknown = [name for name in operators if name not in OPERATORS]
    if unknown or not operators:
        raise UsageError(
            f"unknown operator {', '.join(map(repr, unknown)) or '(none given)'}; there are"
            f" {', '.join(OPERATORS)}"
        )
    if not 0 <= ratio <= 1:
        raise UsageError(f"ratio is a share of the elements, from 0 to 1, not {ratio}")


def _operate(
    top: Element, ratio: float, random: Random, names: list[str], largest: float
) -> list[dict[str, Any]]:
    """Mutates `ratio` of the elements of a page or subtree, each once; the edits in order."""
    elements = [element for element in top.elements() if element.tag and element is not top]
    page = Page(
        top,
        random,
        lambda copy: _operate(copy, ratio, random, names, 1.0),
        max(1, round(largest * len(elements))),
    )
    untouched = {id(element) for element in elements if element.tag not in FIXED}
    order = random.sample(elements, len(elements))
    queues = {name: iter(order) for name in names}
    operations: list[dict[str, Any]] = []
    for _ in range(round(ratio * len(elements))):
        for name in random.sample(names, len(names)):
            done = _apply(OPERATORS[name], queues[name], untouched, page)
            if done is not None:
                operations.append({"operator": name} | done)
                break
    return operations


def _apply(
    operator: Operator, queue: Iterator[Element], untouched: set[int], page: Page
) -> dict[str, Any] | None:
    """Applies the operator to the next untouched element of the page that takes it."""
    for element in queue:
        if id(element) in untouched and page.holds(element):
            facts = operator(element, page)
            if facts is not None:
                untouched.discard(id(element))
                return {"element": element.mark} | facts
    return None


def _unused_attribute(document: Element) -> str:
    """A name for the signatures that no attribute of the page has."""
    used = {name for element in document.elements() for name in element.attributes}
    return next(
        name for number in itertools.count() if (name := f"treelace-signature-{number}") not in used
    )


def _settled(document: Element) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The page without signatures, and the truth: steps 1 to 3 of the module's header."""
    signature = _unused_attribute(document)
    for _ in range(_REPAIRS):
        document = _signed(document, signature)
        html = write(document)
        if _shape(read(parse(html, format="html"))) == _shape(document):
            in_page = _outside_templates(document)
            pairs = [
                (element.mark, index)
                for index, element in enumerate(in_page)
                if element.mark is not None
            ]
            return html, tuple(sorted(pairs))
    raise MatchError("the mutant changes shape without its signatures: take another seed")


def _signed(document: Element, signature: str) -> Element:
    """The page after a parser has read it with its signatures, which are back in the marks."""
    settled = read(parse(write(document, signature=signature), format="html"))
    seen: set[int] = set()
    for element in settled.elements():
        mark = element.attributes.pop(signature, None)
        element.mark = int(mark) if mark is not None and int(mark) not in seen else None
        if element.mark is not None:
            seen.add(element.mark)
    return settled


def _shape(document: Element) -> list[tuple[str, int]]:
    return [(element.tag, len(element.children)) for element in document.elements()]


def _outside_templates(document: Element) -> list[Element]:
    """The elements that have an element index, by that index."""
    inside: set[int] = set()
    for element in document.elements():
        parent = element.parent
        if parent is not None and (
            id(parent) in inside or (parent.tag == "template" and parent.is_html)
        ):
            inside.add(id(element))
    return [element for element in document.elements() if element.tag and id(element) not in inside]
