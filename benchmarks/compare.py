"""compare: the CPU time of ours and of a rival, round about, and the ratio between them.

A time alone is a rumour: machines are shared and change their speed from minute to minute. So the
two take turns, each round gives one ratio, and the answer is the median ratio with the middle half
of the rounds as its spread. Time is the CPU time of the whole process, all threads; a rival that
uses two cores pays for both.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Ours = TypeVar("Ours")
Rival = TypeVar("Rival")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One comparison. `ratio` is the rival's time by ours: 2.0 means that we need half the time."""

    task: str
    ours: str
    rival: str
    ours_seconds: float
    rival_seconds: float
    ratio: float
    low: float
    high: float
    goal: float | None
    note: str

    @property
    def is_reached(self) -> bool | None:
        """Whether the goal is met; None where there is none."""
        return None if self.goal is None else self.ratio >= self.goal


def compare(
    task: str,
    ours: tuple[str, Callable[[], Ours]],
    rival: tuple[str, Callable[[], Rival]],
    *,
    is_same: Callable[[Ours, Rival], bool] | None = None,
    goal: float | None = None,
    rounds: int = 7,
    note: str = "",
    clock: Callable[[], float] = time.process_time,
) -> Row:
    """Runs both in turn and gives the ratio. One call of each should take at least 50 ms: make the
    work larger, not the rounds more.

    `is_same` compares the answers of every round; a fast wrong answer is an error. `goal` is the
    ratio that an issue or a page promises.
    """
    name, run = ours
    rival_name, run_rival = rival
    run(), run_rival()  # warm: caches, lazy imports
    times: list[tuple[float, float]] = []
    for number in range(rounds):
        order = (
            (0, 1) if number % 2 == 0 else (1, 0)
        )  # who goes first changes, so that neither always runs on the other's warm caches
        spent = [0.0, 0.0]
        answer: Ours | None = None
        rival_answer: Rival | None = None
        for who in order:
            gc.collect()
            start = clock()
            if who == 0:
                answer = run()
            else:
                rival_answer = run_rival()
            spent[who] = clock() - start
        if is_same is not None and not is_same(answer, rival_answer):  # type: ignore[arg-type]
            raise AssertionError(f"{task}: {name} and {rival_name} do not give the same answer")
        times.append((spent[0], spent[1]))
    ratios = sorted(theirs / max(own, 1e-9) for own, theirs in times)
    quarter = len(ratios) // 4
    return Row(
        task=task,
        ours=name,
        rival=rival_name,
        ours_seconds=statistics.median(own for own, _ in times),
        rival_seconds=statistics.median(theirs for _, theirs in times),
        ratio=statistics.median(ratios),
        low=ratios[quarter],
        high=ratios[-1 - quarter],
        goal=goal,
        note=note,
    )


def as_markdown(rows: list[Row]) -> str:
    """The rows as a table."""
    lines = [
        "| task | ours | s | rival | s | ratio (rival / ours) | middle half | goal | |",
        "|---|---|---:|---|---:|---:|---|---:|---|",
    ]
    for row in rows:
        verdict = {None: "", True: "reached", False: "**not reached**"}[row.is_reached]
        goal = "" if row.goal is None else f"{row.goal:g}"
        lines.append(
            f"| {row.task}{' (' + row.note + ')' if row.note else ''} | {row.ours} |"
            f" {row.ours_seconds:.3f} | {row.rival} | {row.rival_seconds:.3f} | {row.ratio:.2f} |"
            f" {row.low:.2f}–{row.high:.2f} | {goal} | {verdict} |"
        )
    return "\n".join(lines)
