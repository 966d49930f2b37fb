"""Repair on a site: the wrapper of a class re-attached to the pages as they look now, from the
pages as they looked before.

The last version that fitted the class and the newest version of the same page are a pair; what the
wrapper read in the old one is free evidence for the new one. Detail pages are taken together, since
no page has every field. Of lists several pairs are tried, and a column is taken over only where
most of them agree that it can be. A column that cannot be proved is left out and named.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from treelace.classes.drift import trouble_of
from treelace.classes.examples import EXAMPLES, MEASURE, fits, pack, spread
from treelace.classes.learning import trimmed
from treelace.errors import TreelaceError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace._kernel import Features
    from treelace.crawl.sorting import Sorter
    from treelace.store.classes import Classes
    from treelace.store.store import Store
    from treelace.tree import Tree

PAIRS, TOGETHER = 3, 5
"""Pairs of old and new pages that are tried one by one; pairs of detail pages that are taken
together.
"""
SAME = 0.9
"""Share of pages on which the selector of a column must read what it read before."""
BACK = 20
"""Versions to go back for one that fitted."""


@dataclass(slots=True)
class SiteRepair:
    """What came of a repair: the columns that were taken over and those that were not, with
    reasons; the wrapper is None where nothing was proved.
    """

    name: str
    restored: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    wrapper: Any = None
    pages: int = 0
    troubled: int = 0

    def __str__(self) -> str:
        total = len(self.restored) + len(self.left_out)
        if not self.pages:
            return f"{self.name}: nothing to repair: its pages look as they did"
        if self.wrapper is None:
            return f"{self.name}: nothing could be proved; the wrapper stays as it is"
        head = (
            f"{self.name}: {len(self.restored)} of {total} columns restored; it reads"
            f" {self.pages - self.troubled} of {self.pages} new pages"
        )
        lines = [f"  {name}: {why}" for name, why in self.restored.items()]
        lines += [f"  {name}: left out: {why}" for name, why in self.left_out.items()]
        return "\n".join([head, *lines])


def repair(store: Store, classes: Classes, sorter: Sorter, name: str) -> SiteRepair:
    """Tries to re-attach the wrapper of a class; nothing is changed. `UsageError` where there is
    nothing that could be repaired.
    """
    one = classes.get(name)
    stored = classes.wrapper(one.id)
    if stored is None:
        raise UsageError(f"{name} has no wrapper to repair")
    wrapper: Any = sorter.known.load(stored.data)
    if not hasattr(wrapper, "repair"):
        raise UsageError(f"{name}: what extracts its records cannot be repaired")
    pairs, new = _pairs(store, classes.members(one.id), sorter.known[one.id].examples)
    if not pairs:
        return SiteRepair(name)
    pairs.sort(key=lambda pair: -_records(wrapper, pair[0]))
    looked_for = {column.name for column in wrapper.regions[0].columns if column.select}
    made = _repairs(trimmed(wrapper, looked_for) if looked_for else wrapper, pairs)
    result = SiteRepair(name, pages=len(new))
    whole = [one for one in made if one.wrapper is not None]
    if not whole:
        return result
    votes = Counter(column for one in made for column in one.restored)
    best = max(whole, key=lambda one: (len(one.restored), one.new_records))
    agreed = {column for column in best.restored if votes[column] * 2 > len(made)}
    for column in best.columns:
        if column.name in agreed:
            result.restored[column.name] = f"{column.confidence:.2f}; {'; '.join(column.reasons)}"
        else:
            why = (
                "; ".join(column.reasons)
                if not column.is_restored
                else f"only {votes[column.name]} of {len(made)} pages speak for it"
            )
            result.left_out[column.name] = why
    if agreed:
        result.wrapper = _with_selectors(
            trimmed(best.wrapper, set(best.restored) - agreed), wrapper, pairs, result
        )
        result.troubled = sum(bool(_trouble(result.wrapper, tree)) for tree in new)
    return result


def _repairs(wrapper: Any, pairs: Sequence[tuple[Tree, Tree]]) -> list[Any]:
    """Repairs to choose from: of detail pages one from all pairs, since no page has every field; of
    lists one from each.
    """
    chosen = [list(pairs[:TOGETHER])] if wrapper.regions[0].kind == "page" else []
    made: list[Any] = []
    for some in [*chosen, *([pair] for pair in pairs[:PAIRS])]:
        try:
            made.append(wrapper.repair([old for old, _ in some], [new for _, new in some]))
        except TreelaceError:
            continue
        if len(some) > 1 and made[-1].wrapper is not None:
            return made
    return made


def _with_selectors(
    repaired: Any, wrapper: Any, pairs: Sequence[tuple[Tree, Tree]], result: SiteRepair
) -> Any:
    """The repaired wrapper with those columns of the old one that are looked for by a selector
    which reads the same on old and new pages.
    """
    from treelace.wrappers import Wrapper

    first = wrapper.regions[0]
    kept = []
    for column in first.columns:
        if not column.select:
            continue
        only = trimmed(wrapper, {other.name for other in first.columns} - {column.name})
        read = [tuple(_read_one(only, tree) for tree in pair) for pair in pairs]
        had = [(before, after) for before, after in read if before is not None]
        same = sum(before == after for before, after in had)
        why = f"its selector reads the same on {same} of {len(had)} new pages"
        if had and same >= SAME * len(had):
            kept.append(column)
            result.restored[column.name] = f"{same / len(had):.2f}; {why}"
        else:
            result.left_out[column.name] = why
    region = repaired.form.regions[0]
    return Wrapper(
        replace(repaired.form, regions=(replace(region, columns=(*region.columns, *kept)),))
    )


def _read_one(wrapper: Any, tree: Tree) -> str | None:
    rows = wrapper.apply(tree, force=True)[0].rows
    return rows[0][0] if rows else None


def accept(store: Store, classes: Classes, sorter: Sorter, repaired: SiteRepair) -> None:
    """Takes a repaired wrapper into use; from now on the class is known by its pages as they look
    now.
    """
    if repaired.wrapper is None:
        raise UsageError(f"{repaired.name}: there is nothing to accept")
    one = classes.get(repaired.name)
    urls = classes.members(one.id)
    _, new = _pairs(store, urls, sorter.known[one.id].examples)
    examples = [MEASURE.features(tree) for tree in spread(new, EXAMPLES)]
    why = f"repaired: {len(repaired.restored)} columns restored" + (
        f", without {', '.join(repaired.left_out)}" if repaired.left_out else ""
    )
    with store.writing() as transaction:
        transaction.classes.add_wrapper(one.id, repaired.wrapper.to_json(), why=why)
        about = {**one.about, "repaired": True}
        transaction.classes.change(one.id, sketch=pack(examples), about=about)
    sorter.known.reload()


def _pairs(
    store: Store, urls: Sequence[str], examples: Sequence[Features]
) -> tuple[list[tuple[Tree, Tree]], list[Tree]]:
    """Old and new looks of pages that changed their design, and all new looks."""
    pairs, new = [], []
    for url in spread(urls, 30):
        newest = store.states([url])[url].newest
        tree = store.body(url, newest).tree
        if fits(MEASURE.features(tree), examples):
            continue
        new.append(tree)
        for number in range(newest - 1, max(0, newest - BACK), -1):
            before = store.body(url, number).tree
            if fits(MEASURE.features(before), examples):
                pairs.append((before, tree))
                break
    return pairs, new


def _records(wrapper: Any, tree: Tree) -> int:
    try:
        return len(wrapper.apply(tree, force=True)[0].cells)
    except TreelaceError:
        return 0


def _trouble(wrapper: Any, tree: Tree) -> str:
    try:
        return trouble_of(wrapper.apply(tree, force=True)[0], wrapper.regions[0])
    except TreelaceError as error:
        return str(error)
