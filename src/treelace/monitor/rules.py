"""Rules: what to tell of, as JSON that the store keeps, and findings from changes. Pure.

Evaluated on changes of records and of selected nodes, never on lines of text: a list that was
sorted anew, a record that moved to another page and a time stamp in the foot of a page say nothing.
What a rule notices and does not tell is a finding, too, with the reason it was suppressed.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from treelace.errors import UsageError
from treelace.monitor.conditions import Condition, shown
from treelace.monitor.known_noise import SAID, is_named
from treelace.monitor.noise import MAX_EARLIER_VERSIONS, MIN_RESTLESS_RATE, News, news_of
from treelace.monitor.selection import Selected, frame_only, selected
from treelace.store.keys import is_name, is_same_address
from treelace.tree import compile_css, compile_xpath

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from treelace.store.records import Change
    from treelace.store.settings import NoiseSection
    from treelace.tree import Tree

MAX_CHANGES_IN_A_ROW = 3
"""A value that changed in so many last rows of a record's history changes at every look."""


class Rule(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """What to look at (`records` of a kind, or what `select` finds on `page`, or the `drift` of a
    class), when to tell, and through which channels.

    `when` is `new`, `gone`, `changed`, `FIELD CONDITION` for records; `changed`, `appears`,
    `vanishes` or a condition for a selection. `changes` is `changed`.
    """

    records: str = ""
    page: str = ""
    select: str = ""
    drift: str = ""
    when: str = "changed"
    channels: tuple[str, ...] = ("terminal",)
    restless: bool = False
    """Whether values that change at every look are told of, too."""
    digest: Literal["", "round", "day"] = ""
    """Whether what it finds goes out in one message, with that of other such rules."""

    def check(self) -> Rule:
        """The rule itself; `UsageError` where it makes no sense."""
        if sum(map(bool, (self.records, self.page, self.drift))) != 1:
            raise UsageError(
                "a rule looks at one thing: --records KIND, --page URL, or --drift CLASS"
            )
        if self.page and not self.select:
            raise UsageError(
                "a rule on a page needs a selection: --select 'CSS' or --select 'xpath:…'"
            )
        if self.select:
            (
                compile_xpath(self.select[6:])
                if self.select.startswith("xpath:")
                else compile_css(self.select.removeprefix("css:"))
            )
        if self.when == "changes":
            return msgspec.structs.replace(self, when="changed").check()
        if self.field:
            self.field_condition()
        if self.page and self.when not in ("changed", "appears", "vanishes"):
            Condition.read(self.when)
        return self

    @property
    def field(self) -> str:
        """The column of records that the rule asks about; empty where it asks about none."""
        if not self.records or self.when in ("new", "gone", "changed"):
            return ""
        return self.field_condition()[0]

    def field_condition(self) -> tuple[str, Condition]:
        """The field and its condition, of a rule such as `price drops 10%` or `price < 900`."""
        found = re.match(
            r"\s*(.+?)\s+(?=(?:drops|rises|moves|changes|changed|contains)\b)|\s*(.+?)\s*(?=[<>=!])",
            self.when,
        )
        if not found:
            raise UsageError(
                f"{self.when!r}: write new, gone, changed, or a field and a condition: price < 900,"
                " price drops 10%"
            )
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


def of_records(
    rule: Rule,
    changes: Iterable[Change],
    history: Callable[[str, str], Sequence[Mapping[str, Any]]],
    noise: Collection[str] = (),
    named_noise: Sequence[NoiseSection] = (),
) -> Iterator[Finding]:
    """What a rule says of changed records; `history` gives their earlier values, oldest first,
    `noise` the columns that change in nearly every record, `named_noise` what someone called so.
    """
    for change in changes:
        if change.kind != rule.records:
            continue
        about = {"kind": change.kind, "old": dict(change.old or {}), "new": dict(change.new or {})}
        name = name_of(change.new or change.old or {}) or change.key
        if rule.when == "new" and change.what == "new":
            earlier = history(change.kind, change.key)
            back = (
                "it was there before and came back as it was"
                if earlier and earlier[-1] == change.new
                else ""
            )
            yield Finding("new", change.key, f"new record: {name}", back, about)
        elif rule.when == "gone" and change.what == "gone":
            yield Finding("gone", change.key, f"record gone: {name}", "", about)
        elif rule.when not in ("new", "gone") and change.what == "changed":
            earlier = history(change.kind, change.key)
            yield from _changed(rule, change, name, earlier, about, noise, named_noise)


def _changed(
    rule: Rule,
    change: Change,
    name: str,
    earlier: Sequence[Mapping[str, Any]],
    about: Mapping[str, Any],
    noise: Collection[str],
    named_noise: Sequence[NoiseSection],
) -> Iterator[Finding]:
    old, new = change.old or {}, change.new or {}
    if rule.when == "changed":
        fields = [
            field
            for field in new
            if old.get(field) != new.get(field)
            and not is_same_address(old.get(field), new.get(field))
        ]
        condition = Condition("changes")
    else:
        wanted, condition = rule.field_condition()
        if wanted not in new:
            return
        fields = [wanted] if old.get(wanted) != new.get(wanted) else []
    told: list[str] = []
    quiet: list[str] = []
    moved = reordered(old, new) if rule.when == "changed" else set()
    for one in fields:
        why = condition.why(old.get(one), new.get(one)) or (
            f"{shown(old.get(one))} → nothing" if rule.when == "changed" else None
        )
        if why is None:
            continue
        values = [row.get(one) for row in earlier] + [old.get(one), new.get(one)]
        reason = "" if rule.restless else restless(values)
        if one in noise and rule.when == "changed" and not rule.restless:
            reason = reason or "changed in nearly every record"
        if one in moved:
            reason = "only in another order"
        if is_named(named_noise, change.kind, change.key, one, old.get(one), new.get(one)):
            reason = SAID
        (quiet if reason else told).append(f"{one} {why}" + (f" [{reason}]" if reason else ""))
    if told:
        yield Finding("changed", change.key, f"{name}: {', '.join(told)}", "", about)
    elif quiet:
        yield Finding(
            "changed",
            change.key,
            f"{name}: {', '.join(quiet)}",
            SAID
            if all(SAID in line for line in quiet)
            else "every value that changed changes at every look, or only its place",
            about,
        )


def reordered(old: Mapping[str, Any], new: Mapping[str, Any]) -> set[str]:
    """The fields of names and addresses that say together what they said before, in another order.

    >>> old = {"tag": "tea", "tag 2": "cup", "tag 3": None, "price": 3}
    >>> sorted(reordered(old, old | {"tag": "cup", "tag 2": "tea"}))
    ['tag', 'tag 2', 'tag 3']
    >>> reordered(old, old | {"tag": "cup", "tag 2": None})
    set()
    """
    groups: dict[str, list[str]] = {}
    for name in old.keys() | new.keys():
        groups.setdefault(re.sub(r" \d+(?= link$| text$|$)", "", name), []).append(name)

    def said(values: Mapping[str, Any], fields: Sequence[str]) -> Counter[Any]:
        return Counter(value for one in fields if (value := values.get(one)) is not None)

    return {
        name
        for fields in groups.values()
        if len(fields) > 1
        and (before := said(old, fields)) == said(new, fields)
        and all(isinstance(value, str) and is_name(value) for value in before)
        for name in fields
    }


def restless(values: Sequence[Any]) -> str:
    """Why a value's last change is no news, by its history; empty where it is.

    >>> restless([1, 2, 3, 4, 5]), restless([1, 1, 1, 2])
    ('changed in each of the last 4 versions', '')
    >>> restless(["on", "off", "on", "off", "on"])
    'goes back and forth'
    """
    steps = [one != other for one, other in pairwise(values)]
    if len(steps) > MAX_CHANGES_IN_A_ROW and all(steps[-MAX_CHANGES_IN_A_ROW - 1 :]):
        return (
            "goes back and forth"
            if len(set(map(str, values[-MAX_CHANGES_IN_A_ROW - 2 :]))) == 2
            else f"changed in each of the last {MAX_CHANGES_IN_A_ROW + 1} versions"
        )
    return ""


def of_selection(
    rule: Rule,
    old: Tree | None,
    new: Tree,
    rate: Callable[[int], float] | None = None,
    earlier: Callable[[], Iterable[Tree]] = tuple,
) -> Iterator[Finding]:
    """What a rule says of the step from one version of a page to the next.

    `rate` is the share of versions in which a node of `new` changed; `earlier` gives the versions
    before `old`, the newest first.
    """
    before, after = (
        selected(old, rule.select) if old is not None else [],
        selected(new, rule.select),
    )
    then, now = [one.text for one in before], [one.text for one in after]
    if old is None or then == now:
        return
    if rule.when == "appears":
        if now and not then:
            yield Finding("appears", rule.select, f"{rule.select} appeared: {now[0][:80]!r}")
    elif rule.when == "vanishes":
        if then and not now:
            yield Finding(
                "vanishes", rule.select, f"{rule.select} vanished; it was {then[0][:80]!r}"
            )
    elif rule.when not in ("changed", "changes"):
        yield from _condition(rule, before, after, rate)
    else:
        past = (
            []
            if rule.restless
            else [
                [one.text for one in selected(tree, rule.select)]
                for tree in islice(earlier(), MAX_EARLIER_VERSIONS)
            ]
        )
        often = None if rate is None or rule.restless else lambda number: rate(after[number].node)
        news = news_of(
            then,
            now,
            past,
            frame=() if rule.restless else frame_only((*before, *after)),
            rate=often,
        )
        reason = "" if news.come or news.gone else f"only {' and '.join(news.reasons)} changed"
        yield Finding("changed", rule.select, f"{rule.select}: {_told(news, then, now)}", reason)


def _condition(
    rule: Rule,
    before: Sequence[Selected],
    after: Sequence[Selected],
    rate: Callable[[int], float] | None,
) -> Iterator[Finding]:
    """What a condition says of values, one by one."""
    condition = Condition.read(rule.when)
    steps = [
        (one.text, other)
        for one, other in zip(before, after, strict=False)
        if one.text != other.text
    ]
    whys = [why for text, other in steps if (why := condition.why(text, other.text))]
    if whys:
        rates = [rate(other.node) for _, other in steps] if rate is not None else []
        noisy = (
            bool(rates)
            and not rule.restless
            and len(before) == len(after)
            and min(rates) >= MIN_RESTLESS_RATE
        )
        reason = f"these nodes changed in {min(rates):.0%} of all versions or more" if noisy else ""
        yield Finding("changed", rule.select, f"{rule.select}: {', '.join(whys[:5])}", reason)


def _told(news: News, then: Sequence[str], now: Sequence[str]) -> str:
    """News in a line: what became what where that is plain, else what came and what went."""
    come, gone = news.come, news.gone
    if not come and not gone:
        return f"{len(then)} texts → {len(now)}"
    if len(come) == len(gone) <= 3:
        return ", ".join(
            f"{_cut(one)} → {_cut(other)}" for one, other in zip(gone, come, strict=True)
        )
    parts = [(word, texts) for word, texts in (("new", come), ("gone", gone)) if texts]
    return "; ".join(
        f"{word}: {', '.join(map(_cut, texts[:3]))}"
        + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")
        for word, texts in parts
    )


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def name_of(values: Mapping[str, Any]) -> str:
    """What people would call a record: its title or name, else its first text."""
    for field_name, value in values.items():
        if field_name.lower() in ("title", "name", "headline") and value:
            return str(value)
    return next(
        (
            str(value)
            for value in values.values()
            if isinstance(value, str) and value and not value.startswith(("http", "/"))
        ),
        "",
    )
