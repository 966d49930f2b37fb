"""A pytest plugin that writes down what each test costs and which blocks it runs.

MUTANTS_RECORD names the file: {test: [seconds of processor time, [blocks]]}. A test that fails or
is skipped is left out: it can kill nothing.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ["MUTANTS_PARENT"] = str(os.getpid())
os.environ["MUTANTS_MARKS"] = tempfile.mkdtemp(prefix="marks-")

from tools.mutants import marks

RECORD: dict[str, tuple[float, list[str]]] = {}
PASSED: set[str] = set()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Around one test, with its fixtures."""
    folder = Path(os.environ["MUTANTS_MARKS"])
    for path in folder.iterdir():
        path.unlink()
    marks.seen.clear()
    before = sum(os.times()[:4])
    result = yield
    if item.nodeid in PASSED:
        blocks = set(marks.seen)
        for path in folder.iterdir():
            blocks.update(path.read_text().split())
        RECORD[item.nodeid] = (round(sum(os.times()[:4]) - before, 3), sorted(blocks))
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Notes what passed."""
    if report.when == "call" and report.passed:
        PASSED.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Writes the file."""
    Path(os.environ["MUTANTS_RECORD"]).write_text(json.dumps(RECORD))
