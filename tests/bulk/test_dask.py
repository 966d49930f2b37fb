"""The same bytes on a cluster, also where its workers and its scheduler die."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from itertools import chain
from pathlib import Path

import pytest

from tests.bulk.archives_made import shop_pages, write_warc
from tests.bulk.test_run import contents
from treelace.bulk import BulkSettings, run_bulk
from treelace.bulk.dask_engine import LOOK_SECONDS, DaskEngine
from treelace.bulk.progress import Progress

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def archives(tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("archives")
    return [
        str(
            write_warc(
                folder / f"{number}.warc.gz",
                chain(shop_pages(f"shop{number}.example", seed=number, most=20)),
            )
        )
        for number in range(6)
    ]


@pytest.fixture(scope="module")
def undisturbed(archives, tmp_path_factory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("one")
    run_bulk(archives, str(out), BulkSettings(on="threads", workers=1))
    return contents(out)


def test_a_cluster_of_this_machine_writes_the_same_bytes(
    archives, undisturbed, tmp_path, monkeypatch
):
    looks = []
    look = DaskEngine._ended

    def counted(engine, under_way):
        looks.append(len(under_way))
        return look(engine, under_way)

    monkeypatch.setattr(DaskEngine, "_ended", counted)
    done = run_bulk(archives, str(tmp_path), BulkSettings(on="dask", workers=2))
    assert contents(tmp_path) == undisturbed
    assert len(looks) <= 2 * done.tasks + 2 * done.seconds / LOOK_SECONDS, "it waits, not spins"


class Cluster:
    """A scheduler and workers, each a process that can be killed."""

    def __init__(self, folder: Path, workers: int) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.folder = folder
        self.scheduler = self._start_scheduler()
        self.workers = [self._start_worker() for _ in range(workers)]

    def _start(self, *words: str, limit: int | None = None) -> subprocess.Popen[bytes]:
        def bound() -> None:
            import resource

            assert limit is not None
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            preexec_fn=None if limit is None else bound,
        )

    def _start_scheduler(self) -> subprocess.Popen[bytes]:
        return self._start(
            "dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard",
            "--no-show",
        )  # fmt: skip

    def _start_worker(self, limit: int | None = None) -> subprocess.Popen[bytes]:
        return self._start(
            "dask_worker", self.address, "--no-nanny", "--nthreads", "1", "--memory-limit", "0",
            "--no-dashboard", "--death-timeout", "120", limit=limit,
        )  # fmt: skip

    def kill_worker(self) -> None:
        old = self.workers.pop(0)
        os.kill(old.pid, signal.SIGKILL)
        old.wait()
        self.workers.append(self._start_worker())

    def restart_scheduler(self) -> None:
        os.kill(self.scheduler.pid, signal.SIGKILL)
        self.scheduler.wait()
        self.scheduler = self._start_scheduler()
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.workers = [self._start_worker() for _ in self.workers]

    def add_full_worker(self) -> None:
        """A worker that cannot write: its files may have few bytes. Waits until it is there."""
        from distributed import Client

        self.workers.append(self._start_worker(limit=1_500))
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=120)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path, 2)
    yield made
    made.close()


def test_workers_that_are_killed_change_nothing(archives, undisturbed, cluster, tmp_path):
    kills = []

    def tell(progress: Progress) -> None:
        if progress.stage in ("digest", "read") and progress.done_tasks == 2 and len(kills) < 4:
            kills.append(progress.stage)
            cluster.kill_worker()

    run_bulk(archives, str(tmp_path / "out"), BulkSettings(on=cluster.address), tell=tell)
    assert set(kills) == {"digest", "read"}
    assert contents(tmp_path / "out") == undisturbed


@pytest.mark.slow
def test_a_scheduler_that_is_killed_changes_nothing(archives, undisturbed, cluster, tmp_path):
    killed: list[threading.Thread] = []

    def tell(progress: Progress) -> None:
        if progress.stage == "digest" and progress.done_tasks == 2 and not killed:
            killed.append(threading.Thread(target=cluster.restart_scheduler))
            killed[0].start()
            time.sleep(0.5)

    run_bulk(archives, str(tmp_path / "out"), BulkSettings(on=cluster.address), tell=tell)
    killed[0].join()
    assert contents(tmp_path / "out") == undisturbed


def test_a_worker_with_a_full_disk_changes_nothing(archives, undisturbed, cluster, tmp_path):
    cluster.add_full_worker()
    done = run_bulk(archives, str(tmp_path / "out"), BulkSettings(on=cluster.address))
    assert len(done.notes) == 1 and "cannot write: [Errno 27] File too large" in done.notes[0]
    assert contents(tmp_path / "out") == undisturbed


SECONDS_BETWEEN_KILLS = 20.0


@pytest.mark.slow
def test_all_of_it_at_once_changes_nothing(cluster, tmp_path):
    """A worker killed every 20 seconds, the scheduler killed once, a worker with a full disk."""
    archives = [
        str(
            write_warc(
                tmp_path / f"{number}.warc.gz",
                chain(*(shop_pages(f"s{number}-{it}.example", seed=it) for it in range(10))),
            )
        )
        for number in range(12)
    ]
    run_bulk(archives, str(tmp_path / "one"), BulkSettings(on="threads", workers=1))
    cluster.add_full_worker()
    is_over = threading.Event()
    done = []

    def disturb() -> None:
        while not is_over.wait(SECONDS_BETWEEN_KILLS):
            done.append("worker" if len(done) != 2 else "scheduler")
            cluster.kill_worker() if done[-1] == "worker" else cluster.restart_scheduler()

    disturbing = threading.Thread(target=disturb)
    disturbing.start()
    try:
        run_bulk(archives, str(tmp_path / "out"), BulkSettings(on=cluster.address))
    finally:
        is_over.set()
        disturbing.join()
    assert done.count("worker") >= 3 and "scheduler" in done
    assert contents(tmp_path / "out") == contents(tmp_path / "one")
