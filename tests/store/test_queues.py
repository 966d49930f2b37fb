"""Frontier, log, subscriptions, alerts, deliveries: on both back ends."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.store.conftest import START, URL, fetched
from treelace.errors import StoreError, UsageError
from treelace.site import Site
from treelace.store.alerts import NewAlert
from treelace.store.frontier import Address, Event
from treelace.store.states import AddressState

LATER = START + timedelta(days=1)


def test_an_address_is_added_once_and_taken_once(site: Site):
    frontier = site.store.frontier
    assert (
        frontier.add(
            [
                Address(url="a", due=START),
                Address(url="b", due=START, priority=5),
                Address(url="a", due=LATER),
            ]
        )
        == 2
    )
    assert frontier.add([Address(url="b", due=START)]) == 0
    assert [it.url for it in frontier.take(START, most=5)] == ["b", "a"]
    assert frontier.take(START, 1) == []
    assert frontier.counts() == {"taken": 2}


def test_what_a_killed_process_had_taken_waits_again(site: Site):
    frontier = site.store.frontier
    frontier.add([Address(url="a", due=START), Address(url="later", due=LATER)])
    assert [it.url for it in frontier.take(START, 1)] == ["a"] and frontier.get("a").tries == 1
    assert frontier.release() == 1
    assert [it.url for it in frontier.take(START, 1)] == ["a"] and frontier.get("a").tries == 2
    frontier.mark("a", AddressState.DONE)
    assert frontier.counts() == {"done": 1, "waiting": 1} and frontier.next_due() == LATER


def test_the_log_keeps_order(site: Site):
    frontier = site.store.frontier
    for number in range(3):
        frontier.log(Event(time=START, event="fetched", url=f"u{number}", status=200))
    assert [it.url for it in frontier.events()] == ["u0", "u1", "u2"]
    assert [it.url for it in frontier.events(url="u1")] == ["u1"]


def test_an_alert_is_recorded_once_and_delivered_at_least_once(site: Site):
    site.add_pages([fetched(1)])
    alerts = site.store.alerts
    rule = alerts.subscribe("cheap", {"field": "price", "below": 900})
    for expected in (True, False):
        with site.store.writing() as transaction:
            told = transaction.alerts.record(
                NewAlert(
                    name="cheap/1",
                    kind="changed",
                    time=START,
                    subscription_id=rule.id,
                    page_id=1,
                    version=1,
                    why="price fell",
                    channels=["feed", "webhook"],
                )
            )
            assert told is expected
    [alert] = alerts.alerts()
    assert (alert.subscription, alert.url, alert.state) == ("cheap", URL, "open")
    first, second = alerts.due(START)
    alerts.delivered(first.id, START)
    alerts.not_delivered(second.id, "503", again=LATER)
    assert alerts.due(START) == []
    [again] = alerts.due(LATER)
    assert (again.idempotency_key, again.tries, again.error) == (second.idempotency_key, 1, "503")
    alerts.not_delivered(again.id, "gone", again=None)
    assert [it.state for it in alerts.deliveries(alert.id)] == ["done", "given-up"]


def test_subscriptions_are_muted_removed_and_their_names_free_again(site: Site):
    alerts = site.store.alerts
    alerts.subscribe("a", {})
    with pytest.raises(UsageError, match="already"):
        alerts.subscribe("a", {})
    alerts.mute("a", LATER)
    assert alerts.subscription("a").muted_until == LATER
    alerts.unmute("a")
    alerts.remove("a")
    with pytest.raises(UsageError, match="no subscription 'a'"):
        alerts.subscription("a")
    alerts.subscribe("a", {"new": True})
    assert [it.state for it in alerts.subscriptions()] == ["removed", "active"]


def test_nothing_of_a_transaction_that_fails_is_there(site: Site):
    alerts = site.store.alerts

    def fails() -> None:
        with site.store.writing() as transaction:
            transaction.alerts.record(NewAlert(name="x", kind="new", time=START, channels=["feed"]))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert list(alerts.alerts()) == []


def test_a_delivery_is_recorded_once(site: Site):
    twice = NewAlert(name="1", kind="new", time=START, channels=["terminal", "terminal"])
    with pytest.raises(StoreError):
        site.store.alerts.record(twice)
    assert not list(site.store.alerts.alerts())
