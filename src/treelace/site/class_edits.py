"""Renames, merges and splits classes with their pages, wrappers, records and rules, at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from treelace._kernel import Features
from treelace.classes import edits
from treelace.classes.catalogue import KnownClass
from treelace.classes.edits import EditedClass
from treelace.classes.examples import MOST_EXAMPLES, spread
from treelace.classes.layout import LayoutSpace, sketch_of
from treelace.classes.learning import LearntKind, learn
from treelace.classes.model import ClassState
from treelace.classes.proposals import MOST_PAGES, pages_to_read, propose
from treelace.classes.record_keys import record_key
from treelace.errors import UsageError
from treelace.site.page_classes import PageClasses, add_class
from treelace.site.rebuild import rebuild
from treelace.store import Store
from treelace.store.transaction import Transaction
from treelace.tree import Tree


class ClassEdits:
    """Renames, merges and splits classes."""

    def __init__(self, store: Store, classes: PageClasses) -> None:
        self._store = store
        self._classes = classes

    def rename(self, name: str, new: str) -> None:
        """Renames a class with its records, their history, and the rules on them."""
        if any(one.name == new for one in self._store.classes.all()):
            raise UsageError(f"there is a class {new!r} already: merge them, or take another name")
        one = self._store.classes.get(name)
        with self._store.writing() as transaction:
            transaction.classes.change(one.id, name=new)
            transaction.rename_kinds(one.id, name, new)

    def merge(self, name: str, other: str) -> int:
        """Puts the pages of `other` into `name` and learns anew; how many records came of it.

        `UsageError` where both have records and no wrapper reads both: then nothing is changed.
        """
        kept, lost = self._classes.known(name), self._classes.known(other)
        moved = self._store.classes.members(lost.id)
        members = [*self._store.classes.members(kept.id), *moved]
        plan = edits.merge(kept, lost, members, self._classes.trees(pages_to_read(members)))
        with self._store.writing() as transaction:
            records, classes = transaction.records, transaction.classes
            has_records = bool(records.kinds_of(kept.id) or records.kinds_of(lost.id))
            if has_records and plan.wrapper is None:
                raise UsageError(
                    f"no wrapper reads the pages of {name} and of {other} ({plan.problem}); nothing"
                    " is changed"
                )
            classes.assign(moved, kept.id)
            gone = f"{other} (merged into {name}, {lost.id})"
            classes.change(lost.id, state=ClassState.REMOVED, name=gone)
            changed = _carry_out(transaction, kept, plan, f"merged with {other}")
            transaction.merge_kinds(lost.id, other, name)
            return self._rebuilt(transaction, changed, members) if has_records else 0

    def split(self, name: str) -> list[str]:
        """Splits a class where its pages differ most; their names. `UsageError` if they do not."""
        one = self._classes.known(name)
        members = self._store.classes.members(one.id)
        trees = {url: self._store.body(url).tree for url in members[:MOST_PAGES]}
        sketches = {url: sketch_of(tree) for url, tree in trees.items()}
        stays, leaves = self._sides(members, sketches, name)
        taken = {other.name for other in self._store.classes.all()}
        new = propose(leaves, sketches, _some(trees, leaves), taken)
        plan = edits.remainder(one, stays, sketches, _some(trees, stays), new.name)
        with self._store.writing() as transaction:
            has_records = bool(transaction.records.kinds_of(one.id))
            if has_records and (plan.wrapper is None or not new.data):
                raise UsageError(
                    f"no wrapper reads a part of {name} ({plan.problem or new.problem}); nothing is"
                    " changed"
                )
            number = add_class(transaction, new, one.page_class.state)
            changed = _carry_out(transaction, one, plan, f"{new.name} was split off")
            if has_records:
                self._rebuilt(transaction, changed, stays)
                made = replace(one.page_class, id=number, name=new.name, about=new.about)
                self._rebuilt(
                    transaction, replace(one, page_class=made, wrapper=new.data, set_key=()), leaves
                )
        return [name, new.name]

    def relearn(self, name: str, kind: LearntKind) -> int:
        """Learns the wrapper of a class anew, as a list or as one record a page where it is said;
        its records are built anew from every version. How many came of it. `UsageError` where no
        wrapper can be learnt: then nothing is changed.
        """
        one = self._classes.known(name)
        members = self._store.classes.members(one.id)
        urls = pages_to_read(members)
        trees = self._classes.trees(urls)
        wrapper, problem = learn(trees, urls, members, kind=kind)
        if wrapper is None:
            raise UsageError(f"no wrapper reads the pages of {name}: {problem}; nothing is changed")
        about = {**one.page_class.about, "problem": "", "key": record_key(wrapper, trees)}
        with self._store.writing() as transaction:
            transaction.classes.change(one.id, about=about)
            why = "learnt again" if kind == "auto" else f"learnt again, as {kind}"
            state = one.page_class.state
            transaction.classes.add_wrapper(one.id, wrapper.to_json(), state=state, why=why)
        return self.build_anew(name)

    def build_anew(self, name: str) -> int:
        """Builds the tables of a class in use anew, with the columns that it has now."""
        one = self._classes.known(name)
        members = self._store.classes.members(one.id)
        with self._store.writing() as transaction:
            transaction.drop_kinds(one.id)
            earlier = self._classes.lineage(name)[1:]
            return self._rebuilt(transaction, one, members, earlier)

    def _sides(
        self, members: Sequence[str], sketches: Mapping[str, Features], name: str
    ) -> tuple[list[str], list[str]]:
        """Two parts of a class; beyond a sample, pages go to the side they are more like."""
        sides = edits.split(sketches, name)
        some = [spread(side, MOST_EXAMPLES) for side in sides]
        urls = [url for side in some for url in side]
        examples = LayoutSpace([sketches[url] for url in urls], urls)
        for url in members[len(sketches) :]:
            sketch = sketch_of(self._store.body(url).tree)
            sides[edits.side_of(sketch, examples, len(some[0]))].append(url)
        return sides

    def _rebuilt(
        self,
        transaction: Transaction,
        one: KnownClass,
        members: Sequence[str],
        earlier: Sequence[KnownClass] = (),
    ) -> int:
        """Builds the records of a class in use anew."""
        if one.page_class.state is not ClassState.ACCEPTED:
            return 0
        for kind in transaction.records.kinds_of(one.id):
            transaction.records.clear(kind.name)
        return rebuild(transaction, self._store, one, members, earlier=earlier)


def _some(trees: Mapping[str, Tree], members: Sequence[str]) -> list[Tree]:
    return [trees[url] for url in pages_to_read([url for url in members if url in trees])]


def _carry_out(
    transaction: Transaction, one: KnownClass, plan: EditedClass, why: str
) -> KnownClass:
    """Writes down a class as it will be; and that class."""
    classes, state = transaction.classes, one.page_class.state
    classes.change(one.id, sketch=plan.sketch, about=plan.about)
    data = one.wrapper
    if plan.wrapper is not None:
        data = plan.wrapper.to_json()
        classes.add_wrapper(one.id, data, state=state, why=why)
    return replace(one, page_class=replace(one.page_class, about=plan.about), wrapper=data)
