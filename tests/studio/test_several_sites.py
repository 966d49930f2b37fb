"""Several sites in one studio: the same item compared, a watch list taken over, a digest chosen."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browsing import expect
from tests.studio.conftest import Studio, started
from treelace.site import Site


@pytest.fixture(scope="module")
def folder(tea: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("several")
    for name in ("one", "two"):
        shutil.copytree(tea, place / name)
    return place


@pytest.fixture(scope="module")
def both(folder: Path) -> Iterator[Studio]:
    with started("one", "two", cwd=folder) as running:
        yield running


def test_the_same_item_is_compared_and_leads_to_its_records(both: Studio, visit: Any):
    page = visit(both.link)
    page.click("text=The same item on several sites")
    for table in ("one:tea_list", "two:tea_list"):
        page.check(f"input[value='{table}']")
    page.click("button >> text=Show")
    assert page.locator("select[name=on]").input_value() == "title"
    page.click("button >> text=Show")
    page.wait_for_url("**show=price*")
    assert page.locator("thead th").all_inner_texts() == ["title", "one", "two"]
    expect(page.locator("tbody tr")).to_have_count(18)
    page.locator("tbody tr >> nth=0 >> a >> nth=1").click()
    assert "/s/two/record/tea_list" in page.url


def test_a_watch_list_is_taken_over(both: Studio, folder: Path, visit: Any):
    page = visit(both.link)
    listed = b"https://shop.example/tea tea\nhttps://shop.example/cups\n"
    file = {"name": "list.txt", "mimeType": "text/plain", "buffer": listed}
    page.set_input_files("input[type=file]", file)
    page.click("text=Take it over")
    expect(page.locator(".notice")).to_contain_text("2 of 2 watches are rules now")
    page.click("b >> text=shop.example")
    with Site(folder / "shop.example", read_only=True) as site:
        assert len(site.rules()) == 2


def test_a_rule_tells_once_a_day(both: Studio, folder: Path):
    from urllib.parse import urlencode

    form = {"name": "daily", "records": "tea_list", "when": "changed", "digest": "day"}
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert both.ask("/s/one/do/subscribe", "POST", body=urlencode(form), **kind).status == 303
    assert "once a day" in both.ask("/s/one/alerts").text
    with Site(folder / "one", read_only=True) as site:
        assert {it.name: it.digest for it in site.rules()}["daily"] == "day"
