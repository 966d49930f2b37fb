"""Rendering while crawling, by a real Chromium: what scripts draw is what is kept, and a page's
scripts reach nothing that a crawl may not.
"""

from __future__ import annotations

import gzip
import json
import socket
from datetime import UTC, datetime

import pytest

from tests.crawl.logins import SESSION, TOKEN, assert_nowhere, make_site, write_login
from tests.crawl.servers import Answer, Server, redirect
from treelace.crawl.ipc import Job, Outcome
from treelace.crawl.rendering import RENDERED, RenderingDownloader
from treelace.crawl.settings import CrawlSettings
from treelace.render import find_browser

pytest.importorskip("playwright", reason="the extra [render] is not installed")
pytestmark = pytest.mark.skipif(
    find_browser() is None, reason="no Chromium on this machine (chromium, google-chrome)"
)

KEPT = "k3pt-by-the-browser"
TEAS = ["Assam", "Sencha", "Rooibos", "Keemun"]
SHELL = b"""<body><h1>Teas</h1><ul id=list></ul><img src=/picture.png><script>
fetch('/api', {headers: {'X-Kept': localStorage.getItem('key') || ''}})\
.then(answer => answer.json()).then(teas => {
  document.getElementById('list').innerHTML = teas.map((tea, n) => \
`<li><a href="/tea/${n}">${tea}</a> <i>${n + 3}.50</i></li>`).join('')
})</script>"""


class Given:
    """A downloader that answers from memory."""

    def __init__(self, pages: dict[str, bytes]) -> None:
        self.pages = pages
        self.jobs: list[Job] = []

    def ask(self, job: Job) -> None:
        self.jobs.append(job)

    def next(self, seconds: float) -> Outcome | None:
        if not self.jobs:
            return None
        job = self.jobs.pop(0)
        return Outcome(
            job.number,
            job.url,
            datetime.now(UTC),
            200,
            self.pages[job.url],
            (("Content-Type", "text/html; charset=utf-8"),),
        )


def rendered(pages: dict[str, bytes], **settings: object) -> dict[str, Outcome]:
    chosen = CrawlSettings(**({"render": ("",), "seconds": 60.0, "allow_private": True} | settings))  # type: ignore[arg-type]
    found: dict[str, Outcome] = {}
    with RenderingDownloader(Given(pages), chosen, homes=list(pages)) as downloader:
        for number, url in enumerate(pages):
            downloader.ask(Job(number, url))
        while len(found) < len(pages):
            outcome = downloader.next(1.0)
            if outcome is not None:
                found[outcome.url] = outcome
    return found


def test_a_crawl_keeps_what_scripts_draw_with_a_login_and_no_secret_of_it(treelace, tmp_path):
    def api(handler) -> Answer:
        is_known = handler.headers.get(
            "Authorization"
        ) == f"Bearer {TOKEN}" and f"session={SESSION}" in handler.headers.get("Cookie", "")
        is_kept = handler.headers.get("X-Kept") == KEPT
        return Answer(
            json.dumps(TEAS if is_known and is_kept else []).encode(),
            content_type="application/json",
        )

    with Server(
        {"/": Answer(SHELL), "/api": api, "/picture.png": Answer(b"x", content_type="image/png")}
    ) as server:
        server.answers.update(
            {
                f"/tea/{number}": Answer(f"<h1>{tea}</h1>".encode())
                for number, tea in enumerate(TEAS)
            }
        )
        settings = (
            '\n[crawl]\nlogin = "login.json"\nheaders = { Authorization = "Bearer ${SHOP_TOKEN}"'
            ' }\nrender = ["/$"]\n'
        )
        make_site(treelace, tmp_path, server.url + "/", settings)
        write_login(
            tmp_path,
            origins=[{"origin": server.url, "localStorage": [{"name": "key", "value": KEPT}]}],
        )
        crawl = (
            "crawl",
            "--allow-private",
            "--delay",
            "0",
            "--warc",
            "shop.warc.gz",
            "--log-json",
            "log.jsonl",
            "--site",
            "shop",
        )
        ran = treelace(*crawl, env={"SHOP_TOKEN": TOKEN})
        assert ran.returncode == 0, ran.stderr
        assert "5 fetched" in ran.stdout, "links that scripts have drawn are followed"
        assert not server.asked["/picture.png"]
        shown = treelace("show", server.url + "/", "--site", "shop").stdout
    assert all(tea in shown for tea in TEAS)
    archive = gzip.decompress((tmp_path / "shop.warc.gz").read_bytes())
    assert archive.count(RENDERED.encode()) == 1, "the page by the pattern, and no other"
    assert b'<a href="/tea/3">Keemun</a>' in archive
    assert_nowhere((TOKEN, SESSION, KEPT), tmp_path, ran.stdout + ran.stderr)


def test_scripts_of_a_page_do_not_reach_this_machine():
    listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listening.bind(("127.0.0.1", 0))
    listening.settimeout(0.1)
    with Server({"/": redirect("/x")}) as server:
        host, port, udp = f"127.0.0.1:{server.port}", server.port, listening.getsockname()[1]
        page = (
            f"<body><link rel=stylesheet href=http://{host}/css>"
            f"<link rel=preconnect href=http://{host}><link rel=prefetch href=http://{host}/prefetch>"
            f"\n        <script src=http://{host}/js></script><iframe src=http://{host}/frame></iframe>"
            f"<img src=http://{host}/img><p>still here<script>"
            f"\n        fetch('http://{host}/fetch').catch(() => 0);"
            f"\n        fetch('http://localhost:{port}/name').catch(() => 0);"
            f" fetch('http://[::1]:{port}/six').catch(() => 0);"
            f"\n        fetch('http://{host}/post', {{method: 'POST', body: 'x', mode: 'no-cors'}})"
            ".catch(() => 0);"
            f"\n        new WebSocket('ws://{host}/socket'); new EventSource('http://{host}/events');"
            f" navigator.sendBeacon('http://{host}/beacon'); open('http://{host}/window');"
            "\n        new Worker(URL.createObjectURL(new Blob("
            f"""["fetch('http://{host}/worker').catch(() => 0)"])));"""
            "\n        const peer = new RTCPeerConnection("
            f"{{iceServers: [{{urls: 'stun:127.0.0.1:{udp}'}}]}}); peer.createDataChannel('x');"
            "\n        peer.createOffer().then(offer => peer.setLocalDescription(offer));"
            f" location.href = 'http://{host}/moved'</script>"
        )
        found = rendered({"http://page.example/": page.encode()}, allow_private=False)
        assert b"still here" in found["http://page.example/"].body, found
        assert not server.asked
    with pytest.raises(TimeoutError):
        listening.recv(100)
    listening.close()


def test_headers_stay_with_the_host_they_are_for(monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)
    with (
        Server({"/there": Answer(b"1", headers={"Access-Control-Allow-Origin": "*"})}) as other,
        Server({}) as home,
    ):
        home.answers["/api"] = redirect(f"{other.url}/there")
        loads = (
            f"for (const url of ['/api', '{other.url}/there']) fetch(url).then(a =>"
            " a.text()).then(t => document.body.append('got ' + t))"
        )
        script = f"<body><script>{loads}</script>"
        found = rendered(
            {home.url + "/": script.encode()}, headers=(("Authorization", "Bearer ${SHOP_TOKEN}"),)
        )
        assert home.asked["/api"] == 1 and home.headers[0]["Authorization"] == f"Bearer {TOKEN}"
        assert other.asked["/there"] >= 1 and TOKEN not in str(other.headers)
        assert b"got 1" in found[home.url + "/"].body


def test_a_page_that_never_ends_is_one_line_and_the_others_are_there():
    pages = {
        "http://a.example/": b"<p>x<script>for (;;) {}</script>",
        "http://b.example/": b"<p>fine",
        "http://c.example/": b"<p>long<script>setInterval(() => fetch('/x'), 400)</script>",
    }
    found = rendered(pages, seconds=12.0, allow_private=False)
    assert found["http://a.example/"].failure == "a.example: not rendered within 12 s"
    assert b"fine" in found["http://b.example/"].body and b"long" in found["http://c.example/"].body


def test_without_asking_no_browser_is_started(treelace, tmp_path):
    with Server({"/": Answer(SHELL)}) as server:
        treelace("init", "shop", server.url + "/")
        ran = treelace("crawl", "--allow-private", "--delay", "0", "--site", "shop")
        assert "1 fetched" in ran.stdout and not server.asked["/api"]
