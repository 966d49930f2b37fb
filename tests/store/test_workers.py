"""Workers that share a database, while some are killed: no page fetched by two at once, no host
asked faster than it wants, no alert lost or recorded twice, everything served.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import pytest

from tests.store.test_sites import new_database
from tests.store.watched import (
    PHASES,
    SETTINGS,
    Watched,
    promises,
    run,
    settle,
    start,
    unserved,
)
from treelace.site import Site
from treelace.site.sites import add_site, list_sites, list_workers, pause_site, remove_site
from treelace.site.worker import Worker
from treelace.store.verify import verify

needs_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")


def check(
    database: str,
    count: int,
    workers: int,
    kills: int,
    pause: float,
    *,
    every: float = 2.0,
    phases: int = PHASES,
) -> None:
    done = run(database, count, workers, kills, pause, every=every, phases=phases)
    assert not done.wrong, done.wrong[:10]
    assert done.killed == kills
    assert done.rounds >= phases * count, "every site was seen in every phase"
    assert done.alerts >= (phases - 1) * count, "and its changes were told"


@needs_kill
def test_killed_workers_lose_and_double_nothing(server: str):
    check(new_database(server), 8, 2, 3, 5.0)


@needs_kill
@pytest.mark.slow
def test_a_hundred_sites_and_twenty_killed_workers(server: str):
    check(new_database(server), 100, 4, 20, 30.0, every=60.0, phases=2)


@pytest.fixture
def database(server: str) -> str:
    return new_database(server)


def slow_site(database: str, server: Watched) -> None:
    """A site whose round takes long: a dozen pages, a second apart."""
    add_site(database, server.url(server.hosts[0]), name="shop", settings=SETTINGS)


def wait_until(is_so: Callable[[], object], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.1)


@needs_kill
@pytest.mark.parametrize("how", ["pause", "remove", "end"])
def test_a_round_ends_soon_when_it_is_told_to(database: str, how: str):
    with Watched(1, pages=60) as server:
        slow_site(database, server)
        process = start(database)
        try:
            asked = server.seen.requests[server.hosts[0]]
            wait_until(lambda: len(asked) > 3)
            (shown,) = list_workers(database)
            assert (shown.site, shown.is_there) == ("shop", True)
            if how == "pause":
                pause_site(database, "shop")
                wait_until(lambda: list_workers(database)[0].site is None)
            elif how == "remove":
                remove_site(database, "shop")
                assert not list_sites(database)
            else:
                process.terminate()
                assert process.wait(30) == 0
                assert not list_workers(database)
            count = len(asked)
            assert count < 40, "it did not wait for the end of the round"
            time.sleep(2)
            assert len(asked) <= count + 1
            if how != "remove":
                (known,) = list_sites(database)
                assert (known.failures, known.error) == (0, None), "that is no failure"
                with Site(f"{database}#shop") as site:
                    assert not verify(site.store).damage
        finally:
            process.kill()
            process.wait()


def test_a_failed_round_is_said_and_tried_again_later(database: str):
    add_site(database, "http://127.0.0.1:9/", name="dead")
    add_site(database, "http://127.0.0.2:9/", name="wrong")
    import psycopg

    with psycopg.connect(database) as connection:
        connection.execute("update treelace.sites set settings = '[sit' where name = 'wrong'")
    served = {one.name: one for one in Worker(database, allow_private=True).run(once=True)}
    assert "Connection refused" in served["dead"].error
    assert "#wrong: " in served["wrong"].error
    for known in list_sites(database):
        assert (known.failures, known.rounds) == (1, 1)
        assert known.error == served[known.name].error
        assert known.last_round is not None
        assert 50 < (known.due - known.last_round).total_seconds() < 70, "it is tried again soon"
    assert str(list_workers(database).backlog).endswith("2 failed in their last round")


@needs_kill
def test_a_worker_outlives_the_loss_of_its_connections(database: str):
    import psycopg

    with Watched(1, pages=3) as server:
        settle(database, server, every=1.0)
        process = start(database)
        try:
            wait_until(lambda: not unserved(database, server, server.hosts), 90)
            asked = server.seen.requests[server.hosts[0]]
            before = len(asked)
            wait_until(lambda: len(asked) > before)  # in the midst of another round
            with psycopg.connect(database, autocommit=True) as connection:
                connection.execute(
                    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname ="
                    " current_database() and pid <> pg_backend_pid()"
                )
            server.seen.phase = 2
            wait_until(lambda: server.seen.told, 90)  # a round that was cut off tells nothing
            assert process.poll() is None
            # its own session comes back with its next sign of life, maybe after the round's stores
            wait_until(lambda: [shown.is_there for shown in list_workers(database)] == [True])
        finally:
            process.terminate()
            process.wait(30)
        alerts, wrong = promises(database, server)
        assert (alerts, [*wrong, *server.seen.broken()]) == (1, [])
