"""Repairs a class's wrapper from stored versions of its pages, and takes it into use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from treelace.classes import repair as class_repair
from treelace.classes.catalogue import Catalogue, KnownClass
from treelace.classes.examples import MOST_EXAMPLES, pack, spread
from treelace.classes.layout import sketch_of
from treelace.classes.learning import without_columns
from treelace.classes.repair import ClassRepair
from treelace.errors import UsageError
from treelace.site.known_drift import drift_of
from treelace.site.page_classes import REPAIRED, STORE_RECORDS
from treelace.store import Store
from treelace.tree import Tree
from treelace.wrappers import Wrapper
from treelace.wrappers.model.selectors import compiled_selector

PAGES_LOOKED_AT = 30
"""Pages of a class that are looked at for a change of design."""
PAGES_WITHOUT_SEARCH = 10
"""Of them, where nobody searches: if these look as they did and no crawl named others, all do."""
MOST_PAGES_SEARCHED = 1_000
"""Pages of a class that are searched for one that changed, where none of those looked at did."""
VERSIONS_BACK = 20
"""Versions to go back for one that fitted."""
VALUES_SHOWN = 3
"""Values of a column that an example of a repair shows."""


@dataclass(frozen=True, slots=True)
class RepairExample:
    """A page before and after a change of design: its versions, and by column what the old wrapper
    read in the one and the repaired one reads in the other.
    """

    url: str
    old_version: int
    new_version: int
    old: Mapping[str, tuple[str, ...]]
    new: Mapping[str, tuple[str, ...]]


class _Look(NamedTuple):
    url: str
    old_number: int
    old_tree: Tree
    new_number: int
    new_tree: Tree


def repair(
    store: Store, known: KnownClass, catalogue: Catalogue, *, searches: bool = True
) -> ClassRepair:
    """Tries to repair a class's wrapper, changing nothing; `UsageError` if nothing can be."""
    if known.wrapper is None:
        raise UsageError(f"{known.name} has no wrapper to repair")
    wrapper = known.reader
    if not isinstance(wrapper, Wrapper):
        raise UsageError(f"{known.name}: what extracts its records cannot be repaired")
    looks, new = _looks(store, known, catalogue, searches=searches)
    members = store.classes.members(known.id)
    if new and not new.keys() & set(spread(members, PAGES_LOOKED_AT)):
        why = (
            f"{len(new):,} of {len(members):,} pages look different ({min(new)}), the others as"
            " they did"
        )
        return ClassRepair(known.name, pages=len(new), why=why)
    pairs = [(look.old_tree, look.new_tree) for look in looks]
    return class_repair.repair(known.name, wrapper, pairs, list(new.values()))


def example_of(
    store: Store, known: KnownClass, catalogue: Catalogue, repaired: ClassRepair
) -> RepairExample | None:
    """A page before and after the change of design, with what is read in each; None without one."""
    looks, _ = _looks(store, known, catalogue, most=1)
    if not looks or not isinstance(known.reader, Wrapper):
        return None
    look = looks[0]
    old = _values(known.reader, look.old_tree)
    new = {} if repaired.wrapper is None else _values(repaired.wrapper, look.new_tree)
    return RepairExample(look.url, look.old_number, look.new_number, old, new)


def without(repaired: ClassRepair, columns: Sequence[str]) -> None:
    """Leaves all columns out of a repair but these."""
    unknown = [name for name in columns if name not in repaired.restored]
    if unknown:
        raise UsageError(f"{repaired.name}: {unknown[0]} was not found again, so it cannot be kept")
    unwanted = [name for name in repaired.restored if name not in columns]
    if repaired.wrapper is None or not columns:
        raise UsageError(f"{repaired.name}: no column is left to be kept")
    if unwanted:
        repaired.wrapper = without_columns(repaired.wrapper, set(unwanted))
    for name in unwanted:
        del repaired.restored[name]
        repaired.left_out[name] = "found again, but not wanted"


def with_pointed(repaired: ClassRepair, before: Wrapper, select: Mapping[str, str]) -> None:
    """Gives columns the places inside a record that someone pointed at on the new page, also those
    that were not found again; they keep their types.
    """
    if not select:
        return
    if repaired.wrapper is None:
        raise UsageError(
            f"{repaired.name}: no record is found on the new pages, so no place in one"
        )
    old = {column.name: column for column in before.regions[0].columns}
    pointed = []
    for name, place in select.items():
        if name not in old:
            raise UsageError(f"{repaired.name} has no column {name}: there are {', '.join(old)}")
        compiled_selector(place)
        pointed.append(replace(old[name], select=place, anchors=()))
        repaired.left_out.pop(name, None)
        repaired.restored[name] = f"someone pointed at it: {place}"
    form = repaired.wrapper.form
    others = tuple(it for it in form.regions[0].columns if it.name not in select)
    first = replace(form.regions[0], columns=(*others, *pointed))
    repaired.wrapper = Wrapper(replace(form, regions=(first, *form.regions[1:])))


def take_into_use(
    store: Store, known: KnownClass, catalogue: Catalogue, repaired: ClassRepair
) -> None:
    """Takes a repaired wrapper into use, and knows the class by its pages' new looks; the records
    that it reads are still to be stored.
    """
    if repaired.wrapper is None:
        raise UsageError(f"{repaired.name}: there is nothing to accept")
    _, new = _looks(store, known, catalogue)
    urls = spread(list(new), MOST_EXAMPLES)
    examples = [sketch_of(new[url]) for url in urls]
    why = f"{REPAIRED}: {len(repaired.restored)} columns restored" + (
        f", without {', '.join(repaired.left_out)}" if repaired.left_out else ""
    )
    with store.writing() as transaction:
        transaction.classes.add_wrapper(known.id, repaired.wrapper.to_json(), why=why)
        about = {
            **known.page_class.about,
            "repaired": True,
            "examples": urls,
            "left": STORE_RECORDS,
        }
        transaction.classes.change(known.id, sketch=pack(examples), about=about)


def _values(wrapper: Wrapper, tree: Tree) -> dict[str, tuple[str, ...]]:
    table = wrapper.apply(tree, force=True)[0]
    columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.columns)
    return {
        column.name: tuple(text for text in texts if text)[:VALUES_SHOWN]
        for column, texts in zip(table.columns, columns, strict=True)
    }


def _looks(
    store: Store,
    known: KnownClass,
    catalogue: Catalogue,
    *,
    most: int | None = None,
    searches: bool = True,
) -> tuple[list[_Look], dict[str, Tree]]:
    """Old and new looks of pages that changed their design, or on which the wrapper does not read
    what it did, and all new looks by their pages; only the first pairs where `most` is given.
    """
    looks: list[_Look] = []
    new: dict[str, Tree] = {}
    reader = known.reader

    def is_known(tree: Tree) -> bool:
        reads = not isinstance(reader, Wrapper) or not class_repair.trouble(reader, tree)
        return reads and catalogue.fits(known.id, sketch_of(tree))

    members = store.classes.members(known.id)
    urls = spread(members, PAGES_LOOKED_AT)
    seen = set(urls)
    named = [*drift_of(store).get(known.id, {})]
    searched = spread(members, MOST_PAGES_SEARCHED) if searches else []
    others = [url for url in dict.fromkeys([*named, *searched]) if url not in seen]
    newest = {url: state.newest for url, state in store.states([*urls, *others]).items()}
    for number, url in enumerate(it for it in [*urls, *others] if it in newest):
        if number == PAGES_WITHOUT_SEARCH and not (searches or named or new):
            break
        is_enough = url not in seen and bool(seen & new.keys() or len(new) >= PAGES_LOOKED_AT)
        if is_enough or (most is not None and len(looks) >= most):
            break
        tree = store.body(url, newest[url]).tree
        if is_known(tree):
            continue
        new[url] = tree
        for older in range(newest[url] - 1, max(0, newest[url] - VERSIONS_BACK), -1):
            before = store.body(url, older).tree
            if is_known(before):
                looks.append(_Look(url, older, before, newest[url], tree))
                break
    return looks, new
