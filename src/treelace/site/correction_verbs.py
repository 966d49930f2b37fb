"""Corrections by people: columns pointed at, and what they change in the whole past."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from treelace.errors import UsageError
from treelace.site.class_verbs import ClassVerbs, ColumnWords

if TYPE_CHECKING:
    from collections.abc import Callable

    from treelace.classes.repair import ClassRepair
    from treelace.site.class_undo import Edit, Undone
    from treelace.site.history_trials import HistoryTrial
    from treelace.site.pointing import Pointed


class CorrectionVerbs(ClassVerbs):
    """What a person corrects, seen before it is kept."""

    def try_history(
        self,
        name: str,
        *,
        seconds: float | None = None,
        on_count: Callable[[HistoryTrial], None] | None = None,
        **said: Unpack[ColumnWords],
    ) -> HistoryTrial:
        """Which cells of which versions `columns` would change: every version of every page of the
        class is read again, as it is and as it would be; nothing is kept. Stops after so many
        `seconds` of computing; `on_count` hears of the counts from time to time.
        """
        from treelace.site.column_trials import choice_of, learnt_columns
        from treelace.site.history_trials import try_history

        before = choice_of(self.settings.columns.get(name))
        after = choice_of(self._chosen(name, said))
        names = {
            before.new_name(column): after.new_name(column)
            for column in learnt_columns(self.store, name)
        }
        old = self.page_classes.lineage(name)
        new = self.page_classes.with_choice(name, after).lineage(name)
        return try_history(self.store, old, new, names, seconds=seconds, on_count=on_count)

    def point_repair(self, repaired: ClassRepair, url: str, node: int) -> Pointed:
        """Where a node of the newest version of a page stands in the records as the repaired
        wrapper finds them: a selector for `repair(select=…)`.
        """
        from treelace.site.pointing import point

        if repaired.wrapper is None:
            raise UsageError(
                f"{repaired.name}: no record is found on the new pages, so no place in one"
            )
        tree = self.store.body(url).tree
        table = repaired.wrapper.apply(tree, force=True, url=url, limits=self.limits)[0]
        return point(table, tree, node, is_for_a_column=True)

    def edits(self) -> list[Edit]:
        """Merges and splits that can be taken back, oldest first."""
        from treelace.site.class_undo import edits_of

        return edits_of(self.store)

    def undo_edit(self, number: int | None = None) -> Undone:
        """Takes a merge or a split back, by default the last one: classes, pages, wrappers and
        rules are what they were, and the records are built anew. `UsageError` where a class was
        learnt anew or repaired since.
        """
        from treelace.site.class_undo import undo

        with self._editing() as edits:
            return undo(self.store, number, edits.build_anew)

    def point_column(self, name: str, url: str, node: int) -> Pointed:
        """Where a node of the newest version of a page stands in the records of its class: the
        column it is already, or a selector for `columns(select=…)`.
        """
        from treelace.site.pointing import point_in

        return point_in(self.page_classes.known(name), self.store.body(url).tree, url, node)
