"""The version of a page whose records are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageVersion:
    """The version whose records are stored: page, number, time, and the class with its key and
    those of the tables inside the page.
    """

    page_id: int
    url: str
    version: int
    time: int
    class_id: int | None = None
    name: str = ""
    key: Sequence[str] = ()
    inner_keys: Sequence[Sequence[str]] = ()

    def key_of(self, table: int) -> Sequence[str]:
        """The key of a table of the page, from 1; empty where none is known."""
        return dict(enumerate((self.key, *self.inner_keys), 1)).get(table, ())
