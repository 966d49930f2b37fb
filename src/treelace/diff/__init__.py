"""What changed: a delta that turns one tree into another, and back."""

from __future__ import annotations

from treelace.diff.delta import Attribute, Delete, Delta, Insert, Update
from treelace.diff.differ import diff

__all__ = ["Attribute", "Delete", "Delta", "Insert", "Update", "diff"]
