"""The W3C XML conformance suite: what a parser that does not validate and fetches nothing must
accept, reject and report.

Each XML 1.0 case must have the outcome that the index gives for the 5th edition; where the suite
has a canonical form of the document (James Clark's first form, with Sun's notations), the tree must
give it. `xmlconf-skips.txt` lists what is known to differ, with the reason; a case that is listed
there and passes is an error, so that a fix strikes its line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import corpus
from treelace import _kernel
from treelace.errors import ParseError
from treelace.limits import DEFAULT_LIMITS
from treelace.tree.names import Kind

Case = dict[str, str]
SKIPS = Path(__file__).with_name("xmlconf-skips.txt")
NEEDS_OUTSIDE = ("general", "parameter", "both")
NOTATION = re.compile(
    r"""<!NOTATION\s+(?P<name>\S+)\s+
    (?: SYSTEM\s+(?P<only>"[^"]*"|'[^']*')
      | PUBLIC\s+(?P<public>"[^"]*"|'[^']*') (?:\s+(?P<system>"[^"]*"|'[^']*'))? )\s*>""",
    re.VERBOSE,
)


def _index(folder: Path, version: str) -> Iterator[object]:
    with (folder / "conformance/xml/index.csv").open(encoding="utf-8", newline="") as lines:
        for case in csv.DictReader(lines):
            if case["xml_version"] == version:
                yield pytest.param(case, id=case["id"])


@pytest.fixture(scope="session")
def suite() -> Path:
    return corpus.part("conformance", "xml", "xmlconf")


@pytest.fixture(scope="session")
def skips() -> dict[str, str]:
    lines = SKIPS.read_text(encoding="utf-8").splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))


@pytest.mark.parametrize("case", corpus.cases(lambda folder: _index(folder, "1.0")))
def test_xml_1_0(case: Case, suite: Path, skips: dict[str, str]) -> None:
    difference = _difference(case, suite)
    reason = skips.get(case["id"])
    if reason is not None:
        assert difference is not None, f"{case['id']} passes: strike its line in {SKIPS.name}"
        pytest.skip(reason)
    assert difference is None, difference


@pytest.mark.parametrize("case", corpus.cases(lambda folder: _index(folder, "1.1")))
def test_xml_1_1_is_read_as_1_0_and_said_so(case: Case, suite: Path) -> None:
    """What the 5th edition of XML 1.0 asks for (§2.8). The outcomes that the index has are those of
    an XML 1.1 parser.
    """
    source = (suite / case["file"]).read_bytes()
    tree, error = _read(source, case)
    if tree is None:
        assert error is not None and error.line is not None and error.column is not None
    else:
        assert (
            not re.match(rb"""<\?xml\s+version\s*=\s*["']1\.1""", source)
            or "read as XML 1.0" in tree.problems[0][1]
        )


def test_every_skip_is_a_case(skips: dict[str, str]) -> None:
    with corpus.part("conformance", "xml", "index.csv").open(encoding="utf-8", newline="") as lines:
        assert set(skips) <= {case["id"] for case in csv.DictReader(lines)}


def _read(source: bytes, case: Case) -> tuple[_kernel.Tree | None, ParseError | None]:
    try:
        return (
            _kernel.parse_xml(
                source, None, False, DEFAULT_LIMITS, namespaces=case["namespace"] != "no"
            ),
            None,
        )
    except ParseError as error:
        return None, error


def _difference(case: Case, suite: Path) -> str | None:
    """What is not as the suite says; None where all is."""
    expected = case["expected_5th_edition"]
    tree, error = _read((suite / case["file"]).read_bytes(), case)
    if tree is None:
        assert error is not None and error.line is not None and error.column is not None, (
            "an error without a place"
        )
        return f"rejected: {error}" if expected == "accept" else None
    if expected == "reject":
        return f"accepted: {case['description']}"
    if expected == "accept" and case["output"] and case["entities"] not in NEEDS_OUTSIDE:
        written = (suite / case["output"]).read_bytes().decode("utf-8")
        if canonical(tree) != written:
            return f"canonical form: {canonical(tree)!r} is not {written!r}"
    return None


def canonical(tree: _kernel.Tree) -> str:
    """Clark's canonical form: no comments, no document type but its notations, attributes by name,
    five characters escaped.
    """
    return "".join(_write(tree, 0))


def _write(tree: _kernel.Tree, index: int) -> Iterator[str]:
    kind = tree.kind(index)
    if kind == Kind.DOCUMENT:
        for child in tree.children(index):
            yield from _write(tree, child)
    elif kind == Kind.ELEMENT:
        name = _qualified(*tree.name_parts(index))
        attributes = sorted(
            (_qualified(prefix, uri, local), value)
            for prefix, uri, local, value in tree.attributes(index)
        )
        yield f"<{name}" + "".join(f' {key}="{_escape(value)}"' for key, value in attributes) + ">"
        for child in tree.children(index):
            yield from _write(tree, child)
        yield f"</{name}>"
    elif kind == Kind.TEXT:
        yield _escape(tree.text(index))
    elif kind == Kind.INSTRUCTION:
        yield f"<?{tree.local_name(index)} {tree.text(index)}?>"
    elif kind == Kind.DOCTYPE:
        subset = re.sub(r"<!--.*?-->", "", tree.text(index), flags=re.DOTALL)
        yield from (
            f"<?{target} {data}?>"
            for target, data in re.findall(r"<\?(\S+)\s+(.*?)\?>", subset, flags=re.DOTALL)
        )
        notations = sorted(_notations(subset))
        if notations:
            yield f"<!DOCTYPE {tree.local_name(index)} [\n" + "".join(notations) + "]>\n"


def _qualified(prefix: str, _namespace: str, local: str) -> str:
    return f"{prefix}:{local}" if prefix else local


def _notations(subset: str) -> Iterator[str]:
    for found in NOTATION.finditer(subset):
        public, system = (
            part and part[1:-1] for part in (found["public"], found["system"] or found["only"])
        )
        if public is None:
            yield f"<!NOTATION {found['name']} SYSTEM '{system}'>\n"
        else:
            yield (
                f"<!NOTATION {found['name']} PUBLIC '{public}'"
                + (f" '{system}'" if system is not None else "")
                + ">\n"
            )


def _escape(text: str) -> str:
    for character, written in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ('"', "&quot;"),
        ("\t", "&#9;"),
        ("\n", "&#10;"),
        ("\r", "&#13;"),
    ):
        text = text.replace(character, written)
    return text
