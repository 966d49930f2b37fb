"""Storage: files that are there whole or not at all, on a disk or, by fsspec, anywhere."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any, TypeVar
from uuid import uuid4

from treelace.errors import MissingError, StoreError, UsageError

T = TypeVar("T")
TRIES = 6
"""How often something is asked of a far storage before that is a failure."""
FIRST_PAUSE = 0.2
"""Seconds before the second try; each next pause is twice as long."""


def is_far(place: str) -> bool:
    """Whether a place is an address that fsspec reads, and no path of this machine."""
    return "://" in place and not place.startswith("file://")


def local_path(place: str) -> Path:
    """The path of a place on this machine."""
    return Path(place.removeprefix("file://"))


def open_source(place: str) -> AbstractContextManager[IO[bytes]]:
    """Opens a file for reading, wherever it is."""
    if not is_far(place):
        return local_path(place).open("rb")
    opened: AbstractContextManager[IO[bytes]] = patiently(
        lambda: _file_system(place).open(place, "rb")
    )
    return opened


def mark_of(place: str) -> str:
    """What tells that a file is still the same: its size and its time."""
    if not is_far(place):
        about = local_path(place).stat()
        return f"{about.st_size}-{about.st_mtime_ns}"
    found = patiently(lambda: _file_system(place).info(place))
    return f"{found.get('size')}-{found.get('ETag') or found.get('mtime') or ''}"


def files_below(place: str) -> list[str]:
    """The files directly in a folder, sorted."""
    if not is_far(place):
        return sorted(str(path) for path in local_path(place).iterdir() if path.is_file())
    found = patiently(lambda: _file_system(place).ls(place, detail=True))
    scheme = place.partition("://")[0]
    return sorted(
        f"{scheme}://{one['name'].removeprefix(f'{scheme}://')}"
        for one in found
        if one.get("type") == "file"
    )


def exists(place: str) -> bool:
    """Whether there is such a file or folder."""
    if not is_far(place):
        return local_path(place).exists()
    return bool(patiently(lambda: _file_system(place).exists(place)))


def is_folder(place: str) -> bool:
    """Whether a place is a folder."""
    if not is_far(place):
        return local_path(place).is_dir()
    return bool(patiently(lambda: _file_system(place).isdir(place)))


class Storage:
    """The folder, or the address, that results go to."""

    def __init__(self, place: str) -> None:
        self.place = place.rstrip("/")
        self.is_far = is_far(place)

    def read(self, name: str) -> bytes:
        """A whole file; `FileNotFoundError` where there is none."""
        if not self.is_far:
            return (local_path(self.place) / name).read_bytes()
        found: bytes = patiently(lambda: self._files.cat_file(self._at(name)))
        return found

    def write(self, name: str, data: bytes) -> str:
        """Writes a file, whole or not at all; its name."""
        if self.is_far:
            patiently(lambda: self._files.pipe_file(self._at(name), data))
            return name
        path = local_path(self.place) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        half = local_path(self.place) / "work" / "half" / uuid4().hex
        half.parent.mkdir(parents=True, exist_ok=True)
        try:
            with half.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            half.replace(path)
        finally:
            half.unlink(missing_ok=True)
        return name

    def names(self, folder: str) -> list[str]:
        """The names of the files in one of its folders, sorted."""
        if not self.is_far:
            inside = local_path(self.place) / folder
            return sorted(path.name for path in inside.iterdir()) if inside.is_dir() else []
        try:
            found = patiently(lambda: self._files.ls(self._at(folder), detail=False, refresh=True))
        except FileNotFoundError:
            return []
        return sorted(str(one).rsplit("/", 1)[-1] for one in found)

    def _at(self, name: str) -> str:
        return f"{self.place}/{name}"

    @property
    def _files(self) -> Any:
        return _file_system(self.place)


def patiently(action: Callable[[], T]) -> T:
    """What a far storage answers; a fault of its own is no answer, and it is asked again."""
    pause = FIRST_PAUSE
    for left in reversed(range(TRIES)):
        try:
            return action()
        except (FileNotFoundError, PermissionError, UsageError, MissingError):
            raise
        except Exception as error:
            if not left:
                said = " ".join(str(error).split())
                raise StoreError(f"the storage failed {TRIES} times: {said}") from error
            time.sleep(pause)
            pause *= 2
    raise StoreError("the storage was never asked")


def _file_system(place: str) -> Any:
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise MissingError("reading far storage", package="fsspec", extra="cluster") from error
    try:
        return url_to_fs(place)[0]
    except (ImportError, ValueError) as error:
        raise UsageError(f"{place}: {error}") from error
