"""What was run since the last look, filled by the marks that `blocks` puts into the sources.

In the process of the tests it is the set `seen`; each process that a test starts or forks writes a
file into the folder MUTANTS_MARKS, at once, because tests also kill processes.
"""

from __future__ import annotations

import os

seen: set[str] = set()
_file: int | None = None


def mark(block: str) -> None:
    """Note that a block is run."""
    if block not in seen:
        seen.add(block)
        if _file is not None:
            os.write(_file, block.encode() + b"\n")


def _write_to_a_file() -> None:
    global _file
    folder = os.environ.get("MUTANTS_MARKS")
    if folder:
        seen.clear()
        _file = os.open(f"{folder}/{os.getpid()}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


os.register_at_fork(after_in_child=_write_to_a_file)
if os.environ.get("MUTANTS_PARENT") != str(os.getpid()):
    _write_to_a_file()
