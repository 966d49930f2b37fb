"""The gate: a browser's only way out lets through what the guard allows, byte for byte, and nothing
else.
"""

from __future__ import annotations

import http.client
import socket
import time

import pytest

from tests.crawl.servers import Answer, Server, redirect, self_signed
from treelace.crawl.gate import Gate
from treelace.crawl.guard import Guard

ANY = Guard(allow_private=True)
WHO = "me:p%40ss"


def asked(gate: Gate, url: str, path: str = "/") -> tuple[int, bytes]:
    """What a browser would get for a plain address."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", int(gate.url.rpartition(":")[2]), timeout=20
    )
    connection.request("GET", url + path, headers={"Proxy-Connection": "keep-alive", "X-Mine": "1"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def tunnel(gate: Gate, host: str, port: int) -> tuple[bytes, socket.socket]:
    opened = socket.create_connection(("127.0.0.1", int(gate.url.rpartition(":")[2])), timeout=20)
    opened.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    return opened.recv(1000), opened


def test_plain_requests_arrive_as_the_browser_meant_them():
    with Server({"/tea?x=1": Answer(b"<p>tea")}) as server, Gate(ANY) as gate:
        assert asked(gate, server.url, "/tea?x=1") == (200, b"<p>tea")
        assert server.headers[-1]["X-Mine"] == "1" and "Proxy-Connection" not in server.headers[-1]


def test_tunnels_carry_tls(tmp_path):
    import ssl

    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        Server({"/": Answer(b"<p>safe")}, certificate=self_signed(tmp_path)) as server,
        Gate(ANY) as gate,
    ):
        said, opened = tunnel(gate, "127.0.0.1", server.port)
        assert said.startswith(b"HTTP/1.1 200")
        with context.wrap_socket(opened) as safe:
            safe.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert b"<p>safe" in b"".join(iter(lambda: safe.recv(1000), b""))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "0.0.0.0",
        "2130706433",
        "0x7f000001",
        "[::1]",
        "[::ffff:127.0.0.1]",
    ],
)
def test_this_machine_is_not_reached_by_any_name(host):
    with Server({"/": Answer(b"secret")}) as server, Gate(Guard()) as gate:
        assert asked(gate, f"http://{host}:{server.port}")[0] == 403
        said, opened = tunnel(gate, host, server.port)
        opened.close()
        assert said.startswith(b"HTTP/1.1 403")
        assert not server.asked and gate.refused


def test_a_redirect_to_a_private_address_is_a_connection_of_its_own_and_refused():
    with (
        Server({"/": Answer(b"secret")}) as inside,
        Server({"/": redirect(f"http://inside.example:{inside.port}/")}) as outside,
    ):

        class Door(Guard):
            """One port counts as public: a public server cannot be had in a test."""

            def connect(self, host: str, port: int, *, deadline: float):
                guard = ANY if port == outside.port else Guard(resolve=lambda *_: ["127.0.0.1"])
                return guard.connect(host, port, deadline=deadline)

        with Gate(Door()) as gate:
            assert asked(gate, outside.url)[0] == 302
            assert asked(gate, f"http://inside.example:{inside.port}")[0] == 403
        assert (
            not inside.asked
            and "127.0.0.1 is not a public address" in gate.refused["inside.example"]
        )


def test_dns_is_asked_once_for_each_connection_and_what_it_said_is_what_is_reached():
    """A name that is public at first and this machine a moment later: the second answer is checked
    like the first.
    """
    answers = iter([["127.0.0.1"], ["127.0.0.1"]])
    with (
        Server({"/": Answer(b"secret")}) as server,
        Gate(Guard(resolve=lambda *_: next(answers))) as gate,
    ):
        assert asked(gate, f"http://rebinding.example:{server.port}")[0] == 403
        assert len(list(answers)) == 1
        assert not server.asked


def test_time_and_size_are_bounded():
    with Server({}) as server, Gate(ANY, seconds=1.0, bytes=100_000) as gate:
        server.answers["/drip"] = Answer(server.drip())
        server.answers["/flood"] = Answer(b"x" * 2**20 for _ in range(500))
        began = time.monotonic()
        asked(gate, server.url, "/drip")
        assert time.monotonic() - began < 10
        assert len(asked(gate, server.url, "/flood")[1]) < 3 * 2**20


@pytest.mark.parametrize(
    "line",
    [
        b"GET / HTTP/1.1",
        b"GET file:///etc/passwd HTTP/1.1",
        b"nonsense",
        b"CONNECT [::1 HTTP/1.1",
        b"GET http://[ HTTP/1.1",
    ],
)
def test_what_is_no_request_to_a_proxy_is_refused(line):
    with Gate(ANY) as gate:
        opened = socket.create_connection(
            ("127.0.0.1", int(gate.url.rpartition(":")[2])), timeout=20
        )
        opened.sendall(line + b"\r\n\r\n")
        assert opened.recv(1000).startswith(b"HTTP/1.1 400")
        opened.close()


def test_another_proxy_behind_the_gate_gets_its_password_and_private_numbers_do_not_pass():
    with (
        Server({"http://tea.example/": Answer(b"<p>by proxy")}) as proxy,
        Gate(Guard(), upstream=f"http://{WHO}@127.0.0.1:{proxy.port}") as gate,
    ):
        assert asked(gate, "http://tea.example") == (200, b"<p>by proxy")
        assert proxy.headers[-1]["Proxy-Authorization"] == "Basic bWU6cEBzcw=="
        assert asked(gate, "http://10.0.0.1")[0] == 403
