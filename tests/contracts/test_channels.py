"""What every channel promises: `treelace.monitor.channels.Channel`. And that a new one is one file
and one line.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

import pytest

from treelace.errors import MissingError, UsageError
from treelace.monitor.channels import CHANNELS, Outbox, check_channel, open_channel
from treelace.monitor.delivery import Delivered, deliver
from treelace.store.alerts import Alert, NewAlert
from treelace.store.states import AlertState
from treelace.store.store import Store

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
ALERT = Alert(
    1, "3/17/42", "cheap", NOW, "https://tea.example/", 2, "changed", AlertState.OPEN, "Tea", {}
)
BAD_ADDRESSES = {
    "FILE": ["no/such/folder/feed.xml"],
    "URL": [
        "no-such-service://s3cret",
        "http://127.0.0.1:9/s3cret",
        "json://127.0.0.1:9/s3cret",
        "env:NO_SUCH_VARIABLE",
    ],
}
"""What reaches nobody, by what a channel's address is."""


def outbox(folder: Path, heard: list[str]) -> Outbox:
    return Outbox(folder=folder, say=heard.append, alerts=lambda: [ALERT], allow_private=True)


@pytest.mark.parametrize("name", CHANNELS)
def test_a_channel_is_in_the_list_under_its_name(name: str):
    channel = CHANNELS[name]
    assert channel.name == name and channel.__doc__
    words = f"{name}:somewhere" if channel.needs else name
    assert check_channel(words) == words and isinstance(open_channel(words), channel)
    if channel.needs:
        with pytest.raises(UsageError, match=f"{name}:{channel.needs}"):
            check_channel(name)


@pytest.mark.parametrize(
    ("name", "address"),
    [(it.name, one) for it in CHANNELS.values() for one in BAD_ADDRESSES.get(it.needs, ())],
)
def test_what_does_not_arrive_is_an_error_without_secrets(name, address, tmp_path):
    with pytest.raises((OSError, UsageError, MissingError)) as error:
        CHANNELS[name](address).send(ALERT, "key", outbox(tmp_path, []))
    assert "s3cret" not in str(error.value)


@pytest.mark.parametrize(("name", "address"), [("terminal", ""), ("atom", "feed.xml")])
def test_sending_again_does_no_harm(name, address, tmp_path):
    heard: list[str] = []
    channel = CHANNELS[name](address)
    for _ in range(2):
        channel.send(ALERT, "key", outbox(tmp_path, heard))
    assert all(line == heard[0] for line in heard)
    assert all(file.read_text().count("<entry>") == 1 for file in tmp_path.iterdir())


SENT: list[str] = []


@dataclass(frozen=True)
class Pigeon:
    """A toy channel: the file that someone would write."""

    name: ClassVar[str] = "pigeon"
    needs: ClassVar[str] = "COOP"
    coop: str

    def send(self, alert: Alert, key: str, outbox: Outbox) -> None:
        SENT.append(f"{self.coop}: {alert.why} ({key})")


def test_a_new_channel_is_one_file_and_one_line(tmp_path):
    channels = {**CHANNELS, Pigeon.name: Pigeon}
    assert check_channel("pigeon:roof", channels=channels) == "pigeon:roof"
    alerts = Store.create(tmp_path / "store.sqlite").alerts
    alerts.record(
        NewAlert(name="1", kind="new", time=NOW, why="new: Tea", channels=["pigeon:roof"])
    )
    done = deliver(alerts, outbox(tmp_path, []), now=NOW, channels=channels)
    assert done == Delivered(1, 0) and SENT == ["roof: new: Tea (1/pigeon:roof)"]
