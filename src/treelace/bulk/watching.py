"""What a task tells of its way: the page or the class it is at, so that one that ends the process,
or never ends, can be named and set aside.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO

LONGEST_LABEL = 1_000
_FORM = LONGEST_LABEL + 16


class Watch:
    """Where a task is; `aside` are the things that are left out, each with the reason."""

    def __init__(
        self, file: IO[bytes] | None = None, aside: Mapping[str, str] | None = None
    ) -> None:
        self._file = file
        self._aside = aside or {}
        self._count = 0

    def at(self, label: str) -> str:
        """Notes that the task is at this thing; answers why it is to be left out, or nothing."""
        if self._file is not None and label not in self._aside:
            self._count += 1
            cut = label.encode("utf-8", "replace")[:LONGEST_LABEL]
            os.pwrite(self._file.fileno(), self._count.to_bytes(8, "big") + cut.ljust(_FORM), 0)
        return self._aside.get(label, "")


def last_seen(path: str) -> tuple[int, str]:
    """How many things a task has come to, and the last of them."""
    with open(path, "rb") as file:
        data = file.read()
    return int.from_bytes(data[:8], "big"), data[8:].decode("utf-8", "replace").strip()
