"""Which addresses are of the public web.

The networks are those of IANA's registries of special-purpose IPv4 and IPv6 addresses, written down
here: the interpreter's own table differs from version to version, and lacks some of them.
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

_NOT_PUBLIC = tuple(
    ip_network(network)
    for network in """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4
    2001::/23 2001:db8::/32 3fff::/20
    """.split()
)
# No IPv6 address outside of this network is given to anybody yet.
_GLOBAL_UNICAST = ip_network("2000::/3")
# An address in it leads to the IPv4 address in its last 32 bits.
_NAT64 = ip_network("64:ff9b::/96")


def is_public_address(address: str) -> bool:
    """Whether an address is on the open Internet, not private, reserved or a way around that.

    An IPv6 address that leads to an IPv4 address (mapped, 6to4, NAT64) is as public as that one.

    >>> [is_public_address(one) for one in ("93.184.215.14", "2606:4700::1111")]
    [True, True]
    >>> [is_public_address(one) for one in ("127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1")]
    [False, False, False]
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = _embedded(parsed)
    if inner is not None:
        return is_public_address(str(inner))
    if parsed.version == 6 and parsed not in _GLOBAL_UNICAST:
        return False
    return not any(parsed in network for network in _NOT_PUBLIC)


def is_public_url(url: str) -> bool:
    """Whether a URL is of the public web: http(s), not this machine or its network."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return False
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        return False
    return all(is_public_address(str(entry[4][0])) for entry in found)


def _embedded(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address is a wrapping of."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None
