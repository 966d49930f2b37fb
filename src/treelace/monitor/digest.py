"""Digests: alerts of rules that want one message instead of many, put together. Pure but for when
a day's digest is due.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from treelace.monitor.channels.channel import alert_json
from treelace.store.alerts import Alert, Delivery

DIGESTS = ("round", "day")
"""One message for what a round has found, or for a day."""
HOUR_OF_A_DAY = 6
"""The hour (UTC) at which the digest of a day is sent."""
MOST_LINES = 50
"""Alerts that a digest says in words; programs get all of them."""


def next_digest(now: datetime) -> datetime:
    """When the digest of a day is sent next.

    >>> next_digest(datetime(2026, 5, 1, 9, tzinfo=UTC)).isoformat()
    '2026-05-02T06:00:00+00:00'
    """
    now = now.astimezone(UTC)
    today = now.replace(hour=HOUR_OF_A_DAY, minute=0, second=0, microsecond=0)
    return today if today > now else today + timedelta(days=1)


def messages(
    due: Sequence[Delivery], digests: Mapping[int, str]
) -> list[tuple[str, list[Delivery]]]:
    """What is sent together: for each message its digest (empty: none) and its deliveries.
    `digests` has the digest of each alert whose rule wants one.
    """
    found: list[tuple[str, list[Delivery]]] = []
    together: dict[tuple[str, str], list[Delivery]] = {}
    for delivery in due:
        digest = digests.get(delivery.alert_id, "")
        if not digest:
            found.append(("", [delivery]))
            continue
        if (digest, delivery.channel) not in together:
            together[digest, delivery.channel] = []
            found.append((digest, together[digest, delivery.channel]))
        together[digest, delivery.channel].append(delivery)
    return found


def digest_of(alerts: Sequence[Alert]) -> Alert:
    """Many alerts as one that a channel can send; one alone is itself."""
    if len(alerts) == 1:
        return alerts[0]
    rules = list(dict.fromkeys(one.subscription or "" for one in alerts))
    lines = [f"- {one.subscription}: {one.why}" for one in alerts[:MOST_LINES]]
    left = len(alerts) - MOST_LINES
    lines += [f"- and {left:,} more"] if left > 0 else []
    words = f"{len(alerts):,} alerts of {', '.join(rules)}"
    pages = {one.url for one in alerts}
    said = hashlib.sha256("\n".join(one.name for one in alerts).encode()).hexdigest()[:16]
    return Alert(
        id=alerts[-1].id,
        name=f"digest/{said}",
        subscription=rules[0] if len(rules) == 1 else "digest",
        time=max(one.time for one in alerts),
        url=pages.pop() if len(pages) == 1 else None,
        version=None,
        kind="digest",
        state=alerts[-1].state,
        why="\n".join([words, *lines]),
        about={"alerts": [json.loads(alert_json(one)) for one in alerts]},
    )
