"""Progress of a stage: how far, how fast, how long still, and what failed."""

from __future__ import annotations

import time
from collections import Counter

from treelace.bulk.model import Done, Task


class Progress:
    """A stage under way; its rate counts what this run did, not what it found done."""

    def __init__(self, stage: str, tasks: int, pages: int) -> None:
        self.stage, self.tasks, self.pages = stage, tasks, pages
        self.done_tasks = self.done_pages = 0
        self.problems: Counter[str] = Counter()
        self.is_over = False
        self._fresh = 0.0
        self._began = time.monotonic()

    def found(self, task: Task, done: Done) -> None:
        """A task that was done before."""
        self.done_tasks += 1
        self.done_pages += task.pages
        self.problems.update(done.problems)

    def ended(self, task: Task, done: Done) -> None:
        """A task that was done now."""
        self.found(task, done)
        self._fresh += task.pages if self.pages else 1

    @property
    def rate(self) -> float:
        """Pages a second, or tasks where a stage does not count pages."""
        return self._fresh / max(time.monotonic() - self._began, 1e-6)

    @property
    def seconds_left(self) -> float | None:
        """How long it takes still; None where nobody knows yet."""
        left = self.pages - self.done_pages if self.pages else self.tasks - self.done_tasks
        return left / self.rate if self._fresh else None

    def __str__(self) -> str:
        whole, done, unit = (
            (self.pages, self.done_pages, "pages")
            if self.pages
            else (self.tasks, self.done_tasks, "tasks")
        )
        words = [f"{self.stage}: {done:,} of {whole:,} {unit}"]
        if self._fresh:
            words.append(f"{self.rate:,.0f} a second")
        if self._fresh and not self.is_over:
            words.append(f"{_span(self.seconds_left or 0.0)} left")
        words += [f"{count:,} {reason}" for reason, count in sorted(self.problems.items())]
        return ", ".join(words)


def _span(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, hours = whole // 60, whole // 3600
    return f"{minutes} min" if hours == 0 else f"{hours} h {minutes - 60 * hours} min"
