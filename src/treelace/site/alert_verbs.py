"""Rules and alerts: subscribe, try, list, mute, acknowledge, remove, deliver."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

import msgspec

from treelace.errors import UsageError
from treelace.named import pick
from treelace.site.base import SiteBase
from treelace.site.listings import AlertList, KeptRule, RuleList
from treelace.site.results import Acknowledged, Reopened, RuleChanged, Subscribed, Trial
from treelace.store.states import AlertState

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from treelace.monitor.delivery import Delivered
    from treelace.monitor.rules import Rule
    from treelace.site.journal import Journal


MOST_ROWS_TRIED = 20_000
"""Rows of a table that a rule is tried on when it is kept."""


class RuleWords(TypedDict, total=False):
    """What a rule may say; see `make_rule`."""

    records: str
    page: str
    select: str
    drift: str
    when: str
    channels: Sequence[str]
    restless: bool
    digest: str


class AlertVerbs(SiteBase):
    """Who is told what."""

    def subscribe(self, name: str, **rule: Unpack[RuleWords]) -> Subscribed:
        """Keeps a rule under a name: what to be told of (`records` of a kind, what `select` finds
        on a `page`, or the `drift` of a class), `when`, and through which `channels`.

        `restless` also tells of values that change at every look; `digest` puts what is found into
        one message a `round` or a `day`. `UsageError` where the rule makes no sense.
        """
        made, trial = self._trial(name, make_rule(**rule))
        self.store.alerts.subscribe(name, msgspec.to_builtins(made))
        return Subscribed(name, trial)

    def try_rule(
        self, name: str = "it", *, newest: int | None = None, **rule: Unpack[RuleWords]
    ) -> Trial:
        """What a rule would have told over the history so far; nothing is kept. With `newest`, a
        large table is looked at in so many of its newest rows, and the answer says so.
        """
        return self._trial(name, make_rule(**rule), newest=newest)[1]

    def _trial(
        self, name: str, rule: Rule, *, newest: int | None = MOST_ROWS_TRIED
    ) -> tuple[Rule, Trial]:
        """The rule with the name that the store has for its records, and its trial."""
        from treelace.monitor.selection import check_selection
        from treelace.monitor.trial import try_rule

        kinds = {kind.name for kind in self.store.records.kinds()}
        notes: list[str] = []
        if rule.records and kinds:
            kind = self.store.records.kind(rule.records)
            rule = msgspec.structs.replace(rule, records=kind.name)
            if rule.field:
                pick(f"column of {kind.name}", kind.columns, rule.field)
            count = self.store.records.row_count(kind)
            newest = newest if newest is not None and count > newest else None
            if newest is not None:
                notes.append(
                    f"the newest {newest:,} of {count:,} rows were looked at: `treelace subscribe"
                    " … --try` looks at all"
                )
        elif rule.records:
            notes.append(
                f"there are no records yet, so none called {rule.records}: `treelace classes list`"
                " shows what can be accepted"
            )
        is_known = bool(rule.page) and bool(self.store.states([rule.page]))
        if rule.page and not is_known:
            notes.append(
                f"{rule.page} has not been fetched yet: `treelace pages` lists what there is"
            )
        if is_known and rule.when != "appears":
            check_selection(self.store.body(rule.page).tree, rule.select)
        if rule.drift and rule.drift != "*":
            pick("class", {one.name: one for one in self.store.classes.all()}, rule.drift)
        found = (
            try_rule(rule, self.store, self.settings.noise, newest=newest)
            if is_known or rule.records in kinds
            else []
        )
        return rule, Trial(name, tuple(found), tuple(notes))

    def rules(self) -> RuleList:
        """The rules that are kept."""
        from treelace.monitor.alerting import rules

        return RuleList(
            tuple(
                KeptRule(
                    one.name,
                    one.state,
                    rule.records or rule.page or f"drift of {rule.drift}",
                    rule.when,
                    rule.channels,
                    rule.digest,
                )
                for one, rule in rules(self.store.alerts)
            )
        )

    def alerts(self, *, suppressed: bool = False, acknowledged: bool = False) -> AlertList:
        """Open alerts, oldest first; also `acknowledged`, or only `suppressed` with reasons."""
        wanted = {AlertState.OPEN} | ({AlertState.ACKNOWLEDGED} if acknowledged else set())
        wanted = {AlertState.SUPPRESSED} if suppressed else wanted
        return AlertList(tuple(it for it in self.store.alerts.alerts() if it.state in wanted))

    def mute(self, name: str, until: datetime | None = None) -> RuleChanged:
        """Records what a rule notices, and tells nobody, until then or until it is unmuted."""
        self.store.alerts.mute(name, until)
        return RuleChanged(name, "muted")

    def unmute(self, name: str) -> RuleChanged:
        """Lets a rule tell again."""
        self.store.alerts.unmute(name)
        return RuleChanged(name, "tells again")

    def remove(self, name: str) -> RuleChanged:
        """Takes a rule away; what it has told stays on record."""
        self.store.alerts.remove(name)
        return RuleChanged(name, "removed")

    def ack(self, *numbers: int) -> Acknowledged:
        """Says that alerts have been dealt with."""
        for number in numbers:
            self.store.alerts.set_state(number, AlertState.ACKNOWLEDGED)
        return Acknowledged(numbers)

    def reopen(self, *numbers: int) -> Reopened:
        """Says that alerts are open again."""
        for number in numbers:
            self.store.alerts.set_state(number, AlertState.OPEN)
        return Reopened(numbers)

    def deliver(
        self,
        say: Callable[[str], None] = print,
        *,
        allow_private: bool = False,
        now: datetime | None = None,
        journal: Journal | None = None,
    ) -> Delivered:
        """Sends due alerts through their channels, lines to `say`; failures wait for next time."""
        from treelace.monitor.channels import Outbox
        from treelace.monitor.delivery import deliver

        outbox = Outbox(
            folder=self.folder,
            say=say,
            alerts=self.store.alerts.alerts,
            allow_private=allow_private,
        )
        on_event = None if journal is None else journal.write
        with self.store.deliverer():
            return deliver(
                self.store.alerts,
                outbox,
                sender=self.store.token(),
                now=now,
                judge=self.judge(),
                on_event=on_event,
            )


def make_rule(
    *,
    records: str = "",
    page: str = "",
    select: str = "",
    drift: str = "",
    when: str = "changed",
    channels: Sequence[str] = ("terminal",),
    restless: bool = False,
    digest: str = "",
) -> Rule:
    """The rule that these words say; `UsageError` where it makes no sense, or names no channel."""
    from treelace.monitor.channels import check_channel
    from treelace.monitor.digest import DIGESTS
    from treelace.monitor.rules import Rule

    if digest and digest not in DIGESTS:
        raise UsageError(f"no digest {digest!r}: one message a round or a day")
    return Rule(
        records=records,
        page=page,
        select=select,
        drift=drift,
        when=when,
        channels=tuple(map(check_channel, channels)),
        restless=restless,
        digest=digest,  # type: ignore[arg-type]
    ).check()
