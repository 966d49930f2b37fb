"""Bytes of a delta, packed with zstd where that is shorter; with the old document as a dictionary
where there is one.
"""

from __future__ import annotations

from typing import Any

from treelace.errors import DeltaError, LimitError
from treelace.limits import Limits
from treelace.tree.zstandard import load_zstd

PLAIN = b"tlD"
PACKED = b"tlZ"
# bound, packed or too short for that: one byte, for chains of versions where every byte counts;
# what always begins alike is left out
BOUND = b"\xb1"
BOUND_PLAIN = b"\xb2"
_BOUND_HEAD = b"tlD\x01\x02"
_FRAME_HEAD = b"\x28\xb5\x2f\xfd"
_LEVEL = 19


def is_packed(data: bytes) -> bool:
    """Whether these bytes are the binary form of a delta."""
    return data[:3] in (PLAIN, PACKED) or data[:1] in (BOUND, BOUND_PLAIN)


def pack(data: bytes, dictionary: bytes | None) -> bytes:
    """`data`, or something shorter that gives it back."""
    zstd = load_zstd()
    options = {
        zstd.CompressionParameter.compression_level: _LEVEL,
        zstd.CompressionParameter.content_size_flag: 0,
        zstd.CompressionParameter.checksum_flag: 0,
        zstd.CompressionParameter.dict_id_flag: 0,
    }
    if dictionary is not None and data.startswith(_BOUND_HEAD):
        frame: bytes = zstd.compress(
            data.removeprefix(_BOUND_HEAD), options=options, zstd_dict=_dictionary(zstd, dictionary)
        )
        return min(
            BOUND + frame.removeprefix(_FRAME_HEAD),
            BOUND_PLAIN + data.removeprefix(_BOUND_HEAD),
            key=len,
        )
    packed: bytes = zstd.compress(data, options=options, zstd_dict=_dictionary(zstd, dictionary))
    return PACKED + packed if len(packed) + len(PACKED) < len(data) else data


def unpack(data: bytes, dictionary: bytes | None, limits: Limits) -> bytes:
    """What was packed; `DeltaError` for anything else, `LimitError` where it would be too large."""
    if data[:1] == BOUND:
        if dictionary is None:
            raise DeltaError("this delta is bound to its old document: read it with that document")
        return _BOUND_HEAD + _unpack(_FRAME_HEAD + data[1:], dictionary, limits)
    if data[:1] == BOUND_PLAIN:
        return _BOUND_HEAD + data[1:]
    return _unpack(data[3:], dictionary, limits) if data[:3] == PACKED else data


def _unpack(data: bytes, dictionary: bytes | None, limits: Limits) -> bytes:
    zstd = load_zstd()
    frame = zstd.ZstdDecompressor(zstd_dict=_dictionary(zstd, dictionary))
    try:
        unpacked: bytes = frame.decompress(data, limits.bytes + 1)
    except zstd.ZstdError as error:
        raise DeltaError(f"this delta is damaged: {error}") from error
    if len(unpacked) > limits.bytes:
        raise LimitError("bytes", bound=limits.bytes)
    if not frame.eof or frame.unused_data:
        raise DeltaError("this delta is damaged: it is cut off, or too long")
    return unpacked


def _dictionary(zstd: Any, dictionary: bytes | None) -> Any:
    return zstd.ZstdDict(dictionary, is_raw=True) if dictionary and len(dictionary) >= 8 else None
