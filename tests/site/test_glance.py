"""A site at a glance: what there is agrees with what the long lists say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Treelace
from treelace.errors import UsageError
from treelace.site import Site
from treelace.testing.shop import open_shop
from treelace.testing.shop_server import ShopServer

SAMPLES = Path(__file__).parents[2] / "docs" / "samples"


@pytest.fixture(scope="module")
def tea(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site.create(tmp_path_factory.mktemp("glance") / "tea", "https://tea.example/") as site:
        site.crawl(source=str(SAMPLES / "tea-monday.warc.gz"), auto_accept=True)
        site.subscribe("cheaper", records="tea_list", when="price drops 10%")
        site.crawl(source=str(SAMPLES / "tea-tuesday.warc.gz"))
        yield site


def test_status_counts_what_there_is(tea: Site):
    said = tea.status()
    assert said.pages == len(tea.pages())
    assert said.records == {name: len(tea.records(name)) for name in ("tea_list", "tea")}
    assert said.alerts == len(tea.alerts()) > 0
    assert said.rules == 1
    assert "tea_list 18" in str(said) or "tea_list 19" in str(said)


def test_some_pages_are_part_of_all(tea: Site):
    whole = [page.url for page in tea.pages()]
    some = tea.some_pages(offset=3, limit=4)
    assert [page.url for page in some.pages] == whole[3:7] and some.total == len(whole)
    classes = {page.page_class for page in tea.pages()}
    assert sum(tea.some_pages(page_class=it or "").total for it in classes) == len(whole)
    assert tea.some_pages(like="/tea/").total == len(tea.pages(like="/tea/"))


def test_newest_alerts_come_first_and_go_on(tea: Site):
    oldest_first = [alert.id for alert in tea.alerts()]
    first = tea.newest_alerts(limit=1)
    rest = tea.newest_alerts(before=first[0].id)
    assert [it.id for it in (*first, *rest)] == oldest_first[::-1]


def test_a_picture_of_a_page_has_its_record_marked(tea: Site):
    record = tea.record_history("tea_list", tea.records("tea_list").values[0][0])[0]
    shown = tea.picture(record.page, record.version, mark=record.node)
    assert shown.count('id="treelace-mark"') == 1 and "<script" not in shown
    assert "treelace-mark" not in tea.picture(record.page, record.version, mark=10**9)


def test_a_change_for_readers_leaves_out_what_they_do_not_see(tea: Site):
    url = next(page.url for page in tea.pages() if page.newest > 1)
    seen, whole = tea.shown_change(url, 1, 2), tea.shown_change(url, 1, 2, is_whole=True)
    assert 0 < len(seen.changes) <= len(whole.changes)
    old, new = tea.pictures_of_change(url, 1, 2)
    assert "data-treelace-change" in old + new


def test_a_class_with_its_columns(tea: Site):
    about = tea.class_details("tea-list")
    assert [column.name for column in about.columns] == ["title", "origin", "price", "stock"]
    assert about.kinds == ("tea_list",)
    with pytest.raises(UsageError, match="no class"):
        tea.class_details("coffee")


def test_the_commands(tea: Site, treelace: Treelace):
    folder = str(tea.folder)
    assert "24 pages" in treelace("status", "--site", folder).stdout
    done = treelace("fetches", "--site", folder)
    assert done.returncode == (0 if tea.fetches() else 1)
    asked = ("records", "tea_list", "--sort", "-price", "--most", "2", "--to", "csv")
    dearest = treelace(*asked, "--site", folder).stdout.splitlines()
    whole = tea.records("tea_list")
    at = whole.heads.index("price")
    most = max(row[at] for row in whole.values)
    assert len(dearest) == 3 and str(most) in dearest[1]
    wrong = treelace("records", "tea_list", "--where", "cheap", "--site", folder)
    assert wrong.returncode == 2 and "no condition" in wrong.stderr


def test_columns_are_tried_by_a_command(tea: Site, treelace: Treelace):
    said = ("--rename", "title=leaf", "--drop", "stock", "--try", "--site", str(tea.folder))
    shown = treelace("classes", "columns", "tea-list", *said).stdout
    assert "3 of 3 pages read" in shown and "leaf" in shown and "stock" not in shown
    assert "title" in tea.kind("tea_list").columns  # nothing was kept


def test_a_column_that_was_renamed_is_known_by_both_names(tmp_path: Path):
    with Site.create(tmp_path / "tea", "https://tea.example/") as site:
        site.crawl(source=str(SAMPLES / "tea-monday.warc.gz"), auto_accept=True)
        before = site.column_choice("tea-list")
        site.columns("tea-list", rename={"title": "leaf"}, types={"title": "text"})
        again = site.columns("tea-list", rename={"leaf": "name"})
        assert [column.name for column in again] == ["name", "origin", "price", "stock"]
    with Site(tmp_path / "tea") as site:
        back = site.restore_columns("tea-list", before)
        assert [column.name for column in back] == ["title", "origin", "price", "stock"]
        with pytest.raises(UsageError, match="no choice"):
            site.restore_columns("tea-list", {"only": 3})


def test_a_site_of_one_table(tmp_path: Path, treelace: Treelace):
    with ShopServer(open_shop().days[0]) as shop:
        said = ("--table", "1", "--rename", "title=cup", "--drop", "image", "--allow-private")
        done = treelace("init", "cups", f"{shop.url}/cups", *said)
        assert done.returncode == 0 and "12 records" in done.stderr, done.stderr
        again = treelace("crawl", "--site", "cups", "--allow-private")
        assert again.returncode == 0, again.stderr
    with Site(tmp_path / "cups", read_only=True) as site:
        assert len(site.pages()) == 1
        assert "cup" in site.records("table").heads and len(site.records("table")) == 12
    wrong = treelace("init", "x", "https://shop.example/", "--drop", "image")
    assert wrong.returncode == 2
