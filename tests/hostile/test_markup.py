"""Markup of pages in pages of ours, and values of pages in spreadsheets."""

from __future__ import annotations

import pytest

from treelace import extract, parse
from treelace.errors import DamagedError
from treelace.extract.outputs import FILE_WRITERS, FlatColumn
from treelace.limits import DEFAULT_LIMITS
from treelace.store import body as bodies
from treelace.store.body import Body
from treelace.tree.harmless_html import harmless_html

LIVE = "&lt;img src=x onerror=alert(1)>"


@pytest.mark.parametrize("root", ["svg", "math", "svg><g", "svg><desc", "math><mi"])
@pytest.mark.parametrize("tag", ["style", "xmp", "noframes", "plaintext", "script", "title"])
def test_texts_stay_texts_in_foreign_elements(root: str, tag: str):
    """In SVG a `style` is an element like any other: what was escaped in it stays escaped."""
    page = parse(f"<!doctype html><p><{root}><{tag}>{LIVE}</{tag}>")
    again = parse(harmless_html(page), format="html")
    assert [node.attribute("onerror") for node in again.select("img")] in ([], [None])
    assert not again.select("[onerror]")


@pytest.mark.parametrize("tag", ["style", "xmp", "noframes", "textarea", "title", "noscript"])
def test_a_raw_text_does_not_end_itself(tag: str):
    page = parse(f"<!doctype html><body><{tag}></{tag[:2]}<img src=x onerror=alert(1)></{tag}>")
    assert not parse(harmless_html(page), format="html").select("[onerror]")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1"])
def test_a_formula_is_a_text_in_a_sheet(text: str):
    columns = [FlatColumn("name", "text", (text, "tea")), FlatColumn("n", "number", (-1.5, 2.0))]
    written = FILE_WRITERS["sheet-csv"](columns)
    assert isinstance(written, str) and f"'{text}" in written and "'tea" not in written
    assert "-1.5" in written and "'-1.5" not in written
    assert f"'{text}" not in str(FILE_WRITERS["csv"](columns)), "only where it is asked for"


@pytest.mark.parametrize(
    "runs",
    [
        "1-99999999999",
        "1-18446744073709551615",
        "5-1",
        "-5",
        "1;1-4000000000",
        "9" * 30,
        "0-0;" * 50_000,
        "a-b",
        "",
    ],
    ids=lambda runs: runs[:20],
)
def test_absurd_node_ids_are_damage(runs: str):
    data = bodies.write(Body.first(parse("<p>tea", format="html")), limits=DEFAULT_LIMITS)
    head, _, markup = data.partition(b"\n")
    letter, following, _ = head.decode().split(" ")
    with pytest.raises(DamagedError):
        bodies.read(f"{letter} {following} {runs}\n".encode() + markup, limits=DEFAULT_LIMITS)


@pytest.mark.parametrize(
    "data",
    [
        "/*" * 60_000,
        "//" * 60_000,
        '{"a": /* ' * 12_000,
        "[," * 50_000,
        '"' * 60_000,
        "\\" * 60_000,
    ],
    ids=lambda data: data[:8],
)
def test_structured_data_that_is_none_costs_little(data: str):
    import time

    page = parse(f'<script type="application/ld+json">{data}</script><p>x', format="html")
    start = time.monotonic()
    extract(page)
    assert time.monotonic() - start < 10
