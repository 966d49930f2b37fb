"""A run from archives to tables: what comes out, that it is the same however it is run, and that
it goes on where it was stopped.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import duckdb
import msgspec
import pytest

from tests.bulk.archives_made import shop_pages, write_warc
from treelace.bulk import BulkSettings, run_bulk
from treelace.bulk.model import STAGE_NAMES
from treelace.bulk.tasks import STAGES
from treelace.errors import UsageError
from treelace.site import Site


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    pages = [shop_pages("tea.example"), shop_pages("tea.example", day=1)]
    pages.append(shop_pages("cups.example", seed=8))
    return write_warc(tmp_path_factory.mktemp("archive") / "pages.warc.gz", chain(*pages))


@pytest.fixture(scope="module")
def tables(archive, tmp_path_factory) -> Path:
    """The tables of the archive, made on one thread."""
    out = tmp_path_factory.mktemp("tables")
    run_bulk([str(archive)], str(out), BulkSettings(on="threads", workers=1))
    return out


def contents(out: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*.*"))
        if path.is_file()
    }


def rows(query: str) -> list[tuple]:
    return duckdb.sql(query).fetchall()


def test_stages_have_one_order():
    assert tuple(STAGES) == STAGE_NAMES


def test_every_page_is_there_once_with_its_class(archive, tables):
    found = rows(f"SELECT host, count(*), count(class) FROM '{tables}/pages/*.parquet' GROUP BY 1")
    wanted = {
        "cups.example": len(list(shop_pages("cups.example", seed=8))),
        "tea.example": sum(len(list(shop_pages("tea.example", day=day))) for day in (0, 1)),
    }
    assert {host: count for host, count, _ in found} == wanted
    assert all(named >= 0.8 * count for _, count, named in found)


def test_prices_of_products_are_read(tables):
    classes = rows(f"SELECT class FROM '{tables}/classes/*.parquet' WHERE health = 1.0")
    assert classes
    prices = rows(
        f"SELECT count(DISTINCT page) FROM '{tables}/records/*.parquet' "
        "WHERE \"column\" = 'price' AND number > 0"
    )
    assert prices[0][0] > 20


def test_long_and_wide_say_the_same(tables):
    for folder in (tables / "wide").iterdir():
        (long,) = rows(
            f"SELECT count(DISTINCT (key, page, time)) FROM '{tables}/records/*.parquet' "
            f"WHERE records IN (SELECT DISTINCT records FROM '{tables}/records/*.parquet' r "
            f"JOIN '{folder}/*.parquet' w ON r.key = w.key AND r.page = w.page)"
        )
        (wide,) = rows(f"SELECT count(*) FROM '{folder}/*.parquet'")
        assert wide[0] == long[0]


def test_changes_are_those_of_the_second_day(tables):
    found = rows(
        f"SELECT what, count(*) FROM '{tables}/changes/*.parquet' "
        "WHERE host = 'tea.example' GROUP BY 1"
    )
    assert dict(found).get("changed", 0) > 0
    assert not rows(f"SELECT * FROM '{tables}/changes/*.parquet' WHERE host = 'cups.example'")
    assert not rows(f"SELECT * FROM '{tables}/changes/*.parquet' WHERE old_time >= new_time")


def test_processes_write_the_same_bytes(archive, tables, tmp_path):
    run_bulk([str(archive)], str(tmp_path), BulkSettings(on="processes", workers=2))
    assert contents(tmp_path) == contents(tables)


def test_stage_by_stage_is_the_same_and_nothing_is_done_twice(archive, tables, tmp_path):
    seen = 0
    for stage in STAGE_NAMES:
        done = run_bulk(
            [str(archive)], str(tmp_path), BulkSettings(on="threads", workers=1, until=stage)
        )
        assert done.known == seen
        seen += done.tasks
    assert contents(tmp_path) == contents(tables)


def test_classes_and_values_are_those_of_a_site(archive, tables, tmp_path):
    """One way to classify, learn and read: the store of a site has the same classes."""
    folder = tmp_path / "site"
    Site.create(folder, "https://cups.example/").close()
    only = write_warc(tmp_path / "cups.warc.gz", shop_pages("cups.example", seed=8))
    with Site(folder) as site:
        for _ in site.crawling(source=str(only), auto_accept=True):
            pass
        stored = {page.url: page.page_class for page in site.store.pages()}
    found = dict(
        rows(
            f"SELECT url, split_part(class, '/', 2) FROM '{tables}/pages/*.parquet' "
            "WHERE host = 'cups.example'"
        )
    )
    assert found == stored


def test_another_run_in_the_same_folder_is_refused(archive, tables, tmp_path):
    other = write_warc(tmp_path / "other.warc.gz", shop_pages("cups.example", seed=8, most=5))
    with pytest.raises(UsageError, match="results of another run"):
        run_bulk([str(other)], str(tables), BulkSettings(on="threads"))


def test_the_manifest_names_every_table(tables):
    manifest = msgspec.json.decode((tables / "manifest.json").read_bytes())
    there = {
        name
        for name in contents(tables)
        if not name.startswith("work/") and name != "manifest.json"
    }
    assert manifest["is_finished"] and set(manifest["files"]) == there


def test_the_command(archive, treelace, tmp_path):
    said = treelace("bulk", str(archive), "--into", "tables", "--workers", "2")
    assert said.returncode == 0, said.stderr
    assert " pages, " in said.stdout and " records" in said.stdout
    again = treelace("bulk", str(archive), "--into", "tables")
    assert "0 tasks" in again.stdout and "done before" in again.stdout
    wrong = treelace("bulk", str(archive), "--into", "tables2", "--on", "spark")
    assert wrong.returncode == 2 and "threads, processes, dask" in wrong.stderr
