"""Channels: the ways an alert reaches someone. One file each, one contract, one list.

A rule names a channel as `NAME` or `NAME:ADDRESS`. An address that is a secret is written as
`NAME:env:VARIABLE`: the variable of the environment is read when the alert is sent, and is never
stored.
"""

from __future__ import annotations

from collections.abc import Mapping

from treelace.errors import UsageError
from treelace.monitor.channels.apprise import AppriseChannel
from treelace.monitor.channels.atom import AtomChannel
from treelace.monitor.channels.channel import Channel, Outbox
from treelace.monitor.channels.terminal import TerminalChannel
from treelace.monitor.channels.webhook import WebhookChannel

__all__ = ["CHANNELS", "Channel", "Outbox", "check_channel", "open_channel"]

CHANNELS: dict[str, type[Channel]] = {
    channel.name: channel
    for channel in (TerminalChannel, AtomChannel, WebhookChannel, AppriseChannel)
}


def check_channel(words: str, *, channels: Mapping[str, type[Channel]] = CHANNELS) -> str:
    """The words of a rule themselves; `UsageError` where they name no channel."""
    name, _, address = words.partition(":")
    if name not in channels or (channels[name].needs and not address):
        known = ", ".join(
            f"{one.name}:{one.needs}" if one.needs else one.name for one in channels.values()
        )
        raise UsageError(f"{words!r} is no channel: there are {known} (or webhook:env:NAME)")
    return words


def open_channel(words: str, *, channels: Mapping[str, type[Channel]] = CHANNELS) -> Channel:
    """The channel that a rule names, with its address."""
    name, _, address = check_channel(words, channels=channels).partition(":")
    return channels[name](address)
