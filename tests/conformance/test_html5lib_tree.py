"""The tree-construction suite of html5lib, through our tree.

Known failures stand in `html5lib-skips.txt` with their reason; one that passes must be struck from
it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import corpus
from tests.conformance.html5lib import Case, dump, read_cases
from treelace import parse

SKIPS = Path(__file__).with_name("html5lib-skips.txt")


def _skips() -> dict[str, str]:
    lines = [line for line in SKIPS.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(maxsplit=1) for line in lines)


def _cases(folder: Path) -> list[object]:
    return [
        pytest.param(case, id=case.name)
        for case in read_cases(folder / "conformance/html5lib/tree-construction")
        if not case.is_scripting
    ]


@pytest.mark.parametrize("case", corpus.cases(_cases))
def test_tree_construction(case: Case) -> None:
    tree = parse(case.data, format="html", fragment=case.context or False)
    is_right = dump(tree) == case.document
    reason = _SKIPPED.get(case.name)
    if reason is None:
        assert dump(tree) == case.document, case.data
    else:
        assert not is_right, f"{case.name} passes: strike it from {SKIPS.name}"
        pytest.skip(reason)


_SKIPPED = _skips()


def test_every_skip_names_a_case(corpus: Path) -> None:
    names = {case.name for case in read_cases(corpus / "conformance/html5lib/tree-construction")}
    assert set(_SKIPPED) <= names
    assert len(names) == 1796
