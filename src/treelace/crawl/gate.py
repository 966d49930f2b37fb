"""The gate: a loopback proxy through which a browser reaches public addresses only.

A browser resolves names and opens connections by itself, where no check of ours can see them. So it
is given this proxy and no way around it: names are resolved here, each connection goes to the very
address that was checked (`guard`), and redirects, sockets of scripts and what a page loads come by
one by one. What is said inside a TLS connection the gate cannot read, and need not: whom it is said
to is what counts.
"""

from __future__ import annotations

import select
import socket
import threading
import time
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from treelace.crawl.guard import Guard
from treelace.errors import CrawlError

_HEAD = 1 << 16
"""Bytes of a request's head."""
_PIECE = 1 << 16
_IDLE = 0.5
"""Seconds after which a waiting thread looks whether the gate is still open."""


@dataclass(slots=True)
class Gate:
    """A proxy, open inside its `with` block; `refused` has the hosts it refused, with reasons.

    `seconds` and `bytes` bound each connection; `upstream` is another proxy to go through (its own
    address is not checked: the settings name it). Through an upstream proxy names are resolved
    there, so only addresses written as numbers can be checked here.
    """

    guard: Guard
    seconds: float = 30.0
    bytes: int = 64 * 2**20
    upstream: str = ""
    refused: dict[str, str] = field(default_factory=dict)
    _listening: socket.socket | None = None
    _is_closed: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """Where the browser finds it."""
        if self._listening is None:
            raise CrawlError("a gate is open inside its `with` block")
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def __enter__(self) -> Gate:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        threading.Thread(
            target=self._serve, args=(self._listening,), name="treelace gate", daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closed.set()
        if self._listening is not None:
            self._listening.close()

    def _serve(self, listening: socket.socket) -> None:
        listening.settimeout(_IDLE)
        while not self._is_closed.is_set():
            try:
                client, _ = listening.accept()
            except TimeoutError:
                continue
            except OSError:
                return  # closed
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        """One connection of the browser: the request's head and host, then bytes both ways."""
        deadline = time.monotonic() + self.seconds
        with client, suppress(OSError):
            client.settimeout(self.seconds)
            head = _read_head(client)
            if head is None:
                return
            request, _, rest = head.partition(b"\r\n")
            words = request.decode("latin-1").split(" ")
            host, port = _target(words)
            if not host:
                client.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
                return
            try:
                server = self._connect(host, port, deadline)
            except CrawlError as error:
                self.refused[host] = str(error)
                client.sendall(b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n")
                return
            with server:
                if self.upstream:
                    server.sendall(request + b"\r\n" + _credentials(self.upstream) + _own(rest))
                elif words[0] == "CONNECT":
                    client.sendall(b"HTTP/1.1 200 Connection Established\r\n\r\n")
                    server.sendall(rest.partition(b"\r\n\r\n")[2])
                else:
                    parts = urlsplit(words[1])
                    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                    server.sendall(
                        f"{words[0]} {path} HTTP/1.1\r\nConnection: close\r\n".encode("latin-1")
                        + _own(rest)
                    )
                self._relay(client, server, deadline)

    def _connect(self, host: str, port: int, deadline: float) -> socket.socket:
        if not self.upstream:
            return self.guard.connect(host, port, deadline=deadline)
        with suppress(ValueError):
            self.guard.check(str(ip_address(host)), host=host)
        parts = urlsplit(self.upstream)
        try:
            return socket.create_connection(
                (parts.hostname or "", parts.port or 80),
                timeout=max(0.1, deadline - time.monotonic()),
            )
        except OSError as error:
            raise CrawlError(f"the proxy cannot be reached ({error.strerror or error})") from error

    def _relay(self, client: socket.socket, server: socket.socket, deadline: float) -> None:
        """Bytes to and fro until one side ends, or time or size is used up."""
        ends, moved = {client: server, server: client}, 0
        while moved <= self.bytes and not self._is_closed.is_set() and time.monotonic() < deadline:
            ready, _, _ = select.select(list(ends), [], [], _IDLE)
            for end in ready:
                piece = end.recv(_PIECE)
                if not piece:
                    if end is server:
                        return
                    del ends[client]  # it has said all it has to say, and may still listen
                    continue
                moved += len(piece)
                (server if end is client else client).sendall(piece)


def _read_head(client: socket.socket) -> bytes | None:
    head = b""
    while b"\r\n\r\n" not in head:
        piece = client.recv(_PIECE)
        if not piece or len(head) > _HEAD:
            return None
        head += piece
    return head


def _target(words: list[str]) -> tuple[str, int]:
    """Host and port of a request line; an empty host where it is none of a proxy."""
    if len(words) != 3:
        return "", 0
    try:
        parts = urlsplit(f"//{words[1]}" if words[0] == "CONNECT" else words[1])
        return (
            (parts.hostname or "", parts.port or 443)
            if words[0] == "CONNECT"
            else (parts.hostname or "" if parts.scheme == "http" else "", parts.port or 80)
        )
    except ValueError:
        return "", 0


def _credentials(proxy: str) -> bytes:
    """The header that a proxy with a password wants."""
    parts = urlsplit(proxy)
    if parts.username is None:
        return b""
    return (
        b"Proxy-Authorization: Basic "
        + b64encode(f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode())
        + b"\r\n"
    )


def _own(rest: bytes) -> bytes:
    """Headers and what follows, without those that are between a browser and its proxy."""
    head, _, body = rest.partition(b"\r\n\r\n")
    kept = [
        line
        for line in head.split(b"\r\n")
        if line and not line.lower().startswith((b"proxy-", b"connection:", b"keep-alive:"))
    ]
    return b"\r\n".join(kept) + b"\r\n\r\n" + body
