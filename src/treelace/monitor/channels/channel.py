"""The contract of channels."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from treelace.errors import UsageError
from treelace.store.alerts import Alert

_SECRET = "env:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outbox:
    """What a channel may use: the site's folder, a line to the watcher, alerts, private access."""

    folder: Path
    say: Callable[[str], None]
    alerts: Callable[[], Iterable[Alert]] = tuple
    allow_private: bool = False


class Channel(Protocol):
    """A way for an alert to reach someone; it is made for one address and sends many alerts.

    Every channel promises, and tests/contracts/test_channels.py checks: `send` returns when the
    alert has arrived as far as can be known, and raises `OSError`, `UsageError` or `MissingError`
    where it has not; a text of such an error names no secret; sending the same alert with the same
    key again does no harm, since a delivery that was cut off is tried again.
    """

    name: ClassVar[str]
    needs: ClassVar[str]
    """What its address is, as people write it: `URL`, `FILE`; empty where it takes none."""

    def __init__(self, address: str) -> None: ...

    def send(self, alert: Alert, key: str, outbox: Outbox) -> None:
        """Sends an alert; `key` is the same at every try."""


def shown_channel(channel: str) -> str:
    """A channel as a log may have it: paths and queries of addresses hold tokens.

    >>> shown_channel("webhook:https://hooks.example/T0/s3cret"), shown_channel("atom:alerts.xml")
    ('webhook:https://hooks.example/…', 'atom:alerts.xml')
    """
    return re.sub(r"://(?:[^/?#]*@)?([^/?#]*).*", r"://\1/…", channel)


def secret_address(address: str) -> str:
    """The address itself, or what the variable holds that it names."""
    if not address.startswith(_SECRET):
        return address
    name = address.removeprefix(_SECRET)
    if not os.environ.get(name):
        raise UsageError(f"the channel asks for the environment variable {name}, which is not set")
    return os.environ[name]


def alert_json(alert: Alert) -> bytes:
    """An alert as JSON, as webhooks and judges get it."""
    said = {
        "alert": alert.name,
        "subscription": alert.subscription,
        "kind": alert.kind,
        "why": alert.why,
        "url": alert.url,
        "version": alert.version,
        "time": alert.time.isoformat(),
        "about": alert.about,
    }
    return json.dumps(said, ensure_ascii=False, default=str).encode()
