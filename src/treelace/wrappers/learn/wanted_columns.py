"""Which fields of detail pages are worth a column: no copies, no counters, nothing rare."""

from __future__ import annotations

from collections.abc import Sequence

from treelace.tree import Tree
from treelace.wrappers.learn.fields import Field
from treelace.wrappers.learn.pattern import FilledPattern
from treelace.wrappers.learn.ranking import nearness
from treelace.wrappers.learn.text_blocks import block_text
from treelace.wrappers.model.text_shapes import has_letters, masked_digits

MIN_LABELLED_PAGES, MIN_FILL = 2, 0.25
"""Pages that must have a field with a label, and share of the pages that must have another."""

MIN_COUNTER_FILL, MIN_COUNTER_WORDS, MIN_NEARNESS = 0.8, 3, 0.5
"""Share of pages that have a counter; words of its sentence; how near to the first field a number
is none.
"""

MIN_COPY = 0.95
"""Share of equal texts from which on a field is a copy of another one."""


def worth_a_column(
    filled: FilledPattern, fields: Sequence[Field], trees: Sequence[Tree]
) -> list[Field]:
    """The fields that recur and say something that no field before them says; one image."""
    kept: list[Field] = []
    for field in fields:
        least = MIN_LABELLED_PAGES if field.label else MIN_FILL * filled.count
        is_rare = filled.count > MIN_LABELLED_PAGES and len(field.texts) < max(
            least, MIN_LABELLED_PAGES
        )
        is_further = field.is_image and any(other.is_image for other in kept)
        if not (
            is_rare
            or is_further
            or _is_far_constant(filled, field, fields[0].rows[0])
            or _is_counter(filled, field, fields[0].rows[0], trees)
            or any(_is_copy(field, other) for other in kept)
        ):
            kept.append(field)
    return kept


def _is_far_constant(filled: FilledPattern, field: Field, first: int) -> bool:
    """Whether a price is the same on all pages and far from the likeliest field: an empty cart."""
    return (
        field.label == "price"
        and field.varied * len(field.texts) <= 1
        and nearness(filled, field.rows[0], first) < MIN_NEARNESS
    )


def _is_counter(filled: FilledPattern, field: Field, first: int, trees: Sequence[Tree]) -> bool:
    """Whether a field is the number in a sentence that is the same on all pages but for it, far
    from the likeliest field: so many people look at this shop.
    """
    if (
        len(set(map(masked_digits, field.texts.values()))) > 1
        or len(field.texts) < MIN_COUNTER_FILL * filled.count
        or field.is_image
        or nearness(filled, field.rows[0], first) >= MIN_NEARNESS
    ):
        return False
    lines = {masked_digits(block_text(trees[page], node)) for page, node in field.nodes.items()}
    words = [word for word in lines.pop().split() if has_letters(word)]
    return not lines and len(words) >= MIN_COUNTER_WORDS


def _is_copy(field: Field, other: Field) -> bool:
    """Whether a field says what another one says wherever it says something."""
    same = sum(other.texts.get(record) == text for record, text in field.texts.items())
    return field.varied > 0 and same >= MIN_COPY * len(field.texts) and not field.is_constant
