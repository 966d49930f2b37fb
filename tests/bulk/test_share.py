"""Templates that several hosts share, and classes of pages of several hosts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import chain

import duckdb
import pytest

from tests.bulk.archives_made import shop_pages, write_warc
from tests.bulk.test_skew import large_host
from treelace.bulk import BulkSettings, run_bulk
from treelace.bulk.model import EVERY_HOST
from treelace.classes.pages import Fetched
from treelace.errors import UsageError


def test_hosts_with_one_template_are_tied(tmp_path):
    shops = [shop_pages(f"shop{it}.example", seed=it, most=40) for it in range(2)]
    other = list(large_host())[:40]
    path = write_warc(tmp_path / "pages.warc.gz", chain(*shops, other))
    settings = BulkSettings(on="threads", workers=1, across_hosts=True)
    run_bulk([str(path)], str(tmp_path / "out"), settings)
    found = duckdb.sql(
        "SELECT template, list(DISTINCT host ORDER BY host) FROM "
        f"'{tmp_path}/out/templates/*.parquet' GROUP BY 1"
    ).fetchall()
    together = [hosts for _, hosts in found if len(hosts) > 1]
    assert ["shop0.example", "shop1.example"] in together
    assert all("large.example" not in hosts for hosts in together)
    with pytest.raises(UsageError, match="another run"):
        run_bulk([str(path)], str(tmp_path / "out"), BulkSettings(on="threads"))


def test_single_pages_of_many_hosts_make_a_class(tmp_path):
    """No host has three of them; together they have a wrapper, and a later run knows it."""
    products = [page for page in large_host() if "/tea/" in page.url]

    def capture(name: str, first: int, days: int) -> str:
        pages = [
            Fetched(
                f"https://shop{at}.example/tea",
                products[at].time + timedelta(days=days),
                200,
                products[at + first].body,
                "text/html",
            )
            for at in range(9)
        ]
        return str(write_warc(tmp_path / name, pages))

    march, april = capture("march.warc.gz", 0, 0), capture("april.warc.gz", 1, 30)
    alone = run_bulk([march], str(tmp_path / "alone"), BulkSettings(on="threads"))
    assert alone.counts["classes"] == 0 and alone.counts["records"] == 0
    together = BulkSettings(on="threads", workers=1, across_hosts=True)
    run_bulk([march], str(tmp_path / "march"), together)
    prices = "SELECT page, number FROM '{}/records/*.parquet' WHERE \"column\" = 'price' ORDER BY 1"
    found = duckdb.sql(prices.format(tmp_path / "march")).fetchall()
    assert [price for _, price in found] == [price_of(products[at]) for at in range(9)]
    settings = replace(together, since=str(tmp_path / "march"), on="processes")
    run_bulk([april], str(tmp_path / "april"), settings)
    known = "SELECT host, class, wrapper FROM '{}/classes/*.parquet'"
    before, after = (
        duckdb.sql(known.format(tmp_path / name)).fetchall() for name in ("march", "april")
    )
    assert before == after and [host for host, _, _ in before] == [EVERY_HOST]
    told = duckdb.sql(
        f"SELECT what, count(DISTINCT page) FROM '{tmp_path}/april/changes/*.parquet' "
        "WHERE \"column\" = 'price' GROUP BY 1"
    ).fetchall()
    assert told == [("changed", 9)]


def price_of(page: Fetched) -> float:
    return float(page.body.split(b"\xe2\x82\xac ")[1].split(b"<")[0])
