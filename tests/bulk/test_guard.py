"""Pages that end their process, or never end, are set aside by name after two tries."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import duckdb
import pytest

from tests.bulk.archives_made import shop_pages, write_warc
from tests.bulk.test_hostile import page, problems, urls
from treelace.bulk import BulkSettings, run_bulk
from treelace.bulk.archives import cut
from treelace.bulk.guard import Bounds, Guard
from treelace.bulk.model import Done, Task
from treelace.bulk.watching import last_seen
from treelace.errors import StoreError

GOOD = list(shop_pages("tea.example", most=8))
LONG = b"<ul>" + b"<li class=a><b>tea</b> <i>3</i>" * 700_000
"""A page that takes a while."""


@pytest.fixture
def archive(tmp_path) -> Path:
    pages = [*GOOD[:3], page("https://tea.example/long", LONG), *GOOD[3:]]
    return write_warc(tmp_path / "pages.warc.gz", pages)


def test_a_page_that_takes_too_much_memory(archive, tmp_path):
    bounds = Bounds(memory=160 * 2**20)
    out = tmp_path / "out"
    done = run_bulk([str(archive)], str(out), BulkSettings(workers=1, bounds=bounds))
    assert urls(out) == sorted(page.url for page in GOOD)
    assert done.problems["poison"] == 1
    assert "bytes of memory" in duckdb.sql(f"FROM '{out}/problems/*.parquet'").fetchall()[0][3]


def run_with(number: signal.Signals, bounds: Bounds, archive: Path, out: Path) -> Done:
    """Digests the archive; its process gets a signal at the long page, as often as it is begun."""
    (split,) = cut(str(archive), lambda _: None)
    guard = Guard(bounds)
    sent: list[int] = []
    over = threading.Event()

    def send() -> None:
        while not over.wait(0.002):
            process = guard._process
            is_there = process is not None and last_seen(guard._labels)[1] == "page 3"
            if is_there and process.pid not in sent:
                sent.append(process.pid)
                os.kill(process.pid, number)

    assassin = threading.Thread(target=send)
    assassin.start()
    try:
        done = guard.run(Task("digest", 0, str(out), {}, split=split))
    finally:
        over.set()
        assassin.join()
        guard.close()
    assert len(sent) >= 2
    return done


def test_a_page_that_takes_too_long(archive, tmp_path):
    done = run_with(signal.SIGSTOP, Bounds(seconds=4.0), archive, tmp_path / "out")
    assert done.counts == {"pages": len(GOOD)} and done.problems == {"poison": 1}
    (line,) = problems(tmp_path / "out")
    assert line[:2] == ("https://tea.example/long", "poison")
    assert "after 2 tries: it took longer than 4 seconds" in line[2]


def test_a_page_that_kills_its_process(archive, tmp_path):
    done = run_with(signal.SIGKILL, Bounds(), archive, tmp_path / "out")
    assert done.counts == {"pages": len(GOOD)} and done.problems == {"poison": 1}
    (line,) = problems(tmp_path / "out")
    assert line[0] == "https://tea.example/long" and "signal 9" in line[2]


def test_closing_ends_what_is_under_way(archive, tmp_path):
    (split,) = cut(str(archive), lambda _: None)
    guard = Guard(Bounds())
    failed: list[Exception] = []

    def work() -> None:
        try:
            guard.run(Task("digest", 0, str(tmp_path / "out"), {}, split=split))
        except StoreError as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while last_seen(guard._labels)[1] != "page 3":
        time.sleep(0.001)
    guard.close()
    thread.join(10)
    assert not thread.is_alive() and len(failed) == 1 and "stopped" in str(failed[0])
