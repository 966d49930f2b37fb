"""A studio that listens elsewhere wants a password, and captured pages stay of another origin."""

from __future__ import annotations

import http.client
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from tests.browsing import expect
from tests.studio.conftest import started
from treelace.studio.password import Login

PASSWORD = "a long enough password"


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("secret") / "password"
    file.touch(mode=0o600)
    file.write_text(f"{PASSWORD}\n")
    return file


def own_address() -> str:
    """An address of this machine that is not loopback's first; loopback has many."""
    with socket.create_server(("127.0.0.2", 0)):
        return "127.0.0.2"


def test_who_knows_the_password_comes_in(tea: Path, secret: Path, chromium: Any):
    with started(tea, "--listen", own_address(), "--password-file", secret) as studio:
        origin = studio.link.partition("/?")[0]
        page = chromium.new_page()  # a browser complains of a 401, so not `visit`
        page.goto(f"{origin}/s/tea/table/tea_list")
        expect(page.locator("label")).to_contain_text("Password")
        page.fill("input[name=password]", "not this one, no")
        page.click("text=Open the studio")
        expect(page.locator(".error")).to_contain_text("not the password")
        page.fill("input[name=password]", PASSWORD)
        page.click("text=Open the studio")
        page.goto(f"{origin}/s/tea/pages")
        page.locator("tbody a >> nth=0").click()
        frame = page.locator("iframe").first.get_attribute("src")
        ports = urlsplit(frame).port, urlsplit(origin).port
        assert ports[0] is not None and ports[1] is not None and ports[0] == ports[1] + 1
        assert page.frame_locator("iframe >> nth=0").locator("body").inner_text()
        page.close()


def test_without_it_nothing_is_said_and_the_host_is_checked(tea: Path, secret: Path):
    with started(tea, "--listen", own_address(), "--password-file", secret) as studio:

        def ask(path: str, method: str = "GET", body: str = "", **headers: str) -> tuple[int, str]:
            sent = {"Host": f"127.0.0.2:{studio.port}", **headers}
            connection = http.client.HTTPConnection("127.0.0.2", studio.port, timeout=30)
            connection.request(method, path, body=body, headers=sent)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

        origin = f"http://127.0.0.2:{studio.port}"
        for path in ("/", "/s/tea/", "/api/v1/sites", "/s/tea/sql?q=select+1", "/static/studio.js"):
            status, text = ask(path)
            assert status == 401 and "tea.example" not in text
        assert ask("/static/studio.css")[0] == 200
        assert ask("/s/tea/do/mute", "POST", "rule=cheaper")[0] == 401
        right = urlencode({"password": PASSWORD})
        assert ask("/login", "POST", right)[0] == 403, "a form of nobody"
        assert ask("/login", "POST", right, Origin="https://evil.example")[0] == 403
        assert ask("/login", "POST", right, Origin=origin)[0] == 303
        assert ask("/", Host="evil.example")[0] == 403
        bearer = {"Authorization": f"Bearer {studio.token}"}
        assert ask("/api/v1/sites", **bearer)[0] == 200


def test_tries_are_a_second_apart():
    login = Login(PASSWORD)
    assert login._pause() == 0.0
    pauses = [login._pause() for _ in range(5)]
    assert all(one > number for number, one in enumerate(pauses))
    assert login.is_password(PASSWORD) and not login.is_password("")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--listen", "127.0.0.2"], "wants a password"),
        (["--listen", "0.0.0.0", "--password-file", "good"], "--origin"),
        (["--listen", "127.0.0.2", "--password-file", "short"], "at least 12"),
        (["--listen", "127.0.0.2", "--password-file", "open"], "chmod 600"),
        (["--listen", "127.0.0.2", "--password-file", "gone"], "cannot be read"),
        (["--origin", "ftp://x", "--password-file", "good"], "no origin"),
    ],
)
def test_what_is_not_safe_does_not_start(tmp_path: Path, secret: Path, words: Any, said: str):
    shutil.copy(secret, tmp_path / "good")
    (tmp_path / "good").chmod(0o600)
    (tmp_path / "short").touch(mode=0o600)
    (tmp_path / "short").write_text("short")
    (tmp_path / "open").write_text(PASSWORD)
    (tmp_path / "open").chmod(0o644)
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "treelace", "studio", "--no-open", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2 and said in done.stderr, (done.stderr, time.monotonic() - began)
