"""WARC files that other readers read: FastWARC sees every record, its digests and its HTTP
headers.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime

from fastwarc.warc import ArchiveIterator, WarcRecordType

from treelace.classes.pages import FetchedPage
from treelace.crawl.warc import WarcWriter

WHEN = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)
PAGE = FetchedPage(
    url="https://shop.example/tea?x=1",
    time=WHEN,
    body="<p>Tee für dich".encode(),
    content_type="text/html; charset=utf-8",
    status=200,
    headers=(
        ("Content-Type", "text/html; charset=utf-8"),
        ("ETag", '"7"'),
        ("Content-Encoding", "gzip"),
        ("Content-Length", "11"),
        ("Set-Cookie", "s=secret"),
    ),
)


def written(*pages: FetchedPage) -> bytes:
    stream = io.BytesIO()
    assert WarcWriter(stream, user_agent="treelace/test").pages(pages) == len(pages)
    return stream.getvalue()


def test_fastwarc_reads_what_we_write():
    gone = FetchedPage(url="https://shop.example/old", time=WHEN, status=404, body=b"gone")
    same = FetchedPage(url="https://shop.example/same", time=WHEN, status=304, body=b"")
    records = list(
        ArchiveIterator(
            io.BytesIO(written(PAGE, gone, same)),
            parse_http=True,
            record_types=WarcRecordType.any_type,
        )
    )
    kinds = [record.headers["WARC-Type"] for record in records]
    assert kinds == ["warcinfo", "response", "request", "response", "request", "revisit", "request"]


def test_an_answer_comes_back_whole():
    for record in ArchiveIterator(
        io.BytesIO(written(PAGE)), parse_http=True, record_types=WarcRecordType.response
    ):
        assert record.headers["WARC-Target-URI"] == PAGE.url
        assert record.headers["WARC-Date"] == "2026-03-01T12:30:15.250000Z"
        assert record.http_headers.status_code == 200
        assert record.http_headers["ETag"] == '"7"'
        assert (
            "Content-Encoding" not in record.http_headers
            and record.http_headers["X-Content-Encoding"] == "gzip"
        )
        assert "Set-Cookie" not in record.http_headers
        assert record.reader.read() == PAGE.body


def test_digests_are_right():
    for record in ArchiveIterator(
        io.BytesIO(written(PAGE)), parse_http=False, record_types=WarcRecordType.any_type
    ):
        assert record.verify_block_digest()
    for record in ArchiveIterator(
        io.BytesIO(written(PAGE)), parse_http=True, record_types=WarcRecordType.response
    ):
        assert record.verify_payload_digest()


def test_a_file_that_is_cut_off_loses_its_last_record_only():
    whole = written(PAGE, PAGE)
    seen = list(
        ArchiveIterator(io.BytesIO(whole[: len(whole) - 150]), record_types=WarcRecordType.response)
    )
    assert len(seen) == 2
