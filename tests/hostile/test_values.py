"""Values that no database holds: stored as far as they go, with the same answer on both."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treelace.crawl.sources import from_folder
from treelace.limits import DEFAULT_LIMITS
from treelace.site import Site
from treelace.store import FetchedPage
from treelace.store.database_values import LONGEST_KEY, database_key, database_value

URL = "https://shop.example/"
START = datetime(2026, 3, 1, tzinfo=UTC)


def shop(*odd: str, name: str = "Tea") -> bytes:
    """A list whose first counts are the odd ones."""
    counts = [*odd, *(str(number) for number in range(len(odd), 12))]
    rows = "".join(
        f'<li><a href="/p/{number}">{name} {number}</a> <b>{count}</b> <i>{number} %</i></li>'
        for number, count in enumerate(counts)
    )
    return f"<!DOCTYPE html><title>Shop</title><h1>Teas</h1><ul>{rows}</ul>".encode(
        "utf-8", "surrogatepass"
    )


@pytest.fixture
def site(tmp_path: Path, store_place: str):
    with Site.create(tmp_path / "site", URL, store=store_place) as made:
        made.folder.joinpath("treelace.toml").open("a").write(
            '\n[[class]]\nname = "teas"\nurls = ".*"\nwrapper = "extract"\n'
        )
    with Site(tmp_path / "site") as opened:
        yield opened


@pytest.mark.parametrize(
    "odd",
    [
        ["9" * 20],
        ["9" * 5000],
        ["9" * 400 + ".5"],
        ["1e999"],
        ["\x00"],
        ["&#0;&#xD800;"],
        ["x" * 10_000],
        ["9" * 5000 + " %"],
    ],
    ids=lambda odd: f"{odd[0][:8]}… {len(odd[0])}",
)
def test_an_odd_value_costs_no_other_record(site: Site, odd: list[str]):
    """The page is stored, every record but the odd value is there, and the next page comes in."""
    site.add_pages(
        FetchedPage(URL, START + timedelta(days=day), 200, body, "text/html")
        for day, body in enumerate([shop(), shop(*odd), shop("7")])
    )
    assert [version.number for version in site.history(URL)] == [1, 2, 3]
    assert len(site.records("teas")) == 12
    assert not site.verify().damage


def test_a_long_name_is_a_key_on_both_databases(site: Site):
    page = shop(name="Tea " * 2000).replace(b'href="/p/', b'title="')
    site.add_pages([FetchedPage(URL, START, 200, page, "text/html")])
    assert len(site.records("teas")) == 12


@pytest.mark.parametrize("status", [99_999, -1, 0, 2**40])
def test_a_status_that_no_server_should_send_ends_nothing(site: Site, status: int):
    site.add_pages(
        [
            FetchedPage(URL + "odd", START, status, b"<p>x", "text/html"),
            FetchedPage(URL, START, 200, shop(), "text/html"),
        ]
    )
    assert len(site.records("teas")) == 12


def test_both_sides_of_what_a_database_holds():
    assert database_value(2**63 - 1) == 2**63 - 1 and database_value(2**63) is None
    assert database_value(-(2**63)) == -(2**63) and database_value(-(2**63) - 1) is None
    assert database_value(float("nan")) is None and database_value(1.5) == 1.5
    assert database_value("a\x00b\ud800é") == "a\ufffdb\ufffdé"
    assert database_key("x" * LONGEST_KEY) == "x" * LONGEST_KEY
    long = [database_key("x" * LONGEST_KEY + end) for end in "ab"]
    assert long[0] != long[1] and {len(key) for key in long} == {LONGEST_KEY}


def test_a_page_of_the_far_future_is_left_out(tmp_path: Path):
    (tmp_path / "a.html").write_text("<p>a")
    near = datetime.now(UTC) + timedelta(days=300)
    (tmp_path / "index.csv").write_text(
        f"file,url,time\na.html,far,9999-01-01\na.html,near,{near:%Y-%m-%d}\n"
    )
    troubles = []
    pages = list(from_folder(tmp_path, limits=DEFAULT_LIMITS, on_trouble=troubles.append))
    assert [page.url for page in pages] == ["near"]
    assert "in the future: 9999" in str(troubles[0].error)
