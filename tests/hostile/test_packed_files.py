"""Packed files that are made to cost time or memory."""

from __future__ import annotations

import gzip
import io
import zlib

import pytest

from treelace.errors import LimitError, ParseError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree.files import read_packed
from treelace.tree.zstandard import load_zstd

PACK = {"gzip": gzip.compress, "zstd": lambda data: load_zstd().compress(data)}


def read(data: bytes, limits: Limits = DEFAULT_LIMITS) -> bytes:
    return read_packed(io.BytesIO(data), limits=limits)


@pytest.mark.parametrize("pack", PACK.values(), ids=PACK)
def test_a_file_of_many_empty_members_costs_its_length(pack):
    """Reading such a file once copied all that was left for each member: 82 s for 10 MB."""
    many = pack(b"") * 30_000 + bytes(10 * 2**20 if pack is gzip.compress else 0) + pack(b"<p>tea")
    assert read(many, Limits(seconds=30)) == b"<p>tea"


@pytest.mark.parametrize("pack", PACK.values(), ids=PACK)
@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 100_000, 3 * 2**20])
def test_members_of_every_size_are_read_whole(pack, size):
    parts = [bytes([number]) * size for number in range(1, 4)]
    assert read(b"".join(map(pack, parts))) == b"".join(parts)


def test_gzip_may_be_padded_with_zeros():
    assert read(gzip.compress(b"a") + bytes(700) + gzip.compress(b"b") + bytes(3)) == b"ab"


@pytest.mark.parametrize("pack", PACK.values(), ids=PACK)
def test_a_bomb_is_stopped_at_the_limit(pack):
    with pytest.raises(LimitError, match="bytes"):
        read(pack(bytes(2**22)), Limits(bytes=2**20))


@pytest.mark.parametrize("pack", PACK.values(), ids=PACK)
def test_a_file_that_is_cut_or_damaged_is_named(pack):
    packed = pack(bytes(range(256)) * 50)
    with pytest.raises(ParseError, match="cut off"):
        read(packed[:-5])
    with pytest.raises(ParseError, match="damaged"):
        read(packed[: len(packed) // 2] + b"\xff" * 200)


def test_a_member_that_takes_too_long_is_stopped():
    with pytest.raises(LimitError, match="seconds"):
        read(gzip.compress(b"") * 1000, Limits(seconds=-1))
    assert zlib.crc32(read(gzip.compress(b"tea"))) == zlib.crc32(b"tea")
