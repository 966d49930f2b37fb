"""What every test may use: outside data, the command line as a process, and how hard hypothesis
tries.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import corpus as outside
from tests.browsing import browser

SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large]

# The fast run is the same on every machine and every day; the long run looks for what nobody has
# seen yet.
settings.register_profile(
    "fast", deadline=None, derandomize=True, suppress_health_check=SLOW_IS_FINE
)
settings.register_profile(
    "long", deadline=None, max_examples=2000, suppress_health_check=SLOW_IS_FINE, print_blob=True
)
# For `python -m tools.mutants`, which runs the tests hundreds of times.
settings.register_profile(
    "quick",
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=SLOW_IS_FINE,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of outside data; the test is skipped where TREELACE_CORPUS is not set."""
    return outside.part()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser, gone when the tests of a module are done: Playwright has no second one beside it,
    and no other event loop.
    """
    with browser() as running:
        yield running


Treelace = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def treelace(tmp_path: Path) -> Treelace:
    """Runs the command line as a process of its own, in `tmp_path`: `treelace("parse",
    "page.html").stdout`.
    """

    command = shutil.which("treelace", path=Path(sys.executable).parent)
    assert command, "the command treelace is not beside this Python: make setup"

    def run(
        *arguments: str,
        stdin: str | None = None,
        env: dict[str, str] | None = None,
        timeout: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        surroundings = {**os.environ, "PYTHONUTF8": "1", "COLUMNS": "100", **(env or {})}
        return subprocess.run(
            [command, *arguments],
            cwd=tmp_path,
            input=stdin,
            env=surroundings,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
        )

    return run
