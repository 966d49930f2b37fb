"""Workers that share a database, while some are killed: no page fetched by two at once, no host
asked faster than it wants, no alert lost or recorded twice, everything served.
"""

from __future__ import annotations

import signal

import pytest

from tests.store.test_sites import new_database
from tests.store.watched import PHASES, run

needs_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")


def check(database: str, count: int, workers: int, kills: int, pause: float) -> None:
    done = run(database, count, workers, kills, pause)
    assert not done.wrong, done.wrong[:10]
    assert done.killed == kills
    assert done.rounds >= PHASES * count, "every site was seen in every phase"
    assert done.alerts >= (PHASES - 1) * count, "and its changes were told"


@needs_kill
def test_killed_workers_lose_and_double_nothing(server: str):
    check(new_database(server), 8, 2, 3, 5.0)


@needs_kill
@pytest.mark.slow
def test_a_hundred_sites_and_sixty_killed_workers(server: str):
    check(new_database(server), 100, 4, 60, 10.0)
