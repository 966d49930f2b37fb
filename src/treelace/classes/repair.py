"""Repairs a class's wrapper for its pages as they look now, from how they looked before.

The last version that fitted the class and the newest version of the same page are a pair; what the
wrapper read in the old one is free evidence for the new one. Detail pages are taken together, since
no page has every field. Of lists several pairs are tried, and a column is taken over only where
most of them agree that it can be. A column that cannot be proved is left out and named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from treelace.classes.examples import spread
from treelace.classes.learning import without_columns
from treelace.errors import TreelaceError
from treelace.tree import Tree
from treelace.wrappers import ColumnRepair, Repair, Wrapper
from treelace.wrappers.apply.health import page_trouble
from treelace.wrappers.model.form import RegionForm
from treelace.wrappers.model.text_shapes import without_digits

PAIRS_TRIED, MAX_PAIRS_LOOKED_AT = 3, 8
"""Pairs of old and new pages that are tried one by one; of lists so many more are looked at where
nothing is proved of some: a list may be cut into pages now.
"""
PAIRS_TOGETHER = 5
"""Pairs of detail pages that are taken together."""
ROUNDS_TOGETHER = 3
"""Repairs of detail pages that are tried, where the one before misreads pages it was not made from.
"""
READS_THE_SAME = 0.9
"""Share of pages on which a column must read what it read before, digits aside."""


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
    is_detail = wrapper.regions[0].kind == "page"
    if is_detail and (whole := _repaired_together(wrapper, pairs)) is not None:
        return [whole], ""
    made: list[Repair] = []
    failed = ""
    others = [] if is_detail else spread(pairs[PAIRS_TRIED:], MAX_PAIRS_LOOKED_AT - PAIRS_TRIED)
    for old, new in (*pairs[:PAIRS_TRIED], *others):
        if not is_detail and sum(one.wrapper is not None for one in made) >= PAIRS_TRIED:
            break
        try:
            made.append(wrapper.repair([old], [new]))
        except TreelaceError as error:
            failed = str(error)
    return made, failed


def _repaired_together(wrapper: Wrapper, pairs: Sequence[tuple[Tree, Tree]]) -> Repair | None:
    """The repair from a few pairs of detail pages that reads most values of all pairs as they were;
    None if none of those tried gives a wrapper. Where one misreads pages that it was not made from
    (an author on some pages only, a link on others), such pages are among those of the next.
    """
    known = [_texts(wrapper, old) for old, _ in pairs]
    chosen = spread(range(len(pairs)), PAIRS_TOGETHER)
    best: tuple[int, Repair] | None = None
    for _ in range(ROUNDS_TOGETHER):
        some = [pairs[number] for number in chosen]
        try:
            made = wrapper.repair([old for old, _ in some], [new for _, new in some])
        except TreelaceError:
            break
        if made.wrapper is None:
            break
        read = [_texts(made.wrapper, new) for _, new in pairs]
        kept = sum(
            text == now.get(name)
            for before, now in zip(known, read, strict=True)
            for name, text in before.items()
        )
        if best is None or kept > best[0]:
            best = (kept, made)
        misread = [number for number in _misread(known, read) if number not in chosen]
        if not misread:
            break
        half = (PAIRS_TOGETHER + 1) // 2
        chosen = sorted({*spread(misread, half), *spread(chosen, PAIRS_TOGETHER - half)})
    return None if best is None else best[1]


def _misread(known: Sequence[Mapping[str, str]], read: Sequence[Mapping[str, str]]) -> list[int]:
    """The pages on which a column is not read as it was, of columns that are misread often."""
    wrong: set[int] = set()
    for name in {name for texts in known for name in texts}:
        had = [number for number, texts in enumerate(known) if name in texts]
        lost = {number for number in had if read[number].get(name) != known[number][name]}
        if len(lost) > (1 - READS_THE_SAME) * len(had):
            wrong |= lost
    return sorted(wrong)


def _texts(wrapper: Wrapper, tree: Tree) -> dict[str, str]:
    """The texts of a page's record by column, digits made alike."""
    table = wrapper.apply(tree, force=True)[0]
    cells = table.cells[0] if table.cells else ()
    return {
        column.name: without_digits(cell.text)
        for column, cell in zip(table.columns, cells, strict=False)
        if cell is not None
    }


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
