"""Repairs a class's wrapper from stored versions of its pages, and takes it into use."""

from __future__ import annotations

from treelace.classes import repair as class_repair
from treelace.classes.catalogue import Catalogue, KnownClass
from treelace.classes.examples import MOST_EXAMPLES, pack, spread
from treelace.classes.layout import sketch_of
from treelace.classes.repair import ClassRepair
from treelace.errors import UsageError
from treelace.store import Store
from treelace.tree import Tree
from treelace.wrappers import Wrapper

PAGES_LOOKED_AT = 30
"""Pages of a class that are looked at for a change of design."""
VERSIONS_BACK = 20
"""Versions to go back for one that fitted."""


def repair(store: Store, known: KnownClass, catalogue: Catalogue) -> ClassRepair:
    """Tries to repair a class's wrapper, changing nothing; `UsageError` if nothing can be."""
    if known.wrapper is None:
        raise UsageError(f"{known.name} has no wrapper to repair")
    wrapper = known.reader
    if not isinstance(wrapper, Wrapper):
        raise UsageError(f"{known.name}: what extracts its records cannot be repaired")
    pairs, new = _looks(store, known, catalogue)
    return class_repair.repair(known.name, wrapper, pairs, list(new.values()))


def take_into_use(
    store: Store, known: KnownClass, catalogue: Catalogue, repaired: ClassRepair
) -> None:
    """Takes a repaired wrapper into use, and knows the class by its pages' new looks."""
    if repaired.wrapper is None:
        raise UsageError(f"{repaired.name}: there is nothing to accept")
    _, new = _looks(store, known, catalogue)
    urls = spread(list(new), MOST_EXAMPLES)
    examples = [sketch_of(new[url]) for url in urls]
    why = f"repaired: {len(repaired.restored)} columns restored" + (
        f", without {', '.join(repaired.left_out)}" if repaired.left_out else ""
    )
    with store.writing() as transaction:
        transaction.classes.add_wrapper(known.id, repaired.wrapper.to_json(), why=why)
        about = {**known.page_class.about, "repaired": True, "examples": urls}
        transaction.classes.change(known.id, sketch=pack(examples), about=about)


def _looks(
    store: Store, known: KnownClass, catalogue: Catalogue
) -> tuple[list[tuple[Tree, Tree]], dict[str, Tree]]:
    """Old and new looks of pages that changed their design, or on which the wrapper does not read
    what it did, and all new looks by their pages.
    """
    pairs, new = [], {}
    reader = known.reader

    def is_known(tree: Tree) -> bool:
        reads = not isinstance(reader, Wrapper) or not class_repair.trouble(reader, tree)
        return reads and catalogue.fits(known.id, sketch_of(tree))

    urls = spread(store.classes.members(known.id), PAGES_LOOKED_AT)
    newest = {url: state.newest for url, state in store.states(urls).items()}
    for url in urls:
        tree = store.body(url, newest[url]).tree
        if is_known(tree):
            continue
        new[url] = tree
        for number in range(newest[url] - 1, max(0, newest[url] - VERSIONS_BACK), -1):
            before = store.body(url, number).tree
            if is_known(before):
                pairs.append((before, tree))
                break
    return pairs, new
