"""The encoding suite of html5lib.

Where a page declares nothing, the suite expects Windows-1252, the default of Western browsers;
treelace takes such bytes for UTF-8 if they are UTF-8 (DESIGN §4). Those cases hold that nothing was
declared: all are plain ASCII, which reads the same in both.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import corpus
from treelace import parse

WESTERN = "windows-1252"


def _cases(folder: Path) -> list[object]:
    found: list[object] = []
    for path in sorted((folder / "conformance/html5lib/encoding").glob("*.dat")):
        for number, block in enumerate(path.read_bytes().split(b"#data\n")[1:], 1):
            data, expected = block.split(b"\n#encoding\n")
            found.append(
                pytest.param((data, expected.decode().strip().lower()), id=f"{path.name}:{number}")
            )
    return found


CASES = corpus.cases(_cases)


@pytest.mark.parametrize("case", CASES)
def test_encoding(case: tuple[bytes, str]) -> None:
    data, expected = case
    encoding = (parse(data, format="html").encoding or "").lower()
    if expected == WESTERN and encoding == "utf-8":
        data.decode("ascii")
    else:
        assert encoding == expected


def test_number_of_cases(corpus: Path) -> None:
    assert len(CASES) == 82


def test_a_text_in_big5_is_seen_to_be(corpus: Path) -> None:
    text = (corpus / "conformance/html5lib/encoding/chardet/test_big5.txt").read_bytes()
    assert parse(text, format="html").encoding == "Big5"
