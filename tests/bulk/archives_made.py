"""Archives for the tests of bulk: shops of our own making, on several hosts and days."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from treelace.classes.pages import Fetched
from treelace.crawl.warc import WarcWriter
from treelace.testing.shop import open_shop

FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)


def shop_pages(host: str, *, day: int = 0, seed: int = 7, most: int = 40) -> Iterator[Fetched]:
    """Pages of a shop as it is on a day: some of each section."""
    days = open_shop(seed).days
    shop, paths = days[day], sorted(days[0].truth)
    chosen = paths[:: max(1, len(paths) // most)]
    for number, path in enumerate(chosen):
        page = shop.page(path)
        if page is not None:
            time = FIRST + timedelta(days=day, seconds=number)
            yield Fetched(f"https://{host}{path}", time, 200, page.encode(), "text/html")


def write_warc(path: Path, pages: Iterable[Fetched]) -> Path:
    with path.open("wb") as file, WarcWriter(file) as writer:
        writer.pages(pages)
    return path
