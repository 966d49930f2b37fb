"""Compares what the demo found with the truth of its shop: classes, records, alerts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.classes.proposals import Proposal
    from treelace.extract import Table
    from treelace.site import Site
    from treelace.testing.shop import Day


@dataclass(frozen=True, slots=True)
class Score:
    """How many were wanted, how many of those that were given are right, how many were given."""

    what: str
    wanted: int
    right: int
    given: int

    @property
    def counts(self) -> tuple[int, int, int]:
        """The three numbers."""
        return self.wanted, self.right, self.given


def class_score(day: Day, proposal: Proposal, home: str) -> Score:
    """A class against the template that most of its pages were made with."""
    paths = [url.removeprefix(home) for url in proposal.pages]
    kinds = Counter(day.truth[path].kind if path in day.truth else "calendar" for path in paths)
    kind, right = kinds.most_common(1)[0]
    wanted = (
        sum(truth.kind == kind for truth in day.truth.values()) if kind != "calendar" else right
    )
    return Score(f"template '{kind}'", wanted, right, len(paths))


def field_scores(
    day: Day, kind: str, heads: Sequence[str], rows: Sequence[Sequence[Any]], home: str
) -> tuple[Score, list[str]]:
    """Every field of every record against the truth. A field's column is the one that agrees most
    often, for all records alike.

    Records are told apart by the pages they lead to or stand on. A field that a record has not must
    be empty in its column; fields of which no column knows anything are missing, and count as
    wanted.
    """
    at = {name: number for number, name in enumerate(heads)}
    truth = _truth(day, kind)
    found = {_place(row, at, kind, home): row for row in rows}
    fields = sorted({name for record in truth.values() for name in record})
    right = given = wanted = 0
    told = []
    for name in fields:
        column = max(
            range(len(heads)),
            key=lambda number: sum(
                _said(found.get(place), number) == record.get(name)
                for place, record in truth.items()
                if name in record
            ),
        )
        values = {place: _said(found.get(place), column) for place in truth}
        agree = sum(
            values[place] == record[name] for place, record in truth.items() if name in record
        )
        has = sum(name in record for record in truth.values())
        wanted += has
        if agree < has / 2:
            told.append(f"({name} not found)")
            continue
        told.append(name)
        right += agree
        given += sum(value is not None for value in values.values())
    extra = len(found.keys() - truth.keys())
    what = f"{len(found.keys() & truth.keys())} of {len(truth)} records" + (
        f", {extra} that are none" if extra else ""
    )
    return Score(
        what, wanted + len(truth), right + len(found.keys() & truth.keys()), given + len(found)
    ), told


_PAGES = ("product", "story")
"""Kinds of pages that are one record each."""


def gifts_score(day: Day, table: Table, home: str) -> tuple[Score, list[str]]:
    """The table of the page of presents, which is of no class, against the truth."""
    links = [
        [
            item.text
            for cell in row
            if cell is not None
            for item in cell.items
            if item.kind == "link"
        ]
        for row in table.cells
    ]
    rows = [(*texts, *found[:1]) for texts, found in zip(table.rows, links, strict=True) if found]
    return field_scores(
        day, "gifts", [*(column.name for column in table.columns), "link"], rows, home
    )


def _truth(day: Day, kind: str) -> dict[str, dict[str, str]]:
    if kind in _PAGES:
        return {path: truth.records[0] for path, truth in day.truth.items() if truth.kind == kind}
    things: dict[str, Any] = {product.name: product.path for product in day.products} | {
        story.title: story.path for story in day.stories
    }
    records = [
        record for truth in day.truth.values() if truth.kind == kind for record in truth.records
    ]
    return {things[record.get("name") or record["title"]]: record for record in records}


def _place(row: Sequence[Any], at: dict[str, int], kind: str, home: str) -> str:
    """The path of the page that a record has to itself."""
    if kind in _PAGES:
        return str(row[at["page"]]).removeprefix(home)
    links = [
        str(row[number]) for name, number in at.items() if name.endswith("link") and row[number]
    ]
    return (links[0] if links else str(row[at["key"]])).removeprefix(home)


def _said(row: Sequence[Any] | None, number: int) -> str | None:
    return None if row is None or row[number] is None else str(row[number])


def alerts_of(day: Day) -> set[tuple[str, str]]:
    """What the demo's rules should tell on a day: the rule and the name of the product."""
    names = {product.path: product.name for product in day.products}
    wanted = set()
    for change in day.changes:
        if change.path.startswith("/news/"):
            continue
        if change.kind == "new":
            wanted.add(("new", change.new))
        elif change.kind == "gone":
            wanted.add(("gone", change.old))
        elif change.kind == "price" and _cents(change.new) * 10 <= _cents(change.old) * 9:
            wanted.add(("cheap", names[change.path]))
    return wanted


def _cents(price: str) -> int:
    return int(price.replace("€", "").replace(",", "").replace(".", ""))


def told_of(site: Site, seen: int) -> tuple[list[tuple[str, str]], list[str]]:
    """Rule and text of the alerts told since, and the texts of suppressed ones."""

    fresh = list(site.store.alerts.alerts())[seen:]
    told = [(alert.subscription or "", alert.why) for alert in fresh if alert.state != "suppressed"]
    return told, [alert.why for alert in fresh if alert.state == "suppressed"]
