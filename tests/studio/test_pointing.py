"""Pointing in a captured page: a column of a tried page, a rule on a value; and nobody else may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browsing import expect
from tests.studio.conftest import Studio, make_tea_site, started
from treelace.errors import UsageError
from treelace.site import Site, TableChoice, try_file, try_page, watch_table
from treelace.testing.shop import open_shop
from treelace.testing.shop_server import ShopServer

ROWS = "".join(
    f'<li class="item"><h2><a href="/p/{n}">Thing {n}</a></h2><b>€{n}.00</b>'
    f'<p class="meta"><span>in stock</span> <em class="code">no. {n * 7}</em></p></li>'
    for n in range(1, 9)
)
PAGE = f"<!DOCTYPE html><title>Shop</title><h1>Things</h1><ul>{ROWS}</ul><p>The end.</p>".encode()


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    place = tmp_path_factory.mktemp("pointing")
    with started(make_tea_site(place / "own"), cwd=place) as studio:
        yield studio


def test_a_place_in_a_record_is_found_in_all_of_them():
    page = try_file(PAGE)
    code = page.tree.select("em.code")[2]
    dropped = tuple(it.name for it in page.chosen(TableChoice()).columns if "21" in str(it))
    found = page.point(TableChoice(drop=dropped), code.index)
    if found.column:  # it is a column already: point at it where that one is left out
        found = page.point(TableChoice(drop=(found.column,)), code.index)
    assert (found.found, found.records) == (8, 8)
    assert found.values[:2] == ("no. 7", "no. 14")
    table = page.chosen(TableChoice(points={"code": found.selector}))
    at = [it.name for it in table.columns].index("code")
    assert [row[at] for row in table.rows] == [f"no. {n * 7}" for n in range(1, 9)]


def test_outside_of_the_records_there_is_no_column():
    page = try_file(PAGE)
    for selector in ("h1", "body > p"):
        with pytest.raises(UsageError, match="outside of the rows"):
            page.point(TableChoice(), page.tree.select(selector)[0].index)
    with pytest.raises(UsageError, match="no such node"):
        page.point(TableChoice(), 10**6)


def test_a_click_in_the_page_makes_a_column(mine: Studio, visit: Any, tmp_path: Path):
    (tmp_path / "page.html").write_bytes(PAGE)
    page = visit(mine.link)
    page.goto(f"{mine.origin}/try")
    page.set_input_files("input[type=file]", tmp_path / "page.html")
    page.click("text=Show its tables")
    heads = page.locator("[data-frame] th")
    before = heads.count()
    page.frame_locator("#page").locator("h1").click()
    expect(page.locator("[role=alert]")).to_contain_text("outside of the rows")
    page.frame_locator("#page").locator("h2 a").first.click()
    expect(page.locator("[role=status]")).to_contain_text("is in the column")
    page.frame_locator("#page").locator("p.meta").nth(1).click()
    said = page.locator("#pointed")
    expect(said).to_contain_text("8 of 8 rows")
    said.locator("input[name=new]").fill("facts")
    said.locator("button").click()
    expect(heads).to_have_count(before + 1)
    expect(heads.last).to_contain_text("facts")
    expect(page.locator("tr[data-record='2']")).to_contain_text("in stock no. 14")
    page.click("summary")
    page.fill("[name='name.facts']", "state")
    page.click("button >> text=Show >> nth=0")
    expect(heads.last).to_contain_text("state")


def test_a_rule_by_pointing_at_a_value(mine: Studio, visit: Any):
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/alerts")
    page.click("text=what changed >> nth=0")
    url = parse_qs(urlsplit(page.url).query)["url"][0]
    page.goto(f"{mine.origin}/s/own/page?url={url}")
    page.click("text=Point at a value")
    frame = page.frame_locator("iframe.captured")
    frame.locator("body :text('€') >> nth=-1").click()
    page.wait_for_url("**/rule?**")
    expect(page.locator("main")).to_contain_text("would have told")
    page.fill("input[name=name]", "pointed")
    page.click("text=Keep this rule")
    with Site(Path(mine.ask("/s/own/?to=json").text and _folder(mine)), read_only=True) as site:
        rule = next(it for it in site.rules() if it.name == "pointed")
        assert rule.looks_at == url


def _folder(studio: Studio) -> str:
    import json

    return str(json.loads(studio.ask("/s/own/?to=json").text)["folder"])


def test_only_the_picker_runs_and_only_its_frame_is_heard(mine: Studio, visit: Any, tmp_path: Path):
    bad = PAGE + b"<script>parent.postMessage({treelace:'pointed',node:1},'*')</script>"
    bad += b"<img src=x onerror=\"parent.postMessage({treelace:'pointed',node:1},'*')\">"
    bad += b"<script nonce=x>document.title='ran'</script>"
    (tmp_path / "bad.html").write_bytes(bad)
    page = visit(mine.link)
    page.goto(f"{mine.origin}/try")
    page.set_input_files("input[type=file]", tmp_path / "bad.html")
    page.click("text=Show its tables")
    here = page.url
    page.frame_locator("#page").locator("h1").wait_for()
    page.wait_for_timeout(500)
    assert page.url == here
    page.evaluate("postMessage({treelace: 'pointed', node: 1}, '*')")  # not the frame
    page.wait_for_timeout(300)
    assert page.url == here
    frame = page.locator("#page").get_attribute("src")
    answer = mine.ask(
        frame.partition(f":{mine.port}")[2], token=False, host=f"localhost:{mine.port}"
    )
    policy = answer.headers["content-security-policy"]
    nonce = policy.partition("'nonce-")[2].partition("'")[0]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'") and len(nonce) > 16
    assert answer.text.count("<script") == 1 and f'<script nonce="{nonce}">' in answer.text
    again = mine.ask(
        frame.partition(f":{mine.port}")[2], token=False, host=f"localhost:{mine.port}"
    )
    assert nonce not in again.headers["content-security-policy"]
    assert "x-treelace-nonce" not in answer.headers
    other = mine.ask("/s/own/page?url=https%3A%2F%2Ftea.example%2F").text
    assert "allow-scripts" not in other


def test_the_whole_site_of_a_page_is_watched(tmp_path: Path):
    from treelace.classes.pages import Fetched
    from treelace.site import TriedPage, watch_site

    fetched = Fetched("https://shop.example/list", try_file(PAGE).fetched.time, 200, PAGE)
    with watch_site(TriedPage(fetched), tmp_path / "shop") as site:
        assert site.settings.site.url == "https://shop.example/"
        assert [it.url for it in site.pages()] == ["https://shop.example/list"]
        assert not site.settings.crawl.include
    with pytest.raises(UsageError, match="no address"):
        watch_site(try_file(PAGE), tmp_path / "other")


def test_numbers_are_read_as_a_language_writes_them(tmp_path: Path):
    rows = "".join(f"<tr><td>Tee {it}</td><td>€ 1.{it}00</td></tr>" for it in range(1, 7))
    body = f"<html lang=en><table><tr><th>name<th>price</tr>{rows}</table></html>".encode()
    page = try_file(body)
    choices = [TableChoice(types={"price": "price"}, language=it) for it in ("en-US", "de")]
    american, german = [page.chosen(choice).cells[0][1] for choice in choices]
    assert american is not None and german is not None
    assert [float(it.value.amount) for it in (american, german)] == [1.1, 1100.0]
    with ShopServer(open_shop().days[0]) as shop:
        tried = try_page(f"{shop.url}/cups", allow_private=True)
    with watch_table(tried, TableChoice(language="de"), tmp_path / "cups", name="cups") as site:
        assert site.settings.site.language == "de" and len(site.records("cups")) == 12
