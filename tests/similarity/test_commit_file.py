"""A file that changes from one whole state to the next: killed writers, torn slots, damage
anywhere, readers beside a writer.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treelace import DamagedError, StoreError
from treelace.similarity.commit_file import BLOCK, CommitFile

WRITER = """
import sys
from treelace.similarity.commit_file import CommitFile
file = CommitFile.open(sys.argv[1], is_writable=True)
number = len(file.state["extents"])
while True:
    data = bytes([number % 251]) * (1 + number * 7919 % 50_000)
    place = file.append(data)
    file.commit({"extents": file.state["extents"] + [[place, len(data)]]})
    print(number, flush=True)
    number += 1
"""


def is_whole(file: CommitFile) -> bool:
    return all(
        length == 1 + number * 7919 % 50_000
        and set(file.view[place : place + length].tolist()) == {number % 251}
        for number, (place, length) in enumerate(file.state["extents"])
    )


def test_states_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.file"
    with pytest.raises(FileNotFoundError):
        CommitFile.open(path)
    file = CommitFile.create(path, {"n": 0})
    place = file.append(b"hello")
    assert CommitFile.open(path).state == {"n": 0}
    file.commit({"n": 1, "at": place})
    reader = CommitFile.open(path)
    assert reader.view[place : place + 5].tobytes() == b"hello"
    file.append(b"never mind")
    file.undo()
    file.commit({"n": 2, "at": place})
    assert reader.state["n"] == 1
    assert reader.refresh() and reader.state["n"] == 2
    assert not reader.refresh()
    with pytest.raises(FileExistsError):
        CommitFile.create(path, {})


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    first = CommitFile.create(tmp_path / "a.file", {})
    with pytest.raises(StoreError, match="another process is writing"):
        CommitFile.open(tmp_path / "a.file", is_writable=True)
    first.close()
    CommitFile.open(tmp_path / "a.file", is_writable=True).close()


def test_a_rewritten_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    file = CommitFile.create(tmp_path / "a.file", {"n": 1})
    place = file.append(b"old")
    file.commit({"n": 2})
    reader = CommitFile.open(tmp_path / "a.file")
    new = file.rewritten()
    new.append(b"x" * 100_000)
    new.commit({"n": 3})
    new.take_the_place_of(file)
    assert reader.view[place : place + 3].tobytes() == b"old"
    assert reader.refresh() and reader.state == {"n": 3}
    with pytest.raises(StoreError):
        CommitFile.open(tmp_path / "a.file", is_writable=True)
    assert os.listdir(tmp_path) == ["a.file"]


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_writer_loses_nothing_that_was_committed(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "a.file"
    CommitFile.create(path, {"extents": []}).close()
    choose = random.Random(seed)
    said = -1
    for _ in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        for _ in range(choose.randint(1, 12)):
            said = int(writer.stdout.readline())
        for _ in range(choose.randint(0, 20_000)):
            pass  # somewhere in the middle of the next one
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split()
        writer.wait()
        said = int(rest[-1]) if rest else said
        file = CommitFile.open(path)
        assert len(file.state["extents"]) >= said + 1
        assert is_whole(file)


def test_a_reader_beside_a_writer_sees_only_whole_states(tmp_path: Path) -> None:
    path = tmp_path / "a.file"
    CommitFile.create(path, {"extents": []}).close()
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    )
    try:
        reader, seen = CommitFile.open(path), 0
        while seen < 40:
            reader.refresh()
            assert len(reader.state["extents"]) >= seen
            seen = len(reader.state["extents"])
            assert is_whole(reader)
    finally:
        writer.kill()
        writer.communicate()


STATES = [{"n": 0}, {"n": 1}, {"n": 2}]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with three states."""
    path = tmp_path_factory.mktemp("whole") / "a.file"
    file = CommitFile.create(path, STATES[0])
    for state in STATES[1:]:
        file.append(b"some bytes")
        file.commit(state)
    file.close()
    return path.read_bytes()


@settings(max_examples=300)
@given(st.data())
def test_damage_is_named_or_costs_nothing(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.file"
    places = st.one_of(
        st.integers(0, len(whole) - 1),
        st.sampled_from([0, 4, BLOCK, BLOCK + 9, 2 * BLOCK + 3, len(whole) - 1]),
    )
    at = data.draw(places)
    if data.draw(st.booleans()):
        path.write_bytes(whole[:at])
    else:
        path.write_bytes(
            whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
        )
    said = ""
    try:
        assert CommitFile.open(path).state == STATES[-1]
    except DamagedError as error:
        said = str(error)
    assert not said or str(path) in said
    assert "\n" not in said


def test_a_commit_that_was_torn_in_a_slot_did_not_happen(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "a.file"
    path.write_bytes(whole)
    # what a power failure may leave: extents and state on the disk, the first slot half written,
    # the second still the old one
    before = CommitFile.open(path)
    old = [whole[BLOCK : BLOCK + 48], whole[2 * BLOCK : 2 * BLOCK + 48]]
    file = CommitFile.open(path, is_writable=True)
    file.commit({"n": 3})
    file.close()
    newer = bytearray(path.read_bytes())
    for torn in (1, 2):
        half = bytearray(newer)
        half[torn * BLOCK + 20 : torn * BLOCK + 48] = old[torn - 1][20:]
        other = 3 - torn
        half[other * BLOCK : other * BLOCK + 48] = old[other - 1]
        path.write_bytes(half)
        assert CommitFile.open(path).state == STATES[-1] == before.state
        again = CommitFile.open(path, is_writable=True)
        again.commit({"n": 4})
        again.close()
        assert CommitFile.open(path).state == {"n": 4}


def test_what_is_no_index_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.file"
    for data, words in (
        (b"", "empty"),
        (b"<html>", "no structure index"),
        (b"tlIX\x02" + bytes(20_000), "version 2"),
        (b"tlIX\x01", "cut off"),
    ):
        path.write_bytes(data)
        with pytest.raises(DamagedError, match=words):
            CommitFile.open(path)
