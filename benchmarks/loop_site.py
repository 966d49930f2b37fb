"""A bookshop of 50,000 pages out of thirteen real ones: each with values of its own, and what
changes from one crawl to the next.

Details are the twelve pages of the SWDE site `book-borders` (1,490 to 1,550 nodes), lists the page
`est-wiley.com` of `data/records` (1,290 nodes, 20 records). Of each the values are made anew by the
number of the page: title, author, ISBN, publisher, date, prices; names, ISBNs and links of the
records of a list. All else is byte for byte as the sites served it, scripts, frames and all. Every
eleventh page is a list.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.corpus import part
from treelace.crawl.warc import WarcWriter
from treelace.store import FetchedPage

START = datetime(2026, 1, 1, tzinfo=UTC)
HOME = "https://books.example"
LIST_EVERY = 11
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_PRICE = re.compile(r"\$\d+\.\d\d")
_LISTED = re.compile(
    r'(<div class="product-listing size100" data-productcd=")(\w+)(">.*?<div'
    r' class="product-coverImage-clear">)',
    re.DOTALL,
)


class Books:
    """The pages of the shop; `page(number, changes)` is one of them after it has changed so
    often.
    """

    def __init__(self, corpus: Path | None) -> None:
        folder = part(corpus, "data", "swde", "book-borders")
        truth = json.loads((folder / "truth.json").read_text())
        self._details = [
            (gzip.decompress((folder / f"{name}.html.gz").read_bytes()).decode(), truth[name])
            for name in sorted(truth)
        ]
        page = (
            part(corpus, "data", "records", "est-wiley.com.html")
            .read_bytes()
            .decode("windows-1252")
        )
        self._list = page.replace("charset=windows-1252", "charset=utf-8")
        self._words = sorted(
            {
                word
                for _, values in self._details
                for word in " ".join(values["title"]).split()
                if word.isalpha()
            }
        )
        self._names = sorted({name for _, values in self._details for name in values["author"]})

    def url(self, number: int) -> str:
        """Its address."""
        return f"{HOME}/list/{number}" if number % LIST_EVERY == 0 else f"{HOME}/book/{number}"

    def page(self, number: int, changes: int) -> str:
        """A page after it has changed so often."""
        return (
            self._list_page(number, changes)
            if number % LIST_EVERY == 0
            else self._detail(number, changes)
        )

    def fetched(self, number: int, day: int, changes: int) -> FetchedPage:
        """The same as it comes in."""
        time = START + timedelta(days=day, milliseconds=10 * number)
        return FetchedPage(
            self.url(number),
            time,
            200,
            self.page(number, changes).encode(),
            "text/html; charset=utf-8",
        )

    def _detail(self, number: int, changes: int) -> str:
        page, values = self._details[number % len(self._details)]
        dice = random.Random(number)
        made = {
            "title": f"{' '.join(dice.sample(self._words, 4))} {number}",
            "author": (
                f"{dice.choice(self._names).split()[0]} {dice.choice(self._names).split()[-1]}"
            ),
            "isbn_13": f"978{dice.randrange(10**9, 10**10)}",
            "publication_date": (
                f"{dice.choice(_MONTHS)} {dice.randrange(1, 29):02}, {dice.randrange(1980, 2011)}"
            ),
            "publisher": f"{dice.choice(self._words)} & {dice.choice(self._words)} Press",
        }
        for name, value in made.items():
            for old in values[name]:
                page = page.replace(old, value.replace("&", "&amp;"))
        prices = random.Random(f"{number}/{changes}")
        return _PRICE.sub(lambda _: f"${prices.randrange(3, 60)}.{prices.randrange(100):02}", page)

    def _list_page(self, number: int, changes: int) -> str:
        """Twenty records; with each change three prices are others, and one record has left for a
        new one.
        """
        at = 0

        def record(found: re.Match[str]) -> str:
            nonlocal at
            at += 1
            moved = changes if at == 7 else 0
            book = f"{number}-{at}-{moved}"
            dice = random.Random(book)
            own = f"1{dice.randrange(10**8, 10**9)}"
            title = f"{' '.join(dice.sample(self._words, 3))} {number}.{at}"
            text = found[0].replace(found[2], own)
            text = re.sub(
                r'(product this: |Information about this product: )[^"]*', rf"\1{title}", text
            )
            text = re.sub(
                r'(<div class="product-title"><a [^>]*>).*?(</a>)',
                rf"\g<1>{title}\g<2>",
                text,
                flags=re.DOTALL,
            )
            text = re.sub(
                r'(<div class="product-authors">by ).*?(</div>)',
                rf"\g<1>{dice.choice(self._names)}\g<2>",
                text,
                flags=re.DOTALL,
            )
            prices = random.Random(f"{book}/{changes if at % 7 == 1 else 0}")
            return _PRICE.sub(
                lambda _: f"${prices.randrange(3, 60)}.{prices.randrange(100):02}", text
            )

        return _LISTED.sub(record, self._list)


def crawl(books: Books, numbers: range, day: int, every: int) -> Iterator[FetchedPage]:
    """One crawl: the pages of these numbers; by this day one in `every` has changed with each day
    (`day` 0: none yet).
    """
    for number in numbers:
        yield books.fetched(
            number, day, sum(number % every == past % every for past in range(2, day + 1))
        )


def write_warc(path: Path, pages: Iterator[FetchedPage]) -> Path:
    """The crawl as a WARC file."""
    with path.open("wb") as file, WarcWriter(file) as writer:
        writer.pages(pages)
    return path
