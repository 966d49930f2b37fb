"""A captured page that tries to break out does nothing: no script, no request, no navigation."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.studio.conftest import started
from treelace.site import Site
from treelace.store import FetchedPage

URL = "https://evil.example/"
PAGE = """<!DOCTYPE html><html><head><title>x</title>
<meta http-equiv="refresh" content="0; url={canary}/refresh">
<base href="{canary}/base/"><link rel="stylesheet" href="{canary}/sheet.css">
<link rel="prefetch" href="{canary}/prefetch">
<style>@import "{canary}/import.css"; body {{ background: url({canary}/background.png) }}
@font-face {{ font-family: f; src: url({canary}/font) }} p {{ font-family: f }}</style>
<script>top.location = "{canary}/script"; fetch("{canary}/fetch")</script>
<script src="{canary}/source.js"></script></head>
<body onload="fetch('{canary}/onload')"><p id="there">The page is there</p>
<a id="link" href="javascript:fetch('{canary}/link')">a link</a>
<a id="top" target="_top" href="{canary}/top">out of the frame</a>
<img src="{canary}/image.png" onerror="fetch('{canary}/onerror')">
<img srcset="{canary}/srcset.png 2x">
<video poster="{canary}/poster.png" src="{canary}/video"></video>
<svg onload="fetch('{canary}/svg')"><image href="{canary}/svg.png"/><use href="{canary}/use.svg#a"/>
<script>fetch("{canary}/svgscript")</script>
<a id="inside" xlink:href="javascript:fetch('{canary}/xlink')"><text y="20">svg link</text></a>
<animate attributeName="href" values="javascript:alert(1)"/></svg>
<iframe srcdoc="<script>fetch('{canary}/srcdoc')</script>"></iframe>
<iframe src="{canary}/iframe"></iframe><object data="{canary}/object"></object>
<embed src="{canary}/embed"><form id="form" action="{canary}/form"><button id="send">send</button>
<input formaction="javascript:fetch('{canary}/formaction')" type=submit></form>
<table><tr><td onclick="fetch('{canary}/onclick')">
&lt;script&gt;fetch("{canary}/cell")&lt;/script&gt;</table>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x \
onerror=fetch('{canary}/mxss')&gt;"></table></mtext></math>
<noscript><p title="</noscript><img src=x onerror=fetch('{canary}/noscript')>"></noscript>
<style>p {{}}</style><style></style><xmp></xmp><img src=x onerror="fetch('{canary}/xmp')">
<p style="background: url({canary}/inline.png)" data-treelace-mark id="treelace-mark">false mark</p>
</body></html>"""


@pytest.fixture
def canary() -> Iterator[tuple[str, list[str]]]:
    """A server that notes who asks it for anything."""
    asked: list[str] = []

    class Notes(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        do_POST = do_GET  # noqa: N815 (the name is the standard library's)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Notes)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def capture(folder: Path, *bodies: str) -> None:
    with Site.create(folder, URL) as site:
        for day, body in enumerate(bodies, start=1):
            time = datetime(2026, 3, day, tzinfo=UTC)
            site.add_pages([FetchedPage(URL, time, 200, body.encode(), "text/html")])


def test_a_hostile_page_does_nothing(chromium: Any, tmp_path: Path, canary: Any):
    address, asked = canary
    body = PAGE.format(canary=address)
    capture(tmp_path / "evil", body, body.replace("is there", "is still there"))
    with started(tmp_path / "evil") as studio:
        window = chromium.new_context()
        page = window.new_page()
        dialogs: list[str] = []
        page.on("dialog", lambda it: dialogs.append(it.message))
        page.goto(studio.link)
        one = f"{studio.origin}/s/evil/page?url={quote(URL, safe='')}"
        two = f"{studio.origin}/s/evil/diff?url={quote(URL, safe='')}"
        for view in (one, f"{one}&as=source", two, f"{two}&as=text&all=1", f"{two}&as=source"):
            page.goto(view, wait_until="networkidle")
            if page.locator("iframe.captured").count():
                frame = page.frame_locator("iframe.captured >> nth=0")
                assert "there" in frame.locator("#there").inner_text()
                for name in ("#link", "#top", "#send", "#inside", "td"):
                    frame.locator(name).first.click(force=True)
            page.wait_for_timeout(300)
            assert page.url == view
        page.goto(f"{studio.origin}/s/evil/", wait_until="networkidle")
        pages = window.pages
        window.close()
    assert not asked, asked
    assert not dialogs and len(pages) == 1


def test_the_canary_sings(canary: Any, chromium: Any):
    """The same page outside of the studio asks for much: the test above can fail."""
    address, asked = canary
    window = chromium.new_context()
    page = window.new_page()
    page.set_content(PAGE.format(canary=address), wait_until="commit")
    page.wait_for_timeout(1000)
    window.close()
    assert asked


def test_a_frame_cannot_reach_the_studio(chromium: Any, tmp_path: Path):
    capture(tmp_path / "evil", "<p>tea")
    with started(tmp_path / "evil") as studio:
        window = chromium.new_context()
        page = window.new_page()
        page.goto(studio.link)
        page.goto(f"{studio.origin}/s/evil/page?url={quote(URL, safe='')}")
        frame = next(it for it in page.frames if "/frame/" in it.url)
        # what a script could see there, if one ran: an origin of nobody, and no cookie
        assert frame.evaluate("self.origin") == "null"
        window.close()


def test_huge_and_deep_pages_are_shown(tmp_path: Path):
    rows = "".join(f"<tr><td>{number}<td>tea {number}" for number in range(30_000))
    deep = "<div>" * 3000 + "deep"
    capture(tmp_path / "big", f"<table>{rows}</table>{deep}")
    with started(tmp_path / "big") as studio:
        text = studio.ask(f"/s/big/page?url={quote(URL, safe='')}").text
        frame = text.partition('src="http://localhost')[2].partition('"')[0]
        path = frame.partition("/frame/")[2].replace("&amp;", "&")
        shown = studio.ask(f"/frame/{path}", host=f"localhost:{studio.port}", token=False)
        assert shown.status == 200 and "tea 29999" in shown.text and "deep" in shown.text
