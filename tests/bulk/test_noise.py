"""Changes that are noise are marked as such, by the same rules as in the loop."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from tests.bulk.archives_made import FIRST, write_warc
from treelace.bulk import BulkSettings, run_bulk
from treelace.classes.pages import Fetched

PAGES, DAYS = 12, 6
DEARER = (0, 1, 2, 3, 3, 4)
"""By how much all prices are higher on a day; they change at four of five looks."""
PRICE_CHANGES = 4


def page(number: int, day: int) -> str:
    """A product: its visits change on every page every day, all prices nearly so, the stock of one
    product every day, the rating of one product once.
    """
    stock = 40 + (day if number == 3 else 0)
    rating = 3 + (number == 5 and day >= 2)
    return f"""<html><head><title>Tea {number}</title></head><body><h1>Tea number {number}</h1>
<table><tr><th>Price</th><td>€ {10 + number + DEARER[day]}.50</td></tr>
<tr><th>Stock</th><td>{stock}</td></tr><tr><th>Rating points</th><td>{rating}</td></tr>
<tr><th>Weight</th><td>{100 + number} g</td></tr>
<tr><th>Visits</th><td>{1000 * day + 7 * number}</td></tr></table></body></html>"""


def captures() -> Iterator[Fetched]:
    for day in range(DAYS):
        for number in range(PAGES):
            time = FIRST + timedelta(days=day, seconds=number)
            body = page(number, day).encode()
            yield Fetched(f"https://tea.example/tea/{number}", time, 200, body, "text/html")


@pytest.fixture(scope="module")
def tables(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("noise")
    path = write_warc(folder / "tea.warc.gz", captures())
    run_bulk([str(path)], str(folder / "tables"), BulkSettings(on="threads", workers=1))
    return folder / "tables"


def rows(query: str) -> list[tuple]:
    return duckdb.sql(query).fetchall()


def told(tables: Path, column: str) -> list[tuple]:
    return rows(
        f"SELECT old, new, noise FROM '{tables}/changes/*.parquet' "
        f"WHERE \"column\" = '{column}' AND what = 'changed' ORDER BY page, new_time"
    )


def test_a_column_that_changes_in_every_record_is_noise(tables):
    visits = told(tables, "Visits")
    assert len(visits) == PAGES * (DAYS - 1)
    assert all(noise for _, _, noise in visits)
    assert visits[0][2] == "changed in nearly every record"
    seen = PAGES * (DAYS - 1)
    found = rows(f"SELECT \"column\", seen, changed FROM '{tables}/noise/*.parquet'")
    assert found == [("Visits", seen, seen)]


def test_prices_that_all_change_are_news(tables):
    prices = told(tables, "price")
    assert len(prices) == PAGES * PRICE_CHANGES and not any(noise for _, _, noise in prices)


def test_a_value_that_changes_at_every_look_becomes_noise(tables):
    assert [noise or "" for _, _, noise in told(tables, "Stock")] == [
        "", "", "", "changed in each of the last 4 versions",
        "changed in each of the last 4 versions",
    ]  # fmt: skip


def test_a_value_that_changes_once_is_news(tables):
    assert told(tables, "Rating points") == [("3", "4", None)]
