"""What a person does with the studio, in a real Chromium, started as a person starts it."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from tests.browsing import expect
from tests.studio.conftest import Studio, started


def test_an_empty_studio_says_what_to_do(visit: Any, tmp_path: Path):
    with started(cwd=tmp_path) as studio:
        page = visit(studio.link)
        assert "token" not in page.url
        expect(page.locator("main")).to_contain_text("treelace init")
        studio.process.send_signal(signal.SIGINT)
        assert studio.process.wait(timeout=20) == 130


def test_sites_in_this_folder_are_found(tea: Path):
    with started(cwd=tea.parent) as studio:
        assert "https://tea.example/" in studio.ask("/").text


def test_a_site_at_a_glance_and_its_classes(studio: Studio, visit: Any):
    page = visit(studio.link)
    page.click("text=tea >> nth=0")
    page.goto(f"{studio.origin}/s/tea/")
    said = page.locator("main").inner_text()
    assert "https://tea.example/" in said and "Open alerts" in said
    page.click(".card >> text=tea-list")
    expect(page.locator("h1")).to_contain_text("tea-list")
    columns = [it.input_value() for it in page.locator("td input[name^='name.']").all()]
    assert columns == ["title", "origin", "price", "stock"]
    thumb = page.frame_locator(".thumb iframe >> nth=0")
    expect(thumb.locator("body")).to_contain_text("Tea")


def test_from_a_table_to_the_past_of_a_value(studio: Studio, visit: Any):
    page = visit(studio.link)
    page.goto(f"{studio.origin}/s/tea/table/tea_list")
    page.click("th >> text=price")
    prices = [float(it.strip("€")) for it in page.locator("tbody td.number").all_inner_texts()]
    assert prices == sorted(prices) and len(prices) > 10
    page.click("th >> text=price")
    expect(page.locator("th[aria-sort=descending]")).to_have_count(1)
    page.select_option("select[name=column]", "price")
    page.select_option("select[name=sign]", ">=")
    page.fill("input[name=value]", "15")
    page.click("button >> text=Show")
    few = [float(it.strip("€")) for it in page.locator("tbody td.number").all_inner_texts()]
    assert few == sorted((it for it in prices if it >= 15), reverse=True)
    page.click(".chip")
    expect(page.locator("tbody tr")).to_have_count(len(prices))
    page.goto(f"{studio.origin}/s/tea/alerts")
    page.click("text=record >> nth=0")
    assert page.locator("svg.steps circle").count() >= 2
    marked = page.frame_locator("iframe.captured").locator("[data-treelace-mark]")
    expect(marked).to_contain_text("€")
    with page.expect_navigation():
        page.locator("svg.steps a").first.click()
    assert "/page?" in page.url and "mark=" in page.url
    node = page.frame_locator("iframe.captured").locator("[data-treelace-mark]")
    expect(node).to_contain_text("€")


def test_what_changed_on_a_page(studio: Studio, visit: Any):
    page = visit(studio.link)
    page.goto(f"{studio.origin}/s/tea/alerts")
    page.click("text=what changed >> nth=0")
    new = page.frame_locator("iframe.captured >> nth=1")
    assert new.locator("[data-treelace-change=changed]").count() >= 1
    page.click(".tabs >> text=As text")
    assert page.locator("tbody tr del").count() and page.locator("tbody tr ins").count()
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.rowIndex") == 2
    page.click(".tabs >> text=Source")
    folds = page.locator("tr.fold:visible")
    count = folds.count()
    folds.first.click()
    expect(folds).to_have_count(count - 1)


def test_alerts_and_care(studio: Studio, visit: Any):
    page = visit(studio.link)
    page.goto(f"{studio.origin}/s/tea/alerts")
    expect(page.locator("tbody").first).to_contain_text("drops")
    assert page.locator(".evidence del").count() and page.locator(".evidence ins").count()
    page.click("nav >> text=Care")
    page.click("text=Everything")
    assert page.locator("tbody tr").count() or "Nothing" in page.locator("main").inner_text()


def test_reading_works_without_scripts_and_on_a_narrow_screen(studio: Studio, visit: Any):
    page = visit(studio.link, java_script_enabled=False, viewport={"width": 420, "height": 800})
    page.goto(f"{studio.origin}/s/tea/table/tea_list")
    page.fill("input[name=q]", "china")
    page.click("button >> text=Show")
    assert 0 < page.locator("tbody tr").count() < 18
    for path in ("", "tables", "pages", "classes", "alerts", "sql", "care"):
        page.goto(f"{studio.origin}/s/tea/{path}")
        wide = page.locator("body").bounding_box()["width"]
        assert wide <= 420, path
