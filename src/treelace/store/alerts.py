"""Subscriptions, alerts and deliveries: what to tell, what was noticed, what was told.

An alert is recorded once, however often it is noticed: its `name` is unique. Its deliveries are
recorded with it; each is tried until it is done or given up, and carries one idempotency key
through all its tries. So recording is exactly once, delivery at least once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select

from treelace.errors import UsageError
from treelace.store.checksums import add_row, add_rows, change_rows, note_added, sealed
from treelace.store.database import Connections
from treelace.store.rows import insert_or_ignore, row_of, value_of
from treelace.store.schema import alerts, deliveries, pages, subscriptions
from treelace.store.states import AlertState, DeliveryState, SubscriptionState


@dataclass(frozen=True, slots=True)
class Subscription:
    """A rule under a name."""

    id: int
    name: str
    state: SubscriptionState
    rule: Mapping[str, Any]
    made: datetime
    muted_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAlert:
    """Something that was noticed, to be recorded with a delivery for each channel."""

    name: str
    kind: str
    time: datetime
    subscription_id: int | None = None
    page_id: int | None = None
    version: int | None = None
    state: AlertState = AlertState.OPEN
    why: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    channels: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that was noticed, and why it was told or suppressed."""

    id: int
    name: str
    subscription: str | None
    time: datetime
    url: str | None
    version: int | None
    kind: str
    state: AlertState
    why: str
    about: Mapping[str, Any]
    subscription_id: int | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """An alert on its way through a channel."""

    id: int
    alert_id: int
    channel: str
    idempotency_key: str
    state: DeliveryState
    tries: int
    due: datetime
    error: str | None


class Alerts:
    """The subscriptions, alerts and deliveries of a store."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    # subscriptions

    def subscribe(self, name: str, rule: Mapping[str, Any]) -> Subscription:
        """Keeps a rule under a new name."""
        same_name = select(subscriptions.c.id).where(subscriptions.c.name == name)
        with self._connections.writing() as connection:
            if connection.execute(same_name).first() is not None:
                raise UsageError(
                    f"there is a subscription {name!r} already: remove it, or take another name"
                )
            row = {"name": name, "rule": rule, "made": datetime.now(UTC)}
            add_row(connection, subscriptions, row)
        return self.subscription(name)

    def subscription(self, name: str) -> Subscription:
        """A subscription by its name; `UsageError` where there is none."""
        known = self.subscriptions()
        for one in known:
            if one.name == name:
                return one
        names = ", ".join(one.name for one in known) or "none yet"
        raise UsageError(f"no subscription {name!r}; there are: {names}")

    def subscriptions(self, *, state: SubscriptionState | None = None) -> list[Subscription]:
        """All subscriptions in the order they were made."""
        statement = select(subscriptions).order_by(subscriptions.c.id)
        if state is not None:
            statement = statement.where(subscriptions.c.state == state)
        with self._connections.reading() as connection:
            return [value_of(Subscription, row) for row in connection.execute(statement)]

    def mute(self, name: str, until: datetime | None = None) -> None:
        """Stops delivery of a subscription's alerts until then, or `unmute`; they are recorded."""
        self._set(name, state=SubscriptionState.MUTED, muted_until=until)

    def unmute(self, name: str) -> None:
        """Delivers again."""
        self._set(name, state=SubscriptionState.ACTIVE, muted_until=None)

    def remove(self, name: str) -> None:
        """Takes a subscription away; its alerts stay on record, and its name is free again."""
        number = self.subscription(name).id
        self._set(name, state=SubscriptionState.REMOVED, name=f"{name} (removed {number})")

    def change_rule(self, number: int, rule: Mapping[str, Any]) -> None:
        """Gives a subscription another rule."""
        with self._connections.writing() as connection:
            change_rows(connection, subscriptions, subscriptions.c.id == number, {"rule": rule})

    def _set(self, subscription: str, **values: object) -> None:
        number = self.subscription(subscription).id
        with self._connections.writing() as connection:
            change_rows(connection, subscriptions, subscriptions.c.id == number, values)

    # alerts

    def record(self, alert: NewAlert) -> bool:
        """Records an alert with its deliveries; False where it is on record already."""
        row = row_of(alert)
        channels = row.pop("channels")
        with self._connections.writing() as connection:
            if not insert_or_ignore(connection, alerts, [sealed(alerts, row)]):
                return False
            note_added(connection, alerts)
            wanted = select(alerts.c.id).where(alerts.c.name == alert.name)
            number = connection.execute(wanted).scalar_one()
            _add_deliveries(connection, number, alert.name, alert.time, channels)
        return True

    def settle(self, alert: Alert, *, suppressed: str, channels: Sequence[str]) -> None:
        """Decides about a waiting alert: suppressed for a reason, or opened and sent."""
        if suppressed:
            self._change(alert.id, **_suppressed(alert.why, suppressed))
            return
        with self._connections.writing() as connection:
            change_rows(connection, alerts, alerts.c.id == alert.id, {"state": AlertState.OPEN})
            _add_deliveries(connection, alert.id, alert.name, alert.time, channels)

    def newest(self) -> int:
        """The number of the newest alert; 0 where there is none."""
        with self._connections.reading() as connection:
            return int(connection.execute(select(func.max(alerts.c.id))).scalar() or 0)

    def alerts(
        self, *, state: AlertState | None = None, since: datetime | None = None, after: int = 0
    ) -> Iterator[Alert]:
        """What was noticed, oldest first; `after` the alert with this number."""
        statement = _alert_rows().where(alerts.c.id > after).order_by(alerts.c.id)
        if state is not None:
            statement = statement.where(alerts.c.state == state)
        if since is not None:
            statement = statement.where(alerts.c.time >= since)
        with self._connections.reading() as connection:
            for row in connection.execute(statement, execution_options={"yield_per": 1000}):
                yield value_of(Alert, row)

    def newest_alerts(
        self, states: Iterable[AlertState], most: int, *, before: int | None = None
    ) -> list[Alert]:
        """The newest alerts in one of these states, newest first; only those `before` a number."""
        statement = (
            _alert_rows()
            .where(alerts.c.state.in_(tuple(states)))
            .order_by(alerts.c.id.desc())
            .limit(most)
        )
        if before is not None:
            statement = statement.where(alerts.c.id < before)
        with self._connections.reading() as connection:
            return [value_of(Alert, row) for row in connection.execute(statement)]

    def counts(self) -> dict[AlertState, int]:
        """How many alerts there are in each state."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                select(alerts.c.state, func.count()).group_by(alerts.c.state)
            ).all()
        return {row[0]: row[1] for row in rows}

    def alert(self, alert_id: int) -> Alert:
        """One alert; `UsageError` where there is none."""
        with self._connections.reading() as connection:
            row = connection.execute(_alert_rows().where(alerts.c.id == alert_id)).first()
        if row is None:
            raise UsageError(f"no alert {alert_id}")
        return value_of(Alert, row)

    def set_state(self, alert_id: int, state: AlertState) -> None:
        """Says that an alert was acknowledged, or is open again."""
        self._change(alert_id, state=state)

    def keep_verdict(self, alert: Alert, verdict: Mapping[str, Any], *, veto: str = "") -> None:
        """Keeps a verdict with its alert; a veto, with its reason, suppresses undelivered ones."""
        values: dict[str, object] = {"about": {**alert.about, "verdict": verdict}}
        if veto:
            waiting = (deliveries.c.alert_id == alert.id) & (
                deliveries.c.state == DeliveryState.WAITING
            )
            given_up = {"state": DeliveryState.GIVEN_UP, "error": veto}
            with self._connections.writing() as connection:
                change_rows(connection, deliveries, waiting, given_up)
                values |= _suppressed(alert.why, veto)
                change_rows(connection, alerts, alerts.c.id == alert.id, values)
            return
        self._change(alert.id, **values)

    def _change(self, alert_id: int, **values: object) -> None:
        with self._connections.writing() as connection:
            if not change_rows(connection, alerts, alerts.c.id == alert_id, values):
                raise UsageError(f"no alert {alert_id}")

    # deliveries

    def due(self, now: datetime, most: int = 10_000) -> list[Delivery]:
        """The deliveries to try now, those that wait longest first."""
        is_due = (deliveries.c.state == DeliveryState.WAITING) & (deliveries.c.due <= now)
        statement = (
            select(deliveries).where(is_due).order_by(deliveries.c.due, deliveries.c.id).limit(most)
        )
        with self._connections.reading() as connection:
            return [value_of(Delivery, row) for row in connection.execute(statement)]

    def next_due(self) -> datetime | None:
        """When the next delivery is to be tried; None where none waits."""
        waiting = deliveries.c.state == DeliveryState.WAITING
        with self._connections.reading() as connection:
            return connection.execute(select(func.min(deliveries.c.due)).where(waiting)).scalar()

    def postpone(self, delivery_id: int, until: datetime) -> None:
        """It is sent then, and not before."""
        with self._connections.writing() as connection:
            change_rows(connection, deliveries, deliveries.c.id == delivery_id, {"due": until})

    def delivered(self, delivery_id: int, now: datetime) -> None:
        """It has arrived."""
        values = {"state": DeliveryState.DONE, "done": now, "error": None}
        self._tried(delivery_id, values)

    def not_delivered(self, delivery_id: int, error: str, *, again: datetime | None) -> None:
        """It has not arrived; it is tried again then, or given up."""
        next_step: dict[str, object] = (
            {"state": DeliveryState.GIVEN_UP} if again is None else {"due": again}
        )
        self._tried(delivery_id, {"error": error, **next_step})

    def _tried(self, delivery_id: int, values: Mapping[str, object]) -> None:
        is_it = deliveries.c.id == delivery_id
        with self._connections.writing() as connection:
            tries = connection.execute(select(deliveries.c.tries).where(is_it)).scalar() or 0
            change_rows(connection, deliveries, is_it, {**values, "tries": tries + 1})

    def deliveries(self, alert_id: int) -> list[Delivery]:
        """The deliveries of an alert."""
        statement = (
            select(deliveries).where(deliveries.c.alert_id == alert_id).order_by(deliveries.c.id)
        )
        with self._connections.reading() as connection:
            return [value_of(Delivery, row) for row in connection.execute(statement)]


def _suppressed(why: str, reason: str) -> dict[str, object]:
    return {"state": AlertState.SUPPRESSED, "why": f"{why}; not told: {reason}"}


def _add_deliveries(
    connection: Connection, alert_id: int, name: str, due: datetime, channels: Sequence[str]
) -> None:
    rows = [
        {
            "alert_id": alert_id,
            "channel": channel,
            "idempotency_key": f"{name}/{channel}",
            "due": due,
        }
        for channel in channels
    ]
    add_rows(connection, deliveries, rows)


def _alert_rows() -> Select[Any]:
    return select(alerts, subscriptions.c.name.label("subscription"), pages.c.url).select_from(
        alerts.outerjoin(subscriptions).outerjoin(pages)
    )
