"""Sources: pages out of a folder, a WARC file, any iterator, or what other packages bring. Each
gives `Fetched`s, in the order of their times where there are times.
"""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from treelace import plugins
from treelace.classes.pages import Fetched
from treelace.errors import LimitError, MissingError, ParseError, TreelaceError, UsageError
from treelace.limits import Limits
from treelace.store import times
from treelace.tree import sniff
from treelace.tree.files import pages_in, read_file

INDEX = "index.csv"
WARC_SUFFIXES = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4")
MOST_AHEAD = timedelta(days=366)
"""How far in the future the time of a fetch may be: clocks are wrong, archives of tests play."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A page, or a part of a source, that could not be read; the rest can."""

    place: str
    error: Exception


OnTrouble = Callable[[Trouble], None]


def pages_from(place: str, *, limits: Limits, on_trouble: OnTrouble) -> Iterator[Fetched]:
    """The pages of a folder, a WARC file, or `NAME:WHERE` (entry points in `treelace.sources`)."""
    name, colon, where = place.partition(":")
    if colon and not Path(place).exists() and name in plugins.names(plugins.SOURCES):
        return _foreign(plugins.load(plugins.SOURCES, name), name, where, on_trouble)
    return pages_of(Path(place), limits=limits, on_trouble=on_trouble)


def _foreign(
    source: Callable[[str], Iterable[Any]], name: str, where: str, on_trouble: OnTrouble
) -> Iterator[Fetched]:
    """The pages of a plug-in source; what it raises, or no page, is a `Trouble`."""
    try:
        for page in source(where):
            if isinstance(page, Fetched) and page.time.tzinfo is not None:
                yield page
                continue
            is_page = isinstance(page, Fetched)
            what = "a page whose time has no zone" if is_page else f"a {type(page).__name__}"
            said = f"the source gave {what}; it should give FetchedPage with a time in UTC"
            on_trouble(Trouble(name, ParseError(said)))
    except Exception as error:  # noqa: BLE001 (whatever someone else's code does)
        said = " ".join(str(error).split()) or type(error).__name__
        on_trouble(Trouble(name, ParseError(f"the source ended early: {said}")))


def pages_of(place: Path, *, limits: Limits, on_trouble: OnTrouble) -> Iterator[Fetched]:
    """The pages of a folder or of a WARC file."""
    if place.is_dir():
        return from_folder(place, limits=limits, on_trouble=on_trouble)
    if not place.exists():
        raise UsageError(f"{place}: there is no such folder or file")
    if place.name.lower().endswith(WARC_SUFFIXES):
        return from_warc(place, limits=limits, on_trouble=on_trouble)
    raise UsageError(
        f"{place}: pages come from a folder, a WARC file ({', '.join(WARC_SUFFIXES)}), or a source"
        " of another package (NAME:WHERE)"
    )


def count_of(source: str) -> int | None:
    """How many pages a folder has; None for other sources, which say so only at their end."""
    folder = Path(source)
    if not folder.is_dir():
        return None
    return len(listed(folder))


def listed(folder: Path) -> list[tuple[Path, str, datetime]]:
    """Path, address and time of each page of a folder, by its `index.csv` or by path."""
    return _indexed(folder) if (folder / INDEX).is_file() else _by_path(folder)


def from_folder(folder: Path, *, limits: Limits, on_trouble: OnTrouble) -> Iterator[Fetched]:
    """The pages of a folder, by the times of its `index.csv` (`file,url,time`) or by path."""
    rows = listed(folder)
    inside = folder.resolve()
    for path, url, time in rows:
        try:
            if not path.resolve().is_relative_to(inside):
                raise ParseError(f"the file is outside of the folder {folder}")
            _check_time(time)
            body = read_file(str(path), limits=limits)
        except (OSError, ParseError, LimitError) as error:
            on_trouble(Trouble(str(path), error))
            continue
        kind = "text/html" if sniff.format_of(body, path.name) == "html" else "application/xml"
        yield Fetched(url, time, 200, body, kind)


def _check_time(time: datetime) -> None:
    """Raises `ParseError` for a far future: nothing fetched later would be newer than that."""
    if time > datetime.now(UTC) + MOST_AHEAD:
        raise ParseError(f"its time is in the future: {time:%Y-%m-%d}")


def _indexed(folder: Path) -> list[tuple[Path, str, datetime]]:
    index = folder / INDEX
    rows = []
    with index.open(encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file)
        missing = [name for name in ("file", "url", "time") if name not in (table.fieldnames or ())]
        if missing:
            raise ParseError(
                f"{index}: the first line should name the columns file,url,time: there is no"
                f" '{missing[0]}'",
                line=1,
            )
        for row in table:
            if not row["file"] or not row["url"]:
                raise ParseError(f"{index}: a row needs a file and a url", line=table.line_num)
            try:
                rows.append((folder / row["file"], row["url"], times.read(row["time"] or "")))
            except UsageError as error:
                raise ParseError(f"{index}: {error}", line=table.line_num) from error
    return sorted(rows, key=lambda row: row[2])


def _by_path(folder: Path) -> list[tuple[Path, str, datetime]]:
    return [
        (
            path,
            path.relative_to(folder).as_posix(),
            datetime.fromtimestamp(path.stat().st_mtime, UTC),
        )
        for path in pages_in(folder)
    ]


def from_warc(path: Path, *, limits: Limits, on_trouble: OnTrouble) -> Iterator[Fetched]:
    """The HTML and XML pages of a WARC file; one cut short gives the whole ones and a `Trouble`."""
    with path.open("rb") as file:
        for _, page in warc_pages(file, str(path), limits=limits, on_trouble=on_trouble):
            yield page


def warc_pages(
    file: IO[bytes], place: str, *, limits: Limits, on_trouble: OnTrouble
) -> Iterator[tuple[int, Fetched]]:
    """The pages of an open WARC file from where it stands, each with the place of its record."""
    records = _responses(file, parse_http=True)
    while True:
        try:
            record = next(records)
        except StopIteration:
            break
        except Exception as error:  # noqa: BLE001 (whatever the reader says: the file is damaged from here on)
            said = f"the file is damaged or cut off after byte {file.tell():,}: {error}"
            on_trouble(Trouble(place, ParseError(said)))
            break
        page = _from_record(record, place, limits, on_trouble)
        if page is not None:
            yield record.stream_pos, page


def response_places(file: IO[bytes]) -> Iterator[int]:
    """The places of the answers in an open WARC file, as far as it can be read."""
    try:
        for record in _responses(file, parse_http=False):
            yield record.stream_pos
    except Exception:  # noqa: BLE001 (who reads the pages says what is wrong)
        return


def _responses(file: IO[bytes], *, parse_http: bool) -> Iterator[Any]:
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ModuleNotFoundError as error:
        raise MissingError("reading WARC files", package="fastwarc", extra="crawl") from error
    return iter(
        ArchiveIterator(
            file, record_types=WarcRecordType.response, parse_http=parse_http, func_filter=None
        )
    )


def _from_record(record: Any, place: str, limits: Limits, on_trouble: OnTrouble) -> Fetched | None:
    http = record.http_headers
    kind = (record.http_content_type or "").lower() if http is not None else ""
    url = record.headers.get("WARC-Target-URI", "").strip("<>")
    if http is None or not url or not ("html" in kind or kind.endswith("xml")):
        return None
    try:
        if not url.lower().startswith(("http://", "https://")):
            raise ParseError("its address is none of the web")
        declared = max(record.content_length, _http_length(http))
        body = record.reader.read(limits.bytes + 1)
        if len(body) > limits.bytes:
            raise LimitError("bytes", bound=limits.bytes)
        if record.headers.get("WARC-Truncated") is None and len(body) < declared:
            raise ParseError("the record is cut off")
        headers = tuple((str(name), str(value)) for name, value in http)
        said = {name.lower(): value for name, value in headers}
        body = _decoded(body, said.get("content-encoding", ""), limits)
        time = record.record_date or times.read(record.headers.get("WARC-Date", ""))
        _check_time(time)
        return Fetched(
            url, time, http.status_code or 200, body, said.get("content-type") or kind, headers
        )
    except (TreelaceError, OSError, ValueError, zlib.error, EOFError) as error:
        on_trouble(Trouble(f"{place}: {url}", error))
        return None


def _http_length(http: Any) -> int:
    try:
        return int(http.get("Content-Length") or 0)
    except ValueError:
        return 0


def _decoded(body: bytes, encoding: str, limits: Limits) -> bytes:
    """The body without its content encoding; a body already decoded, as in archives, as it is."""
    kind = encoding.strip().lower()
    if kind in ("gzip", "x-gzip") and body.startswith(b"\x1f\x8b"):
        return _bounded(zlib.decompressobj(wbits=31), body, limits)
    if kind == "deflate" and body[:1] == b"\x78":
        return _bounded(zlib.decompressobj(), body, limits)
    if kind == "br":
        raise ParseError("it is packed with brotli, which is not supported")
    return body


def _bounded(inflate: Any, body: bytes, limits: Limits) -> bytes:
    unpacked: bytes = inflate.decompress(body, limits.bytes + 1)
    if len(unpacked) > limits.bytes:
        raise LimitError("bytes", bound=limits.bytes)
    return unpacked
