"""Wrappers read one kind of page: learnt from pages, applied to others, checked, repaired."""

from __future__ import annotations

from treelace.wrappers.apply.health import ColumnHealth, Health
from treelace.wrappers.apply.other_readers import ForeignWrapper
from treelace.wrappers.model.page_reader import PageReader
from treelace.wrappers.repair.verdict import ColumnRepair
from treelace.wrappers.wrapper import Repair, Wrapper

__all__ = [
    "ColumnHealth",
    "ColumnRepair",
    "ForeignWrapper",
    "Health",
    "PageReader",
    "Repair",
    "Wrapper",
]
