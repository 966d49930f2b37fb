"""What a field of a detail page is called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from treelace.extract.columns.naming import LAYOUT_WORDS
from treelace.named import unique_names
from treelace.wrappers.model.text_shapes import MAX_NAME_LENGTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.wrappers.learn.fields import Field
    from treelace.wrappers.learn.filled_pattern import FilledPattern


_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])


def name_fields(filled: FilledPattern, fields: Sequence[Field], given: Sequence[str] = ()) -> None:
    """A name for each field: `itemprop`, its label, a class word, `title` for headings, the tag;
    equal names, also those `given`, are numbered.
    """
    for field, name in zip(
        fields, unique_names((_name(filled, field) for field in fields), taken=given), strict=True
    ):
        field.name = name


def _name(filled: FilledPattern, field: Field) -> str:
    row = field.rows[0]
    chain = [row, *filled.above(row)[:3]]
    for at in chain[:2]:
        for key in filled.rows[at].keys:
            if key.startswith("@"):
                return re.split(r"[:/]", key[1:])[-1]
    label = field.label.strip(" :\u00a0-–|*.")
    if 1 < len(label) <= MAX_NAME_LENGTH:
        return label
    for at in chain[:3]:
        if filled.rows[at].tag in _HEADINGS:
            return "title"
        for key in sorted(filled.rows[at].keys):
            words = [
                word.lower()
                for word in re.findall(r"[A-Za-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key))
            ]
            words = [word for word in words if len(word) > 2 and word not in LAYOUT_WORDS]
            if words and key[0] in ".#":
                return " ".join(words[-2:])
    if field.is_image:
        return "image"
    return next((filled.rows[at].tag for at in chain[1:] if filled.rows[at].tag != "#root"), "text")
