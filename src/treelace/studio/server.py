"""Starts the studio: sockets of this machine alone, the link, the server until it is stopped."""

from __future__ import annotations

import contextlib
import errno
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import uvicorn

from treelace.errors import StoreError, UsageError
from treelace.studio.app import make_app
from treelace.studio.guard import Keys
from treelace.studio.jobs import Jobs
from treelace.studio.password import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from treelace.studio.sites import Sites

_TRIES = 20
_NO_IPV6 = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
SECONDS_TO_STOP = 3
"""That answers under way are waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where the studio listens other than on this machine alone: an address, what browsers call
    the studio and where they find captured pages (by default the next port), and the password.
    """

    address: str = "127.0.0.1"
    origin: str = ""
    pages_origin: str = ""
    password: str = ""

    def check(self) -> None:
        """`UsageError` where it is not safe or makes no sense."""
        if not self.password:
            raise UsageError(
                "who listens elsewhere wants a password: --password-file FILE, or the variable"
                f" {VARIABLE}"
            )
        if not self.origin and self.address in ("0.0.0.0", "::"):
            raise UsageError(
                f"{self.address} is no address to open: say what browsers call the studio, with"
                " --origin http://HOST:PORT"
            )
        for said in filter(None, (self.origin, self.pages_origin)):
            parts = urlsplit(said)
            if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/"):
                raise UsageError(
                    f"{said} is no origin: write it as https://HOST or http://HOST:PORT"
                )
        if self.origin and self.origin == self.pages_origin:
            raise UsageError("captured pages want an origin of their own: another --pages-origin")

    def keys(self, port: int) -> Keys:
        """The secrets of a run that listens there."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        origin = (self.origin or f"http://{host}:{port}").rstrip("/")
        parts = urlsplit(origin)
        pages = self.pages_origin or f"{parts.scheme}://{parts.hostname}:{port + 1}"
        return Keys(
            port,
            said_origin=origin,
            said_pages_origin=pages.rstrip("/"),
            password=self.password,
        )

    def sockets(self, port: int) -> list[socket.socket]:
        """One for the studio; one for captured pages where they have no name of their own."""
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        try:
            first = socket.create_server((self.address, port), family=family)
            taken = first.getsockname()[1]
            if self.pages_origin:
                return [first]
            return [first, socket.create_server((self.address, taken + 1), family=family)]
        except OSError as error:
            raise StoreError(
                f"{self.address} cannot be listened on at port {port} and the next"
                f" ({error.strerror}): take others with --listen and --port"
            ) from error


def serve(
    sites: Sites,
    *,
    port: int = 0,
    api_only: bool = False,
    listening: Listening | None = None,
    on_start: Callable[[str], None],
) -> None:
    """Serves the studio until it is interrupted; `on_start` gets the link to open."""
    if listening is not None:
        listening.check()
    sockets = _sockets(port) if listening is None else listening.sockets(port)
    send_at_once(sockets)
    taken = sockets[0].getsockname()[1]
    keys = Keys(taken) if listening is None else listening.keys(taken)
    jobs = Jobs()
    server = _Server(
        uvicorn.Config(
            make_app(sites, keys, jobs, api_only=api_only),
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=SECONDS_TO_STOP,
            lifespan="off",
        ),
        lambda: on_start(keys.api_link if api_only else keys.link),
    )
    try:
        server.run(sockets=sockets)
    finally:
        for one in sockets:
            one.close()
        jobs.close()
        sites.close()


def send_at_once(sockets: list[socket.socket]) -> None:
    """Lets connections send the rest of an answer without waiting for the other side: it waits,
    too, and every page takes 40 ms longer. asyncio does that only where a socket says its protocol.
    """
    for one in sockets:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens, then says so."""
        await super().startup(sockets=sockets)
        self._on_start()


def _sockets(port: int) -> list[socket.socket]:
    """Both loopback addresses under one port: `localhost` may mean either, and must be ours."""
    for _ in range(_TRIES):
        try:
            first = socket.create_server(("127.0.0.1", port))
        except OSError as error:
            raise StoreError(
                f"port {port} cannot be used ({error.strerror}): take another one with --port"
            ) from error
        taken = first.getsockname()[1]
        if not socket.has_ipv6:
            return [first]
        second = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        try:
            second.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                second.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            second.bind(("::1", taken))
            second.listen()
        except OSError as error:
            second.close()
            if error.errno in _NO_IPV6:
                return [first]
            first.close()
            if port:
                raise StoreError(
                    f"port {port} of ::1 is taken: take another one with --port"
                ) from error
            continue
        return [first, second]
    raise StoreError("no free port was found: name one with --port")
