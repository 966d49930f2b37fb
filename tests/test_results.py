"""Every committed result of the papers' experiments says which command made it, on which commit."""

from __future__ import annotations

import csv
import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parent.parent / "experiments"
PAPERS = {
    "xydiff": ("*",),
    "flesca": ("*",),
    "buttler": ("*",),
    "sftm": ("*",),
    "records": ("table2.*", "mdr.*"),
}
"""The folder of each paper, and which of its files are results of the paper's own experiments."""
NO_RESULTS = {"README.md", "made_by.csv"}


def made_by(paper: str) -> dict[str, dict[str, str]]:
    with (EXPERIMENTS / paper / "made_by.csv").open(newline="", encoding="utf-8") as file:
        return {row["file"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_result_has_its_command_and_commit(paper: str) -> None:
    noted = made_by(paper)
    files = {
        path.name
        for pattern in PAPERS[paper]
        for path in (EXPERIMENTS / paper).glob(pattern)
        if path.suffix in (".csv", ".md", ".svg", ".png") and path.name not in NO_RESULTS
    }
    assert files == set(noted)
    for row in noted.values():
        assert re.fullmatch(r"[0-9a-f]{40}", row["commit"]), row
        module = row["command"].removeprefix("python -m ").split()[0]
        assert importlib.util.find_spec(module) is not None, row


@pytest.mark.parametrize("paper", PAPERS)
def test_the_commit_of_a_result_is_one_of_this_history(paper: str) -> None:
    if not (EXPERIMENTS.parent / ".git").exists():
        pytest.skip("no history here: a source archive")
    for commit in {row["commit"] for row in made_by(paper).values()}:
        found = subprocess.run(
            ["git", "merge-base", "--is-ancestor", commit, "HEAD"],
            cwd=EXPERIMENTS,
            capture_output=True,
        )
        assert found.returncode == 0, commit
