"""Sends due alerts through channels; failures are retried with the same idempotency key."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from treelace.monitor.channels import CHANNELS, open_channel
from treelace.monitor.channels.atom import AtomChannel
from treelace.monitor.channels.channel import alert_json, shown_channel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from treelace.monitor.channels import Channel, Outbox
    from treelace.monitor.judging import Judge
    from treelace.store.alerts import Alerts, Delivery

MAX_TRIES = 8
"""Times a delivery is tried: with doubling pauses, for about two hours."""
FIRST_PAUSE = timedelta(seconds=30)
MAX_DELIVERIES = 10_000
"""Deliveries of one round; what is over waits for the next."""
MAX_FAILURES = 3
"""Failures of a channel in a row after which its other deliveries wait for the next round."""
_MAX_NOTE = 500
"""Characters of a failure that are kept."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """How many deliveries arrived and how many did not, and what was wrong with the judge.
    `waiting` were not tried, because their channel failed or the round had enough.
    """

    arrived: int = 0
    failed: int = 0
    judge_failures: tuple[str, ...] = ()
    waiting: int = 0

    def __str__(self) -> str:
        later = f", {self.failed} not yet: tried again later" if self.failed else ""
        waiting = f", {self.waiting} waiting for the next round" if self.waiting else ""
        return f"{self.arrived} delivered{later}{waiting}"


def deliver(
    alerts: Alerts,
    outbox: Outbox,
    *,
    sender: str = "",
    now: datetime | None = None,
    judge: Judge | None = None,
    on_event: Callable[..., None] | None = None,
    channels: Mapping[str, type[Channel]] = CHANNELS,
) -> Delivered:
    """Sends what is due.

    A `judge` is asked about each alert before it is sent for the first time; `on_event` hears of
    verdicts and of what arrived or did not. `sender` stands before each key: receivers get alerts
    from many stores.
    """
    moment = now or datetime.now(UTC)
    tell = on_event or (lambda *_, **__: None)
    due = alerts.due(moment, MAX_DELIVERIES + 1)
    waiting = len(due[MAX_DELIVERIES:])
    due = due[:MAX_DELIVERIES]
    judge_failures: list[str] = []
    if judge is not None:
        due = _judged(alerts, due, judge, tell, judge_failures)
    arrived = failed = 0
    failures: Counter[str] = Counter()
    for delivery in due:
        if failures[delivery.channel] >= MAX_FAILURES:
            waiting += 1
            continue
        alert = alerts.alert(delivery.alert_id)
        said = {
            "alert": alert.name,
            "rule": alert.subscription,
            "channel": shown_channel(delivery.channel),
        }
        try:
            channel = open_channel(delivery.channel, channels=channels)
            key = delivery.idempotency_key
            channel.send(alert, f"{sender}/{key}" if sender else key, outbox)
        except Exception as error:  # noqa: BLE001 (a channel may be anyone's, and ends no other one)
            note = " ".join(str(error).split())[:_MAX_NOTE]
            tell("not delivered", **said, note=note)
            failures[delivery.channel] += 1
            again = moment + FIRST_PAUSE * 2**delivery.tries
            is_last = delivery.tries + 1 >= MAX_TRIES
            failed += 1
            alerts.not_delivered(delivery.id, note, again=None if is_last else again)
            continue
        alerts.delivered(delivery.id, moment)
        tell("delivered", **said)
        arrived += 1
        del failures[delivery.channel]
    return Delivered(arrived, failed, tuple(judge_failures), waiting)


def write_feeds(alerts: Alerts, folder: Path) -> None:
    """Writes every feed that is there anew, from the alerts that are on record."""
    words = {word for one in alerts.subscriptions() for word in one.rule.get("channels", ())}
    for name, _, file in sorted(word.partition(":") for word in words):
        if name == AtomChannel.name and (folder / file).is_file():
            AtomChannel(file).write(folder, alerts.alerts())


def _judged(
    alerts: Alerts,
    due: list[Delivery],
    judge: Judge,
    tell: Callable[..., None],
    failures: list[str],
) -> list[Delivery]:
    """Deliveries the judge allows, weightiest first; each alert is judged once, verdict kept."""
    verdicts: dict[int, Mapping[str, Any]] = {}
    for number in dict.fromkeys(delivery.alert_id for delivery in due):
        alert = alerts.alert(number)
        verdicts[number] = alert.about.get("verdict", {})
        if verdicts[number]:
            continue
        verdict = judge.verdict(json.loads(alert_json(alert)))
        verdicts[number] = verdict.written(judge.name)
        reason = f": {verdict.why}" if verdict.why else ""
        veto = "" if verdict.tells else f"the judge {judge.name} said no{reason}"
        alerts.keep_verdict(alert, verdicts[number], veto=veto)
        tell("judged", alert=alert.name, rule=alert.subscription, **verdicts[number])
        if verdict.error:
            failures.append(
                f"the judge {judge.name} failed ({verdict.error}): {alert.subscription} tells all"
                " the same"
            )
    passed = [delivery for delivery in due if verdicts[delivery.alert_id].get("tell", True)]
    return sorted(passed, key=lambda delivery: -float(verdicts[delivery.alert_id].get("rank", 0.0)))
