"""Bytes of a delta, packed with zstd where that is shorter; with the old document as a dictionary where there is one."""

from __future__ import annotations

import sys
from typing import Any

from treelace.errors import DeltaError, LimitError
from treelace.limits import Limits

PLAIN = b"tlD"
PACKED = b"tlZ"
_LEVEL = 19


def is_packed(data: bytes) -> bool:
    """Whether these bytes are the binary form of a delta."""
    return data[:3] in (PLAIN, PACKED)


def pack(data: bytes, dictionary: bytes | None) -> bytes:
    """`data`, or something shorter that gives it back."""
    zstd = _zstd()
    options = {
        zstd.CompressionParameter.compression_level: _LEVEL,
        zstd.CompressionParameter.content_size_flag: 0,
        zstd.CompressionParameter.checksum_flag: 0,
        zstd.CompressionParameter.dict_id_flag: 0,
    }
    packed: bytes = zstd.compress(data, options=options, zstd_dict=_dictionary(zstd, dictionary))
    return PACKED + packed if len(packed) + len(PACKED) < len(data) else data


def unpack(data: bytes, dictionary: bytes | None, limits: Limits) -> bytes:
    """What was packed; `DeltaError` for anything else, `LimitError` where it would be too large."""
    if data[:3] != PACKED:
        return data
    zstd = _zstd()
    frame = zstd.ZstdDecompressor(zstd_dict=_dictionary(zstd, dictionary))
    try:
        unpacked: bytes = frame.decompress(data[3:], limits.bytes + 1)
    except zstd.ZstdError as error:
        raise DeltaError(f"this delta is damaged: {error}") from error
    if len(unpacked) > limits.bytes:
        raise LimitError("bytes", bound=limits.bytes)
    if not frame.eof or frame.unused_data:
        raise DeltaError("this delta is damaged: it is cut off, or too long")
    return unpacked


def _dictionary(zstd: Any, dictionary: bytes | None) -> Any:
    return zstd.ZstdDict(dictionary, is_raw=True) if dictionary and len(dictionary) >= 8 else None


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
