"""What comes of a repair: the new wrapper, and each column with the reasons for what became of
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treelace.extract import Table
    from treelace.wrappers.wrapper import Wrapper


@dataclass(frozen=True, slots=True)
class ColumnRepair:
    """What became of one column: taken over into the wrapper or left out, how sure, and why.

    `is_read`: left out of the wrapper, but the repair's table has it.
    """

    name: str
    is_restored: bool
    confidence: float
    reasons: tuple[str, ...]
    is_read: bool = False

    def __str__(self) -> str:
        what = (
            "restored"
            if self.is_restored
            else "read on this page only"
            if self.is_read
            else "left out"
        )
        return f"{self.name}: {what} ({self.confidence:.2f}): {'; '.join(self.reasons)}"


@dataclass(frozen=True, slots=True)
class Repair:
    """What came of a repair: the new wrapper (None where nothing could be proved), and each column
    with its reasons.
    """

    wrapper: Wrapper | None
    columns: tuple[ColumnRepair, ...]
    old_records: int
    new_records: int
    table: Table | None = None
    """The records of the new page as the repair reads them: surer than the new wrapper alone, since
    the old page was there to compare.
    """
    origins: tuple[int | None, ...] = ()
    """For each record of the table the number of the old record it was; None for a new one."""

    @property
    def restored(self) -> tuple[str, ...]:
        """Names of the columns that were taken over."""
        return tuple(column.name for column in self.columns if column.is_restored)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Names of the columns that could not be proved."""
        return tuple(column.name for column in self.columns if not column.is_restored)

    def __str__(self) -> str:
        head = (
            f"{len(self.restored)} of {len(self.columns)} columns restored; {self.old_records}"
            f" records before, {self.new_records} now"
        )
        return "\n".join([head, *(f"- {column}" for column in self.columns)])
