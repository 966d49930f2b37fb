"""How a column is judged after a repair, by what each old cell's element became.

- A given cell is right if its element is what the old cell's element became, or if it has the same
  text, digits aside, in the same record (a text with three letters at least: one that is only
  digits must be in the right element).
- A cell is undamaged if its element is still there, and before digits and words were changed had
  the same text.
- A column is restored if at least 95 % of the given cells are right and 90 % of the undamaged ones
  are given and right.
- A column holds another field if more than 5 % of its given cells are what cells of another column
  became.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treelace import Table
from treelace.tree import Node, Tree


@dataclass
class Column:
    """What came of the cells of the column `number` of the old table."""

    number: int
    there: int = 0
    given: int = 0
    wrong: int = 0
    undamaged: int = 0
    kept: int = 0
    foreign: int = 0
    misses: list[tuple[str | None, str | None]] = field(default_factory=list)

    def add(
        self, old: Any, made: Any, home: int | None, unchanged: Tree, column_of: Mapping[int, int]
    ) -> None:
        """Judges what was `made` of an `old` cell whose element became `home`; `unchanged`: the new
        page before its digits and words changed.
        """
        is_given, is_fine = made is not None, is_right(old, made, home)
        is_whole = (
            old is not None and home is not None and has_text(unchanged.element(home), old.text)
        )
        self.there += old is not None
        self.given += is_given
        self.wrong += is_given and not is_fine
        self.foreign += (
            is_given and not is_fine and column_of.get(index_of(made), self.number) != self.number
        )
        self.undamaged += is_whole
        self.kept += is_whole and is_fine
        if (is_given or is_whole) and not is_fine:
            self.misses.append(
                (
                    old.text[:40] if old is not None else None,
                    made.text[:40] if made is not None else None,
                )
            )

    @property
    def is_restored(self) -> bool:
        """Whether nearly all that is given is right, and most of what is undamaged is given."""
        return (
            self.given > 0 and self.wrong <= 0.05 * self.given and self.kept >= 0.9 * self.undamaged
        )

    @property
    def holds_another(self) -> bool:
        """Whether too many cells are those of another column."""
        return self.given > 0 and self.foreign > 0.05 * self.given

    def __str__(self) -> str:
        return (
            f"{self.there} there, given {self.given}, wrong {self.wrong}, undamaged"
            f" {self.undamaged}, kept {self.kept}, {self.misses[:4]}"
        )


def columns_of(before: Table, became: Mapping[int, int]) -> dict[int, int]:
    """The column of the old table whose cell an element of the new page was."""
    cells = [
        (index_of(cell), number)
        for row in before.cells
        for number, cell in enumerate(row)
        if cell is not None
    ]
    return {became[index]: number for index, number in cells if index in became}


def is_right(old: Any, made: Any, home: int | None) -> bool:
    """Whether a cell is what became of the old one."""
    if old is None or made is None:
        return False
    return index_of(made) == home or (has_words(old.text) and masked(made.text) == masked(old.text))


def index_of(cell: Any) -> int:
    """The element of a cell; -1 where it is none."""
    index = cell.node.element_index
    return -1 if index is None else index


def has_words(text: str) -> bool:
    """Whether a text can be known again when its digits change."""
    return sum(map(str.isalpha, text)) >= 3


def masked(text: str) -> str:
    """A text with its digits made alike."""
    return re.sub(r"[0-9]", "0", " ".join(text.split()))


def has_text(element: Node, text: str) -> bool:
    """Whether an element still says what its cell said."""
    return " ".join(text.split()) in " ".join(element.text.split()) or (
        element.tag == "img" and text.endswith(element.attribute("src") or "?")
    )
