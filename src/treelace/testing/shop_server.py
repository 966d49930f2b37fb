"""The shop on loopback: a threaded HTTP server with robots.txt, sitemap and a manual clock."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treelace.testing.shop import Day


class ShopServer:
    """Serves the pages of one day; set `day` to turn the clock. What was there and is no longer is
    410. `asked` counts the requests for each path.

    >>> from treelace.testing.shop import open_shop
    >>> from urllib.request import urlopen
    >>> with ShopServer(open_shop().days[0]) as server, urlopen(server.url + "/tea") as answer:
    ...     "Assam Gold" in answer.read().decode()
    True
    """

    def __init__(self, day: Day, *, port: int = 0) -> None:
        self.day = day
        self.asked: Counter[str] = Counter()
        self._shown: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._http.daemon_threads = True
        self._http.block_on_close = False

    @property
    def url(self) -> str:
        """Where the shop is, without a slash at the end."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> ShopServer:
        threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, path: str) -> tuple[int, str, bytes]:
        """Status, content type and body for a path."""
        with self._lock:
            self.asked[path] += 1
            fetch = self.asked.total()
        if path == "/robots.txt":
            return (
                200,
                "text/plain",
                "User-agent: *\nDisallow: /cart\nDisallow: /search\nSitemap:"
                f" {self.url}/sitemap.xml\n".encode(),
            )
        if path == "/sitemap.xml":
            places = "".join(
                f"<url><loc>{self.url}{product.path}</loc></url>" for product in self.day.products
            )
            return (
                200,
                "application/xml",
                f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'.encode(),
            )
        page = self.day.page(path, fetch=fetch)
        if page is None:
            with self._lock:
                was_there = self._shown[path] > 0
            return (
                410 if was_there else 404,
                "text/html; charset=utf-8",
                b"<!DOCTYPE html><title>Not found</title><h1>There is nothing here</h1>",
            )
        with self._lock:
            self._shown[path] += 1
        return 200, "text/html; charset=utf-8", page.encode()


def _handler(server: ShopServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, kind, body = server.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"')
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    return Handler
