"""Channels: how an alert reaches someone. `terminal`, `atom:FILE`, `webhook:URL` (signed, with an
idempotency key), `apprise:URL`.

An address that is a secret is written as `webhook:env:NAME`: the variable of the environment is
read when the alert is sent, and is never stored. A webhook's body is signed with the key in
`TREELACE_WEBHOOK_KEY`, if there is one: `Treelace-Signature: t=SECONDS,v1=HMAC-SHA256(key,
"SECONDS.BODY")`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from treelace.crawl.fetch import send_once
from treelace.crawl.guard import Guard
from treelace.errors import CrawlError, MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from treelace.monitor.judging import Judge
    from treelace.store.alerts import Alert, Alerts, Delivery

TRIES = 8
"""Times a delivery is tried: with doubling pauses from half a minute, for about two hours."""
SECONDS = 20.0
"""For one message to a webhook."""
KINDS = ("terminal", "atom", "webhook", "apprise")


def check_channel(channel: str) -> str:
    """The channel itself; `UsageError` where there is no such channel."""
    kind, _, address = channel.partition(":")
    if kind not in KINDS or (kind != "terminal" and not address):
        raise UsageError(
            f"{channel!r} is no channel: there are terminal, atom:FILE, webhook:URL, apprise:URL"
            " (or webhook:env:NAME)"
        )
    return channel


def deliver(
    alerts: Alerts,
    folder: Path,
    *,
    say: Callable[[str], None],
    now: datetime | None = None,
    allow_private: bool = False,
    judge: Judge | None = None,
    on_event: Callable[..., None] | None = None,
) -> tuple[int, int]:
    """Sends what is due; says how many arrived and how many did not. What does not arrive is tried
    again later, with the same key.

    A `judge` is asked about each alert before it is sent for the first time; `on_event` hears of
    verdicts and of what arrived or did not.
    """
    moment = now or datetime.now(UTC)
    tell = on_event or (lambda *_, **__: None)
    due = alerts.due(moment)
    if judge is not None:
        due = _judged(alerts, due, judge, tell)
    arrived = failed = 0
    for delivery in due:
        alert = alerts.alert(delivery.alert_id)
        try:
            send(alert, delivery, folder, say=say, alerts=alerts, allow_private=allow_private)
        except (OSError, CrawlError, MissingError, UsageError) as error:
            failed += 1
            tell(
                "not delivered",
                alert=alert.name,
                rule=alert.subscription,
                channel=delivery.channel,
                note=" ".join(str(error).split())[:500],
            )
            pause = timedelta(seconds=30 * 2**delivery.tries)
            alerts.not_delivered(
                delivery.id,
                " ".join(str(error).split())[:500],
                again=moment + pause if delivery.tries + 1 < TRIES else None,
            )
            continue
        alerts.delivered(delivery.id, moment)
        tell("delivered", alert=alert.name, rule=alert.subscription, channel=delivery.channel)
        arrived += 1
    return arrived, failed


def _judged(
    alerts: Alerts, due: list[Delivery], judge: Judge, tell: Callable[..., None]
) -> list[Delivery]:
    """The deliveries that the judge lets pass, the weightiest first. Each alert is judged once, and
    its verdict is kept before it is acted on.
    """
    verdicts: dict[int, Mapping[str, Any]] = {}
    for number in dict.fromkeys(delivery.alert_id for delivery in due):
        alert = alerts.alert(number)
        verdicts[number] = alert.about.get("verdict", {})
        if verdicts[number]:
            continue
        verdict = judge.verdict(json.loads(body_of(alert)))
        verdicts[number] = verdict.written(judge.name)
        veto = (
            ""
            if verdict.tells
            else f"the judge {judge.name} said no" + (f": {verdict.why}" if verdict.why else "")
        )
        alerts.keep_verdict(alert, verdicts[number], veto=veto)
        tell("judged", alert=alert.name, rule=alert.subscription, **verdicts[number])
    passed = [delivery for delivery in due if verdicts[delivery.alert_id].get("tell", True)]
    return sorted(passed, key=lambda delivery: -float(verdicts[delivery.alert_id].get("rank", 0.0)))


def send(
    alert: Alert,
    delivery: Delivery,
    folder: Path,
    *,
    say: Callable[[str], None],
    alerts: Alerts,
    allow_private: bool,
) -> None:
    """Sends one alert through one channel, or raises."""
    kind, _, address = delivery.channel.partition(":")
    if kind == "terminal":
        say(f"{alert.time:%Y-%m-%d %H:%M} {alert.subscription}: {alert.why}")
    elif kind == "atom":
        write_atom(folder / address, alerts)
    elif kind == "webhook":
        post(_secret(address), alert, delivery.idempotency_key, allow_private=allow_private)
    else:
        _apprise(_secret(address), alert)


def _secret(address: str) -> str:
    if not address.startswith("env:"):
        return address
    name = address.removeprefix("env:")
    if not os.environ.get(name):
        raise UsageError(f"the channel asks for the environment variable {name}, which is not set")
    return os.environ[name]


def body_of(alert: Alert) -> bytes:
    """An alert as JSON."""
    told = {
        "alert": alert.name,
        "subscription": alert.subscription,
        "kind": alert.kind,
        "why": alert.why,
        "url": alert.url,
        "version": alert.version,
        "time": alert.time.isoformat(),
        "about": alert.about,
    }
    return json.dumps(told, ensure_ascii=False, default=str).encode()


def post(
    url: str, alert: Alert, key: str, *, allow_private: bool = False, guard: Guard | None = None
) -> None:
    """Sends an alert to a webhook; anything but a 2xx is an `OSError`, a redirect too: a webhook
    that moved is to be set anew.

    The connection passes the same guard as one for a page, at the moment it is made.
    """
    body = body_of(alert)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("the address of a webhook starts with http:// or https://")
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": key,
        "User-Agent": "treelace",
        "Connection": "close",
    }
    if os.environ.get("TREELACE_WEBHOOK_KEY"):
        headers["Treelace-Signature"] = signature(
            os.environ["TREELACE_WEBHOOK_KEY"], body, int(datetime.now(UTC).timestamp())
        )
    try:
        status = send_once(
            url, body, headers, guard=guard or Guard(allow_private=allow_private), seconds=SECONDS
        )
    except (
        CrawlError
    ) as error:  # without its host: the address may be a secret, and what goes wrong is stored
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


def _apprise(address: str, alert: Alert) -> None:
    try:
        import apprise
    except ModuleNotFoundError as error:
        raise MissingError("this channel", package="apprise", extra="notify") from error
    post_office = apprise.Apprise()
    if not post_office.add(address):
        raise UsageError("apprise does not know this kind of address")
    if not post_office.notify(
        title=f"{alert.subscription}: {alert.kind}", body=f"{alert.why}\n{alert.url or ''}"
    ):
        raise OSError("apprise could not deliver it")


def write_atom(path: Path, alerts: Alerts, *, most: int = 100) -> None:
    """Writes the newest alerts as an Atom feed (RFC 4287); the file is whole at every moment."""
    told = [alert for alert in alerts.alerts() if alert.state != "suppressed"][-most:]
    newest = told[-1].time if told else datetime(1970, 1, 1, tzinfo=UTC)
    entries = "".join(
        f"<entry><id>urn:treelace:alert:{escape(alert.name)}</id><title>{escape(alert.why)}</title><updated>{alert.time.isoformat()}</updated>"
        f'<link href="{escape(alert.url or "")}"/><category term="{escape(alert.kind)}"/>'
        f"<summary>{escape(alert.subscription or '')}</summary></entry>\n"
        for alert in reversed(told)
    )
    text = (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed'
        ' xmlns="http://www.w3.org/2005/Atom"><id>urn:treelace:alerts</id><title>treelace'
        " alerts</title>"
        f"<author><name>treelace</name></author><updated>{newest.isoformat()}</updated>\n{entries}</feed>\n"
    )
    half = path.with_name(f".{path.name}.part")
    half.write_text(text, encoding="utf-8")
    half.replace(path)
