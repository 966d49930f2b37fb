"""Which addresses are of the public web."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit


def is_public(url: str) -> bool:
    """Whether an address is on the public web: http(s), not this machine or its network."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return False
    try:
        found = socket.getaddrinfo(
            parts.hostname,
            parts.port or (443 if parts.scheme == "https" else 80),
            type=socket.SOCK_STREAM,
        )
        return all(
            ipaddress.ip_address(str(entry[4][0]).split("%")[0]).is_global for entry in found
        )
    except (OSError, ValueError):
        return False
