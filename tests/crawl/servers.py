"""Real HTTP servers on loopback, well-behaved and not: `with Server({"/": Answer(b"<p>hi")}) as
server: server.url`.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What a path gets. A body of bytes is sent with its length, an iterable of bytes piece by
    piece without one.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "text/html; charset=utf-8"


def redirect(target: str, status: int = 302) -> Answer:
    return Answer(status=status, headers={"Location": target})


class Server:
    """Answers by path; a value may also be a function of the handler. Unknown paths are 404;
    robots.txt too, unless given.
    """

    def __init__(
        self,
        answers: Mapping[str, Answer | Callable[[Any], Answer]],
        *,
        certificate: Path | None = None,
    ) -> None:
        self.answers = dict(answers)
        self.asked: Counter[str] = Counter()
        self.headers: list[dict[str, str]] = []
        self.stopping = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.asked[self.path] += 1
                server.headers.append(dict(self.headers))
                answer = (
                    server.answers.get(self.path)
                    or server.answers.get(self.path.partition("?")[0])
                    or Answer(b"<h1>Not found", 404)
                )
                if callable(answer):
                    answer = answer(self)
                with suppress(OSError):  # the client had enough
                    self._send(answer)

            def _send(self, answer: Answer) -> None:
                self.send_response(answer.status)
                if answer.content_type:
                    self.send_header("Content-Type", answer.content_type)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if isinstance(answer.body, bytes):
                    if "Content-Length" not in answer.headers:
                        self.send_header("Content-Length", str(len(answer.body)))
                    self.end_headers()
                    self.wfile.write(answer.body)
                    if int(answer.headers.get("Content-Length", len(answer.body))) > len(
                        answer.body
                    ):
                        self.close_connection = True
                    return
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                for piece in answer.body:
                    self.wfile.write(piece)
                    self.wfile.flush()

            def log_message(self, *_: Any) -> None: ...

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._http.block_on_close = False
        self._scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
            self._scheme = "https"

    @property
    def port(self) -> int:
        return self._http.server_address[1]

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}"

    def drip(self, piece: bytes = b".") -> Any:
        """A body that never ends: a piece every twentieth of a second."""
        while not self.stopping.is_set():
            yield piece
            time.sleep(0.05)

    def __enter__(self) -> Server:
        threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()


def self_signed(folder: Path) -> Path:
    """A certificate for 127.0.0.1 that nobody vouches for, with its key, as one file."""
    from datetime import UTC, datetime, timedelta
    from ipaddress import ip_address

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "server.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return path
