"""Trying the ways by which alerts reach someone, before something happens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from treelace.site.base import SiteBase
from treelace.store.alerts import Alert
from treelace.store.states import AlertState


@dataclass(frozen=True, slots=True)
class ChannelTested:
    """Whether a message arrived, as far as can be known, or why not."""

    channel: str
    failure: str
    said: str = ""
    """What it said here, where it says things here."""

    def __str__(self) -> str:
        if self.failure:
            return f"{self.channel}: the message did not arrive: {self.failure}"
        return f"{self.channel}: the message arrived" + (f": {self.said}" if self.said else "")


class ChannelVerbs(SiteBase):
    """Channels."""

    def test_channel(self, channel: str, *, allow_private: bool = False) -> ChannelTested:
        """Sends a message through a channel, as a rule names it, and says whether it arrived; no
        alert is recorded.
        """
        from treelace.monitor.channels import Outbox, check_channel, open_channel
        from treelace.monitor.channels.channel import shown_channel

        check_channel(channel)
        lines: list[str] = []
        outbox = Outbox(
            folder=self.folder,
            say=lines.append,
            alerts=self.store.alerts.alerts,
            allow_private=allow_private,
        )
        now = datetime.now(UTC)
        alert = Alert(
            id=0,
            name=f"test/{now.timestamp():.3f}",
            subscription="test",
            time=now,
            url=self.settings.site.url,
            version=None,
            kind="test",
            state=AlertState.OPEN,
            why="this is a test of the channel: nothing happened",
            about={},
        )
        shown = shown_channel(channel)
        try:
            open_channel(channel).send(alert, alert.name, outbox)
        except Exception as error:  # noqa: BLE001 (a channel may be anyone's)
            return ChannelTested(shown, " ".join(str(error).split())[:500])
        return ChannelTested(shown, "", " ".join(lines))

    def test_rule_channels(self, name: str, *, allow_private: bool = False) -> list[ChannelTested]:
        """The same for every channel of a rule."""
        channels = self.store.alerts.subscription(name).rule.get("channels", ("terminal",))
        return [self.test_channel(it, allow_private=allow_private) for it in channels]
