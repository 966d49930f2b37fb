"""Classes of pages: list, propose, accept, reject, edit, relearn, choose columns, repair."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import msgspec

from treelace.classes.model import ClassState
from treelace.errors import UsageError
from treelace.named import pick
from treelace.site.base import SiteBase
from treelace.site.listings import ClassDetails, ClassList, ClassSummary, ColumnList
from treelace.site.results import (
    Accepted,
    Merged,
    Rejected,
    Relearnt,
    Renamed,
    Repairable,
    Split,
)
from treelace.store import settings as site_settings
from treelace.store.said_settings import chosen_columns
from treelace.store.settings import ColumnsSection

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from treelace.classes.learning import LearntKind
    from treelace.classes.model import PageClass
    from treelace.classes.repair import ClassRepair
    from treelace.site.class_edits import ClassEdits
    from treelace.site.column_trials import ColumnTrial
    from treelace.site.page_classes import Proposed
    from treelace.site.repairs import RepairExample


class ColumnWords(TypedDict, total=False):
    """What may be said about the columns of a class; see `ColumnsSection`."""

    only: Sequence[str]
    drop: Sequence[str]
    rename: Mapping[str, str] | None
    types: Mapping[str, str] | None
    select: Mapping[str, str] | None


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

    def class_details(self, name: str) -> ClassDetails:
        """A class with its columns and its kinds of records."""
        one = self.store.classes.get(name)
        stored = self.store.classes.newest_wrapper(one.id)
        return ClassDetails(
            name=one.name,
            state=one.state,
            url_pattern=one.url_pattern,
            wrapper=self._gives(one),
            wrapper_why=(stored.why or "") if stored is not None else "",
            columns=self._columns_of(name).items,
            kinds=tuple(kind.name for kind in self.store.records.kinds_of(one.id)),
        )

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
        """Puts the pages of `other` into `name`; both classes' records are rebuilt. `undo_edit`
        takes it back.
        """
        from treelace.site.class_undo import remembered

        with self._editing(name, other) as edits:
            count = remembered(
                self.store,
                f"{other} merged into {name}",
                (name, other),
                lambda: edits.merge(name, other),
            )
        return Merged(name, other, count)

    def split(self, name: str) -> Split:
        """Splits a class where its pages are least alike; the records of each are rebuilt.
        `undo_edit` takes it back.
        """
        from treelace.site.class_undo import remembered

        with self._editing(name) as edits:
            made = remembered(self.store, f"{name} split", (name,), lambda: edits.split(name))
        return Split(*made)

    def relearn(self, name: str, kind: LearntKind = "auto") -> Relearnt:
        """Learns the wrapper of a class anew: as `list`, as `detail` (one record a page), or as its
        pages speak for; its records are built anew from every version.
        """
        from treelace.site.known_drift import forget_drift

        with self._editing(name) as edits:
            count = edits.relearn(name, kind)
        forget_drift(self.store, self.store.classes.get(name).id)
        return Relearnt(name, count, self._gives(self.store.classes.get(name)))

    def columns(
        self,
        name: str,
        *,
        reset: bool = False,
        **said: Unpack[ColumnWords],
    ) -> ColumnList:
        """The columns of a class, and what becomes of them: `only` some, in this order, without
        those to `drop`, under other names, with other types, at other places in a record. What is
        said adds to what was said before; `reset` forgets that first. It is kept in
        `treelace.toml`, outlives relearning and repair, and the records are built anew.
        """
        new = self._chosen(name, said, reset=reset)
        if new != self.settings.columns.get(name, ColumnsSection()):
            self._set_columns(name, new)
        return self._columns_of(name)

    def column_choice(self, name: str) -> dict[str, Any]:
        """What was said about the columns of a class so far, as `restore_columns` takes it."""
        found: dict[str, Any] = msgspec.to_builtins(
            self.settings.columns.get(name, ColumnsSection())
        )
        return found

    def restore_columns(self, name: str, choice: Mapping[str, Any]) -> ColumnList:
        """The columns of a class by an earlier choice; the records are built anew."""
        try:
            self._set_columns(name, msgspec.convert(choice, ColumnsSection))
        except msgspec.ValidationError as error:
            raise UsageError(f"this is no choice of columns: {error}") from error
        return self._columns_of(name)

    def try_columns(
        self,
        name: str,
        *,
        pages: int = 5,
        **said: Unpack[ColumnWords],
    ) -> ColumnTrial:
        """What `columns` would make of some pages of the class; nothing is kept."""
        from treelace.site.column_trials import try_columns

        new = self._chosen(name, said)
        return try_columns(self.store, self.page_classes.known(name), new, pages)

    def _chosen(self, name: str, said: ColumnWords, *, reset: bool = False) -> ColumnsSection:
        """The choice of columns of a class with what is said now; `UsageError` where it names
        something that there is not.
        """
        only, drop, rename = said.get("only", ()), said.get("drop", ()), said.get("rename") or {}
        types, select = said.get("types") or {}, said.get("select") or {}
        old = ColumnsSection() if reset else self.settings.columns.get(name, ColumnsSection())
        new = chosen_columns(old, only, drop, rename, types, select)
        if new != old:
            self._check_columns(name, [*only, *drop, *rename], types, select)
        return new

    def _set_columns(self, name: str, section: ColumnsSection) -> None:
        self._keep_columns(name, section)
        with self._editing(name) as edits:
            edits.build_anew(name)

    def _columns_of(self, name: str) -> ColumnList:
        known = self.page_classes.known(name)
        regions = () if known.reader is None else known.reader.regions[:1]
        return ColumnList(tuple(column for region in regions for column in region.columns), name)

    def _check_columns(
        self,
        name: str,
        columns: Sequence[str],
        types: Mapping[str, str],
        select: Mapping[str, str],
    ) -> None:
        from treelace.extract.types import type_named
        from treelace.wrappers.loading import load_reader
        from treelace.wrappers.model.selectors import compiled_selector

        one = self.store.classes.get(name)
        stored = self.store.classes.newest_wrapper(one.id)
        reader = None if stored is None else load_reader(stored.data)
        known = self.page_classes.known(name).columns
        learnt = {
            it.name for region in (reader.regions[:1] if reader else ()) for it in region.columns
        }
        for column in (*columns, *types):
            pick(f"column of {name}", dict.fromkeys(sorted(known | learnt | {*select})), column)
        for said in types.values():
            type_named(said)
        for place in select.values():
            compiled_selector(place)

    def _keep_columns(self, name: str, section: ColumnsSection) -> None:
        self.write_settings(site_settings.with_columns(self.settings_text(), name, section))
        self.__dict__.pop("page_classes", None)  # made anew with the new settings

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

    def repair(
        self,
        name: str,
        *,
        accept: bool = False,
        columns: Sequence[str] | None = None,
        select: Mapping[str, str] | None = None,
        searches: bool = True,
        wait: bool = False,
    ) -> ClassRepair:
        """Repairs a class's wrapper for its pages as they look now; unproved columns are named.

        With `accept` the repaired wrapper is taken into use, and the records of the newest versions
        are stored; with `columns` only these of those that were found again. `select` gives columns
        the places inside a record that someone pointed at (`css:…`, `xpath:…`). Where none of a few
        pages changed, and no crawl named one that did, many are searched, unless not `searches`.
        """
        from treelace.site import repairs
        from treelace.site.known_drift import forget_drift
        from treelace.site.page_classes import STORE_RECORDS
        from treelace.wrappers import Wrapper

        catalogue = self.page_classes.catalogue()
        known = self.page_classes.known(name)
        repaired = repairs.repair(self.store, known, catalogue, searches=searches)
        if select and isinstance(known.reader, Wrapper):
            repairs.with_pointed(repaired, known.reader, select)
        if columns is not None:
            repairs.without(repaired, columns)
        if accept:
            with self.store.writer(wait=wait):
                if repaired.wrapper is not None:
                    repairs.take_into_use(self.store, known, catalogue, repaired)
                    forget_drift(self.store, known.id)
                if name in self.page_classes.unfinished(STORE_RECORDS):
                    self.page_classes.store_records(name)  # also of a repair that was killed
        return repaired

    def repair_example(self, name: str, repaired: ClassRepair) -> RepairExample | None:
        """A page of the class before and after, with what is read in each."""
        from treelace.site import repairs

        known = self.page_classes.known(name)
        return repairs.example_of(self.store, known, self.page_classes.catalogue(), repaired)
