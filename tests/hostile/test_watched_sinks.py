"""Control characters of a site that is watched: on a terminal, in its log, in the names of folders
and files.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.crawl.servers import Answer, Server, redirect
from tests.hostile.test_sinks import ESCAPES, on_a_terminal
from treelace.classes.pages import Fetched
from treelace.errors import UsageError
from treelace.site import Site
from treelace.site.tried_pages import TableChoice, TriedPage, watch_table
from treelace.store import settings
from treelace.store.said_settings import with_noise

ACTING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def goods(visit: int) -> bytes:
    """Nine records; from the second visit on one of them has escapes in it."""
    names = ["owned" + ESCAPES if visit and number == 3 else f"Tea {number}" for number in range(9)]
    rows = "".join(f"<li><h2>{name}</h2><b>€{n}.50</b></li>" for n, name in enumerate(names))
    return f"<!doctype html><title>x{ESCAPES}</title><ul>{rows}</ul><a href=/odd>x</a>".encode()


def test_a_watch_does_not_drive_the_terminal_and_its_log_is_plain(tmp_path: Path):
    """An alert, a failure that repeats what a server said, and the log of both."""
    visits = [0]

    def home(_: object) -> Answer:
        visits[0] += 1
        return Answer(goods(visits[0] - 1))

    odd = redirect(f"http://[owned{ESCAPES}".encode().decode("latin-1"))
    with Server({"/": home, "/odd": odd}) as server:
        with Site.create(tmp_path / "site", f"{server.url}/") as site:
            path = site.folder / "treelace.toml"
            kind = '\n[[class]]\nname = "teas"\nurls = ".*"\nwrapper = "extract"\n'
            path.write_text(path.read_text() + kind)
        command = ["watch", "--once", "--all", "--allow-private", "--delay", "0", "--site", "site"]
        command += ["--log-json", "log.jsonl"]
        on_a_terminal(*command, cwd=tmp_path)
        with Site(tmp_path / "site") as site:
            site.subscribe("new", records="teas", when="new", channels=("terminal",))
        received = on_a_terminal(*command, cwd=tmp_path)
    shown = received.replace("\r", "")  # a terminal's line ends, and the line of progress
    assert "new record: owned\\x1b" in shown and "/odd: " in shown
    assert not ACTING.search(shown), shown
    written = (tmp_path / "log.jsonl").read_text(encoding="utf-8")
    assert not ACTING.search(written)
    told = [json.loads(line) for line in written.splitlines()]
    assert any(line["event"] == "alert" and ESCAPES in line["note"] for line in told), "all of it"
    assert any(line["event"] == "failed" and "owned" in line["note"] for line in told)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://../tea", "site"),
        ("http://./tea", "site"),
        ("http://.hidden/tea", "hidden"),
        ("http://a/../../tea", "a"),
        ("http://a\\..\\b/", "a_.._b"),
        (f"http://{'é' * 50}.example/", f"{'é' * 50}.example"),
        (f"http://{'a.' * 200}example/", "a." * 30),
        ("http://[::1]:8/", "___1__8"),
    ],
)
def test_a_folder_is_named_after_a_host_and_stays_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, name: str
):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    Site.of_page(url).close()
    assert [path.name for path in here.iterdir()] == [name]
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


@pytest.mark.parametrize(
    "url",
    [
        "http://user:" + "geheim@shop.example/",
        f"http://a{ESCAPES}b.example/",
        "http://a\u202eb.example/",
        "http://[x/",
        "http://a:99999999/",
        "http://",
    ],
    ids=ascii,
)
def test_what_is_no_address_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
):
    monkeypatch.chdir(tmp_path)
    for make in (Site.of_page, lambda url: Site.create("shop", url)):
        with pytest.raises(UsageError) as refused:
            make(url)
        assert "geheim" not in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", [f"tea{ESCAPES}", "../../tea", "t" * 5000, "\x00", "..", "\U0001f375\ud800\u2028"]
)
def test_a_table_named_by_anything_is_a_file_in_its_folder(tmp_path: Path, name: str):
    page = TriedPage(Fetched("https://shop.example/", datetime.now(UTC), 200, goods(0)))
    with watch_table(page, TableChoice(), tmp_path / "site", name=name) as site:
        files = [path.name for path in site.folder.glob("*.wrapper.json")]
        assert len(files) == 1 and re.fullmatch(r"[a-z0-9-]{1,60}\.wrapper\.json", files[0])
        assert site.records()
    assert {path.name for path in tmp_path.iterdir()} == {"site"}


@pytest.mark.parametrize(
    "name", [f"tea{ESCAPES}", "a\u2028b\x85", 'a"]\n[x', "\U0001f375", "a b.c"]
)
def test_names_of_any_kind_stay_one_line_of_the_settings(name: str):
    """They were written as JSON is, which TOML does not always take."""
    text = '[site]\nurl = "https://shop.example/"\n'
    for shown in ("first", f"second{name}"):
        choice = settings.ColumnsSection(drop=[name], rename={name: shown})
        noise = [settings.NoiseSection(records=name, column=shown)]
        text = settings.with_url(settings.with_columns(text, name, choice), f"https://a/{name}")
        read = settings.parse(text := with_noise(text, noise))
        assert read.columns == {name: choice} and read.site.url == f"https://a/{name}"
        assert read.noise == noise
