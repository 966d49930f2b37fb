"""Looking after a store, on both back ends: retention, forgetting, copies, damage, two writers."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.store.conftest import START, URL, fetched, new_schema, shop
from tests.store.test_records import MONDAY, SETTINGS, TUESDAY
from treelace import parse
from treelace.errors import StoreError, UsageError
from treelace.site import Site
from treelace.store import Store, forgetting, retention, times, transfer
from treelace.store.settings import RetentionSection
from treelace.store.verify import verify


def test_retention_says_first_and_removes_only_that(site: Site):
    site.add_pages(fetched(version) for version in range(1, 21))
    assert list(retention.plan(site.store, RetentionSection(), START)) == []
    planned = list(retention.plan(site.store, RetentionSection(keep_versions=5), START))
    assert [(it.versions, it.first_kept) for it in planned] == [(15, 16)]
    assert len(site.history(URL)) == 20
    retention.apply(site.store, planned)
    assert [it.number for it in site.history(URL)] == [16, 17, 18, 19, 20]
    assert site.page(URL, 17) == parse(shop(17), format="html") and not verify(site.store).damage
    with pytest.raises(UsageError, match="it has 16 to 20"):
        site.page(URL, 3)


def test_what_one_rule_keeps_is_kept(site: Site):
    site.add_pages(fetched(24 * version) for version in range(1, 11))
    now = START + timedelta(days=10)
    [planned] = retention.plan(site.store, RetentionSection(keep_versions=2, keep_days=4), now)
    assert planned.first_kept == 6
    [planned] = retention.plan(site.store, RetentionSection(keep_days=0), now + timedelta(days=99))
    assert planned.first_kept == 10, "the newest stays"


def test_the_versions_of_a_class_are_counted_also_where_some_are_gone(site: Site):
    site.add_pages([fetched(version) for version in range(1, 9)] + [fetched(1, URL + "b")])
    count = site.store.classes.version_count
    assert count(None) == len(site.log()) == 9
    second = site.log(URL)[1].time
    assert times.from_number(site.store.classes.second_look(None) or 0) == second
    site.gc(keep_versions=3, apply=True)
    assert count(None) == len(site.log()) == 4 and count(77) == 0
    assert site.store.classes.second_look(77) is None


def test_a_forgotten_page_is_gone_for_good(tmp_path: Path, store_place: str):
    Site.create(tmp_path / "site", URL, store=store_place).close()
    path = tmp_path / "site" / "treelace.toml"
    path.write_text(path.read_text() + SETTINGS)
    secret = TUESDAY.replace(b">rice<", b">xyzzysecret<").replace(b"p/rice", b"p/xyzzysecret")
    with Site(tmp_path / "site") as site:
        site.add_pages(
            [
                fetched(1, URL + "a", body=MONDAY),
                fetched(2, URL + "b", body=secret),
                fetched(3, URL + "b", body=secret + b"<p>1"),
            ]
        )
        assert forgetting.forget(site.store, URL + "b") == 2
        with pytest.raises(UsageError, match="no page"):
            site.page(URL + "b")
        title = next(iter(site.store.records.kind("product").names.values()))
        with site.store._database.reading() as connection:
            left = set(connection.execute(text(f"select {title} from product_history")).scalars())
        assert left <= {"tea", "jam", "milk", "salt"}
        assert not verify(site.store).damage
    for file in (tmp_path / "site").iterdir():
        assert b"xyzzysecret" not in file.read_bytes()


def test_a_copy_on_the_other_back_end_is_equal(
    site: Site, tmp_path: Path, server: str, store_place: str
):
    site.add_pages(fetched(version) for version in range(1, 9))
    place = (
        str(tmp_path / "copy.sqlite")
        if store_place.startswith("postgres")
        else new_schema(server, "copy")
    )
    with Store.create(place) as target:
        assert transfer.copy(site.store, target) > 8
        assert transfer.fingerprint(target) == transfer.fingerprint(site.store)
        assert not verify(target).damage
        with pytest.raises(UsageError, match="pages already"):
            transfer.copy(site.store, target)
        # and it can be gone on with: new numbers are free
        with Site.create(tmp_path / "other", URL, store=place) as other:
            other.add_pages([fetched(20), fetched(21, URL + "new")])
            assert other.store.page(URL).newest == 9 and not verify(other.store).damage


def test_a_copy_with_records_is_equal(tmp_path: Path, server: str):
    for name, place in (("one", "store.sqlite"), ("two", new_schema(server, "records"))):
        Site.create(tmp_path / name, URL, store=place).close()
        path = tmp_path / name / "treelace.toml"
        path.write_text(path.read_text() + SETTINGS)
    with Site(tmp_path / "one") as one, Site(tmp_path / "two") as two:
        one.add_pages([fetched(1, body=MONDAY), fetched(2, body=TUESDAY)])
        transfer.copy(one.store, two.store)
        assert transfer.fingerprint(one.store) == transfer.fingerprint(two.store)
        assert "product_history" in transfer.fingerprint(two.store)
        two.add_pages([fetched(3, body=MONDAY)])
        assert two.store.records.history("product", "https://shop.example/p/tea")[-1].version == 3


def test_the_second_writer_is_told(site: Site):
    with (
        Site(site.folder) as other,
        site.store.writer(),
        pytest.raises(StoreError, match="another process is adding versions"),
    ):
        other.add_pages([fetched(1)])
    site.add_pages([fetched(1)])


def test_readers_see_one_state_and_do_not_wait(site: Site):
    site.add_pages([fetched(1)])
    with (
        Site(site.folder, read_only=True) as reader,
        site.store.writer(),
        site.store._database.writing() as connection,
    ):
        connection.execute(text("update pages set seen = 99"))
        assert reader.store.page(URL).seen == 1
    assert site.store.page(URL).seen == 99


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("update versions set digest = source where number = 3", f"{URL}@3: its digest is another"),
        ("delete from versions where number = 2", "versions 2 to 2 are not there"),
        ("update pages set newest = 9", "newest version should be 9"),
    ],
)
def test_damage_is_named(site: Site, change: str, says: str):
    site.add_pages(fetched(version) for version in (1, 2, 3, 4))
    assert not verify(site.store).damage
    with site.store._database.writing() as connection:
        connection.execute(text(change))
    assert any(says in line for line in verify(site.store).damage), verify(site.store).damage


def test_damaged_data_is_named_and_the_rest_can_be_read(site: Site):
    site.add_pages([fetched(1), fetched(1, URL + "other")])
    with site.store._database.writing() as connection:
        connection.execute(
            text(
                "update versions set data = source where page_id = (select id from pages where url"
                " = :url)"
            ),
            {"url": URL},
        )
    with pytest.raises(StoreError, match=f"{URL}@1: this version is damaged"):
        site.page(URL)
    assert site.page(URL + "other") == parse(shop(1), format="html")
    done = site.add_pages([fetched(2), fetched(2, URL + "other")])
    assert done.versions == 1 and "damaged" in done.failures[0], "what can go on goes on"
    damage = verify(site.store).damage
    assert len(damage) == 2 and "not what was stored" in damage[0] and URL in damage[1]
