"""A file that only grows, and changes from one whole state to the next.

    block 0   "tlIX" VERSION, and what the file is, in words
    block 1   a slot: which state is the newest
    block 2   another slot, the same
    …         extents: bytes that are written once, and after them the state that names them

A state is a small JSON object; what it names lies before the file's committed `end`, which a slot
gives. To commit: the extents and the state go behind the end and to the disk; then one slot is
written and goes to the disk; then the other. So a writer that is killed anywhere leaves at least
one slot with the last whole state, whatever lies behind its end does not count, and nothing that a
reader has mapped is ever changed. A slot that is damaged later costs nothing while the other is
there.

One process writes at a time (a lock on the file), any number read. A file that was replaced by a
rewritten one lives on for those who have it open.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import struct
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from treelace import _kernel
from treelace.errors import DamagedError, StoreError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes: TypeAlias = "NDArray[np.uint8]"

MAGIC = b"tlIX"
VERSION = 1
BLOCK = 4096
WORDS = b"treelace structure index; not text from here on\n"
_SLOT = struct.Struct(
    "<QQQQQ"
)  # generation, where the state begins, its length, its checksum, the end of the file


class CommitFile:
    """A file of extents with a state. Open it with `create` or `open`, close it when done.

    `view` is everything up to the committed end, mapped into memory: a part that nobody looks at
    costs nothing.
    """

    state: dict[str, Any]
    """What was committed last."""
    end: int
    """Where the committed part of the file ends."""
    tail: int
    """Where the next extent goes."""
    generation: int
    """How many commits there were."""
    view: Bytes
    """Everything up to `end`."""

    def __init__(self, path: Path, *, is_writable: bool) -> None:
        self.path = path
        self.is_writable = is_writable
        self._file: IO[bytes] = _open(path, is_writable=is_writable)
        self._slot = 1
        try:
            self._read_state()
            if is_writable:
                self._file.truncate(self.end)  # what a killed writer left behind its last commit
                self._file.seek(self.end)
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], state: dict[str, Any], *, replace: bool = False
    ) -> CommitFile:
        """A new file with a first state, whole or not at all; refuses a file unless `replace`."""
        target = Path(path)
        if target.exists() and not replace:
            raise FileExistsError(17, "is there already", str(target))
        half = _write_new(target, state)
        try:
            if replace:
                half.replace(target)
            else:
                os.link(half, target)  # fails where somebody else was faster
        finally:
            half.unlink(missing_ok=True)
        _sync_folder(target.parent)
        return cls(target, is_writable=True)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, is_writable: bool = False) -> CommitFile:
        """The file in its last whole state."""
        return cls(Path(path), is_writable=is_writable)

    def append(self, data: bytes) -> int:
        """Appends and returns the start; it counts once a state that names it is committed."""
        place = self.tail
        self._file.write(data)
        self.tail += len(data)
        return place

    def commit(self, state: dict[str, Any]) -> None:
        """Makes this the state of the file, for good once this returns."""
        text = json.dumps(state, separators=(",", ":")).encode()
        place = self.append(text)
        self._file.flush()
        os.fsync(self._file.fileno())
        slot = _slot(self.generation + 1, place, text, self.tail)
        spare = 2 if self._slot == 1 else 1
        for number in (spare, self._slot):
            os.pwrite(self._file.fileno(), slot, number * BLOCK)
            os.fsync(self._file.fileno())
        self._slot = spare
        self.generation, self.state, self.end = self.generation + 1, state, self.tail
        self._map()

    def undo(self) -> None:
        """Forgets what was appended since the last commit."""
        self._file.seek(self.end)
        self._file.truncate(self.end)
        self.tail = self.end

    def let_go(self) -> None:
        """Gives back the memory of what was read; it is read again when it is looked at."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)

    def refresh(self) -> bool:
        """Goes on to the newest state, if there is one; arrays of older states stay valid."""
        old, generation = self._file, self.generation
        is_same_file = False
        with contextlib.suppress(FileNotFoundError):
            is_same_file = os.path.samestat(os.fstat(old.fileno()), self.path.stat())
        if not is_same_file:
            self._file = _open(self.path, is_writable=False)
            old.close()
        self._read_state()
        return not is_same_file or self.generation != generation

    def rewritten(self) -> CommitFile:
        """A new file with this state, to be filled and put here by `take_the_place_of`."""
        return CommitFile(_write_new(self.path, self.state), is_writable=True)

    def take_the_place_of(self, other: CommitFile) -> None:
        """Becomes the file that `other` was; who has that one open can go on reading it."""
        self.path.replace(other.path)
        _sync_folder(other.path.parent)
        self.path = other.path
        other.close()

    def close(self) -> None:
        """Lets go of the file; views that are in use keep their part of it mapped."""
        if self.is_writable and not self._file.closed:
            _unlock(self._file)  # a mapping keeps the open file, and with it the lock, alive
        self._file.close()

    def _read_state(self) -> None:
        head = os.pread(self._file.fileno(), 3 * BLOCK, 0)
        size = os.fstat(self._file.fileno()).st_size  # after the slots: a writer may be at work
        if head[:4] != MAGIC:
            raise DamagedError(
                f"{self.path}: this is no structure index"
                + (" (the file is empty)" if size == 0 else "")
            )
        if len(head) > 4 and head[4] != VERSION:
            raise DamagedError(
                f"{self.path}: this index has version {head[4]}, and this treelace reads {VERSION}:"
                " build it again"
            )
        slots = [
            (number, slot)
            for number in (1, 2)
            if (slot := _read_slot(head[number * BLOCK : number * BLOCK + 64]))
        ]
        if not slots:
            raise DamagedError(
                f"{self.path}: this index is damaged or cut off at its head: take a copy, or build"
                " it again"
            )
        number, (generation, place, length, check, end) = max(slots, key=lambda slot: slot[1][0])
        if size < end:
            raise DamagedError(
                f"{self.path}: this index is cut off: {size:,} of {end:,} bytes are there; take a"
                " copy, or build it again"
            )
        text = os.pread(self._file.fileno(), length, place)
        if len(text) != length or _checksum(text) != check:
            raise DamagedError(
                f"{self.path}: this index is damaged: its state is not what was written; take a"
                " copy, or build it again"
            )
        self._slot, self.generation, self.state, self.end = (
            number,
            generation,
            json.loads(text),
            end,
        )
        self.tail = end
        self._map()

    def _map(self) -> None:
        import numpy as np

        self._mapped = mmap.mmap(self._file.fileno(), self.end, access=mmap.ACCESS_READ)
        self.view = np.frombuffer(self._mapped, dtype=np.uint8)


def _open(path: Path, *, is_writable: bool) -> IO[bytes]:
    """The file, locked for writing if asked; opened again if it was just replaced."""
    while True:
        file = path.open("r+b" if is_writable else "rb", buffering=1 << 20 if is_writable else 0)
        if not is_writable:
            return file
        try:
            _lock(file, path)
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except BaseException:
            file.close()
            raise
        file.close()


def _lock(file: IO[bytes], path: Path) -> None:
    """One writer at a time. The lock goes with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two writers are the caller's affair there
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreError(
            f"{path}: another process is writing this index; wait until it has ended"
        ) from None


def _unlock(file: IO[bytes]) -> None:
    with contextlib.suppress(ImportError):
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def _write_new(target: Path, state: dict[str, Any]) -> Path:
    """A file beside the target with nothing but a state."""
    half = target.with_name(f".{target.name}.{os.getpid()}.part")
    text = json.dumps(state, separators=(",", ":")).encode()
    slot = _slot(1, 3 * BLOCK, text, 3 * BLOCK + len(text)).ljust(BLOCK, b"\0")
    with half.open("wb") as file:
        file.write(
            (MAGIC + bytes([VERSION, 0, 0, 0]) + WORDS).ljust(BLOCK, b"\0") + slot + slot + text
        )
        file.flush()
        os.fsync(file.fileno())
    return half


def _slot(generation: int, place: int, text: bytes, end: int) -> bytes:
    body = _SLOT.pack(generation, place, len(text), _checksum(text), end)
    return body + struct.pack("<Q", _checksum(body))


def _read_slot(data: bytes) -> tuple[int, int, int, int, int] | None:
    if len(data) < _SLOT.size + 8 or struct.unpack_from("<Q", data, _SLOT.size)[0] != _checksum(
        data[: _SLOT.size]
    ):
        return None
    generation, place, length, check, end = _SLOT.unpack_from(data)
    return generation, place, length, check, end


def _checksum(data: bytes) -> int:
    import numpy as np

    return _kernel.checksum(np.frombuffer(data, dtype=np.uint8))


def _sync_folder(folder: Path) -> None:
    """A name is on the disk only when its folder is."""
    with contextlib.suppress(OSError):  # some systems have no such thing for folders
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
