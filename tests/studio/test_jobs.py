"""Long work through the HTTP interface: started, followed as it goes, looked at, stopped."""

from __future__ import annotations

import http.client
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.servers import Answer, Server
from tests.studio.conftest import Studio, started
from tests.studio.test_api import Client
from treelace.site import Site


@pytest.fixture(scope="module")
def own(tea: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(tea, tmp_path_factory.mktemp("jobs") / "own"))


@pytest.fixture(scope="module")
def mine(own: Path) -> Iterator[Studio]:
    with started(own, "--api-only") as running:
        yield running


def events(studio: Studio, site: str = "own") -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a job, as they come."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)
    bearer = {"Authorization": f"Bearer {studio.token}"}
    connection.request("GET", f"/api/v1/s/{site}/job/events", headers=bearer)
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    kind = "message"
    for line in answer:
        word, _, said = line.decode().rstrip("\n").partition(": ")
        if word == "event":
            kind = said
        elif word == "data":
            yield kind, json.loads(said)
            kind = "message"
    connection.close()


def test_work_is_started_and_followed_to_its_end(mine: Studio, own: Path):
    client = Client(mine)
    assert client.job(site="own")["number"] == 0
    begun = client.start_job(site="own", what="verify")
    assert begun["number"] == 1 and begun["what"] == "verify"
    seen = list(events(mine))
    assert seen[-1][0] == "end" and seen[-2][0] == "message"
    last = seen[-2][1]
    assert last["number"] == 1 and not last["running"] and last["exit_code"] == 0
    assert "all whole" in last["said"] and client.job(site="own") == last
    again = client.start_job(site="own", what="rebuild", records="tea_list")
    assert again["number"] == 2
    assert "records" in [said for _, said in events(mine)][-2]["said"]
    with Site(own, read_only=True) as site:
        assert len(site.records("tea_list").values) == 18


def test_what_cannot_be_started_is_said(mine: Studio):
    client = Client(mine)
    assert "can: crawl" in client.start_job(site="own", what="format-disk")["error"]
    assert "lacks what" in client.start_job(site="own")["error"]
    assert "milk" in client.start_job(site="own", what="rebuild", records="milk")["error"]
    assert "no site" in client.start_job(site="other", what="verify")["error"]


def test_a_crawl_is_followed_live_and_stopped(tmp_path: Path):
    links = "".join(f'<a href="/{number}">{number}</a>' for number in range(150))
    pages = {f"/{number}": Answer(f"<p>page {number}".encode()) for number in range(150)}
    with Server({"/": Answer(links.encode()), **pages}) as server:
        Site.create(tmp_path / "shop", f"{server.url}/").close()
        with (tmp_path / "shop" / "treelace.toml").open("a") as settings:
            settings.write("[crawl]\ndelay = 0.2\n")
        with started(tmp_path / "shop", "--api-only", "--allow-private") as studio:
            client = Client(studio)
            client.start_job(site="shop", what="crawl")
            assert "under way" in client.start_job(site="shop", what="crawl")["error"]
            told = events(studio, "shop")
            counts = (said["counts"].get("fetched", 0) for kind, said in told if kind == "message")
            assert next(it for it in counts if it > 2) < 150, "told while it goes on"
            assert client.start_job(site="shop", stop="1")["what"] == "crawl"
            assert [kind for kind, _ in told][-1] == "end"
            state = client.job(site="shop")
            assert not state["running"] and state["exit_code"] == 130
    with Site(tmp_path / "shop", read_only=True) as site:
        assert 0 < len(site.pages()) < 150 and not site.verify().damage
