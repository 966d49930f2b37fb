"""Channels against real receivers: a webhook on loopback that fails at first, a feed that a parser
reads, an Apprise address.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from treelace.crawl.guard import Guard
from treelace.errors import UsageError
from treelace.monitor.channels import Outbox, check_channel
from treelace.monitor.channels.webhook import post
from treelace.monitor.delivery import MAX_TRIES, Delivered
from treelace.monitor.delivery import deliver as deliver_due
from treelace.store.alerts import Alerts, NewAlert
from treelace.store.store import Store
from treelace.tree import parse

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Receiver:
    """A webhook that answers with the given codes, then 200, and remembers what it got."""

    def __init__(self, *codes: int) -> None:
        self.codes = list(codes)
        self.got: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), body))
                self.send_response(receiver.codes.pop(0) if receiver.codes else 200)
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/hook"

    def __enter__(self) -> Receiver:
        threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def alerts(tmp_path) -> Alerts:
    return Store.create(tmp_path / "store.sqlite").alerts


def deliver(alerts: Alerts, folder, *, now, say=print, allow_private: bool = False) -> Delivered:
    outbox = Outbox(folder=folder, say=say, alerts=alerts.alerts, allow_private=allow_private)
    return deliver_due(alerts, outbox, now=now)


def recorded(alerts: Alerts, *channels: str, name: str = "1") -> bool:
    return alerts.record(
        NewAlert(name=name, kind="new", time=NOW, why="new record: Tea & cups", channels=channels)
    )


def test_a_webhook_is_signed_tried_again_and_keeps_its_key(alerts, tmp_path, monkeypatch):
    monkeypatch.setenv("TREELACE_WEBHOOK_KEY", "k3y")
    with Receiver(500, 302) as receiver:
        recorded(alerts, f"webhook:{receiver.url}")
        moment = NOW
        for arrived in (0, 0, 1):
            assert deliver(alerts, tmp_path, now=moment, allow_private=True) == Delivered(
                arrived, 1 - arrived
            )
            assert deliver(alerts, tmp_path, now=moment, allow_private=True) == Delivered(), (
                "not before its time"
            )
            moment += timedelta(hours=1)
    assert len({headers["Idempotency-Key"] for headers, _ in receiver.got}) == 1
    headers, body = receiver.got[-1]
    seconds, signed = (part.partition("=")[2] for part in headers["Treelace-Signature"].split(","))
    assert signed == hmac.new(b"k3y", f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    assert json.loads(body)["why"] == "new record: Tea & cups"


def test_every_waiting_alert_is_sent_in_one_round(alerts, tmp_path):
    for number in range(130):
        recorded(alerts, "terminal", name=str(number))
    lines: list[str] = []
    assert str(deliver(alerts, tmp_path, now=NOW, say=lines.append)) == "130 delivered"
    assert len(lines) == 130


def test_a_channel_that_fails_three_times_waits_and_the_others_go_on(alerts, tmp_path):
    for number in range(6):
        recorded(alerts, "webhook:http://127.0.0.1:9/", "terminal", name=str(number))
    done = deliver(alerts, tmp_path, now=NOW, say=lambda _: None, allow_private=True)
    assert (done.arrived, done.failed, done.waiting) == (6, 3, 3)
    assert "3 waiting for the next round" in str(done)


def test_an_alert_is_recorded_once_and_given_up_in_the_end(alerts, tmp_path):
    assert recorded(alerts, "webhook:http://127.0.0.1:9/") and not recorded(
        alerts, "webhook:http://127.0.0.1:9/"
    )
    moment = NOW
    for _ in range(MAX_TRIES + 3):
        deliver(alerts, tmp_path, now=moment, allow_private=True)
        moment += timedelta(days=1)
    (delivery,) = alerts.deliveries(1)
    assert (delivery.state, delivery.tries) == ("given-up", MAX_TRIES)
    assert "cannot be reached" in (delivery.error or "")


def test_a_webhook_passes_the_guard(alerts, tmp_path):
    recorded(alerts, "webhook:http://127.0.0.1:9/")
    deliver(alerts, tmp_path, now=NOW)
    assert "not a public address" in (alerts.deliveries(1)[0].error or "")


def test_a_webhook_whose_dns_changes_its_answer_is_not_reached(alerts):
    """The name is resolved once, by whoever checks it and connects: there is no second answer to be
    fooled by.
    """
    recorded(alerts, "terminal")
    answers = iter([["127.0.0.1"], ["127.0.0.1"]])
    with Receiver() as receiver:
        port = receiver.http.server_address[1]
        with pytest.raises(OSError, match="is not a public address"):
            post(
                f"http://hook.example:{port}/",
                next(alerts.alerts()),
                "key",
                guard=Guard(resolve=lambda *_: next(answers)),
            )
        assert not receiver.got and len(list(answers)) == 1


def test_secrets_are_not_stored(alerts, tmp_path, monkeypatch):
    with Receiver() as receiver:
        monkeypatch.setenv("SHOP_HOOK", receiver.url)
        recorded(alerts, "webhook:env:SHOP_HOOK")
        assert deliver(alerts, tmp_path, now=NOW, allow_private=True) == Delivered(1, 0)
    assert receiver.url.encode() not in (tmp_path / "store.sqlite").read_bytes()


def test_the_feed_is_a_feed(alerts, tmp_path):
    recorded(alerts, "atom:alerts.xml", name="a")
    recorded(alerts, "atom:alerts.xml", name="b")
    deliver(alerts, tmp_path, now=NOW)
    feed = parse(tmp_path / "alerts.xml", format="xml")
    titles = feed.select_xpath("//a:entry/a:title", namespaces={"a": "http://www.w3.org/2005/Atom"})
    assert [node.text for node in titles] == ["new record: Tea & cups"] * 2


def test_the_terminal_gets_a_line(alerts, tmp_path):
    lines: list[str] = []
    recorded(alerts, "terminal")
    deliver(alerts, tmp_path, say=lines.append, now=NOW)
    assert lines == ["2026-03-02 12:00 None: new record: Tea & cups"]


def test_apprise_delivers(alerts, tmp_path):
    with Receiver() as receiver:
        recorded(alerts, f"apprise:json://{receiver.url.removeprefix('http://')}")
        assert deliver(alerts, tmp_path, now=NOW, allow_private=True) == Delivered(1, 0)
    assert "Tea & cups" in json.loads(receiver.got[0][1])["message"]


@pytest.mark.parametrize("channel", ["", "mail", "webhook:", "atom"])
def test_a_channel_that_there_is_not_is_said(channel):
    with pytest.raises(UsageError):
        check_channel(channel)


@pytest.mark.parametrize("address", ["ftp://a.example/hook", "http:///hook", "a.example/hook", "x"])
def test_a_webhook_has_an_address_of_the_web(alerts, tmp_path, address):
    recorded(alerts, f"webhook:{address}")
    deliver(alerts, tmp_path, now=NOW, allow_private=True)
    assert "starts with http:// or https://" in (alerts.deliveries(1)[0].error or "")
