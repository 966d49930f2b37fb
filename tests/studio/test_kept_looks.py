"""Style sheets and images of pages: kept where it is set, shown from what is kept, never fetched
by the browser, and gone with their pages.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.servers import Answer, Server, redirect
from tests.studio.conftest import started
from treelace.crawl.looks import MOST_BYTES, MOST_FILES_OF_PAGE
from treelace.site import Site

CSS = """
@import url("{url}/spy.css");
h1 {{ color: rgb(1, 2, 3); background: url({url}/spy.png) }}
p::before {{ content: "</style><script>parent.broken = 1; document.title = 'broken'</script>" }}
h1 {{ border-image: \\75rl({url}/spy-in-disguise.png) 1 }} @\\69mport "{url}/spy-late.css";
@font-face {{ font-family: spy; src: url({url}/spy.woff) }} h1 {{ font-family: spy }}
"""
PAGE = """<html><head><link rel=stylesheet href="/a.css"><link rel=stylesheet href="/moved.css">
<link rel=stylesheet href="/private/b.css"><link rel=stylesheet href="/fake.css">
<link rel="alternate stylesheet print" media="print" href="/print.css"></head>
<body><h1>{title}</h1><p>text <img src="/dot.png"> <img src="/again.png"> <img src="/huge.png">
<img src="/drawn.svg"> <a href="/{other}">other</a></body></html>"""
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><rect width="9" height="9"/></svg>'
)


def png() -> bytes:
    """A picture of one dot."""

    def part(name: bytes, data: bytes) -> bytes:
        whole = name + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    parts = (b"IHDR", head), (b"IDAT", zlib.compress(b"\0\xff\0\0")), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(part(*one) for one in parts)


@pytest.fixture(scope="module")
def server() -> Any:
    styled = {"content_type": "text/css"}
    image = {"content_type": "image/png"}
    with Server({}) as running:
        running.answers |= {
            "/": Answer(PAGE.format(title="One", other="two").encode()),
            "/two": Answer(PAGE.format(title="Two", other="").encode()),
            "/robots.txt": Answer(b"User-agent: *\nDisallow: /private/", content_type="text/plain"),
            "/a.css": Answer(CSS.format(url=running.url).encode(), **styled),
            "/moved.css": redirect("/there.css"),
            "/there.css": Answer(b"h1 { font-size: 41px }", **styled),
            "/private/b.css": Answer(b"h1 { color: red }", **styled),
            "/fake.css": Answer(b"<script>h1 { color: red }</script>"),
            "/dot.png": Answer(png(), **image),
            "/again.png": Answer(png(), **image),
            "/huge.png": Answer(png() + b"x" * MOST_BYTES, **image),
            "/drawn.svg": Answer(SVG, content_type="image/svg+xml"),
        }
        yield running


def crawl(folder: Path, server: Server, *, looks: bool = True) -> Site:
    Site.create(folder, f"{server.url}/").close()
    with (folder / "treelace.toml").open("a") as settings:
        settings.write(f"[crawl]\ndelay = 0.0\nlooks = {str(looks).lower()}\n")
    site = Site(folder)
    site.crawl(site.crawl_settings(allow_private=True))
    return site


@pytest.fixture(scope="module")
def kept(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("looks") / "shop"
    crawl(folder, server).close()
    return folder


def rows(site: Site) -> tuple[int, int]:
    found = site.sql("select count(*) as n from captured_files").values[0][0]
    return found, site.sql("select count(*) as n from page_files").values[0][0]


def test_they_are_kept_once_within_bounds_and_by_the_rules(kept: Path, server: Server):
    assert server.asked["/a.css"] == 1 and server.asked["/there.css"] == 1
    assert not server.asked["/private/b.css"], "robots.txt is heard"
    assert not any("spy" in path for path in server.asked)
    with Site(kept, read_only=True) as site:
        # two style sheets, one dot under two addresses, one drawing; each shown by two pages
        assert rows(site) == (4, 10)
        assert not site.verify().damage and MOST_FILES_OF_PAGE > 10


def test_they_go_with_the_last_page_that_shows_them(server: Server, tmp_path: Path):
    with crawl(tmp_path / "shop", server) as site:
        before = sum(server.asked.values())
        site.forget(f"{server.url}/two")
        assert rows(site) == (4, 5) and not site.verify().damage
        site.forget(f"{server.url}/")
        assert rows(site) == (0, 0) and not site.verify().damage
        assert sum(server.asked.values()) == before


def test_nothing_is_fetched_where_it_is_not_set(server: Server, tmp_path: Path):
    before = server.asked["/a.css"]
    with crawl(tmp_path / "shop", server, looks=False) as site:
        assert rows(site) == (0, 0) and server.asked["/a.css"] == before
        assert "rgb(1, 2, 3)" not in site.picture(f"{server.url}/")


def test_the_browser_shows_them_and_fetches_nothing(kept: Path, server: Server, chromium: Any):
    with started(kept) as studio:
        page = chromium.new_page()  # not `visit`: the browser complains of what it refuses
        page.goto(studio.link)
        asked: list[str] = []
        page.on("request", lambda one: asked.append(one.url))
        before = dict(server.asked)
        url = f"{server.url}/".replace(":", "%3A").replace("/", "%2F")
        page.goto(f"{studio.origin}/s/shop/page?url={url}")
        frame = page.frame_locator("iframe")
        style = "it => [getComputedStyle(it).color, getComputedStyle(it).fontSize]"
        assert frame.locator("h1").evaluate(style) == ["rgb(1, 2, 3)", "41px"]
        widths = [one.evaluate("it => it.naturalWidth") for one in frame.locator("img").all()]
        assert widths[:3] == [1, 1, 0] and widths[3] > 0
        page.wait_for_timeout(300)
        assert page.evaluate("window.broken") is None
        assert not [one for one in asked if "/spy." in one], "not even tried"
        assert dict(server.asked) == before
        said = frame.locator("p").evaluate("it => getComputedStyle(it, '::before').content")
        assert "script" in said, "markup in a style sheet stays a text"
        page.close()
