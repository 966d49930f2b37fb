"""The version of a page whose records are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageVersion:
    """The version whose records are stored: page, number, time, and the class with its key."""

    page_id: int
    url: str
    version: int
    time: int
    class_id: int | None = None
    name: str = ""
    key: Sequence[str] = ()
