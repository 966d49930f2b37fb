"""Pages from outside: what a source of pages gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """One answer for one URL at one moment."""

    url: str
    time: datetime
    """When, in UTC."""
    status: int
    body: bytes
    content_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()
