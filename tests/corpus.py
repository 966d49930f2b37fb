"""Where outside data is: the folder that TREELACE_CORPUS names, if it names one.

Nothing of it is in the repository. A test that needs it takes the fixture `corpus`, or, where its
cases are listed while pytest collects, calls `cases` or `part` here. Not set: the test is skipped
and says so. Set but not there: that is an error, not a skip.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "TREELACE_CORPUS"
NOT_SET = f"needs outside data: set {VARIABLE} to its folder"


def root() -> Path | None:
    """The folder of outside data, or None where the variable is not set."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        return None
    folder = Path(named).resolve()
    if not folder.is_dir():
        raise FileNotFoundError(f"{VARIABLE} names {named}, which is not a folder")
    return folder


def part(*names: str) -> Path:
    """A file or folder of it, to be called inside a test: skips where the variable is not set,
    fails where the part is missing.
    """
    folder = root()
    if folder is None:
        pytest.skip(NOT_SET)
    found = folder.joinpath(*names)
    if not found.exists():
        raise FileNotFoundError(f"{found} should be in {VARIABLE} and is not")
    return found


def cases(listing: Callable[[Path], Iterable[Any]]) -> list[Any]:
    """Parameters read from outside data while pytest collects, or one skipped case that says what
    is missing.

    @pytest.mark.parametrize("case", corpus.cases(lambda folder: sorted((folder /
    "conformance/xml").glob("*.xml"))))
    """
    folder = root()
    if folder is None:
        return [pytest.param(None, marks=pytest.mark.skip(reason=NOT_SET), id="no-corpus")]
    found = list(listing(folder))
    if not found:
        raise FileNotFoundError(f"{VARIABLE} is set, but a listing of cases came back empty")
    return found
