"""The states that things in the store go through, and what may become of a record.

Each is kept in the database as its word, so that `treelace sql` reads well.
"""

from __future__ import annotations

from enum import StrEnum


class AddressState(StrEnum):
    """An address of the frontier: `taken` by a crawl that is under way, `pruned` as a trap."""

    WAITING = "waiting"
    TAKEN = "taken"
    DONE = "done"
    FAILED = "failed"
    PRUNED = "pruned"


class SubscriptionState(StrEnum):
    """A rule that someone keeps: what a muted one notices is recorded and not told."""

    ACTIVE = "active"
    MUTED = "muted"
    REMOVED = "removed"


class AlertState(StrEnum):
    """An alert: one that waits is decided when the round is done."""

    WAITING = "waiting"
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    SUPPRESSED = "suppressed"


class DeliveryState(StrEnum):
    """An alert on its way through one channel."""

    WAITING = "waiting"
    DONE = "done"
    GIVEN_UP = "given-up"


class ChangeKind(StrEnum):
    """What became of a record in a version."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


class SiteState(StrEnum):
    """A site of a database: workers serve active ones; one that is being removed is on its way."""

    ACTIVE = "active"
    PAUSED = "paused"
    REMOVING = "removing"
