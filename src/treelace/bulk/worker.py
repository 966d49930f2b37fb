"""A worker: a process that does tasks from its standard input, one after the other.

It may die of a page (`guard` finds out of which), so nothing else happens in it.
"""

from __future__ import annotations

import os
import sys
from typing import IO

import msgspec

from treelace.bulk.model import Done, Task
from treelace.bulk.tasks import perform
from treelace.bulk.watching import Watch


class Order(msgspec.Struct, frozen=True):
    """A task, with what is to be left out of it."""

    task: Task
    aside: dict[str, str] = {}


class Answer(msgspec.Struct, frozen=True):
    """What came of an order, or the error: its kind (`OSError`) and its words."""

    done: Done | None = None
    kind: str = ""
    error: str = ""


def write_frame(file: IO[bytes], data: bytes) -> None:
    """A message, its length before it."""
    file.write(len(data).to_bytes(4, "big") + data)
    file.flush()


def read_frame(file: IO[bytes]) -> bytes | None:
    """The next message; None where there is none any more."""
    head = file.read(4)
    if len(head) < 4:
        return None
    size = int.from_bytes(head, "big")
    data = file.read(size)
    return data if len(data) == size else None


def main(label_file: str) -> None:
    """Works until its input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what someone prints is no answer
    with open(label_file, "r+b", buffering=0) as labels:
        while (frame := read_frame(sys.stdin.buffer)) is not None:
            order = msgspec.msgpack.decode(frame, type=Order)
            try:
                answer = Answer(perform(order.task, Watch(labels, order.aside)))
            except Exception as error:  # noqa: BLE001 (who gave the order decides what it means)
                kind = "OSError" if isinstance(error, OSError) else type(error).__name__
                answer = Answer(kind=kind, error=" ".join(str(error).split()) or kind)
            write_frame(answers, msgspec.msgpack.encode(answer))
