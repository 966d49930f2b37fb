"""What became of records since someone last looked, and where a value comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.studio.conftest import SAMPLES, make_tea_site
from treelace.errors import UsageError
from treelace.site import Site


@pytest.fixture
def tea(tmp_path: Path):
    with Site(make_tea_site(tmp_path / "tea")) as site:
        yield site


def said(changes) -> set[tuple]:
    return {
        (one.kind, str(one.what), one.key, tuple((it.column, it.old, it.new) for it in one.cells))
        for one in changes
    }


def test_every_change_comes_once_however_small_the_steps(tea: Site):
    whole = tea.changes(limit=1000)
    assert not whole.is_more and not tea.changes(cursor=whole.cursor)
    steps, cursor = [], ""
    while True:
        some = tea.changes(cursor=cursor, limit=2)
        steps += some
        cursor = some.cursor
        if not some.is_more:
            break
    assert len(steps) == len(said(steps)) == len(whole) and said(steps) == said(whole)


def test_what_comes_later_comes_with_the_cursor(tmp_path: Path):
    with Site.create(tmp_path / "tea", "https://tea.example/") as site:
        site.crawl(source=str(SAMPLES / "tea-monday.warc.gz"), auto_accept=True)
        first = site.changes(limit=1000)
        assert {str(it.what) for it in first} == {"new"}
        site.crawl(source=str(SAMPLES / "tea-tuesday.warc.gz"))
        later = site.changes(cursor=first.cursor, limit=1000)
        assert {str(it.what) for it in later} == {"new", "changed", "gone"}
        assert said(first) | said(later) == said(site.changes(limit=1000))
        assert not said(first) & said(later)


def test_changes_agree_with_the_history_of_records(tea: Site):
    found = tea.changes("tea_list", limit=1000)
    states = tea.records("tea_list", history=True)
    begun = {(row[0], row[states.heads.index("valid_from")]) for row in states.values}
    assert {(it.key, it.time) for it in found if it.what != "gone"} <= begun
    changed = [it for it in found if it.what == "changed"]
    assert changed and all(it.cells for it in changed)
    for one in changed:
        moments = tea.record_history("tea_list", one.key)
        now = next(it for it in moments if it.valid_from == one.time)
        before = next(it for it in moments if it.valid_to == one.time)
        for cell in one.cells:
            assert (before.value[cell.column], now.value[cell.column]) == (cell.old, cell.new)
    today = {row[0] for row in tea.records("tea_list").values}
    assert {it.key for it in found if it.what == "gone"}.isdisjoint(today)
    assert "column" in tea.changes("tea_list").written("csv").splitlines()[0]


def test_a_cursor_that_is_none_is_refused(tea: Site):
    for wrong in ("x", "bm8=", "e30"):
        with pytest.raises(UsageError, match="no cursor"):
            tea.changes(cursor=wrong)


def test_a_cell_is_explained_by_its_node(tea: Site):
    table = tea.records("tea_list")
    row = table.values[0]
    found = tea.explain("tea_list", row[0], "price")
    assert found.value == row[table.heads.index("price")]
    assert found.page and found.xpath and found.page_class == "tea-list"
    tree = tea.page(found.page, found.version)
    [node] = tree.select_xpath(found.xpath)
    assert node.text.split() == found.text.split()
    assert row[table.heads.index("price text")] in found.text
    assert str(found).startswith("tea_list")
    with pytest.raises(UsageError, match="column of tea_list"):
        tea.explain("tea_list", row[0], "colour")
