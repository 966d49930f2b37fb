"""The guard: which addresses may be talked to, checked at the moment of connecting.

A name is checked after DNS, and the connection is made to the very address that was checked: a name
that answers with another address a moment later (DNS rebinding) gains nothing, and neither does a
redirect, because each hop connects anew.
"""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace.errors import CrawlError
from treelace.render.public_addresses import is_public_address

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Resolve = Callable[[str, int], Sequence[str]]


def ask_dns(host: str, port: int) -> list[str]:
    """The addresses of a host, in the order the system prefers."""
    try:
        return list(
            dict.fromkeys(
                str(answer[4][0])
                for answer in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            )
        )
    except (socket.gaierror, UnicodeError) as error:
        reason = error.strerror if isinstance(error, socket.gaierror) else "not a host name"
        raise CrawlError(f"{host}: the host cannot be found ({reason})") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Connects to public addresses only; with `allow_private` to any.

    `resolve` turns a host and a port into addresses; the default asks the system.

    >>> Guard().check("192.168.1.1", host="router.example")
    Traceback (most recent call last):
    treelace.errors.CrawlError: router.example: 192.168.1.1 is not a public address;
        --allow-private permits it
    """

    allow_private: bool = False
    resolve: Resolve = ask_dns

    def check(self, address: str, *, host: str) -> None:
        """Raises `CrawlError` where the address may not be talked to."""
        if not self.allow_private and not is_public_address(address):
            raise CrawlError(
                f"{host}: {address} is not a public address; --allow-private permits it"
            )

    def addresses(self, host: str, port: int) -> list[str]:
        """The public addresses of a host; `CrawlError` where there is none."""
        found = self.resolve(host, port)
        if not found:
            raise CrawlError(f"{host}: the host has no address")
        allowed = [address for address in found if self.allow_private or is_public_address(address)]
        if not allowed:
            self.check(found[0], host=host)
        return allowed

    def connect(self, host: str, port: int, *, deadline: float) -> socket.socket:
        """A connection to the first address that answers before `deadline` (`time.monotonic`)."""
        failure: OSError | None = None
        for address in self.addresses(host, port):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            try:
                connection = socket.create_connection((address, port), timeout=left)
            except OSError as error:
                failure = error
                continue
            peer = str(connection.getpeername()[0])
            if not self.allow_private and not is_public_address(
                peer
            ):  # the system routed us elsewhere: believe the socket, not the list
                connection.close()
                self.check(peer, host=host)
            return connection
        if failure is None or isinstance(failure, TimeoutError):
            raise CrawlError(f"{host}: no answer in time on port {port}")
        raise CrawlError(
            f"{host}: cannot connect to port {port} ({failure.strerror or failure})"
        ) from failure
