"""Rules: what someone wants to be told of, as JSON that the store keeps, and what a rule says of changes. Pure: changes in, findings out.

Evaluated on changes of records and of selected nodes, never on lines of text: a list that was sorted anew, a record that moved to another page and a
time stamp in the foot of a page say nothing. What a rule notices and does not tell is a finding, too, with the reason it was suppressed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from treelace.errors import UsageError
from treelace.monitor.conditions import Condition, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from treelace.store.records import Change
    from treelace.tree import Tree

RESTLESS = 3
"""A value that changed in each of the last so many rows of a record's history changes at every look."""


class Rule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What to look at (`records` of a kind, or what `select` finds on `page`, or the `drift` of a class), when to tell, and through which channels.

    `when` is `new`, `gone`, `changed`, `FIELD CONDITION` for records; `changes`, `appears`, `vanishes` or a condition for a selection.
    """

    records: str = ""
    page: str = ""
    select: str = ""
    drift: str = ""
    when: str = "changed"
    channels: tuple[str, ...] = ("terminal",)
    restless: bool = False
    """Whether values that change at every look are told of, too."""

    def check(self) -> Rule:
        """The rule itself; `UsageError` where it makes no sense."""
        if sum(map(bool, (self.records, self.page, self.drift))) != 1:
            raise UsageError("a rule looks at one thing: records of a kind, a page, or the drift of a class")
        if self.page and not self.select:
            raise UsageError("a rule on a page needs a selection: --select 'CSS' or --select 'xpath:…'")
        if self.records and self.when not in ("new", "gone", "changed"):
            self.field_condition()
        if self.page and self.when not in ("changed", "changes", "appears", "vanishes"):
            Condition.read(self.when)
        return self

    def field_condition(self) -> tuple[str, Condition]:
        """The field and its condition, of a rule such as `price drops 10%` or `price < 900`."""
        found = re.match(r"\s*(.+?)\s+(?=(?:drops|rises|moves|changes|contains)\b)|\s*(.+?)\s*(?=[<>=!])", self.when)
        if not found:
            raise UsageError(f"{self.when!r}: write new, gone, changed, or a field and a condition: price < 900, price drops 10%")
        name = found[1] or found[2]
        return name, Condition.read(self.when[found.end() :])


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a rule noticed: what, of which record or node, and why it is told, or why not."""

    what: str
    key: str
    why: str
    suppressed: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)


def of_records(rule: Rule, changes: Iterable[Change], history: Callable[[str, str], Sequence[Mapping[str, Any]]]) -> Iterator[Finding]:
    """What a rule says of changes of records. `history` gives the earlier values of a record, oldest first, the present ones left out."""
    for change in changes:
        if change.kind != rule.records:
            continue
        about = {"kind": change.kind, "old": dict(change.old or {}), "new": dict(change.new or {})}
        name = _name(change.new or change.old or {}) or change.key
        if rule.when == "new" and change.what == "new":
            earlier = history(change.kind, change.key)
            back = "it was there before and came back as it was" if earlier and earlier[-1] == change.new else ""
            yield Finding("new", change.key, f"new record: {name}", back, about)
        elif rule.when == "gone" and change.what == "gone":
            yield Finding("gone", change.key, f"record gone: {name}", "", about)
        elif rule.when not in ("new", "gone") and change.what == "changed":
            yield from _changed(rule, change, name, history(change.kind, change.key), about)


def _changed(rule: Rule, change: Change, name: str, earlier: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> Iterator[Finding]:
    old, new = change.old or {}, change.new or {}
    if rule.when == "changed":
        fields = [field for field in new if old.get(field) != new.get(field)]
        condition = Condition("changes")
    else:
        wanted, condition = rule.field_condition()
        if wanted not in new:
            return
        fields = [wanted] if old.get(wanted) != new.get(wanted) else []
    told: list[str] = []
    quiet: list[str] = []
    for one in fields:
        why = condition.why(old.get(one), new.get(one)) or (f"{shown(old.get(one))} → nothing" if rule.when == "changed" else None)
        if why is None:
            continue
        values = [row.get(one) for row in earlier] + [old.get(one), new.get(one)]
        reason = "" if rule.restless else restless(values)
        (quiet if reason else told).append(f"{one} {why}" + (f" [{reason}]" if reason else ""))
    if told:
        yield Finding("changed", change.key, f"{name}: {', '.join(told)}", "", about)
    elif quiet:
        yield Finding("changed", change.key, f"{name}: {', '.join(quiet)}", "every value that changed changes at every look", about)


def restless(values: Sequence[Any]) -> str:
    """Why a value's last change is no news, by its history; empty where it is.

    >>> restless([1, 2, 3, 4, 5]), restless(["on", "off", "on", "off", "on"]), restless([1, 1, 1, 2])
    ('changed in each of the last 4 versions', 'goes back and forth', '')
    """
    steps = [one != other for one, other in pairwise(values)]
    if len(steps) > RESTLESS and all(steps[-RESTLESS - 1 :]):
        return "goes back and forth" if len(set(map(str, values[-RESTLESS - 2 :]))) == 2 else f"changed in each of the last {RESTLESS + 1} versions"
    return ""


def of_selection(rule: Rule, old: Tree | None, new: Tree, rate: Callable[[int], float] | None = None) -> Iterator[Finding]:
    """What a rule says of the step from one version of a page to the next. `rate` is the share of versions in which a node of `new` changed."""
    before, after = selected(old, rule.select) if old is not None else [], selected(new, rule.select)
    then, now = [text for text, _ in before], [text for text, _ in after]
    if old is None or then == now:
        return
    if rule.when == "appears":
        if now and not then:
            yield Finding("appears", rule.select, f"{rule.select} appeared: {now[0][:80]!r}")
        return
    if rule.when == "vanishes":
        if then and not now:
            yield Finding("vanishes", rule.select, f"{rule.select} vanished; it was {then[0][:80]!r}")
        return
    if sorted(then) == sorted(now):
        yield Finding("changed", rule.select, f"{rule.select}: the same {len(now)} in another order", "only the order changed")
        return
    steps = [(a, b, node) for (a, _), (b, node) in zip(before, after, strict=False) if a != b]
    condition = Condition("changes") if rule.when in ("changed", "changes") else Condition.read(rule.when)
    whys = [why for a, b, _ in steps if (why := condition.why(a, b))]
    if len(then) != len(now) and condition.verb == "changes":
        whys.append(f"{len(then)} → {len(now)} of them")
    if whys:
        rates = [rate(node) for _, _, node in steps] if rate is not None else []
        noisy = bool(rates) and not rule.restless and len(then) == len(now) and min(rates) >= 0.5
        reason = f"these nodes changed in {min(rates):.0%} of all versions or more" if noisy else ""
        yield Finding("changed", rule.select, f"{rule.select}: {', '.join(whys[:5])}", reason)


def selected(tree: Tree, expression: str) -> list[tuple[str, int]]:
    """Text and index of the nodes that a selection finds: CSS, or XPath after `xpath:`."""
    if expression.startswith("xpath:"):
        found = tree.select_xpath(expression[6:])
        nodes = found if isinstance(found, list) else []
        return [(" ".join(node.text.split()), node.index) for node in nodes]
    return [(" ".join(node.text.split()), node.index) for node in tree.select(expression.removeprefix("css:"))]


def _name(values: Mapping[str, Any]) -> str:
    """What people would call a record: its title or name, else its first text."""
    for field_name, value in values.items():
        if field_name.lower() in ("title", "name", "headline") and value:
            return str(value)
    return next((str(value) for value in values.values() if isinstance(value, str) and value and not value.startswith(("http", "/"))), "")
