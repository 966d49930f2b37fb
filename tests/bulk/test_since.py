"""A run that goes on from an earlier one: its classes stay, and what changed since is told."""

from __future__ import annotations

import shutil
from datetime import timedelta
from itertools import chain
from pathlib import Path

import duckdb
import pytest

from tests.bulk.archives_made import FIRST, shop_pages, write_warc
from tests.bulk.test_skew import large_host
from treelace.bulk import BulkSettings, run_bulk
from treelace.bulk.archives import PAGES_A_SPLIT, cut, pages_of
from treelace.classes.pages import Fetched
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS

HERE = BulkSettings(on="threads", workers=1)
CHANGE = 'SELECT what, page, key, "column", old, new FROM'


def rows(query: str) -> list[tuple]:
    return duckdb.sql(query).fetchall()


@pytest.fixture(scope="module")
def march(tmp_path_factory) -> Path:
    """The first run; only its tables are left of it."""
    folder = tmp_path_factory.mktemp("march")
    path = write_warc(folder / "march.warc.gz", shop_pages("tea.example"))
    run_bulk([str(path)], str(folder / "tables"), HERE)
    shutil.rmtree(folder / "tables" / "work")
    return folder / "tables"


@pytest.fixture(scope="module")
def april(march, tmp_path_factory) -> Path:
    """The second run: the same shop a day later with a page that is gone, and another shop."""
    folder = tmp_path_factory.mktemp("april")
    later = list(shop_pages("tea.example", day=1))
    gone = Fetched(lost_page(march), FIRST + timedelta(days=2), 404, b"<p>not here", "text/html")
    later = [page for page in later if page.url != gone.url]
    pages = chain(later, [gone], shop_pages("cups.example", seed=8))
    path = write_warc(folder / "april.warc.gz", pages)
    settings = BulkSettings(on="threads", workers=1, since=str(march))
    run_bulk([str(path)], str(folder / "tables"), settings)
    return folder / "tables"


def lost_page(march: Path) -> str:
    """A page that shows a record with a price."""
    found = rows(f"SELECT min(page) FROM '{march}/records/*.parquet' WHERE \"column\" = 'price'")
    return str(found[0][0])


def test_classes_stay_and_new_hosts_have_theirs(march, april):
    known = "SELECT host, number, class, wrapper FROM '{}/classes/*.parquet' WHERE host = '{}'"
    assert set(rows(known.format(april, "tea.example"))) == set(
        rows(known.format(march, "tea.example"))
    )
    assert rows(known.format(april, "cups.example"))
    of_page = "SELECT url, class FROM '{}/pages/*.parquet' WHERE host = 'tea.example'"
    before, after = (dict(rows(of_page.format(place))) for place in (march, april))
    assert all(before[url] == name for url, name in after.items() if name and url in before)


def test_changes_are_those_of_one_run_over_both(march, april, tmp_path):
    path = write_warc(
        tmp_path / "both.warc.gz",
        chain(shop_pages("tea.example"), shop_pages("tea.example", day=1)),
    )
    run_bulk([str(path)], str(tmp_path / "both"), HERE)
    of_shop = f"WHERE host = 'tea.example' AND page <> '{lost_page(march)}'"
    together = set(rows(f"{CHANGE} '{tmp_path}/both/changes/*.parquet' {of_shop}"))
    apart = set(rows(f"{CHANGE} '{april}/changes/*.parquet' {of_shop}"))
    assert together and apart == together


def test_records_of_a_lost_page_are_gone(march, april):
    url = lost_page(march)
    had = rows(f"SELECT count(*) FROM '{march}/records/*.parquet' WHERE page = '{url}'")
    said = rows(f"{CHANGE} '{april}/changes/*.parquet' WHERE page = '{url}'")
    assert len(said) == had[0][0] > 0
    assert {what for what, *_ in said} == {"gone"}


def test_records_of_pages_that_were_not_there_are_new(april):
    host = "host = 'cups.example'"
    said = rows(f"SELECT DISTINCT what, old_time FROM '{april}/changes/*.parquet' WHERE {host}")
    assert said == [("new", None)]
    count = "SELECT count(DISTINCT (page, key)) FROM '{}/{}/*.parquet' WHERE {}"
    assert rows(count.format(april, "changes", host)) == rows(count.format(april, "records", host))


def test_a_third_run_knows_a_host_that_the_second_did_not_see(march, april, tmp_path):
    path = write_warc(tmp_path / "may.warc.gz", shop_pages("cups.example", seed=8, day=1))
    settings = BulkSettings(on="processes", workers=2, since=str(april))
    run_bulk([str(path)], str(tmp_path / "may"), settings)
    known = "SELECT host, class FROM '{}/classes/*.parquet' ORDER BY ALL"
    assert rows(known.format(tmp_path / "may")) == rows(known.format(april))


def test_only_a_finished_run_can_be_gone_on_from(march, tmp_path, treelace):
    path = write_warc(tmp_path / "a.warc.gz", shop_pages("tea.example", most=5))
    with pytest.raises(UsageError, match="there is no run"):
        run_bulk([str(path)], str(tmp_path / "a"), BulkSettings(on="threads", since="nowhere"))
    run_bulk([str(path)], str(tmp_path / "half"), BulkSettings(on="threads", until="group"))
    half = BulkSettings(on="threads", since=str(tmp_path / "half"))
    with pytest.raises(UsageError, match="is not finished"):
        run_bulk([str(path)], str(tmp_path / "b"), half)
    said = treelace("bulk", str(path), "--into", str(tmp_path / "c"), "--since", str(march))
    assert said.returncode == 0 and " changes" in said.stdout


def test_a_table_of_many_rows_is_many_splits(tmp_path):
    from tests.bulk.test_hostile import table

    some = list(large_host())
    path = tmp_path / "pages.parquet"
    path.write_bytes(table("parquet", some))
    splits = cut(str(path), lambda one: pytest.fail(str(one)))
    assert [split.pages for split in splits] == [PAGES_A_SPLIT, PAGES_A_SPLIT, len(some) % 500]
    read = [
        (at, page.url)
        for split in splits
        for at, page in pages_of(
            split, limits=DEFAULT_LIMITS, on_trouble=lambda one: pytest.fail(str(one))
        )
    ]
    assert read == [(at, page.url) for at, page in enumerate(some)]
