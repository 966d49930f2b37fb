"""What was seen on real sites has tests: the table of README.md names them, and they are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
POINTS = 14


def test_each_thing_that_was_seen_has_tests_that_exist():
    text = (TESTS / "site/README.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if re.match(r"\| \d+\.", line)]
    assert {int(line[2:].partition(".")[0]) for line in lines} == set(range(1, POINTS + 1))
    for line in lines:
        named = re.findall(r"`([\w/]+\.py)::(\w+)`", line)
        assert named, line
        for file, name in named:
            assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8"), f"{file}::{name}"
