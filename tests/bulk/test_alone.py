"""One run at a time writes to an output, on a disk and in storage that has no locks."""

from __future__ import annotations

import time
from uuid import uuid4

import msgspec
import pytest

from treelace.bulk import alone
from treelace.bulk.storage import Storage
from treelace.errors import StoreError


@pytest.fixture
def far() -> str:
    pytest.importorskip("fsspec")
    return f"memory://{uuid4().hex}"


def refused(place: str, why: str) -> None:
    with pytest.raises(StoreError, match=why), alone.alone(place):
        pass


def beat_of(place: str) -> float:
    sign = msgspec.json.decode(Storage(place).read(alone.SIGN))
    return float(sign["beat"])


def test_a_folder_that_is_being_written_is_refused(tmp_path):
    pytest.importorskip("fcntl")
    with alone.alone(str(tmp_path)):
        refused(str(tmp_path), "another run is writing there")
    with alone.alone(str(tmp_path)):
        pass


def test_far_storage_that_is_being_written_is_refused(far):
    with alone.alone(far):
        refused(far, "another run is writing there; its last sign")
    assert beat_of(far) == 0, "it has ended"
    with alone.alone(far):
        assert beat_of(far) > 0


def test_signs_of_life_come_again_and_a_dead_run_holds_nobody_up(far, monkeypatch):
    monkeypatch.setattr(alone, "BEAT", 0.05)
    with alone.alone(far):
        first = beat_of(far)
        deadline = time.monotonic() + 20
        while beat_of(far) == first:
            assert time.monotonic() < deadline, "no second sign"
            time.sleep(0.02)
    for silent in (alone.LOST + 1, -alone.LOST - 1):  # killed; a clock that is far ahead
        sign = {"run": "another", "beat": time.time() - silent}
        Storage(far).write(alone.SIGN, msgspec.json.encode(sign))
        with alone.alone(far):
            pass


def test_of_two_that_begin_at_once_the_last_goes_on(far, monkeypatch):
    leave = alone._leave

    def leave_and_be_late(storage: Storage, run: str, **more: float) -> None:
        leave(storage, run, **more)
        leave(storage, "another")

    monkeypatch.setattr(alone, "_leave", leave_and_be_late)
    refused(far, "at the same moment")
