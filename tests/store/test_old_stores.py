"""A store that an earlier treelace wrote is read, gone on with and whole.

`stores/schema-1.tar.xz` was written by the last commit before classes, store and site were rebuilt,
and before rows had checksums:
the tea shop of `docs/samples` on Monday and Tuesday, two classes in use, three rules (one muted),
four alerts (one acknowledged), two addresses in the frontier.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from sqlalchemy import select, text

from treelace.crawl.sources import pages_of
from treelace.errors import StoreError
from treelace.limits import DEFAULT_LIMITS
from treelace.site import Site
from treelace.store.checksums import checked_tables
from treelace.store.query import query
from treelace.store.record_kinds import history_table
from treelace.store.schema import CHECKSUM
from treelace.store.verify import verify

PACKED = Path(__file__).parent / "stores" / "schema-1.tar.xz"
WEDNESDAY = Path(__file__).parents[2] / "docs" / "samples" / "tea-wednesday.warc.gz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with tarfile.open(PACKED) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path / "tea"


def rows(site: Site, statement: str) -> list[tuple]:
    with query(site.store, statement) as (_, found):
        return list(found)


def test_it_is_small():
    assert PACKED.stat().st_size < 100_000


def test_who_only_reads_does_not_bring_it_up_to_date(folder: Path):
    before = (folder / "store.sqlite").read_bytes()
    with pytest.raises(StoreError, match="has schema 1: bring it up to date once with a command"):
        Site(folder, read_only=True)
    assert (folder / "store.sqlite").read_bytes() == before


def test_its_rows_get_checksums_that_see_later_damage(folder: Path):
    with Site(folder) as site:
        assert not verify(site.store).damage
        tables = [*checked_tables(), *map(history_table, site.store.records.kinds())]
        with site.store._database.writing() as connection:
            for table in tables:
                row = connection.execute(select(table.c[CHECKSUM])).first()
                assert row is None or row[0] is not None, table.name
            connection.execute(text("update tea_list_history set price = 1 where id = 2"))
        assert verify(site.store).damage == ("tea_list_history 2: this row is not what was stored",)


def test_it_gets_the_indexes_of_today(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("treelace.store.record_indexes.MANY_RECORDS", 22)
    with Site(folder) as site:
        known = {row[0] for row in rows(site, "select name from sqlite_master where type='index'")}
        assert {"pages_due", "page_files_of_page", "pages_of_class"} <= known
        assert (
            "pages_by_class" not in known
            and {
                "by_1_price",
                "by_1_title",
            }
            <= known
        )
        assert not {name for name in known if name.startswith("by_2_")}  # 21 rows are few
        cheap = site.rows("tea_list", sort="price")
        assert [row[cheap.table.heads.index("price")] for row in cheap.table.values] == sorted(
            row[cheap.table.heads.index("price")] for row in cheap.table.values
        )


def test_it_is_read(folder: Path):
    Site(folder).close()
    before = (folder / "store.sqlite").read_bytes()
    with Site(folder, read_only=True) as site:
        assert len(list(site.pages())) == 24 and not verify(site.store).damage
        goods = site.records("tea_list", history=True)
        assert len(goods) == 22 and len(site.records("tea")) == 19
        assert [(one.name, one.state) for one in site.store.classes.all()] == [
            ("tea-list", "accepted"),
            ("tea", "accepted"),
        ]
        assert [one.state for one in site.store.alerts.subscriptions()] == [
            "active",
            "active",
            "muted",
        ]
        found = list(site.store.alerts.alerts())
        assert [one.state for one in found if one.state != "suppressed"] == [
            "acknowledged",
            "open",
            "open",
            "open",
        ]
        assert found[0].why == "Gyokuro: price 31.2 → 26.5 (drops 15.06%, asked: 10%)"
        assert [it.channel for it in site.store.alerts.due(found[-1].time)].count("terminal") == 1
        assert site.store.frontier.counts() == {"done": 1, "waiting": 1}
        assert [it.event for it in site.store.frontier.events()] == ["fetched"]
        assert rows(site, "select count(*) from tea_list_full") == [(18,)]
    assert (folder / "store.sqlite").read_bytes() == before


def test_it_is_gone_on_with(folder: Path):
    """The redesign of Wednesday: what the earlier treelace made of it."""
    with Site(folder) as site:
        pages = pages_of(
            WEDNESDAY, limits=DEFAULT_LIMITS, on_trouble=lambda trouble: pytest.fail(str(trouble))
        )
        done = site.crawl(source=pages)
        assert done.stored.versions == 23 and not done.stored.failures and not done.proposals
        assert {name: len(pages) for name, pages in done.drift.items()} == {
            "tea": 18,
            "tea-list": 3,
        }
        repaired = [site.repair(name, accept=True) for name in ("tea-list", "tea")]
        assert [set(one.left_out) for one in repaired] == [set(), {"note"}]
        assert rows(site, "select count(*) from tea_list_history") == [(22,)]
        found = verify(site.store)
        assert (found.pages, found.versions, found.damage) == (24, 53, ())
