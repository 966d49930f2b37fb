"""Deciding: what a person does to classes that are in use. They are renamed, merged and split, and
their records go with them.

Each is one transaction: a class, its pages, its wrapper, its records and the rules on them change
together or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treelace.classes import PageClusterer
from treelace.classes.examples import EXAMPLES, MEASURE, pack, spread
from treelace.classes.learning import TAUGHT, learn, trimmed
from treelace.classes.model import Assigned, ClassState
from treelace.crawl.rebuilding import rebuild
from treelace.crawl.sorting import MOST
from treelace.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.classes.model import PageClass
    from treelace.crawl.sorting import Sorter
    from treelace.store.classes import Classes
    from treelace.store.store import Store
    from treelace.store.transaction import Transaction
    from treelace.tree import Tree


class Decider:
    """Renames, merges and splits classes."""

    def __init__(self, store: Store, classes: Classes, sorter: Sorter) -> None:
        self._store = store
        self._classes = classes
        self._sorter = sorter
        self._known = sorter.known

    def rename(self, name: str, new: str) -> None:
        """Gives a class another name; its records, their history and the rules on them are found
        under the new one.
        """
        if any(one.name == new for one in self._classes.all()):
            raise UsageError(f"there is a class {new!r} already: merge them, or take another name")
        one = self._classes.get(name)
        with self._store.writing() as transaction:
            transaction.classes.change(one.id, name=new)
            transaction.rename_kinds(one.id, name, new)
        self._known.reload()

    def merge(self, name: str, other: str) -> int:
        """Puts the pages of `other` into `name`, with a wrapper learnt anew, and `other` is gone;
        how many records came of all versions.

        `UsageError` where both have records and no wrapper reads both: then nothing is changed.
        """
        kept, lost = self._classes.get(name), self._classes.get(other)
        if kept.id == lost.id:
            raise UsageError("a class cannot be merged with itself")
        moved = self._classes.members(lost.id)
        members = [*self._classes.members(kept.id), *moved]
        examples = [
            *self._known[kept.id].examples[: EXAMPLES // 2],
            *self._known[lost.id].examples[: EXAMPLES - EXAMPLES // 2],
        ]
        wrapper, problem = self._learnt(
            [self._store.body(url).tree for url in spread(members, TAUGHT)], kept, lost
        )
        with self._store.writing() as transaction:
            records, classes = transaction.records, transaction.classes
            has_records = bool(records.kinds_of(kept.id) or records.kinds_of(lost.id))
            if has_records and wrapper is None:
                raise UsageError(
                    f"no wrapper reads the pages of {name} and of {other} ({problem}); nothing is"
                    " changed"
                )
            classes.assign(moved, kept.id)
            about = {**kept.about, "problem": problem, "merged": other}
            classes.change(kept.id, sketch=pack(examples), about=about)
            gone = f"{other} (merged into {name}, {lost.id})"
            classes.change(lost.id, state=ClassState.REMOVED, name=gone)
            if wrapper is not None:
                why = f"merged with {other}"
                classes.add_wrapper(kept.id, wrapper.to_json(), state=kept.state, why=why)
            transaction.merge_kinds(lost.id, other, name)
            is_rebuilt = has_records and kept.state is ClassState.ACCEPTED
            count = self._rebuilt(transaction, kept, wrapper, members) if is_rebuilt else 0
        self._known.reload()
        return count

    def split(self, name: str) -> list[str]:
        """Cuts a class in two where its pages are least alike; says the names. `UsageError` where
        they cannot be told apart.
        """
        one = self._classes.get(name)
        members = self._classes.members(one.id)
        trees = {url: self._store.body(url).tree for url in members[:MOST]}
        features = {url: MEASURE.features(tree) for url, tree in trees.items()}
        labels = (
            PageClusterer(2, measure=MEASURE).fit_predict(list(features.values())).tolist()
            if len(features) > 1
            else []
        )
        parts = [
            [url for url, label in zip(features, labels, strict=True) if label == number]
            for number in (0, 1)
        ]
        if not all(parts):
            raise UsageError(f"the {len(members)} pages of {name} cannot be told apart")
        examples = [[features[url] for url in spread(part, EXAMPLES)] for part in parts]
        for url in members[
            MOST:
        ]:  # too many to compare all with all: to the side they are more like
            seen = MEASURE.features(self._store.body(url).tree)
            alike = [max(MEASURE.compare(seen, example) for example in side) for side in examples]
            parts[alike[1] > alike[0]].append(url)
        wrapper, problem = self._learnt(
            [trees[url] for url in spread([url for url in parts[0] if url in trees], TAUGHT)], one
        )
        with self._store.writing() as transaction:
            has_records = bool(transaction.records.kinds_of(one.id))
            made = self._sorter.make(
                parts[1], trees, features, state=one.state, transaction=transaction
            )
            if has_records and (wrapper is None or not made.wrapper):
                raise UsageError(
                    f"no wrapper reads a part of {name} ({problem or made.problem}); nothing is"
                    " changed"
                )
            about = {**one.about, "examples": list(spread(parts[0], EXAMPLES)), "split": made.name}
            transaction.classes.change(one.id, sketch=pack(examples[0]), about=about)
            if wrapper is not None:
                why = f"{made.name} was split off"
                transaction.classes.add_wrapper(one.id, wrapper.to_json(), state=one.state, why=why)
            if has_records and one.state is ClassState.ACCEPTED:
                self._rebuilt(transaction, one, wrapper, parts[0])
                number = transaction.classes.ensure(made.name)
                other = self._known.load(made.data)
                assigned = Assigned(number, made.name, other, self._known.key_of(made.name, other))
                rebuild(transaction, self._store, assigned, parts[1])
        self._known.reload()
        return [name, made.name]

    def _learnt(self, trees: Sequence[Tree], *before: PageClass) -> tuple[Any, str]:
        """A wrapper for these pages, without columns that the classes did without before: they were
        found to be noise.
        """
        wrapper, problem = learn(trees)
        known: set[str] = set()
        for one in before:
            for stored in self._classes.wrappers(one.id)[-1:]:
                known |= {
                    column.name
                    for region in getattr(self._known.load(stored.data), "regions", ())
                    for column in region.columns
                }
        if wrapper is None or not known:
            return wrapper, problem
        columns = {column.name for column in wrapper.form.regions[0].columns}
        return (
            (trimmed(wrapper, columns - known), problem)
            if 2 * len(columns & known) >= len(columns)
            else (wrapper, problem)
        )

    def _rebuilt(
        self, transaction: Transaction, one: PageClass, wrapper: Any, members: Sequence[str]
    ) -> int:
        for kind in transaction.records.kinds_of(one.id):
            transaction.records.clear(kind.name)
        assigned = Assigned(one.id, one.name, wrapper, self._known.key_of(one.name, wrapper))
        return rebuild(transaction, self._store, assigned, members)
