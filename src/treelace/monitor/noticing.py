"""Noticing: rules asked about every version that comes in, in the transaction that stores it.
Recorded once, told through each channel.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import insert, select, update

from treelace.monitor.rules import Finding, Rule, of_records, of_selection
from treelace.store import times
from treelace.store.alerts import Alerts
from treelace.store.schema import alerts as alerts_table
from treelace.store.schema import deliveries as deliveries_table
from treelace.store.schema import pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from treelace.store.alerts import Subscription
    from treelace.store.body import Body
    from treelace.store.rates import Rates
    from treelace.store.records import Change, Records
    from treelace.store.store import Store

STEPS = 4
"""Versions that must have been compared before a node can be called restless."""
WAITING = "waiting"
"""The state of an alert that is decided when the round is done."""


class Noticer:
    """The rules of a store, read once; `version` is called for each version, with what changed in
    it.
    """

    def __init__(self, store: Store, records: Records, *, now: datetime | None = None) -> None:
        self._records = records
        self._database = store.database
        self.alerts = Alerts(store)
        moment = now or times.from_number(times.now())
        self._rules = [
            (one, rule_of(one))
            for one in self.alerts.subscriptions()
            if one.state in ("active", "muted")
        ]
        self.has_rules = bool(self._rules)
        self.told = 0
        """Alerts that were recorded and not suppressed."""
        self._muted = {
            one.id
            for one, _ in self._rules
            if one.state == "muted" and (one.muted_until is None or one.muted_until > moment)
        }

    def version(
        self,
        connection: Connection,
        *,
        page_id: int,
        url: str,
        number: int,
        time: int,
        changes: Sequence[Change],
        past: Callable[[], Iterator[Body]],
        new: Body,
        rates: Rates | None,
    ) -> int:
        """Asks every rule about one version; `past` gives the versions before it, the newest first.
        Says how many alerts were recorded.
        """
        count = 0
        for subscription, rule in self._rules:
            if rule.records:
                found: Iterable[Finding] = of_records(
                    rule, changes, lambda kind, key: self._history(connection, kind, key)
                )
            elif rule.page == url:
                before = next(past(), None)
                rate = None if rates is None or rates.steps < STEPS else partial(_rate, rates, new)
                found = of_selection(
                    rule,
                    None if before is None else before.tree,
                    new.tree,
                    rate,
                    lambda: (body.tree for body in islice(past(), 1, None)),
                )
            else:
                continue
            count += sum(
                self._record(connection, subscription, rule, one, page_id, number, time)
                for one in found
            )
        return count

    def drift(
        self, connection: Connection, name: str, problems: Mapping[str, str], time: int
    ) -> int:
        """Asks the rules about a class whose pages are not what its wrapper knows any more; told
        once a day and class.
        """
        url, why = min(problems.items())
        page_id = connection.execute(select(pages.c.id).where(pages.c.url == url)).scalar()
        day = times.from_number(time).date().isoformat()
        finding = Finding(
            "drift", f"{name} {day}", f"{name}: pages are not what its wrapper knows: {url}: {why}"
        )
        rules = [
            (subscription, rule) for subscription, rule in self._rules if rule.drift in (name, "*")
        ]
        return sum(
            self._record(
                connection,
                subscription,
                rule,
                finding,
                page_id,
                0,
                time,
                name=f"drift/{finding.key}",
            )
            for subscription, rule in rules
        )

    def page_is_gone(
        self,
        connection: Connection,
        *,
        page_id: int,
        number: int,
        time: int,
        changes: Sequence[Change],
    ) -> int:
        """Asks the rules about records that ended with the last version of their page."""
        found = [
            (one, rule, finding)
            for one, rule in self._rules
            if rule.records
            for finding in of_records(rule, changes, lambda *_: [])
        ]
        return sum(
            self._record(connection, subscription, rule, finding, page_id, number, time)
            for subscription, rule, finding in found
        )

    def settle(self) -> int:
        """Decides about records that were gone from a page: told, unless another page shows them by
        now. How many were told.

        A list that grows pushes its last record to the next page: for a moment no page shows it. So
        that a record is gone is written down at once, and told when the round is done. A round that
        was killed is settled by the next one.
        """
        told = 0
        rules = {subscription.id: rule for subscription, rule in self._rules}
        with self._database.writing() as connection:
            for row in connection.execute(
                select(alerts_table)
                .where(alerts_table.c.state == WAITING)
                .order_by(alerts_table.c.id)
            ).all():
                about = msgspec.json.decode(row.about)
                rule = rules.get(row.subscription_id)
                reason = (
                    "another page shows it"
                    if self._is_there(connection, about["kind"], about["key"])
                    else ""
                )
                reason = reason or (
                    ""
                    if rule is not None and row.subscription_id not in self._muted
                    else "the subscription is muted or removed"
                )
                values = (
                    {"state": "suppressed", "why": f"{row.why}; not told: {reason}"}
                    if reason
                    else {"state": "open"}
                )
                connection.execute(
                    update(alerts_table).where(alerts_table.c.id == row.id).values(values)
                )
                if reason or rule is None:
                    continue
                told += 1
                self.told += 1
                for channel in rule.channels:
                    connection.execute(
                        insert(deliveries_table).values(
                            alert_id=row.id,
                            channel=channel,
                            idempotency_key=f"{row.name}/{channel}",
                            due=row.time,
                        )
                    )
        return told

    def _is_there(self, connection: Connection, kind: str, key: str) -> bool:
        table = self._records.table(self._records.kind(kind, connection))
        return (
            connection.execute(
                select(table.c.id).where(table.c.key == key, table.c.valid_to.is_(None))
            ).first()
            is not None
        )

    def _record(
        self,
        connection: Connection,
        subscription: Subscription,
        rule: Rule,
        found: Finding,
        page_id: int | None,
        number: int,
        time: int,
        name: str = "",
    ) -> bool:
        is_muted = subscription.id in self._muted
        reason = found.suppressed or ("the subscription is muted" if is_muted else "")
        is_open = not reason and found.what != "gone"
        is_fresh = self.alerts.record(
            connection,
            name=f"{subscription.id}/{name or f'{page_id}/{number}/{found.what}/{found.key}'}",
            kind=found.what,
            time=times.from_number(time),
            subscription_id=subscription.id,
            page_id=page_id,
            version=number or None,
            state="suppressed" if reason else "open" if is_open else WAITING,
            why=f"{found.why}; not told: {reason}" if reason else found.why,
            about={**found.about, "key": found.key},
            channels=rule.channels if is_open else (),
        )
        self.told += is_fresh and is_open
        return is_fresh

    def _history(self, connection: Connection, kind: str, key: str) -> list[Mapping[str, Any]]:
        return earlier_values(self._records, connection, kind, key)


def _rate(rates: Rates, body: Body, node: int) -> float:
    """The share of versions in which a node, or something in it, changed."""
    return max(
        rates.rate(int(body.xids.of[inside])) for inside in range(node, int(body.tree.ends[node]))
    )


def earlier_values(
    records: Records, connection: Connection, kind: str, key: str
) -> list[Mapping[str, Any]]:
    """The values of a record in the rows that have ended but for the one that ended last with this
    version, oldest first.
    """
    known = records.kind(kind, connection)
    table, names = records.table(known), known.names
    rows = connection.execute(
        select(table)
        .where(table.c.key == key, table.c.valid_to.is_not(None))
        .order_by(table.c.valid_from, table.c.id)
    ).all()
    return [{name: row._mapping[column] for name, column in names.items()} for row in rows]


def rule_of(subscription: Subscription) -> Rule:
    """The rule of a subscription."""
    return msgspec.convert(dict(subscription.rule), Rule)


def rules(alerts: Alerts) -> Iterator[tuple[Subscription, Rule]]:
    """Every subscription with its rule."""
    for one in alerts.subscriptions():
        if one.state != "removed":
            yield one, rule_of(one)
