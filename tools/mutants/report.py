"""The result for people: a table over the packages, and every survivor with its place."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from tools.mutants.judge import Outcome

HEAD = """\
| package | mutants | equivalent | dead | alive | dead of the others |
|---|---|---|---|---|---|"""


def text(outcomes: Sequence[Outcome], seed: int) -> str:
    """The whole report, as Markdown."""
    packages = dict.fromkeys(one.mutant.package for one in outcomes)
    rows = [row(package, outcomes) for package in packages]
    reasons = [f"- `{one.mutant}`: {one.reason}" for one in outcomes if one.reason]
    return "\n".join(
        [
            "# Strength of the tests",
            "",
            f"`python -m tools.mutants --seed {seed}` at commit {_commit()}.",
            "The kinds of mutants, what is left out and which tests count: see `tools/mutants`.",
            "",
            HEAD,
            *rows,
            row("all", outcomes),
            "",
            "## Alive",
            "",
            *(alive(outcomes) or ["None."]),
            "",
            "## The same as the original",
            "",
            *(reasons or ["None."]),
            "",
        ]
    )


def alive(outcomes: Sequence[Outcome]) -> list[str]:
    """A line for each survivor."""
    found = [one for one in outcomes if not one.killer and not one.reason]
    return [f"- `{one.mutant}` ({one.tests} tests ran)" for one in found]


def row(package: str, outcomes: Sequence[Outcome]) -> str:
    """One line of the table."""
    counted = [one for one in outcomes if package in ("all", one.mutant.package)]
    same = sum(bool(one.reason) for one in counted)
    dead = sum(bool(one.killer) for one in counted)
    others = len(counted) - same
    share = f"{dead / others:.0%}" if others else "–"
    return f"| {package} | {len(counted)} | {same} | {dead} | {others - dead} | {share} |"


def _commit() -> str:
    """The commit at hand."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
