"""Boxes: where every element of a page stands on the screen."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from treelace.errors import UsageError
from treelace.tree import Tree


class Box(NamedTuple):
    """A rectangle in CSS pixels; `x` and `y` are from the left and the top of the page."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Where it ends, from the left."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Where it ends, from the top."""
        return self.y + self.height

    @property
    def has_area(self) -> bool:
        """Whether there is anything to see: an empty paragraph has a place, but no area."""
        return self.width > 0 and self.height > 0

    def overlaps(self, other: Box) -> bool:
        """Whether the two share some area."""
        return (
            self.x < other.right
            and other.x < self.right
            and self.y < other.bottom
            and other.y < self.bottom
        )

    def contains(self, other: Box, *, slack: float = 1.0) -> bool:
        """Whether the other box lies inside; `slack` pixels are allowed, as browsers round."""
        is_in = self.x - slack <= other.x and other.right <= self.right + slack
        return is_in and self.y - slack <= other.y and other.bottom <= self.bottom + slack

    def gap(self, other: Box) -> float:
        """Space to another box: vertical if they share no line, else beside; 0 if they touch."""
        vertical = max(other.y - self.bottom, self.y - other.bottom)
        horizontal = max(other.x - self.right, self.x - other.right)
        return max(0.0, vertical if vertical >= 0 else horizontal)


@dataclass(frozen=True, slots=True)
class Boxes:
    """The box of each rendered element, by element index, and the size of the window.

    The file form is JSON: `{"viewport": [1280, 1024], "boxes": [[x, y, width, height], null, …]}`,
    one entry for each element, in the order of their indexes; null (or all noughts) for what is not
    rendered.

    >>> boxes = Boxes.from_json('{"viewport": [800, 600], "boxes": [[0, 0, 800, 50], null]}')
    >>> boxes.by_element
    {0: Box(x=0.0, y=0.0, width=800.0, height=50.0)}
    """

    by_element: Mapping[int, Box]
    viewport: tuple[float, float]
    count: int
    """How many elements the page has, rendered or not."""

    @classmethod
    def from_json(cls, text: str) -> Boxes:
        """Reads the file form; what is not in it is named."""
        try:
            form = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"a box file is JSON: {error}") from error
        if not isinstance(form, dict) or not isinstance(form.get("boxes"), list):
            raise UsageError(
                'a box file is {"viewport": [width, height], "boxes": [[x, y, width, height],'
                " null, …]}"
            )
        viewport = form.get("viewport")
        if not (
            isinstance(viewport, list)
            and len(viewport) == 2
            and all(_is_number(one) for one in viewport)
        ):
            raise UsageError(f"a box file has a viewport [width, height], not {str(viewport)[:60]}")
        made = {}
        for number, entry in enumerate(form["boxes"]):
            if entry is None:
                continue
            if not (
                isinstance(entry, list)
                and len(entry) == 4
                and all(_is_number(one) for one in entry)
            ):
                raise UsageError(
                    f"box {number} is [x, y, width, height] or null, not {str(entry)[:60]}"
                )
            if any(entry):
                made[number] = Box(*map(float, entry))
        return cls(made, (float(viewport[0]), float(viewport[1])), len(form["boxes"]))

    def to_json(self) -> str:
        """The file form."""
        entries = [
            list(box) if (box := self.by_element.get(number)) else None
            for number in range(self.count)
        ]
        return json.dumps({"viewport": list(self.viewport), "boxes": entries})

    def of(self, tree: Tree) -> dict[int, Box]:
        """The boxes by node index of a tree; `UsageError` for another number of elements."""
        elements = [node.index for node in tree.elements]
        if len(elements) != self.count:
            raise UsageError(
                f"these boxes are of a page with {self.count:,} elements, this one has"
                f" {len(elements):,}: render it again"
            )
        return {elements[number]: box for number, box in self.by_element.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
