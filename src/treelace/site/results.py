"""What the verbs of a site answer: small frozen values that print in a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treelace.errors import TreelaceError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from treelace.monitor.rules import Finding
    from treelace.store.joined_views import JoinedView
    from treelace.store.retention import Removal


@dataclass(frozen=True, slots=True)
class Checked:
    """Settings and store are fine."""

    url: str
    pages: int

    def __str__(self) -> str:
        return f"{self.url}: settings and store are fine; {_count(self.pages, 'page')}"


@dataclass(frozen=True, slots=True)
class Copied:
    """A whole store was copied: from a site that was taken in, or into a place."""

    place: str
    rows: int
    is_import: bool = False

    def __str__(self) -> str:
        what = "everything that site knows" if self.is_import else "everything the site knows"
        return f"{self.place}: {self.rows:,} rows, {what}"


@dataclass(frozen=True, slots=True)
class RoundFailed:
    """A round of `watch` that could not be done; the next one may go well."""

    error: Exception
    next_in: float
    """Seconds."""

    def __str__(self) -> str:
        is_named = isinstance(self.error, TreelaceError)
        said = self.error if is_named else f"{type(self.error).__name__}: {self.error}"
        return f"{said}; the next round is in {self.next_in:g} s"


# classes


@dataclass(frozen=True, slots=True)
class Repairable:
    """Classes in use whose wrappers `repair` can look at."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.names) or "no class has a wrapper"


@dataclass(frozen=True, slots=True)
class Accepted:
    """Classes taken into use, their numbers of records, and views joining lists with pages."""

    records: Mapping[str, int]
    views: tuple[JoinedView, ...]

    def __str__(self) -> str:
        return "\n".join(f"{name}: {count:,} records" for name, count in self.records.items())


@dataclass(frozen=True, slots=True)
class Rejected:
    """Classes that are done without."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(f"{name}: rejected" for name in self.names)


@dataclass(frozen=True, slots=True)
class Renamed:
    """A class that has another name."""

    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.old} is now {self.new}"


@dataclass(frozen=True, slots=True)
class Merged:
    """A class that is part of another, and how many records came, changed or went."""

    name: str
    other: str
    records: int

    def __str__(self) -> str:
        count = f": {self.records:,} records" if self.records else ""
        return f"{self.other} is now part of {self.name}{count}"


@dataclass(frozen=True, slots=True)
class Split:
    """The two classes that one was cut into."""

    name: str
    new: str

    def __str__(self) -> str:
        return f"{self.name}\n{self.new}"


@dataclass(frozen=True, slots=True)
class Relearnt:
    """A class whose wrapper was learnt anew, what it gives, and how many records came of it."""

    name: str
    records: int
    wrapper: str

    def __str__(self) -> str:
        return f"{self.name}: {self.wrapper}; {_count(self.records, 'record')}"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Records that were built anew: how many came, changed or went, and their key."""

    name: str
    changes: int
    key: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.changes:,} changes of records, key: {', '.join(self.key)}"


# rules and alerts


@dataclass(frozen=True, slots=True)
class Trial:
    """What a rule would have told and suppressed so far, and `notes` on what it looks at."""

    name: str
    found: tuple[tuple[datetime, Finding], ...]
    notes: tuple[str, ...] = ()

    @property
    def told(self) -> int:
        """How many times it would have told."""
        return sum(not one.suppressed for _, one in self.found)

    @property
    def summary(self) -> str:
        """The numbers, in a line."""
        quiet = len(self.found) - self.told
        return (
            f"{self.name} would have told {_count(self.told, 'time')}, and kept quiet"
            f" {_count(quiet, 'time')}"
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """Each finding in a line."""
        return tuple(
            f"{time:%Y-%m-%d %H:%M}"
            f" {one.why}{f' [not told: {one.suppressed}]' if one.suppressed else ''}"
            for time, one in self.found
        )

    def __str__(self) -> str:
        return "\n".join([*self.lines, self.summary])


@dataclass(frozen=True, slots=True)
class Subscribed:
    """A rule that is kept, and what it would have told so far."""

    name: str
    trial: Trial

    def __str__(self) -> str:
        told = _count(self.trial.told, "time")
        return f"{self.name}: kept; over the history so far it would have told {told}"


@dataclass(frozen=True, slots=True)
class RuleChanged:
    """What became of a rule: `muted`, `tells again`, `removed`."""

    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Alerts that have been dealt with."""

    numbers: tuple[int, ...]

    def __str__(self) -> str:
        return f"{len(self.numbers)} acknowledged"


@dataclass(frozen=True, slots=True)
class Reopened:
    """Alerts that are open again."""

    numbers: tuple[int, ...]

    def __str__(self) -> str:
        return f"{len(self.numbers)} open again"


# maintenance


@dataclass(frozen=True, slots=True)
class Collected:
    """Old versions that may go or are gone (`is_applied`); `has_rules`: whether a rule says so."""

    removals: tuple[Removal, ...]
    is_applied: bool
    has_rules: bool

    def __str__(self) -> str:
        if not self.has_rules:
            return (
                "nothing may go: no retention is set (keep_versions or keep_days in treelace.toml,"
                " or as options)"
            )
        count = sum(it.versions for it in self.removals)
        size = sum(it.bytes for it in self.removals)
        said = "removed" if self.is_applied else "would be removed; --apply does it"
        total = f"{count:,} versions, {size:,} bytes: {said}"
        return "\n".join([*map(str, self.removals), total])


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A page that is gone for good, and how many versions it had."""

    url: str
    versions: int

    def __str__(self) -> str:
        return f"{self.url}: forgotten, with {_count(self.versions, 'version')}"


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' if count != 1 else ''}"
