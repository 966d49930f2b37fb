"""Decisions through the interface: classes split and put together again, channels tested, and what
the overview says of drift and settings.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.browsing import expect
from tests.studio.conftest import SAMPLES, Studio, started
from treelace.errors import UsageError
from treelace.site import Site


@pytest.fixture(scope="module")
def own(tea: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(tea, tmp_path_factory.mktemp("decisions") / "own"))


@pytest.fixture(scope="module")
def mine(own: Path) -> Iterator[Studio]:
    with started(own) as running:
        yield running


def do(studio: Studio, name: str, /, **fields: str) -> Any:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    path = f"/api/v1/s/own/do/{name}"
    return json.loads(studio.ask(path, "POST", body=urlencode(fields), **kind).text)


def test_a_split_and_a_merge_are_undone_by_what_the_answer_says(mine: Studio):
    before = mine.ask("/api/v1/s/own/classes").text
    done = do(mine, "split", name="tea")
    assert done["undo"]["do"] == "undo-edit", done
    apart = json.loads(mine.ask("/api/v1/s/own/classes").text)
    assert len(apart) == len(json.loads(before)) + 1
    merged = do(mine, "merge", name="tea", other=apart[-1]["class"])
    assert "as before" in do(mine, "undo-edit", **_fields(merged))["said"]
    assert json.loads(mine.ask("/api/v1/s/own/classes").text) == apart
    assert "as before" in do(mine, "undo-edit", **_fields(done))["said"]
    assert mine.ask("/api/v1/s/own/classes").text == before
    assert "no merge or split" in do(mine, "undo-edit", **_fields(done))["error"]


def _fields(done: dict[str, Any]) -> dict[str, str]:
    return {name: value for name, value in done["undo"].items() if name != "do"}


def test_the_channels_of_a_rule_are_tested_and_show_no_secret(mine: Studio, own: Path):
    assert "the message arrived" in do(mine, "test-channels", rule="cheaper")["said"]
    with Site(own) as site:
        hook = "webhook:http://127.0.0.1:9/T0/s3cret"
        site.subscribe("hooked", records="tea_list", when="new", channels=[hook])
    said = do(mine, "test-channels", rule="hooked")["said"]
    assert "did not arrive" in said and "s3cret" not in said
    assert "s3cret" not in mine.ask("/s/own/alerts").text
    assert "http://127.0.0.1:9/…" in mine.ask("/s/own/alerts").text


def test_the_overview_tells_of_drift_and_what_settings_mean(mine: Studio, own: Path):
    assert "look different now" not in mine.ask("/s/own/").text
    with Site(own) as site:
        site.crawl(source=str(SAMPLES / "tea-wednesday.warc.gz"))
    page = mine.ask("/s/own/").text
    assert "look different now" in page and "/classes/tea-list/repair" in page
    assert "Seconds between two requests to a host, at least." in page
    drift = json.loads(mine.ask("/api/v1/s/own/").text)["drift"]
    assert len(drift["tea-list"]) == 3


def test_where_a_repair_abstained_someone_points(mine: Studio, own: Path, visit: Any):
    with Site(own) as site:  # drifted by the test before
        assert site.repair("tea-list", select={"origin": "css:.avail"}).restored["origin"]
        with pytest.raises(UsageError, match="no column colour"):
            site.repair("tea-list", select={"colour": "css:small"})
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/classes/tea-list/repair")
    row = page.locator("tr", has=page.locator("input[value=origin]"))
    row.locator("text=Point at it").click()
    page.frame_locator("iframe >> nth=1").locator("em.avail").first.click()
    page.wait_for_url("**point=*")
    expect(row.locator("td >> nth=4")).to_contain_text("in stock")
    page.frame_locator("iframe >> nth=1").locator("small").first.click()
    page.wait_for_function("document.querySelector('main').innerText.includes('css:small')")
    expect(row.locator("td >> nth=4")).to_contain_text("India")
    page.click("text=Take the chosen columns into use")
    page.wait_for_selector(".notice")
    with Site(own, read_only=True) as site:
        origins = {
            row[site.records("tea_list").heads.index("origin")]
            for row in site.records("tea_list").values
        }
        assert "India" in origins and "in stock" not in origins
        columns = {it.name: it for it in site.class_details("tea-list").columns}
        assert columns["origin"].select == "css:small" and columns["price"].select == ""
