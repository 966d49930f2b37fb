"""Alerting: rules asked about every version that comes in, in the transaction that stores it. What
they find is recorded once, and told through each channel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from treelace.monitor.noise import ColumnChanges
from treelace.monitor.rules import Finding, Rule, of_records, of_selection
from treelace.store import times
from treelace.store.alerts import Alert, Alerts, NewAlert, Subscription
from treelace.store.body import Body
from treelace.store.rates import Rates
from treelace.store.records import Change
from treelace.store.settings import NoiseSection
from treelace.store.states import AlertState, SubscriptionState
from treelace.store.store import Store
from treelace.store.transaction import Transaction

MIN_STEPS_TO_BE_RESTLESS = 4
"""Versions that must have been compared before a node can be called restless."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something was found."""

    page_id: int | None
    number: int
    time: datetime


class Alerter:
    """The rules of a store, read once, asked by `version` about each version's changes."""

    def __init__(
        self,
        store: Store,
        *,
        noise: Sequence[NoiseSection] = (),
        now: datetime | None = None,
    ) -> None:
        self._store = store
        self._noise = noise
        moment = now or times.from_number(times.now())
        self._rules = list(rules(store.alerts))
        self.has_rules = bool(self._rules)
        self.column_changes = ColumnChanges()
        self.opened = 0
        """Alerts that were recorded and not suppressed."""
        self._muted = {
            one.id
            for one, _ in self._rules
            if one.state is SubscriptionState.MUTED
            and (one.muted_until is None or one.muted_until > moment)
        }

    def counts(self) -> tuple[ColumnChanges, int]:
        """What was counted so far, for `count_from` where a transaction comes to nothing."""
        return deepcopy(self.column_changes), self.opened

    def count_from(self, counts: tuple[ColumnChanges, int]) -> None:
        """Counts on from there."""
        self.column_changes, self.opened = counts

    def version(
        self,
        transaction: Transaction,
        *,
        page_id: int,
        url: str,
        number: int,
        time: datetime,
        changes: Sequence[Change],
        earlier: Iterable[Body],
        new: Body,
        rates: Rates | None,
    ) -> int:
        """Asks every rule about one version; `earlier` are the versions before it, the newest
        first, read only when they are gone through. Says how many alerts were recorded.
        """
        place = _Place(page_id, number, time)
        count = 0
        for subscription, rule in self._rules:
            if rule.records:
                found: Iterable[Finding] = of_records(
                    rule,
                    changes,
                    partial(_earlier_values, transaction),
                    self.column_changes.noise(rule.records),
                    self._noise,
                )
            elif rule.page == url:
                found = _of_page(rule, earlier, new, rates)
            else:
                continue
            count += sum(self._record(transaction, subscription, rule, one, place) for one in found)
        return count

    def class_drift(
        self, transaction: Transaction, name: str, problems: Mapping[str, str], time: datetime
    ) -> int:
        """Asks the rules about a drifted class (why, by address); told once a day and class."""
        url, why = min(problems.items())
        place = _Place(transaction.page_id(url), 0, time)
        words = f"{name}: pages are not what its wrapper knows: {url}: {why}"
        finding = Finding("drift", f"{name} {time.date().isoformat()}", words)
        return sum(
            self._record(
                transaction, subscription, rule, finding, place, name=f"drift/{finding.key}"
            )
            for subscription, rule in self._rules
            if rule.drift in (name, "*")
        )

    def page_is_gone(
        self,
        transaction: Transaction,
        *,
        page_id: int,
        number: int,
        time: datetime,
        changes: Sequence[Change],
    ) -> int:
        """Asks the rules about records that ended with the last version of their page."""
        place = _Place(page_id, number, time)
        return sum(
            self._record(transaction, subscription, rule, finding, place)
            for subscription, rule in self._rules
            if rule.records
            for finding in of_records(rule, changes, lambda *_: [])
        )

    def settle(self) -> int:
        """Tells of records gone from a page unless another page shows them by now; how many.

        A list that grows pushes its last record to the next page: for a moment no page shows it. So
        that a record is gone is written down at once, and told when the round is done. A round that
        was killed is settled by the next one.
        """
        told = 0
        by_subscription = {one.id: rule for one, rule in self._rules}
        with self._store.writing() as transaction:
            for alert in list(transaction.alerts.alerts(state=AlertState.WAITING)):
                rule = by_subscription.get(alert.subscription_id or 0)
                is_silent = rule is None or alert.subscription_id in self._muted
                reason = (
                    "another page shows it"
                    if _is_there(transaction, alert)
                    else "the subscription is muted or removed"
                    if is_silent
                    else ""
                )
                channels = () if rule is None else rule.channels
                transaction.alerts.settle(alert, suppressed=reason, channels=channels)
                told += not reason
        self.opened += told
        return told

    def _record(
        self,
        transaction: Transaction,
        subscription: Subscription,
        rule: Rule,
        found: Finding,
        place: _Place,
        name: str = "",
    ) -> bool:
        is_muted = subscription.id in self._muted
        reason = found.suppressed or ("the subscription is muted" if is_muted else "")
        is_open = not reason and found.what != "gone"
        own_name = name or f"{place.page_id}/{place.number}/{found.what}/{found.key}"
        is_fresh = transaction.alerts.record(
            NewAlert(
                name=f"{subscription.id}/{own_name}",
                kind=found.what,
                time=place.time,
                subscription_id=subscription.id,
                page_id=place.page_id,
                version=place.number or None,
                state=(
                    AlertState.SUPPRESSED
                    if reason
                    else AlertState.OPEN
                    if is_open
                    else AlertState.WAITING
                ),
                why=f"{found.why}; not told: {reason}" if reason else found.why,
                about={**found.about, "key": found.key},
                channels=rule.channels if is_open else (),
            )
        )
        self.opened += is_fresh and is_open
        return is_fresh


def _of_page(
    rule: Rule, earlier: Iterable[Body], new: Body, rates: Rates | None
) -> Iterator[Finding]:
    before = next(iter(earlier), None)
    rate = (
        None
        if rates is None or rates.steps < MIN_STEPS_TO_BE_RESTLESS
        else partial(_rate, rates, new)
    )
    return of_selection(
        rule,
        None if before is None else before.tree,
        new.tree,
        rate,
        lambda: (body.tree for body in islice(earlier, 1, None)),
    )


def _rate(rates: Rates, body: Body, node: int) -> float:
    """The share of versions in which a node, or something in it, changed."""
    return max(
        rates.rate(int(body.xids.of[inside])) for inside in range(node, int(body.tree.ends[node]))
    )


def _is_there(transaction: Transaction, alert: Alert) -> bool:
    return transaction.records.is_there(alert.about["kind"], alert.about["key"])


def _earlier_values(transaction: Transaction, kind: str, key: str) -> list[Mapping[str, Any]]:
    """The values of a record in the rows that have ended, oldest first."""
    return [state.values for state in transaction.records.ended_states(kind, key)]


def rule_of(subscription: Subscription) -> Rule:
    """The rule of a subscription."""
    return msgspec.convert(dict(subscription.rule), Rule)


def rules(alerts: Alerts) -> Iterator[tuple[Subscription, Rule]]:
    """Every subscription with its rule, but for those that were removed."""
    for one in alerts.subscriptions():
        if one.state is not SubscriptionState.REMOVED:
            yield one, rule_of(one)
