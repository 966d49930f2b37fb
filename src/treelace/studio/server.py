"""Starts the studio: sockets of this machine alone, the link, the server until it is stopped."""

from __future__ import annotations

import contextlib
import errno
import socket
from typing import TYPE_CHECKING

import uvicorn

from treelace.errors import StoreError
from treelace.studio.app import make_app
from treelace.studio.guard import Keys
from treelace.studio.jobs import Jobs

if TYPE_CHECKING:
    from collections.abc import Callable

    from treelace.studio.sites import Sites

_TRIES = 20
_NO_IPV6 = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
SECONDS_TO_STOP = 3
"""That answers under way are waited for."""


def serve(
    sites: Sites, *, port: int = 0, api_only: bool = False, on_start: Callable[[str], None]
) -> None:
    """Serves the studio until it is interrupted; `on_start` gets the link to open."""
    sockets = _sockets(port)
    keys = Keys(sockets[0].getsockname()[1])
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
