"""Hostile values at every seam: settings, wrapper files, answers of servers, archives, SQL, feeds.

Each of them is taken as far as it goes, or refused with a named error in one line, soon.
"""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.store.conftest import URL, fetched
from treelace import Wrapper, parse
from treelace.crawl.fetch import fetch
from treelace.crawl.settings import FetchSettings
from treelace.crawl.sources import from_warc
from treelace.errors import TreelaceError
from treelace.limits import Limits
from treelace.look import escape_controls
from treelace.monitor.channels.atom import feed
from treelace.site import Site
from treelace.store.alerts import Alert
from treelace.store.query import query
from treelace.store.states import AlertState

SOON = 10.0
"""Seconds, on a machine that does other things too."""
ODD_TEXTS = [
    "",
    "\x00",
    "\x1b[2J\x1b]0;gone\x07",
    "\u202egnp.exe",
    "\ud800",
    "=cmd|' /C calc'!A0",
    "</script><script>alert(1)</script>",
    "'; drop table pages; --",
    "%s%n{0}{x!r}",
    "${HOME}",
    "x" * 100_000,
    "\r\nSet-Cookie: a=b",
    "🫖" * 1000,
    "]]>&amp;<![CDATA[",
    "../../../etc/passwd",
]


@contextmanager
def soon() -> Iterator[None]:
    """What happens is done, or named in one line, soon."""
    start, said = time.monotonic(), "done"
    try:
        yield
    except TreelaceError as error:
        said = str(error)
    assert said and "\n" not in said.strip() and "Traceback" not in said
    assert time.monotonic() - start < SOON


# settings

SECTIONS = {
    "site": ["url", "name"],
    "store": ["url", "workers"],
    "crawl": ["hosts", "include", "delay", "concurrency", "depth", "pages", "seconds", "headers"],
    "alerts": ["judge", "judge_seconds"],
    "retention": ["keep_versions", "keep_days"],
}
ODD_SETTINGS = [
    '""',
    "-1",
    "1e999",
    "nan",
    "99999999999999999999999",
    "[[[[]]]]",
    "{ a = { b = 1 } }",
    '"\\u0000"',
    "true",
    "1979-05-27T07:32:00Z",
]
BROKEN_FILES = [
    b"",
    b"\x00",
    b"\xff\xfe[\x00",
    b"\xef\xbb\xbf[site]\nurl = 'https://a.example/'\n",
    b"[site\n",
    b"[site]\nurl = 1\nurl = 2\n",
    b"[site]\n" + b"[" * 5000,
    b"[site]\nurl = '''" + b"x" * 100_000,
    b"a." * 3000 + b"b = 1\n",
    b"[site]\nurl = 'https://a.example/'\n[[class]]\nname = 'x'\nurls = '('\n",
    b"[site]\nurl = 'https://a.example/'\n[[class]]\nname = 'x'\nurls = '(a+)+$'\nwrapper = '..'\n",
    b"[site]\nurl = 'https://a.example/'\n[unknown]\nx = 1\n",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("seams") / "site"
    with Site.create(made, URL) as site:
        site.add_pages([fetched(1), fetched(2)])
    return made


@pytest.mark.parametrize("value", ODD_SETTINGS)
@pytest.mark.parametrize(
    ("section", "name"), [(section, name) for section, names in SECTIONS.items() for name in names]
)
def test_settings(folder: Path, section: str, name: str, value: str):
    head = "" if section == "site" else f"[site]\nurl = '{URL}'\n"
    (folder / "treelace.toml").write_text(f"{head}[{section}]\n{name} = {value}\n")
    with soon(), Site(folder, read_only=True) as site:
        site.crawl_settings()


@pytest.mark.parametrize("data", BROKEN_FILES, ids=range(len(BROKEN_FILES)))
def test_broken_settings(folder: Path, data: bytes):
    (folder / "treelace.toml").write_bytes(data)
    with soon(), Site(folder, read_only=True) as site:
        site.crawl_settings()


# wrapper files

PAGES = [
    parse(
        "<!doctype html><ul>"
        + "".join(f"<li><h2>Tea {n}{k}</h2><b>€{n + k}.00</b></li>" for k in range(6))
        + "</ul>"
    )
    for n in range(3)
]
LEARNT = json.loads(Wrapper.learn(PAGES).to_json())
ODD_VALUES: list[Any] = [
    None,
    -1,
    2**31,
    2**70,
    1e308,
    "",
    "x" * 10_000,
    "\x00",
    [],
    {},
    [[[]]],
    {"a": {"b": []}},
    "css:" + ":not(" * 500,
    "xpath:" + "//*[" * 300,
    "css:*" * 200,
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Each place of a JSON document, of lists the first."""
    yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize(
    "path", list(places(LEARNT)), ids=lambda path: ".".join(map(str, path)) or "all"
)
def test_wrapper_files(path: tuple[Any, ...]):
    for odd in ODD_VALUES:
        with soon():
            Wrapper.from_json(json.dumps(replaced(LEARNT, path, odd))).apply(
                PAGES[0], limits=Limits(seconds=2)
            )


# answers of servers

PLAIN = b"Content-Type: text/html\r\n"
ANSWERS = [
    b"",
    b"\x00" * 100,
    b"HTTP/1.1",
    b"HTTP/1.1 \r\n\r\n",
    b"HTTP/9.9 200 OK\r\n\r\n<p>tea",
    b"HTTP/1.1 99999 OK\r\n\r\n<p>tea",
    b"HTTP/1.1 -1 OK\r\n\r\n<p>tea",
    b"HTTP/1.1 2OO OK\r\n\r\n<p>tea",
    b"HTTP/1.1 \xc2\xb2\xc2\xb2 OK\r\n\r\n",
    b"HTTP/1.1 200 " + b"x" * 100_000 + b"\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n" * 500,
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 20_000 + b"\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\nA: " + b"b" * 300_000 + b"\r\n\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\n: nameless\r\n\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Content-Length: -5\r\n\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Content-Length: 99999999999999999999\r\n\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Content-Length: \xc2\xb2\r\n\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Transfer-Encoding: chunked\r\n\r\nffffffffffff\r\nx",
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Transfer-Encoding: tea\r\n\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Content-Encoding: gzip\r\n\r\n" + b"\x1f\x8b" + b"\x00" * 9,
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Content-Encoding: gzip, gzip\r\n\r\n" + gzip.compress(b"x"),
    b"HTTP/1.1 200 OK\r\n"
    + PLAIN
    + b"Content-Encoding: gzip\r\n\r\n"
    + gzip.compress(b"\x00" * 50_000_000),
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\x00\xff\r\n\r\n<p>tea",
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-99999\r\n\r\n<p>tea",
    b"HTTP/1.1 302 Found\r\nLocation: \r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: //\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: http://a.example:99999/\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: /\x00\xff\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: http://" + b"a" * 70_000 + b"/\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n" + PLAIN + b"Set-Cookie: " + b"a=b; " * 5000 + b"\r\n\r\n<p>tea",
]


@contextmanager
def answering(data: bytes) -> Iterator[str]:
    """A server that says this to whoever asks, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(SOON)

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                    with connection:
                        connection.recv(65536)
                        connection.sendall(data)
                except OSError:
                    if server.fileno() < 0:
                        return

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


@pytest.mark.parametrize("data", ANSWERS, ids=range(len(ANSWERS)))
def test_answers_of_servers(data: bytes):
    settings = FetchSettings(allow_private=True, seconds=3, bytes=1_000_000)
    with answering(data) as url, soon():
        page = fetch(url, settings)
        assert len(page.body) <= 1_000_000


# archives

RECORD = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/\r\n"
    b"WARC-Date: 2026-03-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
    b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
)
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>tea"


def record(http: bytes = HTTP, *changes: tuple[bytes, bytes]) -> bytes:
    made = RECORD % (len(http), http)
    for old, new in changes:
        made = made.replace(old, new)
    return made


ARCHIVES = [
    b"",
    b"\x00" * 1000,
    b"WARC/1.0",
    b"WARC/1.0\r\n\r\n\r\n\r\n",
    record(),
    record()[:-20],
    record() * 3 + b"junk",
    record(b""),
    record(b"\x00" * 50),
    record(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 50_000 + b"\r\n<p>tea"),
    record(b"HTTP/1.1 99999 OK\r\n\r\n<p>tea"),
    record(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<p>tea"),
    record(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b"),
    record(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nx"),
    record(HTTP, (b"Content-Length: ", b"Content-Length: -")),
    record(HTTP, (b"Content-Length: ", b"Content-Length: 9999999999999999999")),
    record(HTTP, (b"Content-Length", b"X-Length")),
    record(HTTP, (b"2026-03-01T00:00:00Z", b"9999-12-31T23:59:59Z")),
    record(HTTP, (b"2026-03-01T00:00:00Z", b"0000-00-00T00:00:00Z")),
    record(HTTP, (b"2026-03-01T00:00:00Z", b"yesterday")),
    record(HTTP, (b"https://a.example/", b"")),
    record(HTTP, (b"https://a.example/", b"file:///etc/passwd")),
    record(HTTP, (b"https://a.example/", b"https://a.example/\x1b[2J")),
    record(HTTP, (b"https://a.example/", b"http://[::1")),
    record(HTTP, (b"response\r\nWARC-T", b"revisit\r\nWARC-T")),
    gzip.compress(record()),
    gzip.compress(record())[:-9],
    gzip.compress(record()) + b"\x1f\x8b\x08",
    gzip.compress(b"") * 2000,
    b"\x28\xb5\x2f\xfd" + b"\x00" * 20,
]


@pytest.mark.parametrize("data", ARCHIVES, ids=range(len(ARCHIVES)))
@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_archives(tmp_path: Path, data: bytes, name: str):
    file = tmp_path / name
    file.write_bytes(data)
    troubles: list[object] = []
    with soon():
        for page in from_warc(file, limits=Limits(seconds=5), on_trouble=troubles.append):
            assert page.url.startswith("http") and page.time.year < 2100


# SQL

STATEMENTS = [
    "",
    ";",
    "--",
    "/*",
    "select",
    "select 1; select 2",
    "drop table pages",
    "delete from pages",
    "insert into pages (url) values ('x')",
    "update pages set url = 'x'",
    "create table x (y int)",
    "attach database '/tmp/x.sqlite' as x",
    "pragma journal_mode = delete",
    "vacuum",
    "begin",
    "select * from no_such_table",
    "select " + "1," * 5000 + "1",
    "select " + "(" * 3000 + "1" + ")" * 3000,
    "select 1/0",
    "select 9223372036854775807 + 1",
    "select 'x' || char(0)",
    "select '\x00'",
    "select 1 where 1 = ?",
    "select :name",
    "select %s",
    "select load_extension('x')",
    "copy pages to '/tmp/x'",
    "select pg_sleep(60)",
    "select pg_read_file('/etc/passwd')",
    "explain select 1",
    "values (1), (2)",
]


@pytest.mark.parametrize("statement", STATEMENTS, ids=range(len(STATEMENTS)))
def test_statements(tmp_path: Path, store_place: str, statement: str):
    Site.create(tmp_path / "site", URL, store=store_place).close()
    with Site(tmp_path / "site", limits=Limits(seconds=3)) as site:
        site.add_pages([fetched(1)])
        with soon(), query(site.store, statement) as (_, found):
            list(found)
        assert site.store.urls() == [URL] and not site.verify().damage


# feeds and terminals


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_feeds(text: str):
    now = datetime(2026, 3, 1, tzinfo=UTC)
    alert = Alert(1, text, text, now, text, 1, text, AlertState.OPEN, text, {"x": text})
    root = ElementTree.fromstring(feed([alert, alert]).encode("utf-8"))
    entries = root.findall("{http://www.w3.org/2005/Atom}entry")
    assert len(entries) == 2
    assert all(len(entry) == 6 for entry in entries), "nothing of a text became markup"


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_terminals(text: str):
    shown = escape_controls(text)
    assert not any(ord(sign) < 32 and sign not in "\n\t" for sign in shown)
    assert "\x1b" not in shown and "\u202e" not in shown
    shown.encode("utf-8")


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_addresses_and_values_of_pages(tmp_path: Path, store_place: str, text: str):
    """A page that says it, in its text, in a link and in its address, is stored and given back."""
    with Site.create(tmp_path / "site", URL, store=store_place) as site:
        body = f"<p>{text}</p><a href='{text}'>x</a>".encode("utf-8", "surrogatepass")
        site.add_pages([fetched(1, URL + text[:300], body=body), fetched(1, URL + "good")])
        assert URL + "good" in site.store.urls() and not site.verify().damage
