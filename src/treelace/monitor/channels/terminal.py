"""`terminal`: a line to whoever watches."""

from __future__ import annotations

from typing import ClassVar

from treelace.monitor.channels.channel import Outbox
from treelace.store.alerts import Alert


class TerminalChannel:
    """Says what happened in a line on standard output."""

    name: ClassVar[str] = "terminal"
    needs: ClassVar[str] = ""

    def __init__(self, address: str = "") -> None:
        del address

    def send(self, alert: Alert, key: str, outbox: Outbox) -> None:
        """Says it."""
        del key
        outbox.say(f"{alert.time:%Y-%m-%d %H:%M} {alert.subscription}: {alert.why}")
