"""Pages out of folders and WARC files, also broken ones."""

from __future__ import annotations

import gzip
import os
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from treelace.crawl.sources import Trouble, from_folder, from_warc, pages_of
from treelace.errors import ParseError, UsageError
from treelace.limits import Limits

LIMITS = Limits()


def read(source, place: Path, limits: Limits = LIMITS):
    troubles: list[Trouble] = []
    return list(source(place, limits=limits, on_trouble=troubles.append)), troubles


def response(
    url: str,
    body: bytes,
    *,
    kind: str = "text/html",
    encoding: str = "",
    time: str = "2026-03-01T00:00:00Z",
    status: str = "200 OK",
) -> bytes:
    """One record of a WARC file, written by hand."""
    extra = f"Content-Encoding: {encoding}\r\n" if encoding else ""
    http = (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{extra}"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID:"
        f" <urn:uuid:00000000-0000-0000-0000-{abs(hash(url)) % 10**12:012}>\r\nWARC-Target-URI:"
        f" {url}\r\nWARC-Date: {time}\r\nContent-Type: application/http;"
        f" msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def packed(records: list[bytes]) -> bytes:
    out = BytesIO()
    for record in records:
        out.write(gzip.compress(record))
    return out.getvalue()


def test_a_folder_with_an_index_is_read_in_the_order_of_its_times(tmp_path: Path):
    for name in ("a.html", "b.html.gz"):
        (tmp_path / name).write_bytes(
            gzip.compress(b"<p>" + name.encode()) if name.endswith("gz") else b"<p>" + name.encode()
        )
    (tmp_path / "index.csv").write_text(
        "file,url,time\na.html,u,2026-03-02T00:00:00Z\nb.html.gz,u,2026-03-01T12:00:00+02:00\n"
    )
    pages, troubles = read(from_folder, tmp_path)
    assert [(it.url, it.body) for it in pages] == [
        ("u", b"<p>b.html.gz"),
        ("u", b"<p>a.html"),
    ] and not troubles
    assert pages[0].time == datetime(2026, 3, 1, 10, tzinfo=UTC)


def test_a_folder_without_an_index_names_pages_by_their_paths(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.html").write_text("<p>x")
    (tmp_path / "feed.xml").write_text("<feed/>")
    (tmp_path / "notes.txt").write_text("no page")
    os.utime(tmp_path / "feed.xml", (1_000_000_000, 1_000_000_000))
    pages, _ = read(from_folder, tmp_path)
    assert [(it.url, it.format) for it in pages] == [("feed.xml", "xml"), ("sub/x.html", "html")]
    assert pages[0].time == datetime.fromtimestamp(1_000_000_000, UTC)


def test_a_file_that_is_not_there_or_too_large_is_named_and_the_rest_is_read(tmp_path: Path):
    (tmp_path / "a.html").write_text("<p>a")
    (tmp_path / "big.html").write_text("<p>" + "x" * 2000)
    (tmp_path / "index.csv").write_text(
        "file,url,time\ngone.html,g,2026-03-01\nbig.html,b,2026-03-01\na.html,a,2026-03-01\n"
    )
    pages, troubles = read(from_folder, tmp_path, Limits(bytes=1000))
    assert [it.url for it in pages] == ["a"] and len(troubles) == 2


def test_an_index_reads_nothing_outside_of_its_folder(tmp_path: Path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (tmp_path / "secret.html").write_text("<p>secret")
    (folder / "a.html").write_text("<p>a")
    (folder / "link.html").symlink_to(tmp_path / "secret.html")
    outside = [f"{place},s,2026-03-01" for place in ("../secret.html", tmp_path / "secret.html")]
    (folder / "index.csv").write_text(
        "\n".join(["file,url,time", *outside, "link.html,l,2026-03-01", "a.html,a,2026-03-01"])
    )
    pages, troubles = read(from_folder, folder)
    assert [it.url for it in pages] == ["a"]
    assert ["outside of the folder" in str(it.error) for it in troubles] == [True] * 3


@pytest.mark.parametrize(
    ("index", "says"),
    [
        ("file,url\na,b\n", "no 'time'"),
        ("file,url,time\na,b,noon\n", "line 2"),
        ("file,url,time\n,b,2026-01-01\n", "needs a file"),
    ],
)
def test_a_bad_index_is_named_with_its_line(tmp_path: Path, index: str, says: str):
    (tmp_path / "index.csv").write_text(index)
    with pytest.raises(ParseError, match=says):
        read(from_folder, tmp_path)


def test_what_is_no_source_is_wrong_use(tmp_path: Path):
    with pytest.raises(UsageError, match="no such"):
        pages_of(tmp_path / "x", limits=LIMITS, on_trouble=print)
    (tmp_path / "x.txt").write_text("")
    with pytest.raises(UsageError, match="WARC"):
        pages_of(tmp_path / "x.txt", limits=LIMITS, on_trouble=print)
    with pytest.raises(UsageError, match="no pages"):
        read(from_folder, tmp_path)


@pytest.mark.parametrize("form", ["plain", "gzip"])
def test_pages_of_a_warc_file(tmp_path: Path, form: str):
    records = [
        response("https://a.example/", b"<p>one"),
        response("https://a.example/pic.png", b"\x89PNG", kind="image/png"),
        response(
            "https://a.example/",
            gzip.compress(b"<p>two"),
            encoding="gzip",
            time="2026-03-02T00:00:00Z",
        ),
        response(
            "https://a.example/missing",
            b"<p>none",
            status="404 Not Found",
            kind="text/html; charset=utf-8",
        ),
    ]
    path = tmp_path / ("x.warc" if form == "plain" else "x.warc.gz")
    path.write_bytes(b"".join(records) if form == "plain" else packed(records))
    pages, troubles = read(from_warc, path)
    assert [(it.url, it.body, it.status) for it in pages] == [
        ("https://a.example/", b"<p>one", 200),
        ("https://a.example/", b"<p>two", 200),
        ("https://a.example/missing", b"<p>none", 404),
    ]
    assert not troubles and pages[1].time == datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize("form", ["plain", "gzip"])
@pytest.mark.parametrize("cut", [0.33, 0.57, 0.95])
def test_a_warc_file_that_is_cut_off_gives_what_was_whole(tmp_path: Path, form: str, cut: float):
    bodies = [b"<p>" + os.urandom(600).hex().encode() for _ in range(10)]
    records = [response(f"https://a.example/{number}", body) for number, body in enumerate(bodies)]
    data = b"".join(records) if form == "plain" else packed(records)
    path = tmp_path / ("x.warc" if form == "plain" else "x.warc.gz")
    path.write_bytes(data[: int(len(data) * cut)])
    pages, troubles = read(from_warc, path)
    assert int(10 * cut) - 1 <= len(pages) <= int(10 * cut)
    assert [it.body for it in pages] == bodies[: len(pages)], (
        "nothing cut comes through as if it were whole"
    )
    assert troubles, "and it is said"


def test_noise_is_not_a_warc_file(tmp_path: Path):
    path = tmp_path / "x.warc.gz"
    path.write_bytes(b"this is no archive at all" * 100)
    pages, troubles = read(from_warc, path)
    assert not pages and troubles
