"""Documents in files, packed or plain: the one door through which the core reads the disk."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from treelace.errors import LimitError, ParseError, UsageError
from treelace.limits import Limits
from treelace.tree.zstandard import load_zstd

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 20
_FIRST_WINDOW = 1 << 9
PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".xml")
PACKED_SUFFIXES = (".gz", ".zst")


def pages_in(folder: Path) -> list[Path]:
    """The files of a folder and all below it that are called like pages, sorted; `UsageError` for a
    folder without any.
    """
    found = [
        path for path in sorted(folder.rglob("*")) if _is_called_page(path.name) and path.is_file()
    ]
    if not found:
        raise UsageError(
            f"{folder}: no pages in this folder ({', '.join(PAGE_SUFFIXES)}, also packed as"
            f" {', '.join(PACKED_SUFFIXES)})"
        )
    return found


def unpacked_name(name: str) -> str:
    """The name of a file without the ending of how it is packed.

    >>> unpacked_name("tea.html.gz")
    'tea.html'
    """
    for suffix in PACKED_SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def _is_called_page(name: str) -> bool:
    return unpacked_name(name.lower()).endswith(PAGE_SUFFIXES)


def read_file(path: str, *, limits: Limits) -> bytes:
    """The bytes of a file, unpacked if their first bytes are gzip's or zstd's."""
    with open(path, "rb") as file:
        return read_packed(file, limits=limits, name=path)


def read_packed(file: IO[bytes], *, limits: Limits, name: str = "input") -> bytes:
    """All of an open file, unpacked; stops a file that unpacks to more than `limits.bytes`."""
    data = file.read(limits.bytes + 1)
    if len(data) > limits.bytes:
        raise LimitError("bytes", bound=limits.bytes)
    if data.startswith(_GZIP):
        return _inflate(data, limits, name)
    if data.startswith(_ZSTD):
        return _unzstd(data, limits, name)
    return data


def _inflate(data: bytes, limits: Limits, name: str) -> bytes:
    def unpack(member: Any, fed: bytes) -> Iterator[bytes]:
        while True:
            piece = member.decompress(fed, _PIECE)
            yield piece
            fed = member.unconsumed_tail
            if member.eof or (not fed and len(piece) < _PIECE):
                return

    new = partial(zlib.decompressobj, wbits=31)
    return _unpacked(data, new, unpack, zlib.error, limits, f"{name}: gzip file")


def _unzstd(data: bytes, limits: Limits, name: str) -> bytes:
    zstd = load_zstd()

    def unpack(frame: Any, fed: bytes) -> Iterator[bytes]:
        yield frame.decompress(fed, _PIECE)
        while not frame.eof and not frame.needs_input:
            yield frame.decompress(b"", _PIECE)

    return _unpacked(
        data, zstd.ZstdDecompressor, unpack, zstd.ZstdError, limits, f"{name}: zstd file"
    )


def _unpacked(
    data: bytes,
    new: Callable[[], Any],
    unpack: Callable[[Any, bytes], Iterator[bytes]],
    failure: type[Exception],
    limits: Limits,
    what: str,
) -> bytes:
    """The members of a packed file, one after the other, with zeros allowed between them.

    A member is fed in windows that grow: what it leaves unread is copied, so that a file of many
    small members would otherwise take time by the square of its size.
    """
    pieces: list[bytes] = []
    size = place = 0
    deadline = time.monotonic() + limits.seconds
    while place < len(data):
        member, window = new(), _FIRST_WINDOW
        while not member.eof:
            fed = data[place : place + window]
            if not fed:
                raise ParseError(f"{what} is cut off")
            place, window = place + len(fed), min(2 * window, _PIECE)
            try:
                for piece in unpack(member, fed):
                    pieces.append(piece)
                    size += len(piece)
                    if size > limits.bytes:
                        raise LimitError("bytes", bound=limits.bytes)
            except failure as error:
                raise ParseError(f"{what} is damaged: {error}") from error
        place -= len(member.unused_data)
        while data[place : place + 1] == b"\0":
            place += 1
        if time.monotonic() > deadline:
            raise LimitError("seconds", bound=limits.seconds)
    return b"".join(pieces)
