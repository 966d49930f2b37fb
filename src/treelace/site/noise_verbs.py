"""Noise that someone named: changes that are neither in the inbox nor told by the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from treelace.errors import UsageError
from treelace.named import pick
from treelace.site.inbox_verbs import ChangedCell, InboxVerbs
from treelace.site.listings import Listing
from treelace.store.said_settings import with_noise
from treelace.store.settings import NoiseSection

if TYPE_CHECKING:
    from treelace.store.record_kinds import RecordKind

MOST_SHOWN = 100
"""Changes that the trial of a noise shows."""
MOST_ROWS_TRIED = 2_000
"""Rows of a kind, the newest, that a noise is tried on."""


@dataclass(frozen=True, slots=True)
class NoiseTrial:
    """What a noise would hide: the newest of the `hidden` changes of `changes` there were, and the
    alerts that would not have been told.
    """

    noise: NoiseSection
    cells: tuple[ChangedCell, ...]
    hidden: int
    changes: int
    alerts: tuple[tuple[int, str], ...]
    is_cut: bool = False
    """Whether only the newest changes were looked at."""

    def __str__(self) -> str:
        told = f", and {len(self.alerts):,} alerts" if self.alerts else ""
        newest = "the newest " if self.is_cut else ""
        so_far = "" if self.is_cut else " so far"
        return (
            f"{noise_words(self.noise)}: hides {self.hidden:,} of {newest}{self.changes:,} changes"
            f" of {self.noise.records}{so_far}{told}"
        )


@dataclass(frozen=True, slots=True)
class NoiseChanged:
    """A noise that is hidden from now on, or not any more."""

    noise: NoiseSection
    what: str

    def __str__(self) -> str:
        return f"{noise_words(self.noise)}: {self.what}"


@dataclass(frozen=True, slots=True, repr=False)
class NoiseList(Listing[NoiseSection]):
    """What is noise, as someone said."""

    heads: ClassVar[tuple[str, ...]] = ("records", "column", "record", "like", "hides")

    def row(self, item: NoiseSection, show: Callable[[datetime | None], str]) -> tuple[object, ...]:
        """A noise."""
        del show
        return item.records, item.column, item.key, item.like, noise_words(item)


class NoiseVerbs(InboxVerbs):
    """What is noise: tried, kept, dropped."""

    def noise(self) -> NoiseList:
        """What is noise, as someone said."""
        return NoiseList(tuple(self.settings.noise))

    def noise_like(self, cell_id: str) -> list[NoiseTrial]:
        """What a change may stand for that someone calls noise, from narrow to wide, each with
        what else it would hide.
        """
        from treelace.monitor.known_noise import readings

        for kind in self.store.records.kinds():
            for cell in self.changed_cells(kind):
                if cell.id == cell_id:
                    said = readings(cell.kind, cell.column, cell.key, cell.old, cell.new)
                    return self._trials(kind, said)
        raise UsageError(f"no change {cell_id!r} is in the inbox")

    def try_noise(self, noise: NoiseSection) -> NoiseTrial:
        """What a noise would have hidden so far; nothing is kept."""
        kind = self.store.records.kind(noise.records)
        pick(f"column of {kind.name}", kind.columns, noise.column)
        return self._trials(kind, [noise])[0]

    def _trials(self, kind: RecordKind, noises: Sequence[NoiseSection]) -> list[NoiseTrial]:
        """What each of these would have hidden, from one look at the past."""
        from treelace.monitor.known_noise import hides

        is_cut = self.store.records.row_count(kind) > MOST_ROWS_TRIED
        every = list(self.changed_cells(kind, most_rows=MOST_ROWS_TRIED))
        alerts = list(self.store.alerts.alerts())
        trials = []
        for noise in noises:
            hidden = [
                it for it in every if hides(noise, it.kind, it.key, it.column, it.old, it.new)
            ]
            told = tuple((it.id, it.why) for it in alerts if _is_only(noise, it))
            shown = tuple(hidden[:MOST_SHOWN])
            trials.append(NoiseTrial(noise, shown, len(hidden), len(every), told, is_cut))
        return trials

    def keep_noise(self, noise: NoiseSection) -> NoiseChanged:
        """Hides such changes from now on, in the inbox and from the rules; kept in the settings."""
        self.try_noise(noise)
        self._set_noise([*(it for it in self.settings.noise if it != noise), noise])
        return NoiseChanged(noise, "hidden from now on")

    def drop_noise(self, noise: NoiseSection) -> NoiseChanged:
        """Shows such changes again."""
        if noise not in self.settings.noise:
            raise UsageError(f"{noise_words(noise)}: nobody has called this noise")
        self._set_noise([it for it in self.settings.noise if it != noise])
        return NoiseChanged(noise, "shown again")

    def _set_noise(self, noise: Sequence[NoiseSection]) -> None:
        self.write_settings(with_noise(self.settings_text(), noise))
        self.__dict__.pop("intake", None)  # made anew with the new settings


def noise_words(noise: NoiseSection) -> str:
    """What a noise is, in words."""
    where = f"{noise.column} of {noise.records}"
    if noise.key:
        return f"every change of {where}, of one record"
    if noise.like == "numbers":
        return f"changes of {where} in which only numbers differ"
    return f"every change of {where}"


def _is_only(noise: NoiseSection, alert: Any) -> bool:
    """Whether an alert that was told says nothing but what a noise hides."""
    from treelace.monitor.known_noise import hides

    about = alert.about
    old, new = about.get("old"), about.get("new")
    if alert.state == "suppressed" or not isinstance(old, dict) or not isinstance(new, dict):
        return False
    changed = [name for name in new if old.get(name) != new[name]]
    return bool(old and changed) and all(
        hides(noise, about.get("kind", ""), about.get("key", ""), name, old.get(name), new[name])
        for name in changed
    )
