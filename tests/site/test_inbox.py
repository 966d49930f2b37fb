"""The inbox of changed cells, and noise that someone named."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treelace.errors import UsageError
from treelace.site import Site
from treelace.store import FetchedPage
from treelace.store.settings import NoiseSection

START = datetime(2026, 5, 1, tzinfo=UTC)
LOOKS = (
    (("Sencha", "€ 10", "3 visits"), ("Assam", "€ 5", "8 visits")),
    (("Sencha", "€ 12", "4 visits"), ("Assam", "€ 5", "9 visits")),
    (("Sencha", "€ 12", "7 visits"), ("Assam", "€ 4", "closed")),
)


def page(rows: Sequence[tuple[str, str, str]], day: int) -> FetchedPage:
    cells = "".join(
        f"<tr><td><a href='/{name}'>{name}</a></td><td>{price}</td><td>{visits}</td></tr>"
        for name, price, visits in rows
    )
    heads = "<tr><th>name</th><th>price</th><th>visits</th></tr>"
    body = f"<html><body><h1>Tea</h1><table>{heads}{cells}</table></body></html>"
    return FetchedPage("https://tea.example/", START + timedelta(days=day), 200, body.encode())


@pytest.fixture
def site(tmp_path: Path) -> Site:
    Site.create(tmp_path / "tea", "https://tea.example/").close()
    with (tmp_path / "tea" / "treelace.toml").open("a") as settings:
        settings.write('[[class]]\nname = "tea"\nurls = ".*"\nwrapper = "extract"\nkey=["name"]\n')
    opened = Site(tmp_path / "tea")
    opened.subscribe("any", records="tea", when="changed", restless=True)
    for day, rows in enumerate(LOOKS):
        opened.add_pages([page([*rows, ("Oolong", "€ 7", "1 visit")], day)])
    return opened


def found(site: Site) -> list[tuple[str, str, str, str]]:
    return [(it.name, it.column, str(it.old), str(it.new)) for it in site.inbox()]


def test_changed_cells_are_listed_newest_first_until_they_are_dealt_with(site: Site):
    with site:
        assert found(site) == [
            ("Sencha", "visits", "4 visits", "7 visits"),
            ("Assam", "price", "5.0", "4.0"),
            ("Assam", "visits", "9 visits", "closed"),
            ("Sencha", "price", "10.0", "12.0"),
            ("Sencha", "visits", "3 visits", "4 visits"),
            ("Assam", "visits", "8 visits", "9 visits"),
        ]
        first = site.inbox()[0].id
        assert str(site.inbox_done(first)) == "1 change dealt with"
        assert len(site.inbox()) == 5 and site.inbox(limit=2).is_more
        site.rebuild("tea")
        assert len(site.inbox()) == 5, "a change has the same name after records were built anew"
        older = site.inbox(before=START + timedelta(days=2))
        assert [it.time.day for it in older] == [2, 2, 2]
        site.inbox_reopen(first)
        assert len(site.inbox()) == 6


def test_what_was_dealt_with_is_remembered_in_bounds(site: Site, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("treelace.site.inbox_verbs.MOST_REMEMBERED", 3)
    with site:
        newest, older = [it.id for it in site.inbox()][:3], [it.id for it in site.inbox()][3:]
        assert [*newest, *older] == sorted([*newest, *older], key=lambda it: it[:8], reverse=True)
        site.inbox_done(older[0], *newest)
        assert found(site) == [], "everything older than what is remembered is dealt with"
        assert len(site.store.notes.get("inbox dealt with")) < 200
        site.inbox_reopen(*newest)
        assert [it.id for it in site.inbox()] == newest
        with pytest.raises(UsageError, match="older than what can be opened"):
            site.inbox_reopen(older[0])


def test_a_rule_is_tried_on_the_newest_rows_of_a_large_table_and_says_so(site: Site):
    with site:
        every = site.try_rule(records="tea", when="changed", restless=True)
        some = site.try_rule(records="tea", when="changed", restless=True, newest=1)
        assert not every.notes and "the newest 1 of 7 rows" in some.notes[0]
        assert 0 < len(some.found) < len(every.found)
        assert all(it in every.found for it in some.found)
        all_rows = site.try_rule(records="tea", when="changed", restless=True, newest=7)
        assert all_rows.found == every.found and not all_rows.notes


def test_noise_is_tried_on_the_newest_rows_and_says_so(site: Site, monkeypatch: pytest.MonkeyPatch):
    with site:
        noise = NoiseSection(records="tea", column="visits")
        assert str(site.try_noise(noise)).endswith(
            "hides 4 of 6 changes of tea so far, and 2 alerts"
        )
        monkeypatch.setattr("treelace.site.noise_verbs.MOST_ROWS_TRIED", 5)
        assert "of the newest" in str(site.try_noise(noise))


def test_one_click_at_noise_says_what_else_it_would_hide(site: Site):
    with site:
        change = next(it for it in site.inbox() if it.new == "7 visits")
        trials = site.noise_like(change.id)
        assert [(it.noise.like, bool(it.noise.key), it.hidden) for it in trials] == [
            ("", True, 2),
            ("numbers", False, 3),
            ("", False, 4),
        ]
        assert all(it.changes == 6 for it in trials)
        told = [len(it.alerts) for it in trials]
        assert told[0] <= told[1] <= told[2]
        words = next(it for it in site.inbox() if it.new == "closed")
        assert [it.noise.like for it in site.noise_like(words.id)] == ["", ""]
        with pytest.raises(UsageError, match="no change"):
            site.noise_like("nothing")


def test_named_noise_is_in_no_inbox_and_no_alert_until_it_is_taken_back(site: Site):
    noise = NoiseSection(records="tea", column="visits", like="numbers")
    with site:
        assert "hidden from now on" in str(site.keep_noise(noise))
        assert found(site) == [
            ("Assam", "price", "5.0", "4.0"),
            ("Assam", "visits", "9 visits", "closed"),
            ("Sencha", "price", "10.0", "12.0"),
        ]
        assert site.inbox().hidden == 3
        before = len(site.alerts())
        rows = [("Sencha", "€ 12", "9 visits"), ("Assam", "€ 4", "closed")]
        site.add_pages([page([*rows, ("Oolong", "€ 7", "1 visit")], 3)])
        assert len(site.alerts()) == before
        assert "someone said that this is noise" in site.alerts(suppressed=True)[-1].why
        told = site.try_rule(records="tea", when="changed", restless=True)
        assert sum(not it.suppressed for _, it in told.found) == 2
    with Site(site.folder) as again:
        assert list(again.noise()) == [noise]
        again.drop_noise(noise)
        assert len(again.inbox()) == 7 and not again.noise()
        assert "[[noise]]" not in again.settings_text()
        with pytest.raises(UsageError, match="nobody has called"):
            again.drop_noise(noise)
