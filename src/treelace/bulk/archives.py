"""Archives: WARC and WACZ files, Parquet and Arrow files, folders; cut into splits, and read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any

import msgspec

from treelace.bulk.model import Split
from treelace.bulk.storage import (
    exists,
    files_below,
    is_far,
    is_folder,
    local_path,
    mark_of,
    open_source,
)
from treelace.classes.pages import Fetched
from treelace.crawl.sources import (
    INDEX,
    WARC_SUFFIXES,
    OnTrouble,
    Trouble,
    listed,
    response_places,
    warc_pages,
)
from treelace.errors import DamagedError, LimitError, MissingError, ParseError, UsageError
from treelace.limits import Limits
from treelace.store import times
from treelace.tree import sniff
from treelace.tree.files import read_file

PAGES_A_SPLIT = 500
"""Pages that one task reads."""
BYTES_A_SPLIT = 64 * 2**20
"""Bytes of a file that one task reads, packed as they are."""
SPLITS_OF_A_TABLE = 16
"""Tasks that a Parquet or Arrow file is cut into at most: each reads past the rows before its own,
for the reader knows no place to begin at but the first.
"""
TABLES = (".parquet", ".arrow", ".feather", ".ipc")
WACZ = ".wacz"
_BEGINNINGS = (b"WARC/", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")
"""Of a record: as it is, or packed by gzip, Zstandard or LZ4."""
NEEDED = ("url", "time", "html")
"""The columns of a table of pages; `status` and `content_type` may be there, too."""


def sources_in(places: Iterable[str]) -> list[str]:
    """The files and folders of pages that the places name; a folder of archives is its files."""
    found: list[str] = []
    for place in places:
        if not is_folder(place):
            found.append(place)
            continue
        inside = [name for name in files_below(place) if _kind(name)]
        has_index = not is_far(place) and (local_path(place) / INDEX).is_file()
        found += [place] if has_index or not inside else inside
    return list(dict.fromkeys(found))


def cut(source: str, on_trouble: OnTrouble) -> list[Split]:
    """The splits of a source: bounded, and the same whoever reads them."""
    if is_folder(source):
        return _cut_folder(source)
    if not exists(source):
        raise UsageError(f"{source}: there is no such folder or file")
    kind = _kind(source)
    if not kind:
        known = ", ".join((*WARC_SUFFIXES, WACZ, *TABLES))
        raise UsageError(f"{source}: pages come from a folder, or from a file {known}")
    mark = mark_of(source)
    if kind == "table":
        return _cut_table(source, mark, on_trouble)
    if kind == "wacz":
        return [
            split
            for first, length in _warcs_inside(source, on_trouble)
            for split in _cut_warc(source, mark, first, length)
        ]
    return _cut_warc(source, mark, 0, 0)


def pages_of(
    split: Split, *, limits: Limits, on_trouble: OnTrouble
) -> Iterator[tuple[int, Fetched]]:
    """The pages of a split, each with its place there."""
    if split.kind == "folder":
        for number, (path, url, seconds) in enumerate(split.files):
            try:
                yield number, _file_page(path, url, seconds, limits)
            except (OSError, ParseError, LimitError) as error:
                on_trouble(Trouble(path, error))
        return
    if split.kind == "table":
        yield from _table_pages(split, limits, on_trouble)
        return
    with _warc(split.source, split.first, split.length) as file:
        file.seek(split.start)
        pages = warc_pages(file, split.source, limits=limits, on_trouble=on_trouble)
        for number, (at, page) in enumerate(pages):
            if split.stop and at >= split.stop:
                return
            yield number if split.kind == "packed" else at, page


@dataclass(frozen=True, slots=True)
class Ref:
    """Where the bytes of a page are."""

    source: str
    kind: str
    at: int
    url: str
    time: int
    first: int = 0
    length: int = 0


def bodies(refs: Iterable[Ref], *, limits: Limits) -> dict[Ref, Fetched]:
    """The pages of these places; a table, or a file packed as a whole, is read once for all."""
    found: dict[Ref, Fetched] = {}
    rows: dict[Split, dict[int, Ref]] = {}
    for ref in refs:
        if ref.kind == "folder":
            found[ref] = _file_page(ref.source, ref.url, ref.time / 1000, limits)
        elif ref.kind in ("table", "packed"):
            whole = Split(ref.source, ref.kind, first=ref.first, length=ref.length)
            rows.setdefault(whole, {})[ref.at] = ref
        else:
            troubles: list[Trouble] = []
            with _warc(ref.source, ref.first, ref.length) as file:
                file.seek(ref.at)
                pages = warc_pages(file, ref.source, limits=limits, on_trouble=troubles.append)
                found[ref] = next(pages, (0, None))[1] or _gone(ref, troubles)
    for whole, wanted in rows.items():
        for at, page in pages_of(whole, limits=limits, on_trouble=lambda _: None):
            if at in wanted:
                found[wanted[at]] = page
            if at >= max(wanted):
                break
    return found


def _gone(ref: Ref, troubles: list[Trouble]) -> Fetched:
    said = str(troubles[0].error) if troubles else "it is not where it was"
    raise DamagedError(f"{ref.source}: {ref.url}: {said}; the archive changed during the run")


def _kind(place: str) -> str:
    name = place.lower()
    if name.endswith(WARC_SUFFIXES):
        return "warc"
    return "wacz" if name.endswith(WACZ) else "table" if name.endswith(TABLES) else ""


# folders


def _cut_folder(folder: str) -> list[Split]:
    if is_far(folder):
        raise UsageError(f"{folder}: a folder of pages has to be on this machine; pack it as WARC")
    rows = listed(local_path(folder))
    files = [(str(path), url, time.timestamp()) for path, url, time in rows]
    return [
        Split(folder, "folder", files=tuple(files[start : start + PAGES_A_SPLIT]), pages=len(part))
        for start in range(0, len(files), PAGES_A_SPLIT)
        if (part := files[start : start + PAGES_A_SPLIT])
    ]


def _file_page(path: str, url: str, seconds: float, limits: Limits) -> Fetched:
    body = read_file(path, limits=limits)
    kind = "text/html" if sniff.format_of(body, path) == "html" else "application/xml"
    return Fetched(url, datetime.fromtimestamp(seconds, UTC), 200, body, kind)


# WARC


def _cut_warc(source: str, mark: str, first: int, length: int) -> list[Split]:
    """Splits at the beginnings of records; a file packed as a whole has one."""
    with _warc(source, first, length) as file:
        places = list(response_places(file))
        if places and not _begins_record(file, places[-1]):
            return [Split(source, "packed", mark, 0, 0, len(places), (), first, length)]
    starts, counts = [0], [0]
    for at in places:
        if counts[-1] >= PAGES_A_SPLIT or at - starts[-1] >= BYTES_A_SPLIT:
            starts.append(at)
            counts.append(0)
        counts[-1] += 1
    stops = [*starts[1:], 0]
    return [
        Split(source, "warc", mark, start, stop, pages, (), first, length)
        for start, stop, pages in zip(starts, stops, counts, strict=True)
    ]


def _begins_record(file: IO[bytes], at: int) -> bool:
    """Whether a record begins there, as it lies in the file: else nobody can begin there."""
    file.seek(at)
    return file.read(5).startswith(_BEGINNINGS)


@contextmanager
def _warc(source: str, first: int, length: int) -> Iterator[IO[bytes]]:
    with open_source(source) as file:
        yield Window(file, first, length) if length else file  # type: ignore[misc]


class Window(io.RawIOBase):
    """A file inside of another: `length` bytes from `first` on."""

    def __init__(self, file: IO[bytes], first: int, length: int) -> None:
        self._file, self._first, self._length = file, first, length
        self._at = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Goes there."""
        base = (0, self._at, self._length)[whence]
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        """Where it is."""
        return self._at

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        left = max(0, self._length - self._at)
        self._file.seek(self._first + self._at)
        data = self._file.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data


def _warcs_inside(source: str, on_trouble: OnTrouble) -> Iterator[tuple[int, int]]:
    """Where the WARC files of a WACZ lie; they are stored in it unpacked, as its standard says."""
    try:
        with open_source(source) as file, zipfile.ZipFile(file) as archive:
            for one in archive.infolist():
                if not one.filename.lower().endswith(WARC_SUFFIXES):
                    continue
                if one.compress_type != zipfile.ZIP_STORED:
                    said = ParseError("it is packed once more inside of the WACZ file")
                    on_trouble(Trouble(f"{source}: {one.filename}", said))
                    continue
                file.seek(one.header_offset)
                head = file.read(30)
                names = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:], "little")
                yield one.header_offset + 30 + names, one.compress_size
    except zipfile.BadZipFile as error:
        on_trouble(Trouble(source, ParseError(f"this is no WACZ file: {error}")))


# tables


def _cut_table(source: str, mark: str, on_trouble: OnTrouble) -> list[Split]:
    """Splits of as many rows; of a damaged file, those before the damage."""
    rows = 0
    try:
        for first, batch in _batches(source, ["url"]):
            rows = first + len(batch["url"])
    except _DamagedTableError as error:
        on_trouble(Trouble(source, error))
    a_split = max(PAGES_A_SPLIT, -(-rows // SPLITS_OF_A_TABLE))
    return [
        Split(source, "table", mark, start, stop, stop - start)
        for start in range(0, rows, a_split)
        if (stop := min(start + a_split, rows))
    ]


def _table_pages(
    split: Split, limits: Limits, on_trouble: OnTrouble
) -> Iterator[tuple[int, Fetched]]:
    source, columns = split.source, [*NEEDED, "status", "content_type"]
    try:
        for first, batch in _batches(source, columns, start=split.start):
            for number in range(len(batch["url"])):
                row = first + number
                if row < split.start:
                    continue
                if split.stop and row >= split.stop:
                    return
                said = {name: some[number] for name, some in batch.items()}
                try:
                    yield row, _row_page(said, limits)
                except (ParseError, LimitError, UsageError) as error:
                    on_trouble(Trouble(f"{source}, row {row + 1}: {said['url']}", error))
    except _DamagedTableError as error:
        on_trouble(Trouble(source, error))


class _DamagedTableError(ParseError):
    """A table of pages cannot be read from here on."""


def _row_page(said: Mapping[str, Any], limits: Limits) -> Fetched:
    url, time, body = said["url"], said["time"], said["html"]
    if not isinstance(url, str) or not url or body is None:
        raise ParseError("a page needs an address and its HTML")
    if isinstance(time, str):
        time = times.read(time)
    elif isinstance(time, int | float):
        time = datetime.fromtimestamp(time / 1000, UTC)
    if not isinstance(time, datetime):
        raise ParseError("a page needs the time when it was fetched")
    data = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else bytes(body)
    if len(data) > limits.bytes:
        raise LimitError("bytes", bound=limits.bytes)
    kind = said.get("content_type") or "text/html"
    kind = f"{kind}; charset=utf-8" if isinstance(body, str) and "charset" not in kind else kind
    zoned = time if time.tzinfo else time.replace(tzinfo=UTC)
    return Fetched(url, zoned.astimezone(UTC), int(said.get("status") or 200), data, kind)


def _batches(
    source: str, names: list[str], *, start: int = 0
) -> Iterator[tuple[int, dict[str, list[Any]]]]:
    """The batches of a Parquet or Arrow file from that which has the row `start` on, each with the
    number of its first row and these columns as lists.
    """
    try:
        from arro3.io import read_ipc, read_parquet
    except ImportError as error:
        raise MissingError("reading Parquet", package="arro3-io", extra="parquet") from error
    read = read_parquet if source.lower().endswith(".parquet") else read_ipc
    with open_source(source) as file:
        try:
            batches = iter(read(file, batch_size=64) if read is read_parquet else read(file))
            row = 0
            while (batch := next(batches, None)) is not None:
                first, row = row, row + batch.num_rows
                if row <= start:
                    continue
                there = batch.schema.names
                missing = [name for name in names if name in NEEDED and name not in there]
                if missing:
                    needed = ", ".join(NEEDED)
                    said = f"a table of pages has the columns {needed}: there is no {missing[0]!r}"
                    raise _DamagedTableError(said)
                lists = {name: list(batch[name].to_pylist()) for name in names if name in there}
                yield first, lists
        except (_DamagedTableError, GeneratorExit, MemoryError):
            raise
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise  # a panic of the reader is no Exception
            said = " ".join(str(error).split())
            raise _DamagedTableError(f"the file is damaged from here on: {said}") from error


def ref_of(row: Mapping[str, Any]) -> Ref:
    """The place of a page, from a row that names it."""
    first, length = msgspec.json.decode(row["window"]) if row.get("window") else (0, 0)
    return Ref(row["source"], row["kind"], row["at"], row["url"], row["time"], first, length)
