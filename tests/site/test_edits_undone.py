"""Merging and splitting of classes are taken back; drift is kept; settings say what they mean."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.monitor.test_channels import Receiver
from tests.studio.conftest import SAMPLES, make_tea_site
from treelace.errors import UsageError
from treelace.site import Site
from treelace.store import FetchedPage

START = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def tea(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tea_site(tmp_path_factory.mktemp("edits") / "tea")


@pytest.fixture
def own(tea: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tea, tmp_path / "own"))


def state(site: Site) -> dict[str, Any]:
    """What an edit of classes may change."""
    return {
        "classes": [(it.name, str(it.state), it.pages, it.wrapper) for it in site.classes()],
        "members": {
            it.name: sorted(site.store.classes.members(site.store.classes.get(it.name).id))
            for it in site.classes()
        },
        "rules": [(it.name, it.looks_at, it.when) for it in site.rules()],
        "records": {
            it.name: sorted(map(str, site.records(it.name, history=True).values))
            for it in site.records()
        },
    }


def test_a_split_is_taken_back(own: Path):
    with Site(own) as site:
        before = state(site)
        name = max(site.classes(), key=lambda it: it.pages).name
        site.split(name)
        assert state(site) != before
        assert [it.what for it in site.edits()] == [f"{name} split"]
        assert "as before" in str(site.undo_edit())
        assert state(site) == before and not site.edits()
        assert not site.verify().damage
        with pytest.raises(UsageError, match="no merge or split"):
            site.undo_edit()


def test_a_merge_is_taken_back_with_its_rules(own: Path):
    with Site(own) as site:
        name = max(site.classes(), key=lambda it: it.pages).name
        new = site.split(name).new
        site.subscribe("of the new", drift=new)
        before = state(site)
        site.merge(name, new)
        assert state(site)["rules"] != before["rules"]
        number = site.edits()[-1].number
        site.undo_edit(number)
        assert state(site) == before
        site.undo_edit()  # and the split before it
        assert new not in {it.name for it in site.classes()}


def shelf(kind: str, number: int, day: int) -> FetchedPage:
    """A page of goods: teas and cups are listed alike, on pages that look different."""
    goods = "".join(
        f'<li><a href="/{kind}/{number}-{item}">{kind} {number}{"abcdefgh"[item]}</a>'
        f" <b>€ {10 + item + number + day * (item == 2)}</b> <i>{3 + item} left</i></li>"
        for item in range(8)
    )
    if kind == "tea":
        body = f"<header><h1>Teas</h1></header><main><ul>{goods}</ul></main><footer>Shop</footer>"
    else:
        notes = "<section><h3>Note</h3><p>Words</p></section>" * 6
        search = "<div><form><input name=q><button>Go</button></form></div>"
        body = f"{search}<aside>{notes}</aside><div><div><h2>Cups</h2><ul>{goods}</ul></div></div>"
    url = f"https://shop.example/{kind}s/{number}"
    return FetchedPage(url, START + timedelta(days=day), 200, f"<body>{body}".encode())


def test_a_merge_of_two_tables_is_taken_back_with_their_past(tmp_path: Path):
    with Site.create(tmp_path / "shop", "https://shop.example/") as site:
        for day in (0, 1):
            site.add_pages([shelf(it, number, day) for it in ("tea", "cup") for number in range(8)])
            site.propose()
            for one in site.classes():
                site.accept(one.name)
        site.subscribe("of cups", records="cups_list", when="changed")
        before = state(site)
        assert {name: len(some) for name, some in before["records"].items()} == {
            "cups_list": 72,
            "teas_list": 72,
        }
        site.merge("teas-list", "cups-list")
        merged = state(site)
        assert {name: len(some) for name, some in merged["records"].items()} == {"teas_list": 144}
        assert [it[1] for it in merged["rules"]] == ["teas_list"]
        site.undo_edit()
        assert state(site) == before and not site.verify().damage
        site.add_pages([shelf("cup", 1, 2)])
        assert len(site.records("cups_list", history=True).values) == 73


def test_what_was_learnt_since_is_not_thrown_away(own: Path):
    with Site(own) as site:
        name = max(site.classes(), key=lambda it: it.pages).name
        site.split(name)
        site.store.classes.add_wrapper(site.store.classes.get(name).id, "extract")
        with pytest.raises(UsageError, match="learnt anew or repaired since"):
            site.undo_edit()


def test_drift_is_kept_until_it_is_repaired(own: Path):
    with Site(own) as site:
        assert not site.status().drift
        site.crawl(source=str(SAMPLES / "tea-wednesday.warc.gz"))
        drift = site.status().drift
        assert len(drift["tea-list"]) == 3 and all(drift["tea-list"].values())
        assert "drifted  tea-list: 3 pages" in str(site.status())
        assert site.repair("tea-list", searches=False).pages == 3
        site.repair("tea-list", accept=True)
        assert "tea-list" not in site.status().drift


def test_settings_say_what_they_mean_and_no_secret(own: Path):
    with (own / "treelace.toml").open("a") as file:
        file.write('[crawl]\ndelay = 2.0\nheaders = { Authorization = "Bearer s3cret" }\n')
    with Site(own, read_only=True) as site:
        found = {it.name: it for it in site.explained_settings()}
    assert found["crawl.delay"].value == "2" and found["crawl.delay"].is_set
    assert found["crawl.delay"].meaning == "Seconds between two requests to a host, at least."
    assert not found["crawl.depth"].is_set and found["crawl.headers"].value == "(set)"
    assert "s3cret" not in str(found) and all(it.meaning for it in found.values())


def test_a_channel_is_tested_and_no_alert_is_recorded(own: Path):
    with Site(own, read_only=True) as site, Receiver(200, 500) as hook:
        before = len(site.alerts())
        done = site.test_channel(f"webhook:{hook.url}?token=s3cret", allow_private=True)
        assert "arrived" in str(done) and not done.failure and "s3cret" not in str(done)
        assert b"this is a test of the channel" in hook.got[0][1]
        failed = site.test_channel(f"webhook:{hook.url}", allow_private=True)
        assert failed.failure == "the webhook answered 500"
        refused = site.test_channel(f"webhook:{hook.url}")
        assert refused.failure and len(hook.got) == 2
        assert "nothing happened" in site.test_channel("terminal").said
        assert len(site.alerts()) == before
        with pytest.raises(UsageError, match="no channel"):
            site.test_channel("pigeon:home")
        assert [it.failure for it in site.test_rule_channels("cheaper")] == [""]
