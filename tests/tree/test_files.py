"""Packed files are unpacked by their first bytes, within the limit; damaged ones are named."""

from __future__ import annotations

import gzip
import io

import pytest

import treelace as tl

PAGE = b"<p>hello</p>" * 100


def zstd_of(data: bytes) -> bytes:
    zstd = pytest.importorskip(
        "compression.zstd" if __import__("sys").version_info >= (3, 14) else "backports.zstd"
    )
    return zstd.compress(data)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd_of], ids=["plain", "gzip", "zstd"])
def test_packed_files_are_read(tmp_path, pack):
    path = tmp_path / "page.html"
    path.write_bytes(pack(PAGE))
    assert len(list(tl.parse(path).elements)) == 103


@pytest.mark.parametrize("pack", [gzip.compress, zstd_of], ids=["gzip", "zstd"])
def test_a_cut_file_is_named(tmp_path, pack):
    path = tmp_path / "page.html.gz"
    path.write_bytes(pack(PAGE)[:-9])
    with pytest.raises(tl.ParseError, match=r"page\.html\.gz.*(cut off|damaged)"):
        tl.parse(path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd_of], ids=["plain", "gzip", "zstd"])
def test_what_unpacks_to_too_much_is_refused(tmp_path, pack):
    path = tmp_path / "bomb.html"
    path.write_bytes(pack(b"a" * 3_000_000))
    with pytest.raises(tl.LimitError) as caught:
        tl.parse(path, limits=tl.Limits(bytes=1_000_000))
    assert caught.value.limit == "bytes"


def test_several_gzip_members_are_one_file(tmp_path):
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(b"<p>a</p>") + gzip.compress(b"<p>b</p>"))
    assert tl.parse(path).root.text == "ab"


def test_open_files_and_buffers():
    assert tl.parse(io.BytesIO(b"<p>a")).root.text == "a"
    assert tl.parse(io.StringIO("<p>a")).root.text == "a"
    assert tl.parse(bytearray(b"<p>a")).root.text == "a"
    assert tl.parse(memoryview(b"<p>a")).root.text == "a"
