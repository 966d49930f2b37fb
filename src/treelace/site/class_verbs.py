"""Classes of pages: list, propose, accept, reject, rename, merge, split, repair."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from treelace.classes.model import ClassState
from treelace.errors import UsageError
from treelace.site.base import SiteBase
from treelace.site.listings import ClassList, ClassSummary
from treelace.site.results import (
    Accepted,
    Merged,
    Rejected,
    Renamed,
    Repairable,
    Split,
)
from treelace.store import settings as site_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treelace.classes.model import PageClass
    from treelace.classes.repair import ClassRepair
    from treelace.site.class_edits import ClassEdits
    from treelace.site.page_classes import Proposed


class ClassVerbs(SiteBase):
    """What a person does to classes, and their wrappers."""

    def classes(self) -> ClassList:
        """The classes, with the number of their pages and what their wrapper gives."""
        counts = self.store.classes.counts()
        return ClassList(
            tuple(
                ClassSummary(one.name, one.state, counts.get(one.id, 0), self._gives(one))
                for one in self.store.classes.all()
                if one.state is not ClassState.REMOVED
            ),
            counts.get(None, 0),
        )

    def _gives(self, one: PageClass) -> str:
        newest = self.store.classes.newest_wrapper(one.id)
        if newest is None:
            return str(one.about.get("problem") or "no wrapper")
        from treelace.wrappers.loading import load_reader

        return repr(load_reader(newest.data))[1:-1]

    def propose(self, *, wait: bool = False) -> Proposed:
        """Proposes classes for alike pages of no class, as a crawl does at its end."""
        with self.store.writer(wait=wait):
            return self.page_classes.propose({})

    def accept(self, *names: str) -> Accepted:
        """Takes proposed classes into use: their pages' records are stored."""
        records = {}
        with self.store.writer():
            for name in names:
                self.page_classes.accept(name)
                records[name] = self.page_classes.store_records(name).count
            with self.store.writing() as transaction:
                views = transaction.make_joined_views()
        return Accepted(records, tuple(views))

    def reject(self, *names: str) -> Rejected:
        """Does without classes: pages like theirs are not proposed again."""
        for name in names:
            self.page_classes.reject(name)
        return Rejected(names)

    def rename(self, name: str, new: str) -> Renamed:
        """Renames a class with its records, their history, and the rules on them."""
        with self._editing(name) as edits:
            edits.rename(name, new)
        return Renamed(name, new)

    def merge(self, name: str, other: str) -> Merged:
        """Puts the pages of `other` into `name`; both classes' records are rebuilt."""
        with self._editing(name, other) as edits:
            return Merged(name, other, edits.merge(name, other))

    def split(self, name: str) -> Split:
        """Splits a class where its pages are least alike; the records of each are rebuilt."""
        with self._editing(name) as edits:
            return Split(*edits.split(name))

    @contextmanager
    def _editing(self, *names: str) -> Iterator[ClassEdits]:
        from treelace.site.class_edits import ClassEdits

        for section in self.settings.classes:
            if section.name in names:
                raise UsageError(
                    f"the class {section.name} stands in {site_settings.FILE}: change it there"
                )
        with self.store.writer():
            yield ClassEdits(self.store, self.page_classes)
            with self.store.writing() as transaction:
                transaction.make_joined_views()

    # repair

    def repairable(self) -> Repairable:
        """The classes in use that have a wrapper."""
        known = self.store.classes
        return Repairable(
            tuple(
                one.name
                for one in known.all()
                if one.state is ClassState.ACCEPTED and known.wrapper(one.id) is not None
            )
        )

    def repair(self, name: str, *, accept: bool = False, wait: bool = False) -> ClassRepair:
        """Repairs a class's wrapper for its pages as they look now; unproved columns are named.

        With `accept` the repaired wrapper is taken into use, and the records of the newest versions
        are stored.
        """
        from treelace.site import repairs

        catalogue = self.page_classes.catalogue()
        known = self.page_classes.known(name)
        repaired = repairs.repair(self.store, known, catalogue)
        if accept and repaired.wrapper is not None:
            with self.store.writer(wait=wait):
                repairs.take_into_use(self.store, known, catalogue, repaired)
                self.page_classes.store_records(name)
        return repaired
