"""The words of page classes: a class with its state, and a version of its wrapper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

NODE = "#node"
"""The key of records that only their nodes tell apart."""
PAGE = "#page"
"""In a key: the address of the page, for records that stand inside one."""
ELSE = "#else"
"""In a key: a record that has nothing in the columns before it is known by those after it."""


class ClassState(StrEnum):
    """A page class, or a version of its wrapper; only classes are ever `removed`."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class PageClass:
    """Pages of one template. `about` is for whoever classifies: examples, key, evidence."""

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
