"""Subscriptions, alerts, deliveries: what someone wants to know, what was noticed, and whether they
were told.

An alert is recorded once, however often it is noticed: its `name` is unique. Its deliveries are
recorded with it; each is tried until it is done or given up, and carries one idempotency key
through all its tries. So recording is exactly once, delivery at least once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import func, insert, select, update

from treelace.errors import UsageError
from treelace.store import times
from treelace.store.rows import thing
from treelace.store.schema import alerts, deliveries, pages, subscriptions
from treelace.store.upsert import insert_or_ignore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection, Select

    from treelace.store.store import Store


@dataclass(frozen=True, slots=True)
class Subscription:
    """A rule under a name. state: active, muted, removed."""

    id: int
    name: str
    state: str
    rule: Mapping[str, Any]
    made: datetime
    muted_until: datetime | None


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that was noticed, and why it was told or suppressed. state: open, acknowledged,
    suppressed.
    """

    id: int
    name: str
    subscription: str | None
    time: datetime
    url: str | None
    version: int | None
    kind: str
    state: str
    why: str
    about: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Delivery:
    """An alert on its way through a channel. state: waiting, done, given-up."""

    id: int
    alert_id: int
    channel: str
    idempotency_key: str
    state: str
    tries: int
    due: datetime
    error: str | None


class Alerts:
    """The subscriptions, alerts and deliveries of a store."""

    def __init__(self, store: Store) -> None:
        self._database = store.database

    # subscriptions

    def subscribe(self, name: str, rule: Mapping[str, Any]) -> Subscription:
        """Keeps a rule under a new name."""
        with self._database.writing() as connection:
            if (
                connection.execute(
                    select(subscriptions.c.id).where(subscriptions.c.name == name)
                ).first()
                is not None
            ):
                raise UsageError(
                    f"there is a subscription {name!r} already: remove it, or take another name"
                )
            connection.execute(
                insert(subscriptions).values(name=name, rule=_json(rule), made=times.now())
            )
        return self.subscription(name)

    def subscription(self, name: str) -> Subscription:
        """A subscription by its name; `UsageError` where there is none."""
        found = [it for it in self.subscriptions() if it.name == name]
        if not found:
            known = ", ".join(it.name for it in self.subscriptions()) or "none yet"
            raise UsageError(f"no subscription {name!r}; there are: {known}")
        return found[0]

    def subscriptions(self, *, state: str | None = None) -> list[Subscription]:
        """All subscriptions in the order they were made."""
        statement = select(subscriptions).order_by(subscriptions.c.id)
        if state is not None:
            statement = statement.where(subscriptions.c.state == state)
        with self._database.reading() as connection:
            return [thing(Subscription, row) for row in connection.execute(statement)]

    def mute(self, name: str, until: datetime | None = None) -> None:
        """No alerts of a subscription are delivered until then, or until it is unmuted; they are
        recorded all the same.
        """
        self._set(
            name, state="muted", muted_until=None if until is None else times.to_number(until)
        )

    def unmute(self, name: str) -> None:
        """Delivers again."""
        self._set(name, state="active", muted_until=None)

    def remove(self, name: str) -> None:
        """Takes a subscription away; what it has told stays on record, and its name is free
        again.
        """
        number = self.subscription(name).id
        self._set(name, state="removed", name=f"{name} (removed {number})")

    def _set(self, subscription: str, **values: object) -> None:
        number = self.subscription(subscription).id
        with self._database.writing() as connection:
            connection.execute(
                update(subscriptions).where(subscriptions.c.id == number).values(**values)
            )

    # alerts

    def record(
        self,
        connection: Connection,
        *,
        name: str,
        kind: str,
        time: datetime,
        subscription_id: int | None = None,
        page_id: int | None = None,
        version: int | None = None,
        state: str = "open",
        why: str = "",
        about: Mapping[str, Any] | None = None,
        channels: Sequence[str] = (),
    ) -> bool:
        """Records an alert with its deliveries, in the transaction of the version it comes from;
        False where it is on record already.
        """
        row = {
            "name": name,
            "kind": kind,
            "time": times.to_number(time),
            "subscription_id": subscription_id,
            "page_id": page_id,
            "version": version,
            "state": state,
            "why": why,
            "about": _json(about or {}),
        }
        if not insert_or_ignore(connection, alerts, [row]):
            return False
        number = connection.execute(select(alerts.c.id).where(alerts.c.name == name)).scalar_one()
        for channel in channels:
            connection.execute(
                insert(deliveries).values(
                    alert_id=number,
                    channel=channel,
                    idempotency_key=f"{name}/{channel}",
                    due=times.to_number(time),
                )
            )
        return True

    def newest(self) -> int:
        """The number of the newest alert; 0 where there is none."""
        with self._database.reading() as connection:
            return int(connection.execute(select(func.max(alerts.c.id))).scalar() or 0)

    def alerts(
        self, *, state: str | None = None, since: datetime | None = None, after: int = 0
    ) -> Iterator[Alert]:
        """What was noticed, oldest first; `after` the alert with this number."""
        statement = _alert_rows().where(alerts.c.id > after).order_by(alerts.c.id)
        if state is not None:
            statement = statement.where(alerts.c.state == state)
        if since is not None:
            statement = statement.where(alerts.c.time >= times.to_number(since))
        with self._database.reading() as connection:
            for row in connection.execution_options(yield_per=1000).execute(statement):
                yield thing(Alert, row)

    def alert(self, alert_id: int) -> Alert:
        """One alert; `UsageError` where there is none."""
        with self._database.reading() as connection:
            row = connection.execute(_alert_rows().where(alerts.c.id == alert_id)).first()
        if row is None:
            raise UsageError(f"no alert {alert_id}")
        return thing(Alert, row)

    def set_state(self, alert_id: int, state: str) -> None:
        """Says that an alert was acknowledged, or is open again."""
        with self._database.writing() as connection:
            if not connection.execute(
                update(alerts).where(alerts.c.id == alert_id).values(state=state)
            ).rowcount:
                raise UsageError(f"no alert {alert_id}")

    def judged(self, alert_id: int, verdict: Mapping[str, Any], *, veto: str = "") -> None:
        """Keeps a verdict with its alert. A veto, given with its reason, suppresses it: what has
        not been delivered yet is not.
        """
        with self._database.writing() as connection:
            row = connection.execute(
                select(alerts.c.about, alerts.c.why).where(alerts.c.id == alert_id)
            ).one()
            values: dict[str, Any] = {
                "about": _json({**msgspec.json.decode(row.about), "verdict": verdict})
            }
            if veto:
                values |= {"state": "suppressed", "why": f"{row.why}; not told: {veto}"}
                waiting = (deliveries.c.alert_id == alert_id) & (deliveries.c.state == "waiting")
                connection.execute(
                    update(deliveries).where(waiting).values(state="given-up", error=veto)
                )
            connection.execute(update(alerts).where(alerts.c.id == alert_id).values(values))

    # deliveries

    def due(self, now: datetime, most: int = 100) -> list[Delivery]:
        """The deliveries to try now, those that wait longest first."""
        statement = (
            select(deliveries)
            .where(deliveries.c.state == "waiting", deliveries.c.due <= times.to_number(now))
            .order_by(deliveries.c.due, deliveries.c.id)
            .limit(most)
        )
        with self._database.reading() as connection:
            return [thing(Delivery, row) for row in connection.execute(statement)]

    def delivered(self, delivery_id: int, now: datetime) -> None:
        """It has arrived."""
        values = {
            "state": "done",
            "done": times.to_number(now),
            "tries": deliveries.c.tries + 1,
            "error": None,
        }
        with self._database.writing() as connection:
            connection.execute(
                update(deliveries).where(deliveries.c.id == delivery_id).values(values)
            )

    def not_delivered(self, delivery_id: int, error: str, *, again: datetime | None) -> None:
        """It has not arrived; it is tried again then, or given up."""
        values: dict[str, Any] = {"tries": deliveries.c.tries + 1, "error": error}
        values |= {"state": "given-up"} if again is None else {"due": times.to_number(again)}
        with self._database.writing() as connection:
            connection.execute(
                update(deliveries).where(deliveries.c.id == delivery_id).values(values)
            )

    def deliveries(self, alert_id: int) -> list[Delivery]:
        """The deliveries of an alert."""
        with self._database.reading() as connection:
            rows = connection.execute(
                select(deliveries)
                .where(deliveries.c.alert_id == alert_id)
                .order_by(deliveries.c.id)
            )
            return [thing(Delivery, row) for row in rows]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _alert_rows() -> Select[Any]:
    return select(alerts, subscriptions.c.name.label("subscription"), pages.c.url).select_from(
        alerts.outerjoin(subscriptions).outerjoin(pages)
    )
