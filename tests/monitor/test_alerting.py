"""Noticing on a site: recorded in the transaction of the version, once; a record that moved to the
next page is not gone.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treelace.classes.pages import FetchedPage
from treelace.site import Site

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
SETTINGS = (
    '[site]\nurl = "https://a.example/"\n[[class]]\nname = "list"\nurls = ".*/list/.*"\nwrapper ='
    ' "extract"\nkey = ["title link"]\n'
)


def page(number: int, names: list[str], hour: int, *, counter: int = 0) -> FetchedPage:
    rows = "".join(
        f'<li><h3><a href="/{name}">{name}</a></h3><b>€{len(name)}.00</b><i>made by hand</i></li>'
        for name in names
    )
    body = f"<html><body><ul class=goods>{rows}</ul><p class=visits>{counter}</p></body></html>"
    url, when = f"https://a.example/list/{number}", MONDAY + timedelta(hours=hour)
    return FetchedPage(url, when, 200, body.encode(), "text/html")


@pytest.fixture
def site(tmp_path: Path):
    Site.create(tmp_path / "site", "https://a.example/").close()
    (tmp_path / "site" / "treelace.toml").write_text(SETTINGS, encoding="utf-8")
    with Site(tmp_path / "site") as made:
        yield made


def told(site: Site) -> list[tuple[str, str]]:
    return [(alert.state, alert.why) for alert in site.store.alerts.alerts()]


FIRST = ["assam", "sencha", "rooibos", "keemun"]
SECOND = ["oolong", "ceylon", "matcha", "yunnan"]


def test_a_record_that_moved_to_the_next_page_is_not_gone(site):
    site.add_pages([page(1, FIRST, 0), page(2, SECOND, 0)])
    site.store.alerts.subscribe("gone", {"records": "list", "when": "gone"})
    site.store.alerts.subscribe("new", {"records": "list", "when": "new"})
    site.add_pages([page(1, ["pu-erh", *FIRST[:3]], 24), page(2, ["keemun", *SECOND[:3]], 24)])
    found = told(site)
    assert ("open", "new record: pu-erh") in found
    assert ("open", "record gone: yunnan") in found
    assert {why for state, why in found if state == "open"} == {
        "new record: pu-erh",
        "record gone: yunnan",
    }
    assert any(
        state == "suppressed"
        and why.startswith("record gone: keemun; not told: another page shows it")
        for state, why in found
    )
    assert [delivery.channel for delivery in site.store.alerts.due(MONDAY + timedelta(days=9))] == [
        "terminal",
        "terminal",
    ]


def test_a_record_that_changes_while_it_moves_to_the_next_page_has_changed(site):
    site.add_pages([page(1, FIRST, 0), page(2, SECOND, 0)])
    for when in ("new", "gone", "changed"):
        site.store.alerts.subscribe(when, {"records": "list", "when": when})
    second = page(2, ["keemun", *SECOND[:3]], 24)
    dearer = replace(second, body=second.body.replace("€6.00".encode(), "€7.00".encode(), 1))
    site.add_pages([page(1, ["pu-erh", *FIRST[:3]], 24), dearer])
    by_state = {why for state, why in told(site) if state == "open"}
    assert by_state == {
        "new record: pu-erh",
        "record gone: yunnan",
        "keemun: price 6 → 7, price text €6.00 → €7.00",
    }
    late = page(1, ["yunnan", *FIRST[:3]], 72)
    site.add_pages([replace(late, body=late.body.replace("€6.00".encode(), "€7.00".encode(), 1))])
    assert "new record: yunnan" in {why for state, why in told(site) if state == "open"}


def linked(page: FetchedPage, start: str, end: str = "") -> FetchedPage:
    """The page with addresses written in another way."""
    body = page.body.decode().replace('href="/', f'href="{start}').replace('">', f'{end}">')
    return replace(page, body=body.encode())


@pytest.mark.parametrize("address", ["https://a.example/list/1", "http://a.example/list/1"])
@pytest.mark.parametrize(
    ("start", "end"), [("https://a.example/", ""), ("http://a.example/", "/"), ("/", "/")]
)
def test_a_site_that_moves_to_https_has_the_records_that_it_had(site, address, start, end):
    site.add_pages([linked(page(1, FIRST, 0), "http://a.example/")])
    for when in ("new", "gone", "changed"):
        site.store.alerts.subscribe(when, {"records": "list", "when": when})
    later = replace(linked(page(1, [*FIRST[:3], "oolong"], 24), start, end), url=address)
    site.add_pages([later, replace(later, url="https://a.example/list/1")])
    dearer = later.body.replace("€5.00".encode(), "€4.00".encode(), 1)
    site.add_pages([replace(later, time=later.time + timedelta(hours=1), body=dearer)])
    assert {why for state, why in told(site) if state == "open"} == {
        "new record: oolong",
        "record gone: keemun",
        "assam: price 5 → 4, price text €5.00 → €4.00",
    }


def test_the_same_pages_again_tell_nothing_twice(site):
    site.store.alerts.subscribe("new", {"records": "list", "when": "new"})
    for _ in range(3):
        site.add_pages([page(1, FIRST, 0), page(1, [*FIRST, "pu-erh"], 1)])
    assert len(told(site)) == len(FIRST) + 1


def test_a_counter_on_a_page_is_learnt_to_be_noise(site):
    site.store.alerts.subscribe(
        "visits", {"page": "https://a.example/list/1", "select": ".visits", "when": "changes"}
    )
    site.add_pages([page(1, FIRST, hour, counter=hour) for hour in range(6)])
    states = [state for state, _ in told(site)]
    assert states == ["suppressed"] * len(states) and len(states) == 5
    assert "numbers that change at most looks" in told(site)[-1][1]


def test_a_muted_rule_is_recorded_and_not_told(site):
    alerts = site.store.alerts
    site.add_pages([page(1, FIRST, 0)])
    alerts.subscribe("new", {"records": "list", "when": "new"})
    alerts.mute("new")
    site.add_pages([page(1, [*FIRST, "pu-erh"], 1)])
    assert told(site) == [("suppressed", "new record: pu-erh; not told: the subscription is muted")]
    assert not alerts.due(MONDAY + timedelta(days=9))
