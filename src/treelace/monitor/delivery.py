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
from treelace.monitor.digest import digest_of, messages, next_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from treelace.monitor.channels import Channel, Outbox
    from treelace.monitor.judging import Judge
    from treelace.store.alerts import Alert, Alerts, Delivery

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
    due, held = _ripe(alerts, due, moment)
    sending = _Sending(alerts, outbox, moment, sender, tell, channels)
    for _, group in messages(due, _digests(alerts, due)):
        sending.send(group)
    return Delivered(
        sending.arrived, sending.failed, tuple(judge_failures), waiting + held + sending.waiting
    )


class _Sending:
    """Sends messages, and counts what arrived."""

    def __init__(
        self,
        alerts: Alerts,
        outbox: Outbox,
        moment: datetime,
        sender: str,
        tell: Callable[..., None],
        channels: Mapping[str, type[Channel]],
    ) -> None:
        self._alerts, self._outbox, self._moment = alerts, outbox, moment
        self._sender, self._tell, self._channels = sender, tell, channels
        self._failures: Counter[str] = Counter()
        self.arrived = self.failed = self.waiting = 0

    def send(self, group: Sequence[Delivery]) -> None:
        """Sends one message: an alert, or the digest of several."""
        words = group[0].channel
        if self._failures[words] >= MAX_FAILURES:
            self.waiting += len(group)
            return
        found = [self._alerts.alert(delivery.alert_id) for delivery in group]
        key = group[0].idempotency_key if len(group) == 1 else digest_of(found).name
        try:
            channel = open_channel(words, channels=self._channels)
            full = f"{self._sender}/{key}" if self._sender else key
            channel.send(digest_of(found), full, self._outbox)
        except Exception as error:  # noqa: BLE001 (a channel may be anyone's, and ends no other one)
            self._failures[words] += 1
            self._not_delivered(group, found, " ".join(str(error).split())[:_MAX_NOTE])
            return
        for delivery, alert in zip(group, found, strict=True):
            self._alerts.delivered(delivery.id, self._moment)
            self._tell("delivered", **_said(delivery, alert))
        self.arrived += len(group)
        del self._failures[words]

    def _not_delivered(self, group: Sequence[Delivery], found: Sequence[Alert], note: str) -> None:
        for delivery, alert in zip(group, found, strict=True):
            self._tell("not delivered", **_said(delivery, alert), note=note)
            again = self._moment + FIRST_PAUSE * 2**delivery.tries
            is_last = delivery.tries + 1 >= MAX_TRIES
            self._alerts.not_delivered(delivery.id, note, again=None if is_last else again)
        self.failed += len(group)


def _said(delivery: Delivery, alert: Alert) -> dict[str, str | None]:
    """What a log says of a delivery."""
    channel = shown_channel(delivery.channel)
    return {"alert": alert.name, "rule": alert.subscription, "channel": channel}


def _digests(alerts: Alerts, due: Sequence[Delivery]) -> dict[int, str]:
    """The digest of each alert whose rule wants one."""
    wanted = {
        one.id: str(one.rule["digest"]) for one in alerts.subscriptions() if one.rule.get("digest")
    }
    if not wanted:
        return {}
    of = {it.alert_id: alerts.alert(it.alert_id).subscription_id for it in due}
    return {number: wanted[rule] for number, rule in of.items() if rule in wanted}


def _ripe(alerts: Alerts, due: Sequence[Delivery], moment: datetime) -> tuple[list[Delivery], int]:
    """What is sent now, and how many wait for the digest of their day."""
    digests = _digests(alerts, due)
    held = 0
    ripe = []
    for delivery in due:
        is_new = delivery.tries == 0 and delivery.due <= alerts.alert(delivery.alert_id).time
        if digests.get(delivery.alert_id) == "day" and is_new:
            alerts.postpone(delivery.id, next_digest(moment))
            held += 1
        else:
            ripe.append(delivery)
    return ripe, held


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
