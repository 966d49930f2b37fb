"""Fuzz targets for what Python reads: `python fuzz/seams.py TARGET [options of libFuzzer]`.

Wrapper files, settings and WARC files: any bytes give a value or a named error in one line, soon.
Needs atheris (`pip install atheris`). What was found interesting is kept in `fuzz/corpus/TARGET`.
"""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["treelace"]):
    from treelace import Wrapper, parse
    from treelace.crawl.sources import warc_pages
    from treelace.errors import TreelaceError
    from treelace.limits import Limits
    from treelace.store import settings

HERE = Path(__file__).parent
LIMITS = Limits(bytes=1 << 20, nodes=10_000, depth=200, seconds=5)
PAGES = [
    parse(
        "<!doctype html><ul>"
        + "".join(f"<li><h2>Tea {n}{k}</h2><b>€{n + k}.00</b></li>" for k in range(6))
        + "</ul>"
    )
    for n in range(3)
]
LEARNT = Wrapper.learn(PAGES).to_json()
SETTINGS = """[site]
url = "https://shop.example/"
[store]
url = "store.sqlite"
[crawl]
hosts = ["shop.example"]
delay = 1.5
headers = { Authorization = "Bearer ${SHOP}" }
[retention]
keep_days = 30
[[class]]
name = "teas"
urls = "^/tea/"
wrapper = "extract"
"""
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>tea"
RECORD = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/\r\n"
    b"WARC-Date: 2026-03-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
    b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
) % (len(HTTP), HTTP)


def wrapper(data: bytes) -> None:
    """A wrapper's file, read and applied."""
    Wrapper.from_json(data.decode("utf-8", "replace")).apply(PAGES[0], limits=LIMITS)


def site_settings(data: bytes) -> None:
    """A `treelace.toml`."""
    settings.parse(data.decode("utf-8", "replace"))


def warc(data: bytes) -> None:
    """A WARC file; what comes out of it has an address of the web."""
    for _, page in warc_pages(io.BytesIO(data), "x", limits=LIMITS, on_trouble=lambda _: None):
        assert page.url.lower().startswith(("http://", "https://")), page.url


TARGETS: dict[str, tuple[Callable[[bytes], None], list[bytes]]] = {
    "wrapper": (wrapper, [LEARNT.encode()]),
    "settings": (site_settings, [SETTINGS.encode()]),
    "warc": (warc, [RECORD, gzip.compress(RECORD), RECORD * 2]),
}


def main() -> None:
    """Fuzzes one target, from its seeds and what was kept."""
    check, seeds = TARGETS[sys.argv[1]]
    corpus = HERE / "corpus" / sys.argv[1]
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (corpus / f"seed{number}").write_bytes(seed)

    def one(data: bytes) -> None:
        try:
            check(data)
        except TreelaceError as error:
            assert "\n" not in str(error).strip(), str(error)

    atheris.Setup([sys.argv[0], *sys.argv[2:], str(corpus)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
