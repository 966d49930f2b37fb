"""Classes in use, renamed, merged and split: their records, the history and the rules go with
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from treelace.classes.pages import FetchedPage
from treelace.errors import UsageError
from treelace.monitor.alerting import rules
from treelace.site import Site
from treelace.store.verify import verify
from treelace.testing.shop import Day, open_shop

SHOP = open_shop()
HOME = "https://shop.example"
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def looks(day: Day, start: datetime, *, fetch: int = 0) -> Iterator[FetchedPage]:
    for number, (path, truth) in enumerate(day.truth.items()):
        if truth.kind in ("list", "product", "story"):
            body = (day.page(path, fetch=fetch + number) or "").encode()
            yield FetchedPage(
                HOME + path,
                start + timedelta(seconds=number),
                200,
                body,
                "text/html; charset=utf-8",
            )


@pytest.fixture
def site(tmp_path) -> Iterator[Site]:
    with Site.create(tmp_path / "shop", HOME + "/") as made:
        made.crawl(
            source=[
                *looks(SHOP.days[0], MONDAY),
                *looks(SHOP.days[0], MONDAY + timedelta(hours=1), fetch=1000),
            ],
            auto_accept=True,
        )
        made.store.alerts.subscribe("dear", {"records": "product", "when": "price rises 1%"})
        made.store.alerts.subscribe("broken", {"drift": "product"})
        made.crawl(source=looks(SHOP.days[1], MONDAY + timedelta(days=1), fetch=5000))
        yield made


def history(site: Site, name: str) -> list[Any]:
    _, rows = site.store.records.read(name, history=True)
    return sorted(map(str, rows))


def rule(site: Site, name: str) -> Any:
    return next(rule for one, rule in rules(site.store.alerts) if one.name == name)


def kinds(site: Site) -> set[str]:
    return {kind.name for kind in site.store.records.kinds()}


def test_a_class_is_renamed_with_its_records_and_the_rules_on_them(site):
    before = history(site, "product")
    told = len(list(site.store.alerts.alerts()))
    site.rename("product", "ware")
    assert history(site, "ware") == before
    assert kinds(site) == {"list", "news", "ware"}
    assert (rule(site, "dear").records, rule(site, "broken").drift) == ("ware", "ware")
    with site.store._database.reading() as connection:
        count = connection.execute(text("select count(*) from list")).scalar_one()
        assert (
            connection.execute(text("select count(ware_title) from list_full")).scalar_one()
            == count
        ), "the joined table is made anew"
    site.crawl(source=looks(SHOP.days[2], MONDAY + timedelta(days=2), fetch=9000))
    dearer = [
        it
        for it in SHOP.days[2].changes
        if it.kind == "price" and float(it.new[1:]) >= 1.01 * float(it.old[1:])
    ]
    assert dearer and len(list(site.store.alerts.alerts())) == told + len(dearer), (
        "the rule goes on under the new name"
    )
    site.rename("ware", "product")
    assert kinds(site) == {"list", "news", "product"} and not verify(site.store).damage
    with pytest.raises(UsageError, match="there is a class 'list' already"):
        site.rename("product", "list")


def test_a_name_that_records_have_already_is_refused_and_nothing_is_changed(site):
    site.rename("product", "goods")
    with pytest.raises(UsageError, match="there are records called 'list' already"):
        site.rename("goods", "List")
    assert kinds(site) == {"list", "news", "goods"}
    assert {one.name for one in site.store.classes.all()} == {"list", "news", "goods"}


def test_what_is_merged_and_split_again_has_its_records_back(site):
    pages = {
        name: set(site.store.classes.members(site.store.classes.get(name).id))
        for name in ("product", "news")
    }
    count = site.merge("news", "product").records
    assert count and kinds(site) == {"list", "news"}
    heads, rows = site.store.records.read("news")
    assert {row[heads.index("page")] for row in rows} == pages["product"] | pages["news"]
    assert (rule(site, "dear").records, rule(site, "broken").drift) == ("news", "news")
    made = site.split("news")
    names = [name.replace("-", "_") for name in (made.name, made.new)]
    assert kinds(site) == {"list", *names}
    for name in names:
        heads, rows = site.store.records.read(name)
        found = {row[heads.index("page")]: dict(zip(heads, row, strict=True)) for row in rows}
        assert set(found) in (pages["product"], pages["news"])
        for url, row in found.items():
            path = url.removeprefix(HOME)
            truth = (SHOP.days[1].truth.get(path) or SHOP.days[0].truth[path]).records[0]
            assert all(
                value in map(str, row.values())
                for field, value in truth.items()
                if field in ("name", "title", "price", "stock")
            )
    site.crawl(source=looks(SHOP.days[2], MONDAY + timedelta(days=2), fetch=9000))
    assert not verify(site.store).damage


def test_classes_of_the_settings_are_changed_there(tmp_path):
    Site.create(tmp_path / "shop", HOME + "/").close()
    with (tmp_path / "shop" / "treelace.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[class]]\nname = "product"\nurls = ".*"\n')
    with (
        Site(tmp_path / "shop") as site,
        pytest.raises(UsageError, match=r"the class product stands in treelace\.toml"),
    ):
        site.rename("product", "ware")
