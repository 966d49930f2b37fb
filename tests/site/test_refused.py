"""What the checks of a wrapper refuse is said in the report of the crawl, with the number."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.conftest import Treelace
from treelace.classes.pages import Fetched
from treelace.crawl.warc import WarcWriter
from treelace.site import Site

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
WORDS = "amber birch cedar dune elm fern grove heath iris juniper kelp larch".split()


def page(number: int, price: str, day: int) -> Fetched:
    rows = "".join(
        f"<li class=card><h3><a href=/p/{word}{number}>The {word} {number} lamp</a></h3>"
        f"<b class=price>{price.format(len(word))}</b></li>"
        for word in WORDS[: 4 + number]
    )
    body = (
        f"<html><body><main><h1>List {number}</h1><ul class=cards>{rows}</ul></main></body></html>"
    )
    url, when = f"https://a.example/list/page/{number}", MONDAY + timedelta(days=day)
    return Fetched(url, when, 200, body.encode(), "text/html")


def test_the_records_that_are_not_kept_are_counted(tmp_path: Path, treelace: Treelace):
    with Site.create(tmp_path / "site", "https://a.example/") as site:
        pages = [page(number, "{}.50 €", 0) for number in range(1, 5)]
        done = site.replay(pages, auto_accept=True)
        assert [one.name for one in done.proposals] == ["list-list"] and not done.refused
        later = [page(1, "on request", 1), page(2, "on request", 1), page(3, "{}.70 €", 1)]
        done = site.replay(later)
        assert done.refused == {"list-list": 5 + 6}
        assert list(done.drift) == ["list-list"] and len(done.drift["list-list"]) == 2
    with (tmp_path / "day.warc.gz").open("wb") as file:
        WarcWriter(file).page(page(4, "on request", 2))
    archive, folder = str(tmp_path / "day.warc.gz"), str(tmp_path / "site")
    said = treelace("crawl", "--from", archive, "--site", folder)
    assert "8 records that it read there are not kept" in said.stderr
