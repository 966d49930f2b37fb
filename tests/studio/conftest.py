"""The studio as a person starts it: the program on a real site, and a real Chromium to look."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browsing import PATIENCE
from treelace.site import Site

SAMPLES = Path(__file__).parents[2] / "docs" / "samples"


@dataclass(frozen=True)
class Answered:
    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True)
class Studio:
    """A studio that runs, and its link."""

    link: str
    process: subprocess.Popen[str]

    @property
    def origin(self) -> str:
        return self.link.partition("/?")[0]

    @property
    def port(self) -> int:
        return urlsplit(self.link).port or 0

    @property
    def token(self) -> str:
        return self.link.partition("token=")[2]

    def ask(
        self,
        path: str,
        method: str = "GET",
        *,
        host: str | None = None,
        token: bool = True,
        body: str | None = None,
        **headers: str,
    ) -> Answered:
        """One request, as any program could send it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent["Host"] = host or f"127.0.0.1:{self.port}"
        if token:
            sent["Authorization"] = f"Bearer {self.token}"
        connection.request(method, path, body=body, headers=sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        found = {name.lower(): value for name, value in answer.getheaders()}
        connection.close()
        return Answered(answer.status, found, text)


@contextmanager
def started(*arguments: str | Path, cwd: Path | None = None) -> Iterator[Studio]:
    """`treelace studio` with these arguments, until the end of the block."""
    command = shutil.which("treelace", path=Path(sys.executable).parent)
    assert command, "the command treelace is not beside this Python: make setup"
    process = subprocess.Popen(
        [command, "studio", "--no-open", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        link = process.stdout.readline().strip()
        assert link.startswith("http://127.0.0."), process.stderr.read()
        yield Studio(link, process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
        for pipe in (process.stdout, process.stderr):
            pipe.close()


def make_tea_site(folder: Path) -> Path:
    """The shop of the tutorial on Monday and Tuesday, with a rule that tells."""
    with Site.create(folder, "https://tea.example/") as site:
        site.crawl(source=str(SAMPLES / "tea-monday.warc.gz"), auto_accept=True)
        site.subscribe("cheaper", records="tea_list", when="price drops 10%")
        site.crawl(source=str(SAMPLES / "tea-tuesday.warc.gz"))
    return folder


@pytest.fixture(scope="session")
def tea(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that tests look at and never change."""
    return make_tea_site(tmp_path_factory.mktemp("studio") / "tea")


@pytest.fixture(scope="session")
def studio(tea: Path) -> Iterator[Studio]:
    with started(tea) as running:
        yield running


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens a link in a fresh window; what the browser complains of fails the test."""
    windows, said = [], []

    def opened(link: str, **options: Any) -> Any:
        window = chromium.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
        windows.append(window)
        page = window.new_page()
        page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.set_default_timeout(PATIENCE)
        page.goto(link)
        return page

    yield opened
    for window in windows:
        window.close()
    assert not said, said
