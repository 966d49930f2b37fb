"""What a crawl at full speed loses beside one person who clicks once a second in the studio.

Crawls of a site, of new pages from a server on this machine, in turns: alone, and beside a studio
over the same site in which a view is asked for every second. Pages a second, and the ratio.
"""

from __future__ import annotations

import itertools
import json
import re
import statistics
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PAIRS = 5
PAGES = 600
CRAWL = """
import json, sys, time
from treelace.site import Site
folder, urls = sys.argv[1], json.loads(sys.stdin.read())
with Site(folder) as site:
    settings = site.crawl_settings(allow_private=True, delay=0.0, concurrency=8)
    began = time.perf_counter()
    done = site.crawl(settings, only=urls)
    print(json.dumps([done.stored.versions, time.perf_counter() - began]))
"""


def pages_a_second(folder: Path, server: str, number: int) -> float:
    """One crawl of pages that nobody has seen before."""
    urls = [f"{server}/tea/{number}-{one}" for one in range(PAGES)]
    done = subprocess.run(
        [sys.executable, "-c", CRAWL, str(folder)],
        input=json.dumps(urls),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    versions, seconds = json.loads(done.stdout)
    assert versions == PAGES, done
    return float(versions / seconds)


def ratios(folder: Path, body: bytes, clicking: Callable[[], Any]) -> str:
    """Crawls in turns, alone and beside `clicking`."""
    alone, beside = [], []
    with _serving(body) as server:
        _move_to(folder, server)
        pages_a_second(folder, server, 0)  # the first one warms the machine up
        for pair in range(1, PAIRS + 1):
            for number, taken in itertools.islice(
                ((2 * pair, alone), (2 * pair + 1, beside))[:: 1 if pair % 2 else -1], 2
            ):
                if taken is beside:
                    with clicking():
                        taken.append(pages_a_second(folder, server, number))
                else:
                    taken.append(pages_a_second(folder, server, number))
    ratio = statistics.median(two / one for one, two in zip(alone, beside, strict=True))
    return (
        f"crawl of {PAGES} new pages, {PAIRS} times in turns: alone"
        f" {statistics.median(alone):.1f} pages a second ({_shown(alone)}), beside one click a"
        f" second {statistics.median(beside):.1f} ({_shown(beside)}); median of the ratios"
        f" {ratio:.3f}\n"
    )


def _shown(some: list[float]) -> str:
    return ", ".join(f"{it:.1f}" for it in some)


def _move_to(folder: Path, server: str) -> None:
    """The site is at that server from now on."""
    settings = folder / "treelace.toml"
    said = settings.read_text(encoding="utf-8")
    moved = re.sub(r'url = "http[^"]*"', f'url = "{server}/"', said, count=1)
    settings.write_text(moved, encoding="utf-8")


@contextmanager
def _serving(body: bytes) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            is_page = self.path != "/robots.txt"
            said = body.replace(b"Assam Gold", f"Tea {self.path[-12:]}".encode())
            self.send_response(200 if is_page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(said) if is_page else 0))
            self.end_headers()
            self.wfile.write(said if is_page else b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
