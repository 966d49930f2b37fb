"""Rounds of a small site from memory: what comes, stays, goes, and what is said of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treelace.classes.pages import Fetched
from treelace.site import Site

HOST = "https://a.example"
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
NAMES = ("Assam", "Darjeeling", "Ceylon", "Keemun", "Sencha", "Yunnan")


def tea(name: str, price: int, around: str = "{}", head: str = "") -> str:
    main = (
        f"<main class=tea><h1 class=name>{name}</h1><span class=price>€{price}.00</span>"
        f"<div class=garden>Garden of {name}</div><div class=taste>{name} tastes {len(name)}</div>"
        f"</main>"
    )
    body = around.format(main)
    return (
        f"<html><head><title>{name}</title>{head}</head><body><nav class=top><a href=/>home</a>"
        f"</nav>{body}<footer class=end>Imprint</footer></body></html>"
    )


def day(number: int, **looks: str) -> list[Fetched]:
    """All teas on a day; a tea costs one more a day."""
    time = MONDAY + timedelta(days=number)
    return [
        Fetched(
            f"{HOST}/tea/{name.lower()}",
            time,
            200,
            tea(name, 5 + at + number, **looks).encode(),
            "text/html",
        )
        for at, name in enumerate(NAMES)
    ]


def prices(site: Site) -> set[object]:
    table = site.records("tea")
    return {row[table.heads.index("price")] for row in table.values}


@pytest.fixture
def shop(tmp_path: Path) -> Site:
    site = Site.create(tmp_path / "shop", f"{HOST}/")
    site.crawl(source=day(0), auto_accept=True)
    return site


@pytest.mark.parametrize("status", [404, 410])
def test_a_replayed_page_that_is_gone_ends_its_records(shop, status):
    assert len(shop.records("tea")) == len(NAMES)
    gone = [
        Fetched(f"{HOST}/tea/assam", MONDAY + timedelta(days=1), status, b"<p>none", "text/html")
    ]
    done = shop.crawl(source=[*gone, *day(1)[1:]])
    assert done.report.outcomes["gone"] == 1
    assert len(shop.records("tea")) == len(NAMES) - 1
    shop.crawl(
        source=[Fetched(f"{HOST}/tea/ceylon", MONDAY - timedelta(days=9), status, b"", "text/html")]
    )
    assert len(shop.records("tea")) == len(NAMES) - 1, "what is older than the newest is no news"


def test_meta_elements_in_the_head_are_no_other_design(shop):
    head = "".join(
        f'<meta property="og:x{n}" content="{n}"><link href=/{n}.css>' for n in "abcdefghi"
    )
    done = shop.crawl(source=day(1, head=head))
    assert not done.drift
    assert prices(shop) == {6, 7, 8, 9, 10, 11}


def test_another_design_that_the_wrapper_still_reads_is_read_and_said(shop):
    strip = "".join(
        f"<section class=new-{n}><em class=x-{n}><i>{n}</i></em></section>" for n in "abcdefghijkl"
    )
    done = shop.crawl(source=day(1, around=strip + "{}" + strip))
    assert done.read_on == {"tea": len(NAMES)} and not done.drift
    assert prices(shop) == {6, 7, 8, 9, 10, 11}


def test_another_design_that_is_not_read_keeps_the_records_and_drifts(tmp_path):
    site = Site.create(tmp_path / "shop", f"{HOST}/")
    site.crawl(source=day(0), auto_accept=True)
    new = [
        Fetched(
            page.url,
            page.time,
            200,
            f"<table class=z><tr><td><b>{page.url[-4:]}</b></td><td>9</td></tr></table>".encode(),
            "text/html",
        )
        for page in day(1)
    ]
    done = site.crawl(source=new)
    assert len(done.drift["tea"]) == len(NAMES) and not done.read_on
    assert prices(site) == {5, 6, 7, 8, 9, 10}


def test_pages_of_no_class_are_counted_with_the_reason(tmp_path):
    odd = [
        Fetched(f"{HOST}/{name}", MONDAY, 200, body, "text/html")
        for name, body in (
            ("about", b"<form class=f><input><select><option>1</select></form>"),
            ("map", b"<table class=m><tr><th>x<td>y</table><dl><dt>a<dd>b</dl>"),
        )
    ]
    with Site.create(tmp_path / "shop", f"{HOST}/") as site:
        done = site.crawl(source=[*day(0), *odd], auto_accept=True)
        assert done.in_none == {"like fewer than 2 others": 2}
        assert [(one.name, one.pages) for one in site.classes()] == [("tea", len(NAMES))]
