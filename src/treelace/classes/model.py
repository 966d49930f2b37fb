"""The words of page classes: a class, a version of its wrapper, and what a page of it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from treelace.extract import Table
    from treelace.tree import Tree

NODE = "#node"
"""The key of records that only their nodes tell apart."""


class Applies(Protocol):
    """Anything that turns a page into tables: a `Wrapper`, or an object of yours. If `apply` takes
    `url=`, it is told the page's address.
    """

    def apply(self, page: Tree) -> list[Table]:
        """The tables of a page of its class."""


@dataclass(frozen=True, slots=True)
class PageClass:
    """Pages of one template. state: proposed, accepted, rejected. `about` is for whoever
    classifies: thresholds, members, evidence.
    """

    id: int
    name: str
    state: str
    url_pattern: str | None
    sketch: bytes | None
    about: Mapping[str, Any]
    made: datetime


@dataclass(frozen=True, slots=True)
class StoredWrapper:
    """A version of a class's wrapper, as JSON. state: proposed, accepted, rejected."""

    class_id: int
    number: int
    state: str
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
    wrapper: Applies | None
    key: tuple[str, ...] = ()
    drift: str = ""
    """Why the page is not what its class was, where it is not."""
