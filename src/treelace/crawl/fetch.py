"""One polite fetch: robots.txt first, addresses guarded, time, size and redirects bounded.

Plain `http.client` over a guarded socket. A watchdog closes the socket when the time is over,
wherever the exchange stands: a server that drips a byte a second, in the handshake, the headers or
the body, gets no more time than one that says nothing.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import urlsplit

from treelace.classes.pages import Fetched
from treelace.crawl.guard import Guard
from treelace.crawl.redirects import REDIRECTS
from treelace.crawl.robots import MOST_BYTES, Robots
from treelace.crawl.settings import AGENT, FetchSettings, is_page_type
from treelace.crawl.urls import normal, origin, path_and_query
from treelace.errors import CrawlError, LimitError, UsageError
from treelace.look import escape_controls

_PIECE = 1 << 16


def fetch(
    url: str, settings: FetchSettings | None = None, *, guard: Guard | None = None
) -> Fetched:
    """The page at a URL, after redirects; `CrawlError` in one line where there is none.

    An answer other than 2xx is an error, and so is a body that is no page. A body over
    `settings.bytes` is a `LimitError`.
    """
    settings = settings or FetchSettings()
    guard = guard or Guard(allow_private=settings.allow_private)
    if settings.proxy:
        raise UsageError(
            "a single fetch goes straight to the host; proxies are for `treelace crawl`"
        )
    known: dict[str, Robots] = {}
    address, seen = normal(url), [normal(url)]
    while True:
        if settings.obeys_robots:
            _ask_leave(address, known, settings, guard)
        page, target = _exchange(
            address, settings, guard, is_home=origin(address) == origin(seen[0])
        )
        if not target:
            break
        if target in seen:
            raise CrawlError(
                f"{url}: redirects in a circle"
                f" ({' → '.join([*seen[seen.index(target) :], target])})"
            )
        if len(seen) > settings.redirects:
            raise CrawlError(f"{url}: more than {settings.redirects} redirects")
        seen.append(target)
        address = target
    if not 200 <= page.status < 300:
        raise CrawlError(f"{address}: the server answered {page.status} {_reason(page.status)}")
    if not is_page_type(page.content_type):
        raise CrawlError(
            f"{address}: {page.content_type.partition(';')[0]} is not a page (HTML, XML or JSON)"
        )
    return page


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _ask_leave(
    address: str, known: dict[str, Robots], settings: FetchSettings, guard: Guard
) -> None:
    """Raises where the host's robots.txt does not want this page fetched."""
    host = origin(address)
    if host not in known:
        known[host] = _robots(host, settings, guard)
    if known[host].refusal:
        raise CrawlError(f"{address}: {known[host].refusal}")
    if not known[host].allows(path_and_query(address)):
        raise CrawlError(f"{address}: the site's robots.txt asks not to fetch this")


def _robots(host: str, settings: FetchSettings, guard: Guard) -> Robots:
    address, hops = f"{host}/robots.txt", 0
    while True:
        page, target = _exchange(address, settings, guard, most=MOST_BYTES)
        if (
            not target or hops == 5
        ):  # RFC 9309, section 2.3.1.2: five redirects, then as if there were none
            return Robots.from_answer(page.status, page.body, agent=AGENT)
        address, hops = target, hops + 1


def _exchange(
    address: str,
    settings: FetchSettings,
    guard: Guard,
    *,
    most: int | None = None,
    is_home: bool = True,
) -> tuple[Fetched, str]:
    """One request and its answer, and where it redirects to.

    With `most`, that many bytes of the body are enough.
    Headers and cookies of the settings may hold secrets: they go to the host that was asked for
    only.
    """
    deadline = time.monotonic() + settings.seconds
    parts = urlsplit(address)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    raw = guard.connect(host, port, deadline=deadline)
    with _Watchdog(raw, deadline) as watchdog:
        try:
            connection = _Open(
                host, port, _secured(raw, host, settings) if parts.scheme == "https" else raw
            )
            headers = settings.request_headers(has_secrets=is_home) | {
                "Accept-Encoding": "gzip, deflate",
                "Connection": "close",
            }
            connection.request("GET", path_and_query(address), headers=headers)
            answer = connection.getresponse()
            body = (
                b""
                if answer.status in REDIRECTS
                else _body(answer, most or settings.bytes, is_cut=most is not None)
            )
        except ssl.SSLCertVerificationError as error:
            raise CrawlError(
                f"{host}: the certificate is not valid ({error.verify_message})"
            ) from error
        except (OSError, http.client.HTTPException, zlib.error) as error:
            if watchdog.has_bitten:
                raise CrawlError(f"{address}: not done within {settings.seconds:g} s") from error
            raise CrawlError(f"{address}: the exchange broke off ({_cause(error)})") from error
        finally:
            raw.close()
    if watchdog.has_bitten:  # the body had no length, so its cut end looked like its end
        raise CrawlError(f"{address}: not done within {settings.seconds:g} s")
    page = Fetched(
        url=address,
        time=datetime.now(UTC),
        status=answer.status,
        body=body,
        content_type=answer.getheader("Content-Type", ""),
        headers=tuple(answer.getheaders()),
    )
    return page, _redirect_target(address, answer)


def send_once(
    url: str, body: bytes, headers: Mapping[str, str], *, guard: Guard, seconds: float
) -> int:
    """Posts a message once, guarded, without redirects; the status, or `CrawlError` if none."""
    deadline = time.monotonic() + seconds
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    raw = guard.connect(host, port, deadline=deadline)
    with _Watchdog(raw, deadline) as watchdog:
        try:
            connection = _Open(
                host, port, _secured(raw, host, FetchSettings()) if parts.scheme == "https" else raw
            )
            connection.request("POST", path_and_query(url), body=body, headers=dict(headers))
            return connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            said = (
                f"no answer within {seconds:g} s"
                if watchdog.has_bitten
                else f"the exchange broke off ({_cause(error)})"
            )
            raise CrawlError(f"{host}: {said}") from error
        finally:
            raw.close()


_LONGEST_CAUSE = 200
"""Characters of what a server said in place of an answer."""


def _cause(error: Exception) -> str:
    """What an error of the network says of itself, in a few words."""
    for said in (getattr(error, "reason", None), getattr(error, "strerror", None), str(error)):
        if said:
            return escape_controls(" ".join(str(said).split()))[:_LONGEST_CAUSE]
    return type(error).__name__


def _redirect_target(address: str, answer: http.client.HTTPResponse) -> str:
    target = answer.getheader("Location")
    if answer.status not in REDIRECTS or not target:
        return ""
    try:
        return normal(target.encode("latin-1", "replace").decode("utf-8", "replace"), base=address)
    except UsageError as error:
        raise CrawlError(f"{address}: redirects to what is no page ({error})") from error


def _secured(raw: socket.socket, host: str, settings: FetchSettings) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    if not settings.checks_certificates:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(raw, server_hostname=host)


def _body(answer: http.client.HTTPResponse, most: int, *, is_cut: bool) -> bytes:
    """The body, unpacked; `LimitError` past `most` bytes, or cut there where `is_cut`."""
    coding = (answer.getheader("Content-Encoding") or "identity").strip().lower()
    unpack = _unpacker(coding)
    pieces, size, packed = [], 0, 0
    while size <= most and packed <= most:
        piece = answer.read1(_PIECE)
        if not piece:
            break
        packed += len(piece)
        piece = unpack(piece, most + 1 - size)
        size += len(piece)
        pieces.append(piece)
    if (size > most or packed > most) and not is_cut:
        raise LimitError("bytes", bound=most)
    if answer.length and not is_cut:
        raise http.client.IncompleteRead(b"", answer.length)
    if not is_cut and not unpack.is_whole:
        raise http.client.HTTPException(f"the {coding} body is cut off")
    return b"".join(pieces)[:most]


@dataclass(slots=True)
class _Unpacker:
    """gzip or deflate, piece by piece, never more than asked for at once."""

    coding: str
    inner: zlib._Decompress | None = None

    def __call__(self, piece: bytes, most: int) -> bytes:
        made = b""
        while piece and len(made) < most:
            if self.inner is None or (
                self.inner.eof and piece.strip(b"\0")
            ):  # a gzip file may have several members
                # deflate is zlib by the RFC and raw by the habit of some servers: the first byte
                # tells
                is_raw = self.coding == "deflate" and piece[0] & 0x0F != 8
                self.inner = zlib.decompressobj(wbits=-15 if is_raw else 47)
            made += self.inner.decompress(piece, most - len(made))
            piece = self.inner.unused_data.lstrip(b"\0") if self.inner.eof else b""
        return made

    @property
    def is_whole(self) -> bool:
        """Whether the packed data has come to its end."""
        return self.inner is None or self.inner.eof


def _unpacker(coding: str) -> _Unpacker | _Plain:
    if coding in ("gzip", "x-gzip", "deflate"):
        return _Unpacker(coding)
    if coding == "identity":
        return _Plain()
    raise http.client.HTTPException(f"the body is packed as {coding}, which was not asked for")


class _Plain:
    is_whole = True

    def __call__(self, piece: bytes, most: int) -> bytes:
        return piece[:most]


class _Open(http.client.HTTPConnection):
    """HTTP over a socket that is open already."""

    def __init__(self, host: str, port: int, connected: socket.socket) -> None:
        super().__init__(host, port)
        self.sock = connected

    def connect(self) -> None:
        raise http.client.NotConnected  # one socket, one exchange


class _Watchdog:
    """Shuts a socket down when its time is over."""

    def __init__(self, watched: socket.socket, deadline: float) -> None:
        self.has_bitten = False
        self._watched = watched.dup()  # the descriptor stays ours when TLS takes the other one over
        self._timer = threading.Timer(max(0.0, deadline - time.monotonic()), self._bite)
        self._timer.daemon = True

    def _bite(self) -> None:
        import socket

        self.has_bitten = True
        with suppress(OSError):  # closed in the meantime: nothing left to stop
            self._watched.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> _Watchdog:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._watched.close()
