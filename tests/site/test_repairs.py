"""A repair looks at the pages that the crawl named, and says why nothing could be proved."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from treelace.classes.pages import Fetched
from treelace.site import Site
from treelace.site.repairs import PAGES_LOOKED_AT

MONDAY = datetime(2030, 1, 7, tzinfo=UTC)
HOST = "https://a.example"
COUNT = 2 * PAGES_LOOKED_AT


def old(at: int) -> str:
    return (
        f"<main class=tea><h1>Tea number {at}</h1><p class=price>€{at}.50</p>"
        f"<p class=about>Grown in garden {at}, picked by hand and dried on stone {at}.</p></main>"
    )


def new(at: int) -> str:
    return (
        f"<div id=w><table><tr><td><b>Tea number {at}</b></td></tr><tr><td>€{at}.50</td></tr><tr>"
        f"<td>Grown in garden {at}, picked by hand and dried on stone {at}.</td></tr></table></div>"
    )


def day(number: int, design: Callable[[int], str]) -> list[Fetched]:
    return [
        Fetched(
            f"{HOST}/tea/{at:03}",
            MONDAY + timedelta(days=number),
            200,
            f"<title>{at}</title><nav><a href=/>Home</a></nav>{design(at)}".encode(),
            "text/html",
        )
        for at in range(COUNT)
    ]


def test_the_few_pages_that_the_crawl_named_are_looked_at_and_named(tmp_path):
    with Site.create(tmp_path / "shop", f"{HOST}/") as site:
        site.crawl(source=day(0, old), auto_accept=True)
        done = site.crawl(source=day(1, lambda at: (new if at in (11, 13, 15) else old)(at)))
        assert len(done.drift["tea"]) == 3
        found = site.repair("tea", accept=True)
        assert "nothing could be proved: 3 of 60 pages look different" in str(found)
        assert f"{HOST}/tea/011" in str(found), "a page to look at"
        assert found.wrapper is None, "the others look as they did, and are read as before"


def test_pages_that_nothing_before_fits_are_named_as_such(tmp_path):
    with Site.create(tmp_path / "shop", f"{HOST}/") as site:
        site.crawl(source=day(0, old), auto_accept=True)
        far = [
            Fetched(f"{HOST}/tea/{at}", MONDAY, 200, f"<nav></nav>{new(at)}".encode(), "text/html")
            for at in range(900, 903)
        ]
        section = '\n[[class]]\nname = "tea"\nurls = ".*/tea/9.*"\n'
        path = site.folder / "treelace.toml"
        path.write_text(path.read_text() + section)
    with Site(tmp_path / "shop") as site:
        site.crawl(source=far)
        said = str(site.repair("tea"))
        assert "nothing could be proved: no version of these pages before" in said
