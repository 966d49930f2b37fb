"""The words of page classes: a class, a version of its wrapper, and what a page of it is told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from treelace.wrappers.model.page_reader import PageReader

NODE = "#node"
"""The key of records that only their nodes tell apart."""


class ClassState(StrEnum):
    """A page class, or a version of its wrapper; only classes are ever `removed`."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class PageClass:
    """Pages of one template. `about` is for whoever classifies: thresholds, members, evidence."""

    id: int
    name: str
    state: ClassState
    url_pattern: str | None
    sketch: bytes | None
    about: Mapping[str, Any]
    made: datetime


@dataclass(frozen=True, slots=True)
class StoredWrapper:
    """A version of a class's wrapper, as JSON."""

    class_id: int
    number: int
    state: ClassState
    made: datetime
    why: str | None
    data: str


@dataclass(frozen=True, slots=True)
class Assigned:
    """The class of a page, what extracts its records (None: nothing does), what the records are
    called, and their key, if it is set.
    """

    class_id: int | None
    name: str
    wrapper: PageReader | None
    key: tuple[str, ...] = ()
    drift: str = ""
    """Why the page is not what its class was, where it is not."""
