"""Matrices for others: what is written can be read."""

from __future__ import annotations

import csv
import io
import json
import struct
import zlib

import numpy as np
import pytest

from treelace import UsageError
from treelace.similarity.matrix_outputs import to_csv, to_json, to_npy, to_png

MATRIX = np.array([[1.0, 0.1 + 0.2, 0.0], [0.1 + 0.2, 1.0, 0.5], [0.0, 0.5, 1.0]])
NAMES = ["a.html", 'b,"c".html', "ü/d.html"]


def test_csv_keeps_every_digit_and_every_name() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(MATRIX, NAMES))))
    assert rows[0] == ["file", *NAMES]
    assert [row[0] for row in rows[1:]] == NAMES
    assert [[float(cell) for cell in row[1:]] for row in rows[1:]] == MATRIX.tolist()


def test_npy_and_json() -> None:
    assert np.load(io.BytesIO(to_npy(MATRIX))).tolist() == MATRIX.tolist()
    assert json.loads(to_json(MATRIX, NAMES, measure="tag-set")) == {
        "measure": "tag-set",
        "files": NAMES,
        "similarities": MATRIX.tolist(),
    }


def pixels(data: bytes) -> list[list[tuple[int, int, int]]]:
    """The colours of a PNG with a palette and no filters, each chunk's checksum checked."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length) == (zlib.crc32(kind + body),)
        chunks[kind], at = body, at + 12 + length
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    width, height, depth, colour, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colour, rest) == (8, 3, [0, 0, 0])
    raw = zlib.decompress(chunks[b"IDAT"])
    assert len(raw) == height * (width + 1)
    lines = [raw[y * (width + 1) : (y + 1) * (width + 1)] for y in range(height)]
    assert all(line[0] == 0 for line in lines)
    return [[tuple(chunks[b"PLTE"][3 * i : 3 * i + 3]) for i in line[1:]] for line in lines]  # type: ignore[misc]


def test_the_image_has_the_papers_colours() -> None:
    image = pixels(to_png([[0, 1 / 3], [2 / 3, 1]], pixels=2))
    assert len(image) == len(image[0]) == 4
    corners = [image[0][0], image[0][3], image[3][0], image[3][3]]
    for got, wanted in zip(
        corners, [(255, 255, 255), (255, 255, 0), (255, 0, 0), (0, 0, 0)], strict=True
    ):
        assert all(abs(a - b) <= 3 for a, b in zip(got, wanted, strict=True))


def test_the_image_shows_where_classes_change() -> None:
    image = pixels(to_png(np.zeros((3, 3)), classes=["x", "x", "y"], pixels=4))
    blue = (0, 90, 255)
    assert {y for y in range(12) if image[y][0] == blue} == {8}
    assert {x for x in range(12) if image[0][x] == blue} == {8}


def test_ranks_spread_what_lies_close_together() -> None:
    close = 0.99 + np.array([[3, 1], [2, 0]]) * 1e-6
    assert len({colour for row in pixels(to_png(close, pixels=1)) for colour in row}) == 1
    assert (
        len({colour for row in pixels(to_png(close, pixels=1, scale="rank")) for colour in row})
        == 4
    )


def test_wrong_use_is_said() -> None:
    with pytest.raises(UsageError, match="at least one row"):
        to_png(np.zeros((0, 0)))
    with pytest.raises(UsageError, match="2 classes need a matrix of 2 × 2, not 3 × 3"):
        to_png(MATRIX, classes=["x", "y"])
    with pytest.raises(UsageError, match="2 names need"):
        to_csv(MATRIX, ["a", "b"])
