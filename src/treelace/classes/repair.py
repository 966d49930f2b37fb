"""Repairs a class's wrapper for its pages as they look now, from how they looked before.

The last version that fitted the class and the newest version of the same page are a pair; what the
wrapper read in the old one is free evidence for the new one. Detail pages are taken together, since
no page has every field. Of lists several pairs are tried, and a column is taken over only where
most of them agree that it can be. A column that cannot be proved is left out and named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from treelace.classes.examples import spread
from treelace.classes.learning import without_columns
from treelace.errors import TreelaceError
from treelace.tree import Tree
from treelace.wrappers import ColumnRepair, Repair, Wrapper
from treelace.wrappers.apply.health import page_trouble
from treelace.wrappers.model.form import RegionForm

PAIRS_TRIED, MAX_PAIRS_LOOKED_AT = 3, 8
"""Pairs of old and new pages that are tried one by one; of lists so many more are looked at where
nothing is proved of some: a list may be cut into pages now.
"""
PAIRS_TOGETHER = 5
"""Pairs of detail pages that are taken together."""
READS_THE_SAME = 0.9
"""Share of pages on which the selector of a column must read what it read before."""


@dataclass(slots=True)
class ClassRepair:
    """What came of a repair: the columns that were taken over and those that were not, with
    reasons; the wrapper is None where nothing was proved.
    """

    name: str
    restored: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    wrapper: Wrapper | None = None
    pages: int = 0
    troubled: int = 0
    why: str = ""
    """Why nothing was proved of any column, where that has one reason."""

    def __str__(self) -> str:
        total = len(self.restored) + len(self.left_out)
        if not self.pages:
            return f"{self.name}: nothing to repair: its pages look as they did"
        if self.wrapper is None:
            reason = f": {self.why}" if self.why else ""
            head = f"{self.name}: nothing could be proved{reason}; the wrapper stays as it is"
        else:
            head = (
                f"{self.name}: {len(self.restored)} of {total} columns restored; it reads"
                f" {self.pages - self.troubled} of {self.pages} new pages"
            )
        lines = [f"  {name}: {why}" for name, why in self.restored.items()]
        lines += [f"  {name}: left out: {why}" for name, why in self.left_out.items()]
        return "\n".join([head, *lines])


def repair(
    name: str, wrapper: Wrapper, pairs: Sequence[tuple[Tree, Tree]], new: Sequence[Tree]
) -> ClassRepair:
    """Tries to repair the wrapper of class `name`; `pairs` are a page's old and new looks."""
    if not pairs:
        why = "no version of these pages before fits the class, so there is nothing to compare with"
        return ClassRepair(name, pages=len(new), why=why if new else "")
    pairs = sorted(pairs, key=lambda pair: -_record_count(wrapper, pair[0]))
    looked_for = {column.name for column in wrapper.regions[0].columns if column.select}
    made, failed = _repairs(without_columns(wrapper, looked_for) if looked_for else wrapper, pairs)
    result = ClassRepair(name, pages=len(new))
    whole = [one for one in made if one.wrapper is not None]
    votes = Counter(column for one in made for column in one.restored)
    if not whole:
        for column in made[0].columns if made else ():
            result.left_out[column.name] = _why_not(column, votes[column.name], len(made))
        result.why = failed if not made else ""
        return result
    best = max(whole, key=lambda one: (len(one.restored), one.new_records))
    # pages of which nothing is proved say nothing against a column, but one page is not enough
    asked = len(whole) if len(whole) > 1 else len(made)
    agreed = {column for column in best.restored if votes[column] * 2 > asked}
    for column in best.columns:
        if column.name in agreed:
            result.restored[column.name] = f"{column.confidence:.2f}; {'; '.join(column.reasons)}"
        else:
            result.left_out[column.name] = _why_not(column, votes[column.name], asked)
    if agreed and best.wrapper is not None:
        kept = without_columns(best.wrapper, set(best.restored) - agreed)
        result.wrapper = _with_selectors(kept, wrapper, pairs, result)
        result.troubled = sum(bool(trouble(result.wrapper, tree)) for tree in new)
    return result


def _why_not(column: ColumnRepair, votes: int, asked: int) -> str:
    if column.is_restored:
        return f"only {votes} of {asked} pages speak for it"
    return "; ".join(column.reasons)


def _repairs(wrapper: Wrapper, pairs: Sequence[tuple[Tree, Tree]]) -> tuple[list[Repair], str]:
    """Repairs to choose from, and why the last that failed did: detail pages one from all pairs,
    lists one from each pair.
    """
    together = [list(pairs[:PAIRS_TOGETHER])] if wrapper.regions[0].kind == "page" else []
    made: list[Repair] = []
    failed = ""
    others = [] if together else spread(pairs[PAIRS_TRIED:], MAX_PAIRS_LOOKED_AT - PAIRS_TRIED)
    for some in [*together, *([pair] for pair in (*pairs[:PAIRS_TRIED], *others))]:
        if not together and sum(one.wrapper is not None for one in made) >= PAIRS_TRIED:
            break
        try:
            made.append(wrapper.repair([old for old, _ in some], [new for _, new in some]))
        except TreelaceError as error:
            failed = str(error)
            continue
        if len(some) > 1 and made[-1].wrapper is not None:
            break
    return made, failed


def _with_selectors(
    repaired: Wrapper, wrapper: Wrapper, pairs: Sequence[tuple[Tree, Tree]], result: ClassRepair
) -> Wrapper:
    """The repaired wrapper with those columns of the old one that are looked for by a selector
    which reads the same on old and new pages.
    """
    first = wrapper.regions[0]
    kept = []
    for column in first.columns:
        if not column.select:
            continue
        only = without_columns(wrapper, {other.name for other in first.columns} - {column.name})
        read = [tuple(_first_value(only, tree) for tree in pair) for pair in pairs]
        had = [(before, after) for before, after in read if before is not None]
        same = sum(before == after for before, after in had)
        why = f"its selector reads the same on {same} of {len(had)} new pages"
        if had and same >= READS_THE_SAME * len(had):
            kept.append(column)
            result.restored[column.name] = f"{same / len(had):.2f}; {why}"
        else:
            result.left_out[column.name] = why
    region, *inner = repaired.form.regions
    region = replace(region, columns=(*region.columns, *kept))
    return Wrapper(
        replace(repaired.form, regions=(region, *_in_their_places(inner, wrapper.regions[1:])))
    )


def _in_their_places(
    found: Sequence[RegionForm], old: Sequence[RegionForm]
) -> Iterator[RegionForm]:
    """The tables inside pages up to the first that was not found again with the names of its
    records: a table keeps its place, by which its records are called.
    """
    for now, before in zip(found, old, strict=False):
        if now.name != before.name or now.columns[0].name != before.columns[0].name:
            return
        yield now


def _first_value(wrapper: Wrapper, tree: Tree) -> object:
    rows = wrapper.apply(tree, force=True)[0].rows
    return rows[0][0] if rows else None


def _record_count(wrapper: Wrapper, tree: Tree) -> int:
    try:
        return len(wrapper.apply(tree, force=True)[0].cells)
    except TreelaceError:
        return 0


def trouble(wrapper: Wrapper, tree: Tree) -> str:
    """What is wrong with what a wrapper reads on a page; empty where all is well."""
    try:
        return page_trouble(wrapper.apply(tree, force=True)[0], wrapper.regions[0])
    except TreelaceError as error:
        return str(error)
