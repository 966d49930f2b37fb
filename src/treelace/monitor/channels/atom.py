"""`atom:FILE`: the newest alerts as a feed (RFC 4287)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from treelace.look import escape, xml_characters
from treelace.monitor.channels.channel import Outbox
from treelace.store.alerts import Alert
from treelace.store.states import AlertState

MAX_ENTRIES = 100


class AtomChannel:
    """Writes the newest alerts into a file of the site's folder, which feed readers read."""

    name: ClassVar[str] = "atom"
    needs: ClassVar[str] = "FILE"

    def __init__(self, address: str) -> None:
        self._file = address

    def send(self, alert: Alert, key: str, outbox: Outbox) -> None:
        """Writes the feed anew; the file is whole at every moment."""
        del alert, key
        self.write(outbox.folder, outbox.alerts())

    def write(self, folder: Path, alerts: Iterable[Alert]) -> None:
        """The feed of these alerts, in place of the one that is there."""
        path = folder / self._file
        told = [one for one in alerts if one.state is not AlertState.SUPPRESSED]
        half = path.with_name(f".{path.name}.part")
        half.write_text(feed(told[-MAX_ENTRIES:]), encoding="utf-8")
        half.replace(path)


def feed(alerts: Sequence[Alert]) -> str:
    """An Atom feed of these alerts, the newest first."""
    newest = alerts[-1].time if alerts else datetime(1970, 1, 1, tzinfo=UTC)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        "<id>urn:treelace:alerts</id><title>treelace alerts</title>"
        f"<author><name>treelace</name></author><updated>{newest.isoformat()}</updated>\n"
        f"{''.join(map(_entry, reversed(alerts)))}</feed>\n"
    )


def _entry(alert: Alert) -> str:
    return (
        f"<entry><id>urn:treelace:alert:{_text(alert.name)}</id>"
        f"<title>{_text(alert.why)}</title><updated>{alert.time.isoformat()}</updated>"
        f'<link href="{_text(alert.url or "")}"/><category term="{_text(alert.kind)}"/>'
        f"<summary>{_text(alert.subscription or '')}</summary></entry>\n"
    )


def _text(words: str) -> str:
    return escape(xml_characters(words))
