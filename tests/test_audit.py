"""`make audit`: the lock files against a database of vulnerabilities, there and not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]


class Database:
    """Answers as OSV does; it knows of what is wrong with some packages."""

    def __init__(self) -> None:
        self.against: dict[str, str] = {}
        self.asked: set[tuple[str, str]] = set()
        database = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                results = []
                for query in asked["queries"]:
                    name = query["package"]["name"]
                    database.asked.add((query["package"]["ecosystem"], name))
                    known = database.against.get(name)
                    results.append({"vulns": [{"id": known}]} if known else {})
                body = json.dumps({"results": results}).encode()
                self.send_response(200 if self.path == "/v1/querybatch" else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"


@pytest.fixture
def database() -> Iterator[Database]:
    made = Database()
    threading.Thread(target=made.http.serve_forever, daemon=True).start()
    yield made
    made.http.shutdown()
    made.http.server_close()


def audit(place: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "tools/audit.py"],
        cwd=TOP,
        env={**os.environ, "TREELACE_OSV": place, "no_proxy": "*"},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_nothing_is_known_against_what_is_locked(database: Database):
    ran = audit(database.url)
    assert ran.returncode == 0 and "0 with known vulnerabilities" in ran.stdout
    assert {("PyPI", "click"), ("crates.io", "html5ever"), ("crates.io", "libfuzzer-sys")} <= (
        database.asked
    ), "all lock files"


def test_what_is_known_is_named(database: Database):
    database.against["html5ever"] = "RUSTSEC-2000-0001"
    ran = audit(database.url)
    assert ran.returncode == 1 and "RUSTSEC-2000-0001" in ran.stdout
    assert "crates.io html5ever " in ran.stdout


def test_a_database_that_does_not_answer_is_said():
    ran = audit("http://127.0.0.1:9")
    assert ran.returncode == 5 and ran.stderr.startswith("not checked: http://127.0.0.1:9")
    assert ran.stderr.count("\n") == 1
