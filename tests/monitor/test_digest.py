"""One message instead of fifty: a round's, or a day's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.monitor.test_channels import Receiver
from treelace.errors import UsageError
from treelace.monitor.channels import Outbox
from treelace.monitor.delivery import deliver
from treelace.site import make_rule
from treelace.store import Store
from treelace.store.alerts import Alerts, NewAlert

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def some_alerts(tmp_path: Path, digest: str, channel: str, count: int) -> Alerts:
    alerts = Store.create(tmp_path / "store.sqlite").alerts
    rule = alerts.subscribe("cheap", {"records": "tea", "when": "changed", "digest": digest})
    for number in range(count):
        alerts.record(
            NewAlert(
                name=f"{number}",
                kind="changed",
                time=NOW,
                subscription_id=rule.id,
                why=f"tea {number}: price 3 → 2",
                channels=[channel],
            )
        )
    return alerts


def test_a_round_is_one_message(tmp_path: Path):
    said: list[str] = []
    alerts = some_alerts(tmp_path, "round", "terminal", 60)
    alerts.record(NewAlert(name="x", kind="new", time=NOW, why="alone", channels=["terminal"]))
    done = deliver(alerts, Outbox(folder=tmp_path, say=said.append), now=NOW)
    assert done.arrived == 61 and len(said) == 2
    assert "60 alerts of cheap" in said[0] and "tea 49:" in said[0] and "tea 50:" not in said[0]
    assert "and 10 more" in said[0] and said[1].endswith("alone")
    assert not alerts.due(NOW)


def test_a_digest_that_fails_is_tried_again_whole(tmp_path: Path):
    with Receiver(500) as hook:
        alerts = some_alerts(tmp_path, "round", f"webhook:{hook.url}", 3)
        outbox = Outbox(folder=tmp_path, say=print, allow_private=True)
        assert deliver(alerts, outbox, now=NOW).failed == 3
        assert deliver(alerts, outbox, now=NOW + timedelta(minutes=5)).arrived == 3
        assert len(hook.got) == 2
        keys = [headers["Idempotency-Key"] for headers, _ in hook.got]
        assert keys[0] == keys[1], "the same message at every try"
        assert hook.got[0][1] == hook.got[1][1] and b'"alerts": [{' in hook.got[0][1]


def test_a_day_is_one_message_in_the_morning(tmp_path: Path):
    said: list[str] = []
    alerts = some_alerts(tmp_path, "day", "terminal", 2)
    outbox = Outbox(folder=tmp_path, say=said.append)
    assert deliver(alerts, outbox, now=NOW).waiting == 2 and not said
    rule = alerts.subscription("cheap")
    later = NewAlert(
        name="late",
        kind="changed",
        time=NOW + timedelta(hours=9),
        subscription_id=rule.id,
        why="tea 9: price 9 → 8",
        channels=["terminal"],
    )
    alerts.record(later)
    assert deliver(alerts, outbox, now=NOW + timedelta(hours=10)).waiting == 1 and not said
    done = deliver(alerts, outbox, now=datetime(2026, 3, 3, 6, 0, 1, tzinfo=UTC))
    assert done.arrived == 3 and len(said) == 1 and "3 alerts of cheap" in said[0]


def test_a_digest_is_of_a_round_or_of_a_day():
    assert make_rule(records="tea", digest="day").digest == "day"
    with pytest.raises(UsageError, match="a round or a day"):
        make_rule(records="tea", digest="year")
