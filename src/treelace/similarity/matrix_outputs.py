"""A similarity matrix for others: CSV, NumPy's file, JSON, and an image."""

from __future__ import annotations

import csv
import io
import json
import struct
import zlib
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from treelace.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

# 0 … 253 similarities, 254 class boundaries: white, yellow, red, black, as in Flesca et al.
_SHADES = 254
_BOUNDARY = 254
_STOPS = ((255, 255, 255), (255, 255, 0), (255, 0, 0), (0, 0, 0))


def to_csv(matrix: ArrayLike, names: Sequence[str]) -> str:
    """Names in the first row and the first column, similarities with all their digits.

    >>> print(to_csv([[1, 0.5], [0.5, 1]], ["a.html", "b.html"]), end="")
    file,a.html,b.html
    a.html,1.0,0.5
    b.html,0.5,1.0
    """
    values = _square(matrix, names)
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["file", *names])
    rows.writerows(
        [name, *map(repr, row.tolist())] for name, row in zip(names, values, strict=True)
    )
    return out.getvalue()


def to_npy(matrix: ArrayLike) -> bytes:
    """The array as `numpy.load` reads it, without names."""
    import numpy as np

    out = io.BytesIO()
    np.save(out, np.asarray(matrix, dtype=np.float64), allow_pickle=False)
    return out.getvalue()


def to_json(matrix: ArrayLike, names: Sequence[str], *, measure: str) -> str:
    """An object with `measure`, `files` and `similarities`, a list of rows."""
    return json.dumps(
        {"measure": measure, "files": list(names), "similarities": _square(matrix, names).tolist()},
        ensure_ascii=False,
    )


def to_png(
    matrix: ArrayLike,
    *,
    classes: Sequence[Hashable] | None = None,
    scale: Literal["linear", "rank"] = "linear",
    pixels: int | None = None,
) -> bytes:
    """An image of the matrix, white (0) to black (1), as in Flesca et al., Figures 6 to 10.

    Documents stand in the order given; blue lines mark where the class changes. `rank` spreads the
    colours evenly over the similarities there are, for matrices whose values lie close together
    (the paper's "suitable distortions"). `pixels` is the side of one cell; by default as large as
    makes an image of about 800.
    """
    import numpy as np

    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2 or min(values.shape) == 0:
        raise UsageError("an image needs a matrix with at least one row and one column")
    if classes is not None and not len(classes) == len(values) == values.shape[1]:
        raise UsageError(
            f"{len(classes)} classes need a matrix of {len(classes)} × {len(classes)}, not"
            f" {' × '.join(map(str, values.shape))}"
        )
    if scale == "rank":
        _, places = np.unique(values, return_inverse=True)
        values = places.reshape(values.shape) / max(1, int(places.max()))
    shades = np.clip(np.nan_to_num(values) * (_SHADES - 1), 0, _SHADES - 1).round().astype(np.uint8)
    side = pixels or max(1, 800 // max(shades.shape))
    image = shades.repeat(side, axis=0).repeat(side, axis=1)
    if classes is not None:
        for at in (i for i in range(1, len(classes)) if classes[i] != classes[i - 1]):
            image[at * side, :] = _BOUNDARY
            image[:, at * side] = _BOUNDARY
    return _png(image)


def _png(image: NDArray[np.uint8]) -> bytes:
    """A PNG with a palette, one byte a pixel."""
    height, width = image.shape
    lines = b"".join(b"\0" + row.tobytes() for row in image)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", _palette()),
        (b"IDAT", zlib.compress(lines, 6)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _palette() -> bytes:
    colours: list[Any] = []
    for shade in range(_SHADES):
        place = shade / (_SHADES - 1) * (len(_STOPS) - 1)
        below = min(int(place), len(_STOPS) - 2)
        colours.extend(
            round(a + (b - a) * (place - below))
            for a, b in zip(_STOPS[below], _STOPS[below + 1], strict=True)
        )
    return bytes([*colours, 0, 90, 255])


def _square(matrix: ArrayLike, names: Sequence[str]) -> NDArray[np.float64]:
    import numpy as np

    values = np.asarray(matrix, dtype=np.float64)
    if values.shape != (len(names), len(names)):
        raise UsageError(
            f"{len(names)} names need a matrix of {len(names)} × {len(names)}, not"
            f" {' × '.join(map(str, values.shape))}"
        )
    return values
