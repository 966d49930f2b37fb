"""The guard: only public addresses, whatever names, redirects and DNS say."""

from __future__ import annotations

import time

import pytest

from tests.crawl.servers import Answer, Server, redirect
from treelace.crawl.fetch import fetch
from treelace.crawl.guard import Guard
from treelace.crawl.settings import FetchSettings
from treelace.errors import CrawlError
from treelace.render.public_addresses import is_public_address

# The first and the last address of every network of IANA's registries that is not reachable from
# everywhere, and IPv6 addresses that lead to such an IPv4 address.
PRIVATE = """
0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.255.255.255
169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255
192.0.2.0 192.0.2.255 192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255 198.18.0.0
198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255
240.0.0.0 255.255.255.255
:: ::1 ::7f00:1 64:ff9b:1::808:808 100::1 1fff::1 4000::1 5f00::1 fc00::1 fdff::1 fe80::1
fe80::1%eth0 febf::1 fec0::1 feff::1 ff02::1 ffff::1
2001:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff 2001:db8::1 2001:db8:ffff::1 3fff::1 3fff:fff::1
::ffff:127.0.0.1 ::ffff:10.0.0.1 2002:7f00:1:: 2002:a00:1:: 64:ff9b::7f00:1 64:ff9b::a00:1
2001:0:4136:e378:8000:63bf:f5ff:fffe localhost not-an-address
""".split()
# The neighbours of those networks.
PUBLIC = """
1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0
192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255
198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 93.184.215.14
2000:: 2001:200:: 2001:db7:ffff::1 2001:db9:: 2606:4700:4700::1111 3ffe:ffff::1 3fff:1000::1
::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1
""".split()


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_not_public(address):
    assert not is_public_address(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address):
    assert is_public_address(address)


def test_a_host_with_public_and_private_addresses_is_reached_by_the_public_ones_only():
    guard = Guard(resolve=lambda host, port: ["10.0.0.1", "8.8.8.8", "::1"])
    assert guard.addresses("mixed.example", 80) == ["8.8.8.8"]


def test_a_private_host_is_refused_by_name_and_address():
    with pytest.raises(CrawlError, match=r"intranet\.example: 10\.0\.0\.1 is not a public address"):
        Guard(resolve=lambda host, port: ["10.0.0.1"]).addresses("intranet.example", 80)


def test_loopback_is_refused_before_anything_is_sent():
    with Server({"/": Answer(b"<p>secret")}) as server:
        with pytest.raises(CrawlError, match="not a public address"):
            fetch(server.url)
        assert not server.asked


def test_a_redirect_to_a_private_address_is_refused():
    """The first host passes as public; the redirect leads to loopback by another name, which the
    guard sees at connect time.
    """
    with (
        Server({"/": Answer(b"<p>secret")}) as inside,
        Server({"/": redirect(f"http://inside.example:{inside.port}/")}) as outside,
    ):
        seen = []

        class Door(Guard):
            """The port of `outside` counts as public: a public server cannot be had in a test."""

            def addresses(self, host: str, port: int) -> list[str]:
                seen.append(host)
                return (
                    ["127.0.0.1"]
                    if port == outside.port
                    else Guard(resolve=lambda *_: ["127.0.0.1"]).addresses(host, port)
                )

            def connect(self, host: str, port: int, *, deadline: float):
                return Guard(allow_private=True, resolve=self.addresses).connect(
                    host, port, deadline=deadline
                )

        with pytest.raises(
            CrawlError, match=r"inside\.example: 127\.0\.0\.1 is not a public address"
        ):
            fetch(outside.url, guard=Door())
        assert "inside.example" in seen
        assert not inside.asked


def test_dns_that_changes_its_answer_gains_nothing():
    """The first answer is private, so it is refused; every connection asks again and is checked
    again.
    """
    answers = iter([["8.8.8.8"], ["127.0.0.1"]])
    guard = Guard(resolve=lambda host, port: next(answers))
    assert guard.addresses("rebinding.example", 80) == ["8.8.8.8"]
    with pytest.raises(CrawlError, match="not a public address"):
        guard.connect("rebinding.example", 80, deadline=time.monotonic() + 5)


def test_the_address_connected_to_is_the_one_checked():
    """connect() never hands the name on: a resolver that answers once is enough."""
    with Server({"/": Answer(b"<p>hi")}) as server:
        answers = iter([["127.0.0.1"]])
        guard = Guard(allow_private=True, resolve=lambda host, port: next(answers))
        connection = guard.connect("once.example", server.port, deadline=time.monotonic() + 5)
        assert connection.getpeername() == ("127.0.0.1", server.port)
        connection.close()


def test_private_addresses_are_reached_where_asked():
    with Server({"/": Answer(b"<p>hi")}) as server:
        assert fetch(server.url, FetchSettings(allow_private=True)).body == b"<p>hi"
