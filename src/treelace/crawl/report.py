"""Report: what a crawl did so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Report:
    """What a crawl did, and one line for each thing that went wrong."""

    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def problem(self, line: str) -> None:
        """Notes what went wrong; the same line once."""
        if line not in self.problems:
            self.problems.append(line)

    def copy(self) -> Report:
        """What it says now; the crawl counts on in its own."""
        return Report(self.outcomes.copy(), self.problems.copy(), self.seconds)

    def left_waiting(self, addresses: int, wait: float, patience: float) -> None:
        """Notes that a crawl ended because the site wants it to wait for longer than it may."""
        self.problem(
            f"{addresses:,} addresses wait for the next crawl: the site wants {wait:,.0f} s until"
            f" the next request, more than the patience of {patience:,.0f} s (Crawl-delay,"
            " Retry-After)"
        )

    def __str__(self) -> str:
        """One line.

        >>> print(Report(Counter(fetched=3, failed=1)))
        3 fetched, 1 failed
        """
        return (
            ", ".join(f"{count:,} {name}" for name, count in self.outcomes.items())
            or "nothing to do"
        )
