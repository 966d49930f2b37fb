"""Records that are built anew are those that came in: a version that was refused then is refused
now.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from treelace.classes.pages import Fetched
from treelace.site import Site

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def shelf(page: int, *, has_prices: bool = True) -> bytes:
    price = "<b class=price>€{}.50</b>" if has_prices else "<b class=price></b>"
    rows = "".join(
        f"<li><h3><a href='/tea/{page}-{it}'>Tea {page}{it}</a></h3>{price.format(page + it)}"
        f"<i>garden {page}-{it}</i></li>"
        for it in range(7)
    )
    return f"<html><body><main><h1>Shelf {page}</h1><ul>{rows}</ul></main></body></html>".encode()


def fetched(day: int, **options: bool) -> list[Fetched]:
    time = MONDAY + timedelta(days=day)
    return [
        Fetched(
            f"https://shop.example/shelf/{page}", time, 200, shelf(page, **options), "text/html"
        )
        for page in range(5)
    ]


def prices(site: Site, name: str) -> list[object]:
    return [row[0] for row in site.sql(f"select price from {name} order by title").rows]


def test_rebuilding_refuses_the_versions_that_were_refused_when_they_came(tmp_path):
    with Site.create(tmp_path / "shop", "https://shop.example/") as site:
        site.crawl(source=fetched(0), auto_accept=True)
        (kind,) = site.store.records.kinds()
        before = prices(site, kind.name)
        assert len(before) == 35 and all(before)
        site.crawl(source=fetched(1, has_prices=False))
        assert prices(site, kind.name) == before
        site.rebuild(kind.name)
        assert prices(site, kind.name) == before
