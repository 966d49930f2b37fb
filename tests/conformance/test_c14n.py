"""The W3C's vectors for Canonical XML 1.0, 1.1 and Exclusive 1.0, byte for byte.

Run are the cases for whole documents; those whose node set is one or more whole subtrees, `(//. |
//@* | //namespace::*)[ancestor-or-self::x]`; and those for Canonical XML 2.0 with its default
parameters, where it says what Exclusive 1.0 says. `c14n-skips.txt` lists the others with the
reason; a case that is listed there and passes is an error, so that a fix strikes its line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from tests import corpus
from treelace import Node, Tree, TreelaceError, parse

Case = dict[str, str]
SKIPS = Path(__file__).with_name("c14n-skips.txt")
STEP = r"ancestor-or-self::(?:\w+:)?\w+"
SUBTREES = re.compile(
    rf"\s*\(//\. ?\| ?//@\* ?\| ?//namespace::\*\)\s*\[\s*{STEP}(?:\s+or\s+{STEP})*\s*\]\s*"
)


def _index(folder: Path) -> Iterator[object]:
    with (folder / "conformance/c14n/index.csv").open(encoding="utf-8", newline="") as lines:
        for case in csv.DictReader(lines):
            yield pytest.param(case, id=case["case"])


@pytest.fixture(scope="session")
def skips() -> dict[str, str]:
    lines = SKIPS.read_text(encoding="utf-8").splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))


@pytest.mark.parametrize("case", corpus.cases(_index))
def test_c14n(case: Case, skips: dict[str, str]) -> None:
    difference = _difference(case, corpus.part("conformance", "c14n"))
    reason = skips.get(case["case"])
    if reason is not None:
        assert difference is not None, f"{case['case']} passes: strike its line in {SKIPS.name}"
        pytest.skip(reason)
    assert difference is None, difference


def test_every_skip_is_a_case(skips: dict[str, str]) -> None:
    with corpus.part("conformance", "c14n", "index.csv").open(
        encoding="utf-8", newline=""
    ) as lines:
        assert set(skips) <= {case["case"] for case in csv.DictReader(lines)}


def _difference(case: Case, folder: Path) -> str | None:
    """What is not as the vector says; None where all is."""
    wanted = (folder / case["expected"]).read_bytes()
    tree = parse(folder / case["input"], format="xml")
    if case["parameters"] and not case["parameters"].endswith(
        ("c14nDefault.xml", "c14nComment.xml")
    ):
        return "parameters of Canonical XML 2.0"
    prefixes = (
        (folder / case["inclusive_prefixes"]).read_text(encoding="utf-8").split()
        if case["inclusive_prefixes"]
        else []
    )
    parts: list[Tree | Node] = [tree]
    if case["xpath"]:
        found = _subtrees(tree, folder / case["xpath"])
        if found is None:
            return "a node set that is not whole subtrees"
        parts = found
    exclusive = case["spec"] in ("Exclusive C14N 1.0", "C14N 2.0")
    version = "1.1" if case["spec"] == "C14N 1.1" else "1.0"
    try:
        pieces = [
            part.to_c14n(
                version=version,
                exclusive=exclusive,
                comments=case["with_comments"] == "yes",
                prefixes=prefixes,
            )
            for part in parts
        ]
    except TreelaceError as error:
        return str(error)
    written = b"".join(pieces)
    return None if written == wanted else f"{written!r} is not {wanted!r}"


def _subtrees(tree: Tree, file: Path) -> list[Tree | Node] | None:
    """The tops of the subtrees that the XPath takes, if it takes whole subtrees."""
    element = etree.parse(file, etree.XMLParser(resolve_entities=True)).getroot()
    expression = "".join(element.itertext())
    if not SUBTREES.fullmatch(expression):
        return None
    wanted = set()
    for name in re.findall(r"ancestor-or-self::((?:\w+:)?\w+)", expression):
        prefix, _, local = name.rpartition(":")
        wanted.add((element.nsmap[prefix] if prefix else "", local))
    inside = [node for node in tree.elements if (node.name.namespace, node.name.local) in wanted]
    return [
        node
        for node in inside
        if not any((above.name.namespace, above.name.local) in wanted for above in node.ancestors)
    ]
