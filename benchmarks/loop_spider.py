"""The rival of `benchmarks.loop`: a spider as one writes it by hand for this shop: Scrapy, parsel,
CSS selectors, items into SQLite.

`python -m benchmarks.loop_spider CRAWL.warc.gz OUT.sqlite`. The answers come out of the WARC file
through a download handler, in place of a network.
"""

from __future__ import annotations

import logging
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from fastwarc.warc import ArchiveIterator, WarcRecordType
from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse

FIELDS = {
    "list": ("page", "title", "link", "authors", "date", "format", "price"),
    "book": ("page", "title", "author", "isbn", "publisher", "date", "price"),
}
_ANSWERS: dict[str, tuple[bytes, int]] = {}


class FromWarc:
    """Answers a request with what the spider has read from the file."""

    lazy = False

    async def download_request(self, request: Request) -> HtmlResponse:
        body, status = _ANSWERS.pop(request.url)
        return HtmlResponse(
            request.url,
            status=status,
            body=body,
            headers={"Content-Type": "text/html; charset=utf-8"},
            request=request,
        )

    async def close(self) -> None:
        return None


class BookSpider(Spider):
    """Two templates, seven fields each."""

    name = "books"

    async def start(self) -> AsyncIterator[Request]:
        with open(self.settings["WARC"], "rb") as file:
            for record in ArchiveIterator(
                file, record_types=WarcRecordType.response, parse_http=True
            ):
                url = record.headers["WARC-Target-URI"]
                _ANSWERS[url] = record.reader.read(), record.http_headers.status_code or 0
                yield Request(url, dont_filter=True)

    def parse(self, response: Any) -> Iterator[dict[str, str | None]]:
        return self.listed(response) if "/list/" in response.url else self.book(response)

    def listed(self, response: Any) -> Iterator[dict[str, str | None]]:
        for one in response.css("#search-results .product-listing"):
            yield {
                "page": response.url,
                "title": text(one.css(".product-title a::text").get()),
                "link": one.css(".product-title a::attr(href)").get(),
                "authors": text(one.css(".product-authors::text").get()),
                "date": text(one.css(".product-dateInfo::text").get()),
                "format": text(one.css(".product-format::text").get()),
                "price": text(one.css(".product-price::text").get()),
            }

    def book(self, response: Any) -> Iterator[dict[str, str | None]]:
        publisher = response.css(".publisher::text").getall()
        yield {
            "page": response.url,
            "title": text(response.css(".right h2 b a::text").get()),
            "author": text(response.css(".right h2 ~ a::text").get()),
            "isbn": text(response.xpath("//b[text()='ISBN13:']/following-sibling::text()").get()),
            "publisher": text(publisher[0]),
            "date": text(publisher[1]),
            "price": text(response.css(".sale_price::text").get()),
        }


def text(value: str | None) -> str | None:
    """Without white space at its ends."""
    return None if value is None else " ".join(value.split())


class IntoSqlite:
    """Keeps every item; a commit for each hundred."""

    def __init__(self, place: str) -> None:
        self.database = sqlite3.connect(place)
        self.database.execute("pragma journal_mode=wal")
        self.database.execute("pragma synchronous=normal")
        for kind, fields in FIELDS.items():
            self.database.execute(f"create table if not exists {kind} ({', '.join(fields)})")
        self.count = 0

    @classmethod
    def from_crawler(cls, crawler: Any) -> IntoSqlite:
        return cls(crawler.settings["OUT"])

    def process_item(self, item: dict[str, str | None]) -> dict[str, str | None]:
        kind = "list" if "link" in item else "book"
        self.database.execute(
            f"insert into {kind} values ({', '.join('?' * len(FIELDS[kind]))})",
            tuple(item.values()),
        )
        self.count += 1
        if self.count % 100 == 0:
            self.database.commit()
        return item

    def close_spider(self) -> None:
        self.database.commit()
        self.database.close()


def main() -> None:
    """Runs the spider."""
    logging.disable(logging.WARNING)
    settings = {
        "WARC": sys.argv[1],
        "OUT": sys.argv[2],
        "ROBOTSTXT_OBEY": False,
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "DOWNLOAD_DELAY": 0,
        "DOWNLOAD_HANDLERS": {"http": FromWarc, "https": FromWarc},
        "ITEM_PIPELINES": {IntoSqlite: 100},
    }
    process = CrawlerProcess({**settings, "LOG_INSTALL_ROOT_HANDLER": False})
    process.crawl(BookSpider)
    process.start()


if __name__ == "__main__":
    main()
