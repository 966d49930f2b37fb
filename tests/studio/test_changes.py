"""Changes through the studio: only by its own forms, each as `Site` does it, and undone again."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.browsing import expect
from tests.studio.conftest import SAMPLES, Studio, started
from treelace.site import Site
from treelace.testing.shop import open_shop
from treelace.testing.shop_server import ShopServer

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def own(tea: Path, tmp_path: Path) -> Path:
    """A site that the test may change."""
    return Path(shutil.copytree(tea, tmp_path / "own"))


@pytest.fixture
def mine(own: Path, tmp_path: Path) -> Iterator[Studio]:
    with started(own, "--allow-private", cwd=tmp_path) as running:
        yield running


def post(studio: Studio, path: str, **fields: str) -> Any:
    return studio.ask(path, "POST", body=urlencode(fields), **FORM)


def test_a_change_needs_the_token_of_a_form(mine: Studio, own: Path):
    cookie = {"Cookie": f"treelace-{mine.port}={mine.token}", **FORM}
    body = urlencode({"rule": "cheaper"})
    path = "/s/own/do/mute"
    refused = mine.ask(path, "POST", token=False, body=body, **cookie)
    assert refused.status == 403 and "form" in refused.text
    wrong = mine.ask(path, "POST", token=False, body=body + "&csrf=1234", **cookie)
    assert wrong.status == 403
    page = mine.ask("/s/own/alerts", token=False, Cookie=cookie["Cookie"]).text
    csrf = page.partition('name="csrf" value="')[2].partition('"')[0]
    done = mine.ask(path, "POST", token=False, body=f"{body}&csrf={csrf}", **cookie)
    assert done.status == 303
    with Site(own, read_only=True) as site:
        assert [it.state for it in site.rules()] == ["muted"]
    foreign = mine.ask(
        path, "POST", token=False, body=f"{body}&csrf={csrf}", **cookie, Origin="null"
    )
    assert foreign.status == 403


def test_changes_are_refused_where_the_studio_only_reads(own: Path):
    with started(own, "--read-only") as studio:
        assert post(studio, "/s/own/do/mute", rule="cheaper").status == 403
        assert post(studio, "/try", url="https://tea.example/").status == 403
        assert "<button>Mute" not in studio.ask("/s/own/alerts").text
    with Site(own, read_only=True) as site:
        assert [it.state for it in site.rules()] == ["active"]


def test_what_cannot_be_done_is_said(mine: Studio):
    for do, fields, words in (
        ("nothing", {}, "no such view"),
        ("rename", {"name": "tea"}, "lacks new"),
        ("rename", {"name": "coffee", "new": "x"}, "coffee"),
        ("ack", {}, "no alert was chosen"),
        ("columns-back", {"name": "tea", "choice": "[1"}, "broken"),
        ("columns-back", {"name": "tea", "choice": '{"only": 3}'}, "no choice of columns"),
        ("subscribe", {"name": "x", "records": "tea_list", "when": "nonsense is"}, ""),
        ("subscribe", {"name": "x", "records": "tea", "channel": "file:///etc/passwd"}, ""),
    ):
        answer = post(mine, f"/s/own/do/{do}", **fields)
        assert 400 <= answer.status < 500 and words in answer.text, (do, answer)


def test_a_class_is_renamed_and_named_back(mine: Studio, own: Path, visit: Any):
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/classes/tea-list")
    page.fill("input[name=new]", "teas")
    page.click("button >> text=Rename")
    expect(page.locator("h1")).to_contain_text("teas")
    with Site(own, read_only=True) as site:
        assert "teas" in {it.name for it in site.classes()}
    page.click("button >> text=Undo")
    expect(page.locator("h1")).to_contain_text("tea-list")
    with Site(own, read_only=True) as site:
        assert "tea-list" in {it.name for it in site.classes()}


def test_columns_are_tried_on_other_pages_kept_and_undone(mine: Studio, own: Path, visit: Any):
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/classes/tea-list")
    page.fill("[name='name.title']", "leaf")
    page.check("[name=drop][value=stock]")
    page.click("text=Try these on five pages")
    expect(page.locator(".tried-page")).to_have_count(3)  # the class has three pages
    assert page.locator(".tried-page thead >> nth=0").inner_text().split() == [
        "leaf",
        "origin",
        "price",
    ]
    page.click("text=Keep these columns")
    with Site(own, read_only=True) as site:
        assert {"leaf", "origin", "price"} <= set(site.kind("tea_list").columns)
        assert len(site.records("tea_list")) > 10
    page.fill("[name='name.leaf']", "name")  # a column that was renamed is renamed again
    page.click("text=Try these on five pages")
    assert page.locator(".tried-page thead >> nth=0").inner_text().split() == [
        "name",
        "origin",
        "price",
    ]
    page.go_back()
    page.click("button >> text=Undo")
    names = page.locator("td input[name^='name.']")
    assert [it.input_value() for it in names.all()] == ["title", "origin", "price", "stock"]


def test_alerts_are_acknowledged_and_opened_again(mine: Studio, own: Path, visit: Any):
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/alerts")
    count = page.locator("tbody >> nth=0 >> tr").count()
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.click("text=Acknowledge those chosen")
    with Site(own, read_only=True) as site:
        assert len(site.alerts()) == count - 1
    page.click("button >> text=Undo")
    with Site(own, read_only=True) as site:
        assert len(site.alerts()) == count


def test_a_rule_is_tried_on_the_past_and_kept(mine: Studio, own: Path, visit: Any):
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/table/tea_list")
    page.click("text=Tell me when")
    page.select_option("select[name=column]", "price")
    page.fill("input[name=test]", "drops")
    page.click("text=Try it on the past")
    said = page.locator("section h2").inner_text()
    with Site(own, read_only=True) as site:
        told = site.try_rule(records="tea_list", when="price drops").told
    assert told > 0 and f"would have told {told} time" in said
    page.fill("input[name=name]", "any-drop")
    page.click("text=Keep this rule")
    with Site(own, read_only=True) as site:
        kept = {it.name: it.when for it in site.rules()}
    assert kept["any-drop"] == "price drops"


def test_a_redesign_is_repaired(mine: Studio, own: Path, visit: Any):
    with Site(own) as site:
        site.crawl(source=str(SAMPLES / "tea-wednesday.warc.gz"))
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/classes/tea-list/repair")
    count = page.locator(".badge.came").count()
    assert count >= 3
    row = page.locator("tr", has=page.locator("input[value=price]"))
    expect(row.locator("td >> nth=3")).to_contain_text("€")  # what was read before
    expect(row.locator("td >> nth=4")).to_contain_text("€")  # and what is read now
    expect(page.locator("iframe.captured")).to_have_count(2)
    page.uncheck("input[value=origin]")
    page.click("text=Take the chosen columns into use")
    expect(page.locator(".notice")).to_contain_text(f"{count - 1} of")
    with Site(own, read_only=True) as site:
        assert "origin" not in {column.name for column in site.class_details("tea-list").columns}


def test_from_an_address_to_a_watched_table(mine: Studio, tmp_path: Path, visit: Any):
    """A person who has never seen it: from a URL to a watched table with renamed columns."""
    clicks, start = 0, time.monotonic()

    def act(verb: str, *what: str) -> None:
        """A click; who fills a field clicks into it first."""
        nonlocal clicks
        clicks += 1
        getattr(page, verb)(*what)

    with ShopServer(open_shop().days[0]) as shop:
        page = visit(mine.link)
        act("click", "text=Try a page")
        act("fill", "input[name=url]", f"{shop.url}/cups")
        act("click", "text=Show its tables")
        frame = page.frame_locator("#page")
        expect(frame.locator("[data-treelace-record]")).to_have_count(12)
        page.hover("tr[data-record='3']")
        page.wait_for_timeout(200)
        aimed = frame.locator("[data-treelace-record]:target")
        assert page.locator("tr[data-record='3'] td").first.inner_text() in aimed.inner_text()
        act("click", "summary")
        act("fill", "[name='name.title']", "cup")
        act("check", "[name=drop][value=image]")
        act("click", "button >> text=Show >> nth=0")
        heads = page.locator("[data-frame] th").all_inner_texts()
        assert heads[0].startswith("cup") and not any(it.startswith("image") for it in heads)
        with page.expect_download() as saved:
            act("click", "a.button >> text=csv")
        assert Path(saved.value.path()).read_text().startswith("cup,")
        act("fill", "input[name=called]", "cups")
        act("click", "text=Watch this table")
        expect(page.locator(".notice")).to_contain_text("is watched")
        expect(page.locator("tbody tr")).to_have_count(12)
    assert clicks == 10 and time.monotonic() - start < 120
    folder = next(path for path in tmp_path.iterdir() if path.name.startswith("127.0.0.1"))
    with Site(folder, read_only=True) as site:
        table = site.records("cups")
        assert "cup" in table.heads and "image" not in table.heads and len(table) == 12
        assert [it.looks_at for it in site.rules()] == ["cups"]
        assert site.check().pages == 1


def test_a_preview_reaches_no_private_address_and_no_file(tea: Path, tmp_path: Path):
    with started(tea, cwd=tmp_path) as studio:
        for url in (
            f"http://127.0.0.1:{studio.port}/",
            f"http://localhost:{studio.port}/",
            "http://[::1]/",
            "http://169.254.169.254/latest/meta-data/",
            "http://2130706433/",
            "file:///etc/passwd",
            "FILE:///etc/passwd",
            "file:/etc/passwd",
            "javascript:alert(1)",
            "view-source:file:///etc/passwd",
        ):
            answer = post(studio, "/try", url=url)
            assert 400 <= answer.status < 600 and "root:" not in answer.text, (url, answer)
        assert not list(tmp_path.iterdir())


def test_a_file_is_tried_and_not_watched(mine: Studio, visit: Any):
    page = visit(mine.link)
    page.goto(f"{mine.origin}/try")
    page.set_input_files("input[type=file]", SAMPLES / "monday.html")
    page.click("text=Show its tables")
    expect(page.locator("tr[data-record]")).to_have_count(3)
    expect(page.locator("main")).to_contain_text("no address")
    key = page.url.rpartition("/")[2]
    told = json.loads(mine.ask(f"/try/{key}?to=json").text)
    assert told[0]["title"] == "Blue enamel"
    assert post(mine, f"/try/{key}/watch", called="x").status == 404
    assert mine.ask("/try/unknown").status == 404
    assert mine.ask(f"/try/{key}?table=9").status == 404
    assert quote(key) == key


def test_a_crawl_is_followed_live_and_stopped(tmp_path: Path, visit: Any):
    with ShopServer(open_shop().days[0]) as shop:
        Site.create(tmp_path / "shop", f"{shop.url}/").close()
        with (tmp_path / "shop" / "treelace.toml").open("a") as settings:
            settings.write("\n[crawl]\ndelay = 0.1\n")
        with started(tmp_path / "shop", "--allow-private") as studio:
            page = visit(studio.link)
            page.goto(f"{studio.origin}/s/shop/")
            page.click("text=Crawl the site now >> nth=0")
            page.click("button >> text=Crawl the site now")
            fetched = page.locator("#job-counts .fact", has_text="fetched")
            fetched.wait_for(timeout=90_000)
            first = int(fetched.locator("dd").inner_text())
            page.wait_for_function(
                "before => [...document.querySelectorAll('#job-counts .fact')].some(it => it"
                ".innerText.startsWith('fetched') && +it.querySelector('dd').innerText > before)",
                arg=first,
                timeout=60_000,
            )
            again = post(studio, "/s/shop/job", what="crawl")
            assert again.status == 404 and "under way" in again.text
            page.click("button >> text=Stop")
            page.locator("#job-state", has_text="stopped").wait_for(timeout=60_000)
            told = json.loads(studio.ask("/s/shop/job?to=json").text)
            assert not told["running"] and told["counts"]["fetched"] > first
            assert post(studio, "/s/shop/job", what="gc").status == 404
    with Site(tmp_path / "shop", read_only=True) as site:
        assert 0 < len(site.pages()) < 150 and not site.verify().damage


def test_a_crawl_ends_with_the_studio_and_outlives_a_closed_tab(tmp_path: Path):
    with ShopServer(open_shop().days[0]) as shop:
        Site.create(tmp_path / "shop", f"{shop.url}/").close()
        with (tmp_path / "shop" / "treelace.toml").open("a") as settings:
            settings.write("\n[crawl]\ndelay = 0.2\n")
        with started(tmp_path / "shop", "--allow-private") as studio:
            assert post(studio, "/s/shop/job", what="crawl").status == 303
            while not json.loads(studio.ask("/s/shop/job?to=json").text)["counts"].get("fetched"):
                assert json.loads(studio.ask("/s/shop/job?to=json").text)["running"]
        with Site(tmp_path / "shop") as site, site.writer():  # nobody else writes any more
            assert len(site.pages()) < 150


def test_verify_is_a_job(mine: Studio, visit: Any):
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/care")
    page.click("button >> text=Verify")
    page.locator("#job-state", has_text="ended").wait_for(timeout=60_000)
    expect(page.locator("#job-said")).to_contain_text("whole")
