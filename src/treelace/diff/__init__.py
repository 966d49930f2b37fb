"""What changed: a delta that turns one tree into another, and back."""

from __future__ import annotations

from treelace.diff.delta import Delta
from treelace.diff.differ import diff
from treelace.diff.ignore import Ignore
from treelace.diff.merge_model import Conflict, Merged
from treelace.diff.operations import (
    Attribute,
    Delete,
    Edit,
    Insert,
    Move,
    Operation,
    Place,
    Rename,
    Reorder,
    Update,
)
from treelace.diff.three_way_merge import merge
from treelace.diff.xids import Xids

__all__ = [
    "Attribute",
    "Conflict",
    "Delete",
    "Delta",
    "Edit",
    "Ignore",
    "Insert",
    "Merged",
    "Move",
    "Operation",
    "Place",
    "Rename",
    "Reorder",
    "Update",
    "Xids",
    "diff",
    "merge",
]
