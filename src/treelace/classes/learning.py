"""Learning: a wrapper from pages that are alike, without the columns that tell nothing of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec.structs import replace

from treelace.classes.inner_tables import inner_tables, page_address
from treelace.errors import TreelaceError
from treelace.extract.types.price import PriceRangeType, PriceType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract import Cell
    from treelace.tree import Tree
    from treelace.wrappers import Wrapper

LearntKind: TypeAlias = Literal["auto", "list", "detail"]
PAGES_TO_LEARN_FROM = 10
"""Pages a wrapper is learnt from."""
MIN_NEIGHBOURS = 0.8
"""Share of a column's values that lead to other pages of the class, so that it is left out."""


def learn(
    trees: Sequence[Tree],
    urls: Sequence[str] = (),
    members: Sequence[str] = (),
    *,
    kind: LearntKind = "auto",
) -> tuple[Wrapper | None, str]:
    """A wrapper for pages that are alike, or None and the reason.

    `urls` are the addresses of the pages, `members` those of all pages of the class, `kind` says
    whether they are lists or one record each, where a person has said so. Columns that
    say the same on every page are frame and left out, and so are those that lead to other pages of
    the class.
    """
    from treelace.wrappers import Wrapper

    try:
        wrapper = Wrapper.learn(trees, urls=urls, members=members, kind=kind, all_columns=False)
        if len(trees) == 1 or wrapper.regions[0].kind != "page":
            return wrapper, ""
        left_out = frame_columns(wrapper, trees) | neighbour_columns(wrapper, trees, urls, members)
        inner = inner_tables(wrapper, trees, urls, members)
        kept = without_columns(wrapper, left_out)
        return Wrapper(replace(kept.form, regions=(kept.regions[0], *inner))), ""
    except TreelaceError as error:
        return None, str(error)


def frame_columns(wrapper: Wrapper, trees: Sequence[Tree]) -> set[str]:
    """The columns of texts that say one thing on all pages; a price that all have is no frame."""
    tables = [wrapper.apply(tree, force=True)[0] for tree in trees]
    return {
        column.name
        for at, column in enumerate(tables[0].columns)
        if column.type not in (PriceType.name, PriceRangeType.name)
        and len({_text(row[at]) for table in tables for row in table.cells}) == 1
    }


def neighbour_columns(
    wrapper: Wrapper, trees: Sequence[Tree], urls: Sequence[str], members: Sequence[str]
) -> set[str]:
    """The columns that lead to other pages of the class: the next and the previous post, a related
    product. They say something of their neighbours, and change when one comes or goes.
    """
    class_pages = set(map(page_address, members))
    leading: Counter[str] = Counter()
    filled: Counter[str] = Counter()
    for tree, url in zip(trees, urls, strict=False):
        table, others = (
            wrapper.apply(tree, force=True, url=url)[0],
            class_pages - {page_address(url)},
        )
        for column, cell in zip(table.columns, table.cells[0] if table.cells else (), strict=False):
            if cell is not None:
                filled[column.name] += 1
                leading[column.name] += page_address(cell.link or "") in others
    return {name for name, count in leading.items() if count >= MIN_NEIGHBOURS * filled[name] > 0}


def noisy_columns(wrapper: Wrapper, pairs: Sequence[tuple[Tree, Tree]]) -> set[str]:
    """Columns that differ between two fetches on a third of the pages: counters, adverts, times.

    A third, because adverts that take turns are the same twice now and then; and two pages at
    least, because a price may change between two looks.
    """
    changed: Counter[str] = Counter()
    for pair in pairs:
        old, new = (wrapper.apply(tree, force=True)[0] for tree in pair)
        if old.cells and new.cells:
            changed.update(
                column.name
                for at, column in enumerate(old.columns)
                if _text(old.cells[0][at]) != _text(new.cells[0][at])
            )
    return {name for name, count in changed.items() if count >= max(2, len(pairs) / 3)}


def _text(cell: Cell | None) -> str | None:
    return cell.text if cell is not None else None


def without_columns(wrapper: Wrapper, dropped: set[str]) -> Wrapper:
    """The wrapper's first table without these columns; with all if none would be left."""
    from treelace.wrappers import Wrapper

    first = wrapper.form.regions[0]
    names = {column.name for column in first.columns}
    kept = names - dropped or names
    columns = tuple(column for column in first.columns if column.name in kept)
    pattern = tuple(row if row.column in kept else replace(row, column="") for row in first.pattern)
    evidence = tuple(
        {name: text for name, text in row.items() if name in kept} for row in first.evidence
    )
    return Wrapper(
        replace(
            wrapper.form,
            regions=(
                replace(first, columns=columns, pattern=pattern, evidence=evidence),
                *wrapper.form.regions[1:],
            ),
        )
    )
