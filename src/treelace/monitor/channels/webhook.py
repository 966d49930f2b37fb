"""`webhook:URL`: an alert as JSON, posted and signed.

The body is signed with the key in `TREELACE_WEBHOOK_KEY`, if there is one: `Treelace-Signature:
t=SECONDS,v1=HMAC-SHA256(key, "SECONDS.BODY")`.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from datetime import UTC, datetime
from typing import ClassVar
from urllib.parse import urlsplit

from treelace.crawl.fetch import send_once
from treelace.crawl.guard import Guard
from treelace.errors import CrawlError, UsageError
from treelace.monitor.channels.channel import Outbox, alert_json, secret_address
from treelace.store.alerts import Alert

MAX_SECONDS = 20.0
"""For one message."""


class WebhookChannel:
    """Posts alerts to an address, each with its idempotency key."""

    name: ClassVar[str] = "webhook"
    needs: ClassVar[str] = "URL"

    def __init__(self, address: str) -> None:
        self._address = address

    def send(self, alert: Alert, key: str, outbox: Outbox) -> None:
        """Posts it."""
        post(secret_address(self._address), alert, key, allow_private=outbox.allow_private)


def post(
    url: str, alert: Alert, key: str, *, allow_private: bool = False, guard: Guard | None = None
) -> None:
    """Sends an alert to a webhook; anything but a 2xx, redirects too, is an `OSError`.

    The connection passes the same guard as one for a page, at the moment it is made.
    """
    body = alert_json(alert)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("the address of a webhook starts with http:// or https://")
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": key,
        "User-Agent": "treelace",
        "Connection": "close",
    }
    signing_key = os.environ.get("TREELACE_WEBHOOK_KEY")
    if signing_key:
        now = int(datetime.now(UTC).timestamp())
        headers["Treelace-Signature"] = signature(signing_key, body, now)
    checked = guard or Guard(allow_private=allow_private)
    try:
        status = send_once(url, body, headers, guard=checked, seconds=MAX_SECONDS)
    except CrawlError as error:
        # without its host: the address may be a secret, and what goes wrong is stored
        raise OSError(f"the webhook cannot be reached ({str(error).partition(': ')[2]})") from None
    if not 200 <= status < 300:
        raise OSError(f"the webhook answered {status}")


def signature(key: str, body: bytes, seconds: int) -> str:
    """The signature of a webhook's body.

    >>> signature("key", b"{}", 1)
    't=1,v1=1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224'
    """
    made = hmac.new(key.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={made}"
