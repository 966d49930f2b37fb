"""One polite fetch, against servers that behave and servers that do not: an answer, or one clear
line.
"""

from __future__ import annotations

import gzip
import socket
import threading
import time
import zlib

import pytest

from tests.crawl.servers import Answer, Server, redirect, self_signed
from treelace.crawl.fetch import fetch
from treelace.crawl.settings import FetchSettings
from treelace.errors import CrawlError, LimitError, UsageError

OPEN = FetchSettings(allow_private=True, seconds=20)
QUICK = FetchSettings(allow_private=True, seconds=0.4)


def refusal(url: str, settings: FetchSettings = OPEN) -> str:
    with pytest.raises(CrawlError) as raised:
        fetch(url, settings)
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_a_page_comes_with_its_type_status_and_headers():
    with Server({"/tea": Answer("<p>Tee für dich".encode(), headers={"ETag": '"7"'})}) as server:
        page = fetch(server.url + "/tea#top", OPEN)
    assert page.url == server.url + "/tea"
    assert (page.status, page.body.decode()) == (200, "<p>Tee für dich")
    assert page.content_type == "text/html; charset=utf-8"
    assert dict(page.headers)["ETag"] == '"7"'
    assert page.time.utcoffset() is not None


def pack_deflate_raw(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("gzip", lambda data: gzip.compress(data[:5]) + gzip.compress(data[5:])),
        ("deflate", zlib.compress),
        ("deflate", pack_deflate_raw),
    ],
)
def test_packed_bodies_are_unpacked(coding, pack):
    text = b"<p>" + b"tea " * 100_000
    with Server({"/": Answer(pack(text), headers={"Content-Encoding": coding})}) as server:
        assert fetch(server.url, OPEN).body == text


def test_redirects_are_followed_to_the_page():
    with Server(
        {"/a": redirect("/b", 301), "/b": redirect("c?x=1", 307), "/c": Answer(b"<p>here")}
    ) as server:
        page = fetch(server.url + "/a", OPEN)
    assert (page.url, page.body) == (server.url + "/c?x=1", b"<p>here")


def test_secrets_stay_with_the_host_that_was_asked_for(monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", "s3cret")
    with Server({"/": Answer(b"<p>other")}) as other, Server({"/": redirect(other.url)}) as home:
        settings = FetchSettings(
            allow_private=True,
            headers=(("Authorization", "Bearer ${SHOP_TOKEN}"),),
            cookies=(("session", "${SHOP_TOKEN}"),),
        )
        fetch(home.url, settings)
        assert home.headers[-1]["Authorization"] == "Bearer s3cret"
        assert "Authorization" not in other.headers[-1] and "Cookie" not in other.headers[-1]
        assert "s3cret" not in repr(settings)


def test_a_secret_that_is_not_set_is_named():
    with Server({"/": Answer(b"x")}) as server, pytest.raises(UsageError, match="TREELACE_NO_SUCH"):
        fetch(
            server.url, FetchSettings(allow_private=True, headers=(("X", "${TREELACE_NO_SUCH}"),))
        )


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/missing", "the server answered 404 Not Found"),
        ("/busy", "the server answered 503 Service Unavailable"),
        ("/circle", "redirects in a circle"),
        ("/far/1", "more than 10 redirects"),
        ("/paper.pdf", "application/pdf is not a page"),
        ("/mail", "redirects to what is no page"),
        ("/short", "the exchange broke off"),
        ("/damaged", "the exchange broke off"),
        ("/cut", "the gzip body is cut off"),
        ("/brotli", "packed as br, which was not asked for"),
    ],
)
def test_a_page_that_cannot_be_had_is_one_line(path, words):
    packed = gzip.compress(b"tea " * 1000)
    answers = {
        "/busy": Answer(b"", 503),
        "/circle": redirect("/circle/2"),
        "/circle/2": redirect("/circle"),
        **{f"/far/{number}": redirect(f"/far/{number + 1}") for number in range(20)},
        "/paper.pdf": Answer(b"%PDF", content_type="application/pdf"),
        "/mail": redirect("mailto:someone"),
        "/short": Answer(b"<p>half", headers={"Content-Length": "5000"}),
        "/damaged": Answer(
            packed[:20] + b"xxxx" + packed[24:], headers={"Content-Encoding": "gzip"}
        ),
        "/cut": Answer(packed[:-12], headers={"Content-Encoding": "gzip"}),
        "/brotli": Answer(b"x", headers={"Content-Encoding": "br"}),
    }
    with Server(answers) as server:
        assert words in refusal(server.url + path)


def test_a_slow_drip_gets_no_more_time_than_silence():
    with Server({}) as server:
        server.answers["/"] = Answer(server.drip())
        server.answers["/robots.txt"] = Answer(b"", 404)
        began = time.monotonic()
        assert "not done within 0.4 s" in refusal(server.url, QUICK)
        assert time.monotonic() - began < 5


def test_dripping_headers_get_no_more_time_either():
    listening = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def drip() -> None:
        connection, _ = listening.accept()
        with connection:
            while not stop.is_set():
                try:
                    connection.send(b"H")
                except OSError:
                    return
                time.sleep(0.05)

    threading.Thread(target=drip, daemon=True).start()
    try:
        assert "not done within 0.4 s" in refusal(
            f"http://127.0.0.1:{listening.getsockname()[1]}/", QUICK
        )
    finally:
        stop.set()
        listening.close()


def test_a_huge_body_is_refused_in_time():
    with Server({}) as server:
        sent = []

        def flood():
            for _ in range(500):  # 500 MB
                sent.append(1)
                yield b"x" * 2**20

        server.answers["/announced"] = Answer(b"x", headers={"Content-Length": str(500 * 2**20)})
        server.answers["/flood"] = Answer(flood())
        server.answers["/bomb"] = Answer(
            gzip.compress(bytes(50 * 2**20)), headers={"Content-Encoding": "gzip"}
        )
        for path in ("/flood", "/bomb"):
            with pytest.raises(LimitError, match="2,097,152"):
                fetch(server.url + path, FetchSettings(allow_private=True, bytes=2 * 2**20))
        assert len(sent) < 100


def test_a_host_that_does_not_answer_is_one_line():
    with Server({}) as server:
        port = server.port
    assert f"127.0.0.1: cannot connect to port {port}" in refusal(f"http://127.0.0.1:{port}/")
    assert "the host cannot be found" in refusal("http://no-such-host.invalid/")


def test_an_invalid_certificate_is_one_line(tmp_path):
    with Server({"/": Answer(b"<p>hi")}, certificate=self_signed(tmp_path)) as server:
        assert "127.0.0.1: the certificate is not valid (self-signed certificate)" in refusal(
            server.url
        )
        page = fetch(server.url, FetchSettings(allow_private=True, checks_certificates=False))
        assert page.body == b"<p>hi"


def test_robots_are_asked_first_and_heard():
    with Server(
        {
            "/robots.txt": Answer(b"User-agent: *\nDisallow: /private/"),
            "/": Answer(b"<p>hi"),
            "/private/x": Answer(b"no"),
        }
    ) as server:
        fetch(server.url, OPEN)
        assert "robots.txt asks not to fetch this" in refusal(server.url + "/private/x")
        assert not server.asked["/private/x"]
        assert (
            fetch(
                server.url + "/private/x", FetchSettings(allow_private=True, obeys_robots=False)
            ).body
            == b"no"
        )


def test_a_site_whose_robots_fail_is_left_alone():
    with Server({"/robots.txt": Answer(b"", 500), "/": Answer(b"<p>hi")}) as server:
        assert "robots.txt answered 500" in refusal(server.url)
        assert not server.asked["/"]
