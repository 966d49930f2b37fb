"""WARC 1.1 (ISO 28500): keeps what was fetched, to be replayed without a network.

One gzip member a record, as the standard advises: a file that is cut off loses its last record and
no other. Bodies are kept unpacked; the names of codings they came in are kept as
`X-Content-Encoding` and the like, so that no reader unpacks them twice.
"""

from __future__ import annotations

import gzip
from base64 import b32encode
from datetime import UTC, datetime
from hashlib import sha1
from http import HTTPStatus
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import uuid4

from treelace.crawl.urls import path_and_query

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treelace.classes.pages import Fetched

_PACKING = ("content-encoding", "transfer-encoding", "content-length")
_SECRET = ("set-cookie", "set-cookie2")


class WarcWriter:
    """Writes records to an open file; `with` writes the first one, which says who made the file."""

    def __init__(
        self, stream: IO[bytes], *, software: str = "treelace", user_agent: str = ""
    ) -> None:
        self._stream = stream
        self._user_agent = user_agent
        about = {
            "software": software,
            "format": "WARC File Format 1.1",
            "http-header-user-agent": user_agent,
        }
        fields = "".join(f"{name}: {value}\r\n" for name, value in about.items() if value)
        self._record(
            "warcinfo",
            fields.encode(),
            {"Content-Type": "application/warc-fields"},
            datetime.now(UTC),
        )

    def page(self, page: Fetched) -> None:
        """Writes a page's request and answer (304: a revisit), without cookies, as secrets."""
        block = _answer(page)
        common = {"WARC-Target-URI": page.url}
        headers = {
            "Content-Type": "application/http;msgtype=response",
            "WARC-Payload-Digest": _digest(page.body),
        }
        kind = "response"
        if page.status == 304:
            kind = "revisit"
            headers["WARC-Profile"] = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
        number = self._record(kind, block, common | headers, page.time)
        asked = f"GET {path_and_query(page.url)} HTTP/1.1\r\nHost: {urlsplit(page.url).netloc}\r\n"
        asked += f"User-Agent: {self._user_agent}\r\n\r\n" if self._user_agent else "\r\n"
        headers = {"Content-Type": "application/http;msgtype=request", "WARC-Concurrent-To": number}
        self._record("request", asked.encode("latin-1", "replace"), common | headers, page.time)

    def pages(self, pages: Iterable[Fetched]) -> int:
        """Writes many; says how many."""
        count = 0
        for page in pages:
            self.page(page)
            count += 1
        return count

    def _record(self, kind: str, block: bytes, headers: dict[str, str], time: datetime) -> str:
        number = f"<urn:uuid:{uuid4()}>"
        lines = {
            "WARC-Type": kind,
            "WARC-Record-ID": number,
            "WARC-Date": time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "WARC-Block-Digest": _digest(block),
            **headers,
            "Content-Length": str(len(block)),
        }
        head = (
            "WARC/1.1\r\n"
            + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
            + "\r\n"
        )
        self._stream.write(gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0))
        self._stream.flush()
        return number

    def close(self) -> None:
        """Closes the file."""
        self._stream.close()

    def __enter__(self) -> WarcWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _answer(page: Fetched) -> bytes:
    try:
        reason = HTTPStatus(page.status).phrase
    except ValueError:
        reason = ""
    lines = [f"HTTP/1.1 {page.status} {reason}"]
    for name, value in page.headers:
        if name.lower() in _SECRET:
            continue
        shown = f"X-{name}" if name.lower() in _PACKING else name
        lines.append(f"{shown}: {' '.join(value.split())}")
    if page.content_type and not any(name.lower() == "content-type" for name, _ in page.headers):
        lines.append(f"Content-Type: {page.content_type}")
    lines.append(f"Content-Length: {len(page.body)}")
    return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + page.body


def _digest(data: bytes) -> str:
    return "sha1:" + b32encode(sha1(data, usedforsecurity=False).digest()).decode()
