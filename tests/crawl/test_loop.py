"""The loop on the shop of our own making: crawled, sorted into classes, wrapped, versioned; every
record and field against the truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from treelace.classes.pages import FetchedPage
from treelace.crawl.settings import CrawlSettings
from treelace.crawl.warc import WarcWriter
from treelace.errors import ParseError, UsageError
from treelace.site import Site
from treelace.testing.shop import Day, open_shop
from treelace.testing.shop_server import ShopServer

SHOP = open_shop()
HOME = "https://shop.example"
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
FIELDS = {
    "name": "title",
    "maker": "brand",
    "price": "price_text",
    "was": "former_price_text",
    "rating": "rating_text",
    "badge": "category",
    "stock": "stock",
}


def looks(
    day: Day, start: datetime, paths: list[str] | None = None, *, fetch: int = 0
) -> Iterator[FetchedPage]:
    """The pages of a day as a source gives them."""
    for number, path in enumerate(paths or day.truth):
        body = (day.page(path, fetch=fetch + number) or "").encode()
        yield FetchedPage(
            HOME + path, start + timedelta(seconds=number), 200, body, "text/html; charset=utf-8"
        )


def twice(day: Day, start: datetime) -> Iterator[FetchedPage]:
    yield from looks(day, start)
    yield from looks(day, start + timedelta(hours=1), fetch=1000)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[Site]:
    with Site.create(tmp_path_factory.mktemp("site") / "shop", HOME + "/") as made:
        made.crawl(source=twice(SHOP.days[0], MONDAY), auto_accept=True)
        yield made


def members(site: Site) -> dict[str, set[str]]:
    return {
        one.name: {url.removeprefix(HOME) for url in site.store.classes.members(one.id)}
        for one in site.store.classes.all()
    }


def of_kind(day: Day, kind: str) -> set[str]:
    return {path for path, truth in day.truth.items() if truth.kind == kind}


def test_classes_are_the_templates(site):
    day = SHOP.days[0]
    assert members(site) == {
        "list": of_kind(day, "list"),
        "news-list": of_kind(day, "news"),
        "news": of_kind(day, "story"),
        "product": of_kind(day, "product"),
    }
    assert {url.removeprefix(HOME) for url in site.store.classes.members(None)} == of_kind(
        day, "home"
    ) | of_kind(day, "text") | of_kind(day, "gifts")


def rows(site: Site, name: str) -> list[dict[str, object]]:
    heads, found = site.store.records.read(name)
    return [
        dict(zip([head.replace(" ", "_") for head in heads], row, strict=True)) for row in found
    ]


def listed(day: Day) -> list[dict[str, str]]:
    return [record for path in of_kind(day, "list") for record in day.truth[path].records]


def shown(row: dict[str, object]) -> dict[str, str]:
    return {
        field: str(row[column]) for field, column in FIELDS.items() if row.get(column) is not None
    }


def test_every_record_and_field_of_every_list_is_right(site):
    found = sorted((shown(row) for row in rows(site, "list")), key=str)
    assert found == sorted(listed(SHOP.days[0]), key=str)


def test_detail_pages_are_one_record_each_without_frame_and_noise(site):
    found = rows(site, "product")
    assert {str(row["page"]).removeprefix(HOME) for row in found} == of_kind(
        SHOP.days[0], "product"
    )
    for row in found:
        truth = SHOP.days[0].truth[str(row["page"]).removeprefix(HOME)].records[0]
        assert (row["title"], row["price_text"], row["stock"]) == (
            truth["name"],
            truth["price"],
            truth["stock"],
        )
        assert not any(
            "visitors" in str(value)
            or "page made at" in str(value)
            or "Opening hours" in str(value)
            for value in row.values()
        )


def test_a_list_and_its_detail_pages_are_one_table(site):
    with site.store._database.reading() as connection:
        found = connection.execute(
            text(
                "select title, price_text, product_title, product_price_text, product_about"
                ' from "list_full"'
            )
        ).all()
    wanted = [(it.name, it.price, it.name, it.price, it.text) for it in SHOP.days[0].products]
    assert sorted(map(tuple, found)) == sorted(wanted)


def test_the_settings_of_a_crawl_stand_in_the_site(tmp_path):
    Site.create(tmp_path / "shop", HOME + "/").close()
    place = tmp_path / "shop" / "treelace.toml"
    before = place.read_text(encoding="utf-8")
    place.write_text(
        f'{before}\n[crawl]\ndelay = 2\nexclude = ["/cart"]\nheaders = {{ Authorization = "Bearer'
        ' ${SHOP}" }\n',
        encoding="utf-8",
    )
    with Site(tmp_path / "shop") as site:
        settings = site.crawl_settings(depth=3, pages=None)
        assert (settings.delay, settings.depth, settings.pages, settings.headers) == (
            2,
            3,
            100_000,
            (("Authorization", "Bearer ${SHOP}"),),
        )
    place.write_text(f'{before}\n[crawl]\nexclude = ["("]\n', encoding="utf-8")
    with pytest.raises(ParseError, match=r"crawl\.exclude\[0\]: '\(' is no regular expression"):
        Site(tmp_path / "shop")


def test_the_next_day_is_what_changed_and_nothing_else(tmp_path):
    with Site.create(tmp_path / "shop", HOME + "/") as site:
        site.crawl(source=twice(SHOP.days[0], MONDAY), auto_accept=True)
        before = {row["key"]: shown(row) for row in rows(site, "list")}
        done = site.crawl(source=looks(SHOP.days[1], MONDAY + timedelta(days=1), fetch=5000))
        after = {row["key"]: shown(row) for row in rows(site, "list")}
        assert sorted(after.values(), key=str) == sorted(listed(SHOP.days[1]), key=str)
        changed = {
            str(key).removeprefix(HOME)
            for key in before.keys() | after.keys()
            if before.get(key) != after.get(key)
        }
        assert changed == {
            change.path for change in SHOP.days[1].changes if not change.path.startswith("/news/")
        }
        assert not done.drift and not done.proposals
        done = site.crawl(source=looks(SHOP.redesign, MONDAY + timedelta(days=2), fetch=9000))
        assert set(done.drift) == {"list", "news-list", "news", "product"}
        assert {row["key"]: shown(row) for row in rows(site, "list")} == after, (
            "records stay as they were until the wrapper is repaired"
        )


def test_a_person_decides(tmp_path):
    with Site.create(tmp_path / "shop", HOME + "/") as site:
        done = site.crawl(source=looks(SHOP.days[0], MONDAY))
        assert {proposal.name for proposal in done.proposals} == {
            "list",
            "news-list",
            "news",
            "product",
        }
        assert not site.store.records.kinds()
        site.rename("product", "goods")
        classes = site.page_classes
        classes.reject("news-list")
        classes.accept("list")
        assert classes.store_records("list").count == len(listed(SHOP.days[0]))
        with pytest.raises(UsageError, match="there is a class 'news' already"):
            site.rename("goods", "news")
        again = site.crawl(source=looks(SHOP.days[0], MONDAY + timedelta(days=1), fetch=3000))
        assert not again.proposals, "what was rejected is not proposed again"
        site.merge("news", "goods")
        assert members(site)["news"] == of_kind(SHOP.days[0], "story") | of_kind(
            SHOP.days[0], "product"
        )
        halves = site.split("news")
        first, second = halves.name, halves.new
        parts = members(site)
        assert {frozenset(parts[first]), frozenset(parts[second])} == {
            frozenset(of_kind(SHOP.days[0], "story")),
            frozenset(of_kind(SHOP.days[0], "product")),
        }


def test_a_live_crawl_finds_every_page_and_leaves_the_calendar(tmp_path):
    with (
        ShopServer(SHOP.days[0]) as server,
        Site.create(tmp_path / "shop", server.url + "/") as site,
    ):
        settings = CrawlSettings(allow_private=True, delay=0, concurrency=8)
        with WarcWriter((tmp_path / "shop.warc.gz").open("wb")) as archive:
            done = site.crawl(settings, auto_accept=True, archive=archive)
        known = {page.url.removeprefix(server.url) for page in site.pages()}
        assert set(SHOP.days[0].truth) <= known
        assert sum(path.startswith("/calendar/") for path in known) < 60
        assert any("a trap was left" in line for line in done.report.problems)
        assert not server.asked["/cart"]
        assert sorted((shown(row) for row in rows(site, "list")), key=str) == sorted(
            listed(SHOP.days[0]), key=str
        )
        pages = len(known)
        columns = {
            column
            for kind in site.store.records.kinds()
            if kind.name == "product"
            for column in kind.columns
        }
        assert not columns & {
            "Basket",
            "stamp",
            "advert",
        }, "what differs from look to look is no column"
    replayed(tmp_path, server.url, pages)


def replayed(folder: Path, url: str, pages: int) -> None:
    """The WARC file of a crawl makes the same site again, without a network."""
    from treelace.crawl.sources import pages_of
    from treelace.limits import DEFAULT_LIMITS

    troubles: list[object] = []
    with Site.create(folder / "again", url + "/") as site:
        site.crawl(
            source=pages_of(
                folder / "shop.warc.gz", limits=DEFAULT_LIMITS, on_trouble=troubles.append
            ),
            auto_accept=True,
        )
        assert sum(1 for _ in site.pages()) == pages and not troubles
        assert len(rows(site, "list")) == len(listed(SHOP.days[0]))
