"""The values of a bulk run: splits of its input, tasks, and what came of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import TypeAlias

import msgspec

from treelace.limits import DEFAULT_LIMITS, Limits

STAGE_NAMES = (
    "cut",
    "digest",
    "recall",
    "group",
    "gather",
    "learn",
    "name",
    "share",
    "read",
    "compare",
    "tally",
    "mark",
)
"""The stages in their order."""
EVERY_HOST = "@all"
"""The host of classes whose pages are of several hosts; no host has an @ in its name."""
MANIFEST = "manifest.json"
CODE_VERSION = 6
"""Of what the stages write: it is part of the name of every result, so that a run does not go on
from results that another version made. Raise it when a stage writes something else.
"""


class Split(msgspec.Struct, frozen=True):
    """A part of the input that one task reads: the bytes of a WARC file from `start` to before
    `stop` (0: to its end), such rows of a Parquet or Arrow file, or some files of a folder.
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
    """Of cutting: the source. Of recalling: a file of the earlier run."""
    since: str = ""
    """The folder or address of the run that this one goes on from."""
    is_across: bool = False
    """Of grouping: whether what is left over of its hosts is looked at with that of others."""
    shared: tuple[str, ...] = ()
    """Of reading: the names of what was gathered, and of the classes of all hosts."""
    past: tuple[str, ...] = ()
    """Names of the results that recall its bucket."""
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

    @classmethod
    def of(
        cls,
        task: Task,
        files: Iterable[str],
        counts: Mapping[str, int],
        problems: Mapping[str, int] | None = None,
        *,
        buckets: Iterable[int] = (),
        sizes: Iterable[int] = (),
    ) -> Done:
        """What came of a task, in an order that does not depend on how it was done."""
        return cls(
            task.stage,
            task.name,
            tuple(sorted(files)),
            counts,
            problems or {},
            tuple(sorted(buckets)),
            sizes=tuple(sizes),
        )


class Manifest(msgspec.Struct):
    """What is in an output folder: of which sources, by which code, and which files."""

    code: int
    sources: tuple[str, ...]
    limits: dict[str, float]
    across_hosts: bool = False
    since: str = ""
    stages: dict[str, int] = {}
    """How many tasks of each stage are done."""
    is_finished: bool = False
    files: tuple[str, ...] = ()
    counts: dict[str, int] = {}
    problems: dict[str, int] = {}

    def is_of(self, other: Manifest) -> bool:
        """Whether both are of one run: the same sources, options and code."""
        names = ("code", "sources", "limits", "across_hosts", "since")
        return all(getattr(self, name) == getattr(other, name) for name in names)


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
