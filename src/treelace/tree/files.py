"""Documents in files, packed or plain: the one door through which the core reads the disk."""

from __future__ import annotations

import zlib
from typing import IO

from treelace.errors import LimitError, ParseError
from treelace.limits import Limits
from treelace.tree.zstandard import load_zstd

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 20


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
    pieces, size, rest = [], 0, data
    while rest:
        member = zlib.decompressobj(wbits=31)
        try:
            while not member.eof:
                piece = member.decompress(rest, _PIECE)
                rest = member.unconsumed_tail
                if not piece and not rest and not member.eof:
                    raise ParseError(f"{name}: gzip file is cut off")
                pieces.append(piece)
                size += len(piece)
                if size > limits.bytes:
                    raise LimitError("bytes", bound=limits.bytes)
        except zlib.error as error:
            raise ParseError(f"{name}: gzip file is damaged: {error}") from error
        rest = member.unused_data.lstrip(b"\0")
    return b"".join(pieces)


def _unzstd(data: bytes, limits: Limits, name: str) -> bytes:
    zstd = load_zstd()
    pieces, size, rest = [], 0, data
    while rest:
        frame = zstd.ZstdDecompressor()
        try:
            piece = frame.decompress(rest, _PIECE)
            while True:
                pieces.append(piece)
                size += len(piece)
                if size > limits.bytes:
                    raise LimitError("bytes", bound=limits.bytes)
                if frame.eof:
                    break
                if frame.needs_input:
                    raise ParseError(f"{name}: zstd file is cut off")
                piece = frame.decompress(b"", _PIECE)
        except zstd.ZstdError as error:
            raise ParseError(f"{name}: zstd file is damaged: {error}") from error
        rest = frame.unused_data
    return b"".join(pieces)
