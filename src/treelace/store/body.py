"""Body: one version of a page as bytes, its node identities beside it.

A body is a line of ASCII and the page: `h 227 1-226` says that HTML follows, that 227 is the next
free XID, and the XIDs in post-order, as runs. `x` is XML, `t` the kernel's own form of a tree, for
the few trees that markup cannot express. Bodies are packed by zstd, whole or with the body of
another version as dictionary: what did not change costs nothing. That beats a packed delta (it is
as short, and a chain of it is read ten times faster, since only its last version is parsed); the
delta between any two versions follows from their XIDs, exactly
(`treelace.store.chain.delta_between`). Decision 0009 has the figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from treelace import _kernel
from treelace.diff import Xids
from treelace.errors import DamagedError, ParseError, UsageError
from treelace.tree import Tree, parse
from treelace.tree.zstandard import load_zstd

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treelace.limits import Limits

PACKING_LEVEL = 9
"""Of zstd. Beside 15 and 19 it takes a tenth of the time: steps and pages with a dictionary are one
to ten percent longer, pages alone three.
"""


@dataclass(frozen=True, slots=True)
class Body:
    """A page with the XIDs of its nodes."""

    tree: Tree
    xids: Xids

    @classmethod
    def first(cls, tree: Tree) -> Body:
        """The body of a first version."""
        return cls(tree, Xids.first(tree))


def write(body: Body, *, limits: Limits) -> bytes:
    """The bytes of a body, from which `read` restores every node and letter."""
    head = f" {body.xids.next} {_runs(_post_order(body))}\n".encode("ascii")
    for letter, markup in _markups(body.tree, limits):
        if _reads_back(letter, markup, body.tree, limits):
            return letter + head + markup
    return b"t" + head + _kernel.store_tree(body.tree.kernel)


def read(data: bytes, *, limits: Limits) -> Body:
    """The body of these bytes; `DamagedError` for others."""
    try:
        end = data.index(b"\n")
        letter, following, runs = data[:end].decode("ascii").split(" ")
        tree = _tree(letter.encode("ascii"), data[end + 1 :], limits)
        return Body(tree, _xids(tree, runs, int(following)))
    except (ValueError, KeyError, IndexError, ParseError, UsageError) as error:
        raise DamagedError(f"this is no version of a page: {error}") from error


def _markups(tree: Tree, limits: Limits) -> list[tuple[bytes, bytes]]:
    if tree.format == "html":
        return [] if tree.is_fragment else [(b"h", tree.to_html(limits=limits).encode("utf-8"))]
    try:
        return [(b"x", tree.to_xml(limits=limits).encode("utf-8"))]
    except UsageError:
        return []


def _reads_back(letter: bytes, markup: bytes, tree: Tree, limits: Limits) -> bool:
    try:
        again = _tree(letter, markup, limits)
    except ParseError:
        return False
    if again != tree or again.quirks != tree.quirks:
        return False
    return (again.to_html(limits=limits) if letter == b"h" else again.to_xml(limits=limits)).encode(
        "utf-8"
    ) == markup


def _tree(letter: bytes, data: bytes, limits: Limits) -> Tree:
    if letter == b"t":
        return Tree(_kernel.load_tree(data))
    formats: dict[bytes, Literal["html", "xml"]] = {b"h": "html", b"x": "xml"}
    return parse(data.decode("utf-8"), format=formats[letter], limits=limits)


# identities: XIDs in post-order are mostly runs, because a first version is numbered that way


def _ranks(tree: Tree) -> NDArray[np.int64]:
    """The position in post-order of each node but the document, from 0."""
    import numpy as np

    index = np.arange(1, len(tree), dtype=np.int64)
    return index + (tree.ends[1:].astype(np.int64) - index - 1) - tree.depths[1:].astype(np.int64)


def _post_order(body: Body) -> NDArray[np.int64]:
    import numpy as np

    posts = np.empty(len(body.tree) - 1, dtype=np.int64)
    posts[_ranks(body.tree)] = body.xids.of[1:].astype(np.int64)
    return posts


def _runs(posts: NDArray[np.int64]) -> str:
    import numpy as np

    if not len(posts):
        return "-"
    starts = np.flatnonzero(np.concatenate([[True], posts[1:] != posts[:-1] + 1]))
    firsts = posts[starts].tolist()
    lasts = posts[np.append(starts[1:], len(posts)) - 1].tolist()
    return ";".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(firsts, lasts, strict=True))


def _xids(tree: Tree, runs: str, following: int) -> Xids:
    import numpy as np

    pieces = []
    room = len(tree) - 1
    for run in runs.split(";") if runs != "-" else ():
        first, _, last = run.partition("-")
        start, end = int(first), int(last or first) + 1
        room -= max(0, end - start)
        if room < 0 or not 0 <= start < end <= 2**63:
            raise DamagedError(f"there are {len(tree) - 1:,} nodes, and more node ids")
        pieces.append(np.arange(start, end, dtype=np.uint64))
    posts = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.uint64)
    if len(posts) != len(tree) - 1:
        raise DamagedError(f"there are {len(tree) - 1:,} nodes and {len(posts):,} node ids")
    of = np.zeros(len(tree), dtype=np.uint64)
    of[1:] = posts[_ranks(tree)]
    return Xids(of, following)


# packing


def pack(data: bytes, dictionary: bytes | None = None, *, is_trained: bool = False) -> bytes:
    """`data` in few bytes; `unpack` with the same dictionary gives it back."""
    zstd = load_zstd()
    option = zstd.CompressionParameter
    options = {
        option.compression_level: PACKING_LEVEL,
        # the reader allocates once, and a bound can be held before anything is unpacked
        option.content_size_flag: 1,
        option.checksum_flag: 0,  # every version has its digest
        option.dict_id_flag: 0,
    }
    packed: bytes = zstd.compress(
        data, options=options, zstd_dict=_dictionary(zstd, dictionary, is_trained)
    )
    return packed


def unpack(
    data: bytes, dictionary: bytes | None = None, *, is_trained: bool = False, limits: Limits
) -> bytes:
    """What was packed; `DamagedError` for anything else."""
    zstd = load_zstd()
    most = 4 * limits.bytes
    try:
        frame = zstd.ZstdDecompressor(zstd_dict=_dictionary(zstd, dictionary, is_trained))
        unpacked: bytes = frame.decompress(data, most + 1)
    except zstd.ZstdError as error:
        raise DamagedError(f"packed data is damaged: {error}") from error
    if not frame.eof or frame.unused_data or len(unpacked) > most:
        raise DamagedError("packed data is cut off, or too long")
    return unpacked


def train(samples: list[bytes], size: int) -> bytes | None:
    """A dictionary for pages like these; None where they are too few or have little in common."""
    zstd = load_zstd()
    try:
        return bytes(zstd.train_dict(samples, size).dict_content)
    except (zstd.ZstdError, ValueError):
        return None


def _dictionary(zstd: Any, content: bytes | None, is_trained: bool) -> Any:
    if content is None or len(content) < 8:
        return None
    return _trained(content).as_digested_dict if is_trained else zstd.ZstdDict(content, is_raw=True)


@lru_cache(maxsize=16)
def _trained(content: bytes) -> Any:
    """A trained dictionary serves thousands of pages: its tables are made once."""
    return load_zstd().ZstdDict(content)
