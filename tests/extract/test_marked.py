"""The page with its records marked: nothing of the page runs, and nothing is fetched."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest

import treelace as tl
from treelace.extract.outputs import marked_page

ROWS = "".join(f"<li><b>thing {n}</b> <i>{n}.50</i><img src=/{n}.png></li>" for n in range(1, 4))
HOSTILE = (
    "<html><head><base href=//evil.example/><meta http-equiv=refresh"
    " content='0;url=//evil.example'><link rel=stylesheet href=//evil.example/a.css><script"
    " src=//evil.example/a.js></script><style>b{color:red}</style></head><body"
    " onload='steal()'><iframe src=//evil.example></iframe><a href='javascript:steal()'"
    f" ping=//evil.example>x</a><ul>{ROWS}</ul><svg><script>steal()</script></svg><form"
    " action=//evil.example></form><p"
    " title='\"><script>steal()</script>'>&lt;script>steal()&lt;/script></p><template><img"
    " onerror=steal()></template><object data=//evil.example></object><img"
    " src='data:image/png;base64,AA==' alt=dot>"
)


def inner(page: str) -> tl.Tree:
    frames = tl.parse(page).select("iframe")
    assert len(frames) == 1
    assert frames[0].attribute("sandbox") == ""
    return tl.parse(frames[0].attribute("srcdoc") or "")


def test_every_record_has_a_frame_and_every_item_the_colour_of_its_column():
    tree = tl.parse(HOSTILE)
    tables = tl.extract(tree)
    page = inner(marked_page(tree, tables[:1], title="a <shop>"))
    assert len(page.select("li[data-treelace-record]")) == 3
    marks = [
        node.attribute("data-treelace-item") for node in page.select("li [data-treelace-item]")
    ]
    assert len(marks) == 9
    assert len(set(marks)) == 3
    assert [node.text for node in page.select("li b")] == ["thing 1", "thing 2", "thing 3"]


def test_nothing_of_the_page_runs_or_is_fetched():
    tree = tl.parse(HOSTILE)
    written = marked_page(tree, tl.extract(tree), title="a <shop>")
    assert tl.parse(written).select("title")[0].text == "a <shop>"
    page = inner(written)
    assert not page.select(
        "script, iframe, link, base, object, template, [onload], [onerror], [href], [action],"
        " [ping], [src*='evil']"
    )
    assert not page.select("meta[http-equiv=refresh]")
    assert "evil.example" not in unescape(
        tl.parse(written).select("iframe")[0].attribute("srcdoc") or ""
    )
    policies = [node.attribute("content") or "" for node in page.select("meta[http-equiv]")] + [
        node.attribute("content") or "" for node in tl.parse(written).select("meta[http-equiv]")
    ]
    assert len(policies) == 2
    assert all(policy.startswith("default-src 'none'") for policy in policies)
    assert page.select("img[src^='data:']")
    assert page.select("p")[0].text == "<script>steal()</script>"


def test_other_readings_of_a_list_are_not_marked_twice():
    tree = tl.parse(f"<ul>{ROWS}</ul>")
    tables = [*tl.extract(tree), *tl.extract(tree, extractor="equal-paths")]
    assert len(tables) > 1
    assert len(tl.parse(marked_page(tree, tables)).select("table")) == 1
    assert "no repeated structure found" in marked_page(tree, [])


@pytest.mark.parametrize(("confidence", "open_tables"), [(0.5, 2), (0.49, 1)])
def test_tables_that_are_not_sure_are_folded_away_and_not_marked(
    confidence: float, open_tables: int
):
    other = ROWS.replace("thing", "cup").replace("<li>", "<li class=cup>")
    tree = tl.parse(f"<ul>{ROWS}</ul><ol>{other}</ol>")
    found = {table.place: table for table in reversed(tl.extract(tree)) if len(table) == 3}
    sure, unsure = found["html/body/ul"], found["html/body/ol"]
    written = marked_page(
        tree, [replace(sure, confidence=0.9), replace(unsure, confidence=confidence)]
    )
    page = tl.parse(written)
    assert len(page.select("table")) == 2
    assert len(page.select("details table")) == 2 - open_tables
    assert len(inner(written).select("li[data-treelace-record]")) == 3 * open_tables


def test_a_picture_is_shown_by_the_name_of_its_file():
    tree = tl.parse(f"<ul>{ROWS}</ul>".replace(".png", ".png?width=20"))
    shown = [node.text for node in tl.parse(marked_page(tree, tl.extract(tree)[:1])).select("td")]
    assert {"1.png", "2.png", "3.png"} <= {*shown}


def test_deep_pages_are_written():
    tree = tl.parse("<div>" * 3000 + f"<ul>{ROWS}</ul>")
    assert marked_page(tree, tl.extract(tree)).count("data-treelace-record=") == 3


def test_a_notebook_shows_the_table_and_the_page():
    table = tl.extract(tl.parse(f"<ul>{ROWS}</ul>"))[0]
    shown = tl.parse(table._repr_html_())
    assert len(shown.select("table tbody tr")) == 3
    assert inner(table._repr_html_()).select("li[data-treelace-record]")
