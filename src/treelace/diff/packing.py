"""Bytes of a delta, packed with zstd where that is shorter."""

from __future__ import annotations

from treelace.errors import DeltaError, LimitError
from treelace.limits import Limits
from treelace.tree.zstandard import load_zstd

PLAIN = b"tlD"
PACKED = b"tlZ"
_LEVEL = 19


def is_packed(data: bytes) -> bool:
    """Whether these bytes are the binary form of a delta."""
    return data[:3] in (PLAIN, PACKED)


def pack(data: bytes) -> bytes:
    """`data`, or something shorter that gives it back."""
    zstd = load_zstd()
    options = {
        zstd.CompressionParameter.compression_level: _LEVEL,
        zstd.CompressionParameter.content_size_flag: 0,
        zstd.CompressionParameter.checksum_flag: 0,
        zstd.CompressionParameter.dict_id_flag: 0,
    }
    packed: bytes = zstd.compress(data, options=options)
    return PACKED + packed if len(packed) + len(PACKED) < len(data) else data


def unpack(data: bytes, limits: Limits) -> bytes:
    """What was packed; `DeltaError` for anything else, `LimitError` where it would be too large."""
    if data[:3] != PACKED:
        return data
    zstd = load_zstd()
    frame = zstd.ZstdDecompressor()
    try:
        unpacked: bytes = frame.decompress(data[3:], limits.bytes + 1)
    except zstd.ZstdError as error:
        raise DeltaError(f"this delta is damaged: {error}") from error
    if len(unpacked) > limits.bytes:
        raise LimitError("bytes", bound=limits.bytes)
    if not frame.eof or frame.unused_data:
        raise DeltaError("this delta is damaged: it is cut off, or too long")
    return unpacked
