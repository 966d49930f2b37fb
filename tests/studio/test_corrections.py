"""A correction is read over the whole past before it is kept: counted, shown, live where it is
long; a column is pointed at on a page of its class.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.browsing import expect
from tests.studio.conftest import SAMPLES, Studio, started
from treelace.site import Site
from treelace.studio.actions import Form, column_fields, column_pairs
from treelace.studio.views.job import column_words


@pytest.fixture(scope="module")
def own(tea: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that went through a redesign and was repaired."""
    folder = Path(shutil.copytree(tea, tmp_path_factory.mktemp("corrections") / "own"))
    with Site(folder) as site:
        site.crawl(source=str(SAMPLES / "tea-wednesday.warc.gz"))
        site.repair("tea-list", accept=True)
    return folder


@pytest.fixture(scope="module")
def mine(own: Path) -> Iterator[Studio]:
    with started(own) as running:
        yield running


def prices(site: Site) -> list[Any]:
    """What each tea cost over time."""
    kind = site.kind("tea_list")
    column = "cost" if "cost" in kind.columns else "price"
    return sorted(
        [(str(one.valid_from), one.value[column]) for one in site.record_history(kind.name, row[0])]
        for row in site.records(kind.name).values
    )


def test_every_version_is_counted_before_and_after_a_redesign(own: Path):
    with Site(own, read_only=True) as site:
        versions = sum(len(site.store.versions(url)) for url in site.store.urls() if "/tea" in url)
        told: list[Any] = []
        past = site.try_history("tea-list", types={"price": "text"}, on_count=told.append)
        assert past.is_whole and past.versions == 9 <= versions
        assert set(past.changed) == {"price"} and not past.come and not past.gone
        assert past.changed["price"] * 4 == past.cells  # one of four columns, all of its cells
        assert told[-1] == past and past.counts()["cells that change"] == past.different
        assert all(str(it.old) in str(it.new) for it in past.examples if it.old != 10.0)
        assert "price" in past.text() and "9 versions read again" in str(past)
        renamed = site.try_history("tea-list", rename={"title": "leaf"})
        assert renamed.different == 0 and renamed.renamed == 1
        dropped = site.try_history("tea-list", drop=["stock"])
        assert set(dropped.gone) == {"stock"} and dropped.gone["stock"] * 4 == dropped.cells
        wrong = site.try_history("tea-list", types={"title": "number"})
        assert wrong.lost == 9  # no page reads as that any more
        short = site.try_history("tea-list", types={"price": "text"}, seconds=0.0)
        assert not short.is_whole and short.versions == 1 and "1 versions of 9" in str(short)


def test_a_correction_after_a_repair_keeps_the_past(own: Path, tmp_path: Path):
    folder = Path(shutil.copytree(own, tmp_path / "site"))
    with Site(folder) as site:
        before = prices(site)
        assert any(len(one) > 1 for one in before)
        site.columns("tea-list", rename={"price": "cost"})
        assert prices(site) == before
        site.rebuild("tea_list")
        assert prices(site) == before


def test_a_correction_is_seen_over_the_past_kept_and_undone(mine: Studio, own: Path, visit: Any):
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/classes/tea-list/point")
    page.frame_locator("iframe").locator(".price, .cost, b, strong").first.click()
    page.wait_for_url("**point=*")
    expect(page.locator(".notice, .error")).to_have_count(1)
    page.goto(f"{mine.origin}/s/own/classes/tea-list")
    page.select_option("[name='type.price']", "text")
    page.click("text=Try these on five pages")
    said = page.locator("#past").inner_text()
    found = re.search(r"(\d+) of (\d+) cells", said)  # how far it comes is the machine's affair
    assert found and 0 < int(found[1]) * 4 == int(found[2]), said
    page.click("text=Keep these columns")
    with Site(own, read_only=True) as site:
        assert site.kind("tea_list").columns["price"] == "text"
    page.click("button >> text=Undo")
    with Site(own, read_only=True) as site:
        assert site.kind("tea_list").columns["price"] == "number"


def test_a_long_past_is_counted_live_in_a_process_of_its_own(mine: Studio, visit: Any):
    form = {"what": "columns", "name": "tea-list", "type.price": "text"}
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert mine.ask("/s/own/job", "POST", body=urlencode(form), **kind).status == 303
    events = mine.ask("/s/own/job/events").text  # ends with the job
    last = json.loads(events.split("data: ")[-2].split("\n")[0])
    assert last["exit_code"] == 0, last
    assert last["counts"]["versions read"] == last["counts"]["of"] == 9
    assert last["counts"]["cells that change"] > 30
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/job")
    assert "cells that change" in page.locator("#job-counts").inner_text().lower()
    expect(page.locator("button >> text=Keep these columns")).to_have_count(1)


def test_a_form_of_columns_becomes_the_words_of_a_command():
    from starlette.datastructures import ImmutableMultiDict

    form = Form(
        ImmutableMultiDict(
            [
                *(("name", "tea"), ("name.a", "b"), ("name.c", "c"), ("drop", "--reset")),
                *(("was.c", "text"), ("type.c", "text"), ("type.d", "price")),
                *(("new", "e"), ("selector", "css:.x"), ("type", "number")),
            ]
        )
    )
    assert column_fields(form) == (
        ["--reset"],
        {"a": "b"},
        {"d": "price", "e": "number"},
        {"e": "css:.x"},
    )
    assert ("select.e", "css:.x") in column_pairs(form)
    words = column_words(form)
    assert words[0] == "--drop=--reset" and words[-2:] == ["--", "tea"]
