"""Whole ways of hostile things: from a server or an archive through a crawl into a store, and out
to a terminal or a file.
"""

from __future__ import annotations

import gzip
import json
import random
import time
from pathlib import Path

import pytest

import treelace as tl
from tests.crawl.servers import Answer, Server, redirect
from tests.hostile.test_sinks import ESCAPES, on_a_terminal
from tests.store.conftest import URL, fetched
from treelace.crawl.settings import CrawlSettings
from treelace.crawl.sources import from_warc
from treelace.diff.outputs import Change, write
from treelace.extract.outputs import flatten, to_jsonl
from treelace.limits import Limits
from treelace.site import Site

SETTINGS = CrawlSettings(allow_private=True, delay=0.0, seconds=30.0, attempts=1, storm=10_000)


def test_addresses_with_control_characters_end_no_crawl(tmp_path: Path, store_place: str):
    """NUL, CR and LF in a link and in a `Location`; the good page is stored, on both databases."""
    links = "<a href='/odd'>x</a><a href='/&#10;&#13;%0d%0aX: y'>x</a><a href='/\x00%00'>x</a>"
    home = Answer(f"<p>{links}<a href='/good'>x</a>".encode())
    with (
        Server(
            {"/": home, "/odd": redirect("/\x00\x01\x7f\xff"), "/good": Answer(b"<p>good")}
        ) as server,
        Site.create(tmp_path / "site", f"{server.url}/", store=store_place) as site,
    ):
        site.crawl(SETTINGS)
        assert f"{server.url}/good" in site.store.urls() and not site.verify().damage
        said = [event.url or "" for event in site.store.frontier.events()]
    assert not any(sign in url for url in said for sign in "\r\n\x00")
    assert server.asked["/good"] == 1


def test_a_packed_sitemap_is_read(tmp_path: Path):
    """`.xml.gz` sitemaps were never fetched."""
    with Server({}) as server:
        head = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        sitemap = f"{head}<url><loc>{server.url}/hidden</loc></url></urlset>".encode()
        server.answers |= {
            "/": Answer(b"<p>home"),
            "/robots.txt": Answer(f"Sitemap: {server.url}/s.xml.gz".encode()),
            "/s.xml.gz": Answer(gzip.compress(sitemap), content_type="application/gzip"),
            "/hidden": Answer(b"<p>hidden"),
        }
        with Site.create(tmp_path / "site", f"{server.url}/") as site:
            site.crawl(SETTINGS)
            assert f"{server.url}/hidden" in site.store.urls()


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("cut", [1, 30, 60])
def test_a_record_that_is_cut_is_no_page(tmp_path: Path, cut: int, is_packed: bool):
    """Its answer has no length of its own: half of it looked like a page, and nothing was said."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + b"tea " * 30
    record = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/%d\r\n"
        b"WARC-Date: 2026-03-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:%d>\r\nContent-Type:"
        b" application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%b"
    )
    first = record % (1, 1, len(http), http) + b"\r\n\r\n"
    second = (record % (2, 2, len(http), http))[:-cut]
    file = tmp_path / ("a.warc.gz" if is_packed else "a.warc")
    parts = [gzip.compress(part) if is_packed else part for part in (first, second)]
    file.write_bytes(b"".join(parts))
    troubles: list[object] = []
    pages = list(from_warc(file, limits=Limits(), on_trouble=troubles.append))
    assert [page.url for page in pages] == ["https://a.example/1"] and len(troubles) == 1


@pytest.mark.parametrize("count", [3000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_many_siblings_in_another_order_are_shown_soon(count: int):
    """10⁵ of them took 93 s."""
    numbers = list(range(count))
    old = "".join(f"<p>tea {number}</p>" for number in numbers)
    random.Random(1).shuffle(numbers)
    new = "".join(f"<p>tea {number}</p>" for number in numbers)
    before, after = tl.parse(f"<main>{old}</main>"), tl.parse(f"<main>{new}</main>")
    change = Change(delta=tl.diff(before, after), old=before, new=after)
    start = time.process_time()
    assert len(write(change, "text").splitlines()) > count / 10
    assert time.process_time() - start < 30


@pytest.mark.parametrize("odd", ["1e999", "Infinity", "NaN", "-1e400", "9" * 400])
def test_numbers_without_a_value_are_valid_json(odd: str):
    rows = "".join(f"<li><b>Tea {n}</b> <i>{n}.5</i></li>" for n in range(9))
    page = tl.parse(f"<ul>{rows}<li><b>Tea 9</b> <i>{odd}</i></li></ul>")

    def refuse(word: str) -> None:
        pytest.fail(f"{word} is no JSON")

    written = to_jsonl(flatten(tl.extract(page))).splitlines()
    assert len(written) >= 10
    for line in written:
        json.loads(line, parse_constant=refuse)


def test_what_a_site_tells_does_not_drive_the_terminal(tmp_path: Path):
    """Values of records and the reasons of alerts, with escapes of a page in them."""
    goods = "".join(f"<li><h2>Tea {n}</h2><b>€{n}.50</b></li>" for n in range(8))
    pages = [f"<!doctype html><title>x</title><ul>{goods}</ul>".encode()]
    pages.append(pages[0].replace(b"Tea 3", f"owned{ESCAPES}".encode()))
    with Site.create(tmp_path / "site", URL) as site:
        path = site.folder / "treelace.toml"
        path.write_text(
            path.read_text() + '\n[[class]]\nname = "teas"\nurls = ".*"\nwrapper = "extract"\n'
        )
    with Site(tmp_path / "site") as site:
        site.subscribe("new", records="teas", when="new", channels=("terminal",))
        for number, body in enumerate(pages, 1):
            site.add_pages([fetched(number, body=body)])
    for command in (["records", "teas"], ["alerts"], ["log", URL], ["show", URL]):
        received = on_a_terminal(*command, "--site", "site", cwd=tmp_path)
        assert "owned" in received or command[0] == "log", command
        for sign in ("\x1b]", "\x1b[2J", "\x9b", "\x07", "\x7f", "\u202e"):
            assert sign not in received, command
