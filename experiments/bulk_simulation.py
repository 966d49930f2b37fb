"""A scheduler with a thousand workers: how long it takes to hand out tasks that only sleep.
`python -m experiments.bulk_simulation [--workers 100,1000] [--tasks 5] [--seconds 20] [-o FILE]`

Dask's scheduler and client are the real ones, as `--on tcp://…` uses them. Its workers are threads
of four processes of this machine: a thousand processes would measure the machine. A task sleeps as
long as a task of the benchmark takes (`--seconds`, times a spread that is drawn once with a seed).
What is measured is the busy share of the workers, and the CPU of scheduler and client a task.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

PROCESSES = 4


def nap(seconds: float, number: int) -> int:
    """A task: it sleeps, and answers with something as small as the note of a task."""
    time.sleep(seconds)
    return number


def durations(count: int, mean: float, seed: int = 7) -> list[float]:
    """Between a half and one and a half of the mean."""
    numbers = random.Random(seed)
    return [mean * numbers.uniform(0.5, 1.5) for _ in range(count)]


def measure(workers: int, tasks: int, mean: float, ahead: int = 3) -> dict[str, float]:
    """Runs the tasks, with so many given to each worker ahead, as the engine does."""
    import distributed

    lasting = durations(tasks, mean)
    dist: Any = distributed
    with (
        dist.LocalCluster(
            n_workers=PROCESSES,
            threads_per_worker=workers // PROCESSES,
            processes=True,
            dashboard_address=None,
            memory_limit=0,
            silence_logs=50,
        ) as cluster,
        dist.Client(cluster, set_as_default=False) as client,
    ):
        client.wait_for_workers(PROCESSES)
        before = _cpu()
        began = time.monotonic()
        waiting = deque(enumerate(lasting))

        def begin() -> Any:
            number, seconds = waiting.popleft()
            return client.submit(nap, seconds, number, pure=False, key=f"nap-{number}")

        first = [begin() for _ in range(min(tasks, ahead * workers))]
        under_way = dist.as_completed(first, loop=client.loop)
        for _ in under_way:
            if waiting:
                under_way.add(begin())
        clock = time.monotonic() - began
        used = _cpu() - before
    ideal = sum(lasting) / workers
    return {
        "workers": workers,
        "tasks": tasks,
        "seconds a task": mean,
        "clock": clock,
        "ideal": ideal,
        "busy share": ideal / clock,
        "ms CPU a task": 1000 * used / tasks,
    }


def _cpu() -> float:
    return sum(os.times()[:2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", default="100,1000")
    parser.add_argument("--tasks", type=int, default=5, help="for each worker")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("-o", "--output")
    said = parser.parse_args()
    found = [
        measure(count, said.tasks * count, said.seconds)
        for count in map(int, said.workers.split(","))
    ]
    lines = ["# A scheduler with many workers", "", f"| {' | '.join(found[0])} |"]
    lines.append(f"|{'---|' * len(found[0])}")
    lines += [f"| {' | '.join(f'{value:.4g}' for value in one.values())} |" for one in found]
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    if said.output:
        Path(said.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
