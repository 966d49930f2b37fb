"""The values of a bulk run: splits of its input, tasks, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import TypeAlias

import msgspec

from treelace.limits import DEFAULT_LIMITS, Limits

STAGE_NAMES = ("cut", "digest", "group", "learn", "name", "share", "read", "compare")
"""The stages in their order."""
CODE_VERSION = 3
"""Of what the stages write: it is part of the name of every result, so that a run does not go on
from results that another version made. Raise it when a stage writes something else.
"""


class Split(msgspec.Struct, frozen=True):
    """A part of the input that one task reads: the bytes of a WARC file from `start` to before
    `stop` (0: to its end), a whole Parquet or Arrow file, or some files of a folder.
    """

    source: str
    kind: str
    mark: str = ""
    """Size and time of the source: another content is another split."""
    start: int = 0
    stop: int = 0
    pages: int = 0
    files: tuple[tuple[str, str, float], ...] = ()
    """Of a folder: path, address and time (seconds since 1970) of each page."""
    first: int = 0
    """Of a WARC file inside of another file: where it begins there, and how long it is."""
    length: int = 0


class Task(msgspec.Struct, frozen=True):
    """Something to do once: a stage, its input, and the name of its result."""

    stage: str
    number: int
    out: str
    """The folder or address that results go to."""
    limits: Mapping[str, float]
    split: Split | None = None
    bucket: int = 0
    buckets: int = 1
    parts: tuple[str, ...] = ()
    """Names of the results that it reads, in their order."""
    groups: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    chosen: tuple[int, ...] = ()
    """Of learning: the classes of its part, by their places."""
    place: str = ""
    """Of cutting: the source."""
    pages: int = 0
    """Pages of a split; how far a run is, is told in them."""

    @property
    def name(self) -> str:
        """Made of its input and the version of the code, so that the same work has one name."""
        facts = msgspec.msgpack.encode((CODE_VERSION, msgspec.structs.replace(self, out="")))
        return f"{self.number:06d}-{blake2b(facts, digest_size=6).hexdigest()}"

    @property
    def bounds(self) -> Limits:
        """The limits of its pages."""
        return limits_from(self.limits)


class Done(msgspec.Struct, frozen=True):
    """What came of a task: the files it wrote, counts, and what its followers need to know."""

    stage: str
    name: str
    files: tuple[str, ...] = ()
    counts: Mapping[str, int] = {}
    problems: Mapping[str, int] = {}
    """How many by reason."""
    buckets: tuple[int, ...] = ()
    splits: tuple[Split, ...] = ()
    sizes: tuple[int, ...] = ()
    """Of grouping: the pages of each class."""


Outcome: TypeAlias = Done | Exception
"""What came of a task, or why nothing did."""


def limits_to(limits: Limits) -> dict[str, float]:
    """The limits that are not the usual ones."""
    return {
        name: getattr(limits, name)
        for name in limits.__slots__
        if getattr(limits, name) != getattr(DEFAULT_LIMITS, name)
    }


def limits_from(said: Mapping[str, float]) -> Limits:
    """Limits from what `limits_to` gave."""
    usual = {name: getattr(DEFAULT_LIMITS, name) for name in DEFAULT_LIMITS.__slots__}
    return Limits(**{name: type(usual[name])(said.get(name, usual[name])) for name in usual})


def number_of(text: str) -> int:
    """63 bits of a text: the same on every machine."""
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big") >> 1
