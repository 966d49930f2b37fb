"""Kill -9 at random moments while pages come in: nothing lost, nothing doubled, every chain whole,
on both back ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def killed(place: Path, store: str, kills: int, seed: int) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "tests.store.killed", str(place), store, str(kills), str(seed)],
        cwd=TOP,
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert answer.returncode == 0, answer.stderr[-2000:]
    assert int(answer.stdout) >= kills


@needs_fork
@pytest.mark.parametrize("back_end", ["sqlite", "postgresql"])
def test_a_killed_import_loses_and_doubles_nothing(
    tmp_path: Path, back_end: str, request: pytest.FixtureRequest
):
    killed(
        tmp_path,
        "store.sqlite" if back_end == "sqlite" else request.getfixturevalue("server"),
        6,
        seed=1,
    )


@needs_fork
@pytest.mark.slow
@pytest.mark.parametrize("back_end", ["sqlite", "postgresql"])
def test_two_hundred_killed_imports(tmp_path: Path, back_end: str, request: pytest.FixtureRequest):
    killed(
        tmp_path,
        "store.sqlite" if back_end == "sqlite" else request.getfixturevalue("server"),
        200,
        seed=2,
    )
