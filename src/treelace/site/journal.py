"""Journal: what a crawl or a watch does, one JSON object a line, for programs that read logs.

Every line has `time` (UTC) and `event`; what else is known of it follows: `url`, `status`, `bytes`,
`ms`, `class`, `version`, `note`, … Values of secrets (headers, cookies, the proxy, a login) are
struck out of every line, wherever they come from. Characters that act on a terminal stand as
escapes of JSON: a log is often looked at as it is.
"""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from treelace.errors import StoreError
from treelace.look import json_controls
from treelace.site.pipeline import Failed, Read, Unchanged
from treelace.store.private_files import open_private

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from treelace.site.pipeline import Fate, PageOutcome
    from treelace.site.round import Crawled
    from treelace.store.alerts import Alert
    from treelace.store.frontier import Event

STRUCK_OUT = "***"
_SHORTEST = 4
"""Characters of a secret: shorter ones stand in too many words."""


class Journal:
    """A file that lines are added to; whole lines, also where several processes write."""

    def __init__(self, path: Path, *, secrets: Iterable[str] = ()) -> None:
        try:
            self._file = open_private(path, "ab", buffering=0)
        except OSError as error:
            raise StoreError(f"{path}: the log cannot be written ({error.strerror})") from error
        written = {
            form
            for secret in secrets
            if len(secret) >= _SHORTEST
            for form in (secret, json.dumps(secret, ensure_ascii=False)[1:-1])
        }
        self._secrets = sorted(written, key=lambda form: (-len(form), form))
        self._lock = threading.Lock()

    def write(self, event: str, *, time: datetime | None = None, **fields: Any) -> None:
        """Adds a line; fields that are None are left out."""
        moment = (
            (time or datetime.now(UTC))
            .astimezone(UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z")
        )
        said = {
            "time": moment,
            "event": event,
            **{name.rstrip("_"): value for name, value in fields.items() if value is not None},
        }
        line = json.dumps(said, ensure_ascii=False, default=str)
        for secret in self._secrets:
            line = line.replace(secret, STRUCK_OUT)
        with self._lock:
            self._file.write(json_controls(line).encode() + b"\n")

    def crawled(self, event: Event) -> None:
        """A line of the crawl's own log: `skipped: reason` is an event and its note."""
        name, _, reason = event.event.partition(": ")
        self.write(
            name,
            time=event.time,
            url=event.url,
            status=event.status,
            bytes=event.bytes,
            ms=event.milliseconds,
            note=event.note or reason or None,
        )

    def stored(self, outcomes: Iterable[PageOutcome]) -> None:
        """What became of pages that are safe now."""
        for outcome in outcomes:
            for fate in outcome.fates:
                self._fate(fate, outcome.state.url)

    def _fate(self, fate: Fate, url: str) -> None:
        if isinstance(fate, Read):
            known, new = fate.versioned.classified.page_class, fate.versioned.version
            name = None if known is None else known.name
            rows = None if fate.tables is None else sum(len(one.rows) for one in fate.tables)
            number, changes = new.link.number, new.changes
            self.write(
                "stored", url=url, class_=name, version=number, changes=changes, records=rows
            )
            if fate.failure is not None:
                self.write("failed", url=url, class_=name, note=_one_line(fate.failure))
        elif isinstance(fate, Unchanged):
            self.write("same", url=url)
        elif isinstance(fate, Failed):
            self.write("failed", url=url, note=_one_line(fate.error))

    def round(self, done: Crawled) -> None:
        """What a whole crawl came to: its classes, and its counts."""
        for proposal in done.proposals:
            self.write(
                "proposed",
                class_=proposal.name,
                pages=len(proposal.pages),
                note=proposal.problem or None,
            )
        for name, pages in done.drift.items():
            for url, why in pages.items():
                self.write("drifted", url=url, class_=name, note=why)
        for line in done.report.problems:
            self.write("problem", note=line)
        counts: dict[str, Any] = {
            name.replace(" ", "_"): count for name, count in done.report.outcomes.items()
        }
        self.write("done", **counts, seconds=round(done.report.seconds, 3), note=str(done))

    def alerts(self, noticed: Iterable[Alert]) -> None:
        """What the rules noticed, told or suppressed."""
        for one in noticed:
            self.write(
                "alert",
                alert=one.name,
                rule=one.subscription,
                kind=one.kind,
                url=one.url,
                version=one.version,
                state=one.state,
                note=one.why,
            )

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
