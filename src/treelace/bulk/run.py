"""A run: the stages one after the other, from archives to tables; what is done is not done again.

    cut → digest → group → learn → name → (share →) read → compare

A task's results are written once, under a name that is made of its input and of the version of the
code; the note that it is done comes last. A run that was stopped anywhere goes on from the notes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

import msgspec

from treelace.bulk.archives import sources_in
from treelace.bulk.engines import Engine, engine
from treelace.bulk.guard import Bounds
from treelace.bulk.model import CODE_VERSION, STAGE_NAMES, Done, Split, Task, limits_to
from treelace.bulk.progress import Progress
from treelace.bulk.storage import Storage, is_far, local_path
from treelace.bulk.tasks import done_before, done_folder
from treelace.errors import StoreError, TreelaceError, UsageError
from treelace.limits import DEFAULT_LIMITS, Limits

PAGES_A_BUCKET = 20_000
"""Pages of hosts that one task groups; a host is always in one bucket, whatever its size."""
CLASSES_A_TASK = 4
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class BulkSettings:
    """How a run is done. Nothing of it changes what comes out, but `across_hosts` and `limits`."""

    on: str = "processes"
    workers: int | None = None
    until: str = "compare"
    across_hosts: bool = False
    """Whether to look for templates that several hosts share."""
    bounds: Bounds = field(default_factory=Bounds)
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run did: counts by name, problems by reason, seconds, tasks done and found done."""

    counts: dict[str, int]
    problems: dict[str, int]
    seconds: float
    tasks: int
    known: int
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What a person should know of the workers."""


class Manifest(msgspec.Struct):
    """What is in an output folder: of which sources, by which code, and which files."""

    code: int
    sources: tuple[str, ...]
    limits: dict[str, float]
    across_hosts: bool = False
    stages: dict[str, int] = {}
    """How many tasks of each stage are done."""
    is_finished: bool = False
    files: tuple[str, ...] = ()
    counts: dict[str, int] = {}
    problems: dict[str, int] = {}


def run_bulk(
    places: Sequence[str],
    out: str,
    settings: BulkSettings | None = None,
    *,
    tell: Callable[[Progress], None] = lambda _: None,
) -> Finished:
    """Turns archives into data sets below `out`."""
    said = settings or BulkSettings()
    if said.until not in STAGE_NAMES:
        raise UsageError(f"there is no stage {said.until!r}; there are: {', '.join(STAGE_NAMES)}")
    sources = sources_in(places)
    if not sources:
        raise UsageError("there is nothing to read: name a folder or a file of pages")
    with _alone(out):
        run = _Run(sources, out, said, tell)
        try:
            return run.go()
        finally:
            run.close()


class _Run:
    def __init__(
        self,
        sources: Sequence[str],
        out: str,
        settings: BulkSettings,
        tell: Callable[[Progress], None],
    ) -> None:
        self._storage = Storage(out)
        self._settings = settings
        self._tell = tell
        self._manifest = self._known_manifest(
            Manifest(
                CODE_VERSION, tuple(sources), limits_to(settings.limits), settings.across_hosts
            )
        )
        self._engine: Engine = engine(settings.on, workers=settings.workers, bounds=settings.bounds)
        self._counts: Counter[str] = Counter()
        self._problems: Counter[str] = Counter()
        self._files: list[str] = []
        self._tasks = self._known = 0
        self._buckets = 1

    def close(self) -> None:
        self._engine.close()

    def go(self) -> Finished:
        began = time.monotonic()
        for stage in (self._to_splits, self._to_classes, self._to_records):
            if not stage():
                break
        else:
            self._manifest.is_finished = True
        self._write_manifest()
        seconds = time.monotonic() - began
        return Finished(
            dict(self._counts),
            dict(self._problems),
            seconds,
            self._tasks,
            self._known,
            tuple(sorted(self._files)),
            tuple(self._engine.notes),
        )

    # the stages

    def _to_splits(self) -> bool:
        cut = self._stage("cut", [self._task("cut", at, place=it) for at, it in self._numbered()])
        self._splits: list[Split] = [split for one in cut for split in one.splits]
        pages = sum(split.pages for split in self._splits)
        self._buckets = max(1, -(-pages // PAGES_A_BUCKET))
        if self._settings.until == "cut":
            return False
        tasks = [
            self._task("digest", at, split=split, buckets=self._buckets, pages=split.pages)
            for at, split in enumerate(self._splits)
        ]
        self._digests = self._stage("digest", tasks)
        return self._settings.until != "digest"

    def _to_classes(self) -> bool:
        parts: dict[int, list[str]] = {}
        for one in self._digests:
            for bucket in one.buckets:
                parts.setdefault(bucket, []).append(one.name)
        used = sorted(parts)
        groups = self._stage(
            "group",
            [self._task("group", it, bucket=it, parts=tuple(parts[it])) for it in used],
        )
        self._groups = dict(zip(used, groups, strict=True))
        if self._settings.until == "group":
            return False
        learning: list[Task] = []
        owners: list[int] = []
        for bucket, group in self._groups.items():
            for first in range(0, len(group.sizes), CLASSES_A_TASK):
                chosen = tuple(range(first, min(first + CLASSES_A_TASK, len(group.sizes))))
                number = len(learning)
                learning.append(self._task("learn", number, parts=(group.name,), chosen=chosen))
                owners.append(bucket)
        learnt = self._stage("learn", learning)
        if self._settings.until == "learn":
            return False
        naming = [
            self._task(
                "name",
                bucket,
                parts=tuple(
                    one.name for one, its in zip(learnt, owners, strict=True) if its == bucket
                ),
            )
            for bucket in used
        ]
        self._names = dict(zip(used, self._stage("name", naming), strict=True))
        if self._settings.until == "name":
            return False
        if self._settings.across_hosts:
            parts_of_all = tuple(self._names[it].name for it in used)
            self._stage("share", [self._task("share", 0, parts=parts_of_all)])
        return self._settings.until != "share"

    def _to_records(self) -> bool:
        reading = [
            self._task(
                "read",
                at,
                split=split,
                parts=(one.name,),
                buckets=self._buckets,
                chosen=one.buckets,
                groups=tuple(self._groups[it].name for it in one.buckets),
                classes=tuple(self._names[it].name for it in one.buckets),
                pages=split.pages,
            )
            for at, (split, one) in enumerate(zip(self._splits, self._digests, strict=True))
        ]
        read = self._stage("read", reading)
        if self._settings.until == "read":
            return False
        parts: dict[int, list[str]] = {}
        for one in read:
            for bucket in one.buckets:
                parts.setdefault(bucket, []).append(one.name)
        self._stage(
            "compare",
            [self._task("compare", it, bucket=it, parts=tuple(parts[it])) for it in sorted(parts)],
        )
        return True

    def _numbered(self) -> Iterator[tuple[int, str]]:
        return iter(enumerate(self._manifest.sources))

    def _task(self, stage: str, number: int, **more: Any) -> Task:
        return Task(stage, number, self._storage.place, self._manifest.limits, **more)

    # tasks

    def _stage(self, stage: str, tasks: Sequence[Task]) -> list[Done]:
        """What came of the tasks of a stage, in their order; those that are done are not begun."""
        noted = set(self._storage.names(done_folder(stage)))
        found: dict[str, Done] = {}
        progress = Progress(stage, len(tasks), sum(task.pages for task in tasks))
        fresh = []
        for task in tasks:
            is_noted = f"{task.name}.json" in noted
            known = done_before(self._storage, task) if is_noted else None
            if known is None:
                fresh.append(task)
            else:
                found[task.name] = known
                progress.found(task, known)
        self._known += len(found)
        self._tell(progress)
        for task, outcome in self._engine.run(fresh):
            if isinstance(outcome, Exception):
                raise _failure(task, outcome)
            found[task.name] = outcome
            progress.ended(task, outcome)
            self._tell(progress)
        self._tasks += len(fresh)
        progress.is_over = True
        self._tell(progress)
        done = [found[task.name] for task in tasks]
        self._note(stage, done)
        return done

    def _note(self, stage: str, done: Sequence[Done]) -> None:
        for one in done:
            if stage in ("read", "name", "share", "compare"):
                self._counts.update(one.counts)
            self._problems.update(one.problems)
            self._files += [file for file in one.files if not file.startswith("work/")]
        self._manifest.stages[stage] = len(done)
        self._write_manifest()

    # the manifest

    def _known_manifest(self, wanted: Manifest) -> Manifest:
        try:
            known = msgspec.json.decode(self._storage.read(MANIFEST), type=Manifest)
        except FileNotFoundError:
            return wanted
        except msgspec.MsgspecError as error:
            raise StoreError(f"{self._storage.place}: {MANIFEST} is damaged: {error}") from error
        asked, had = (
            (one.code, one.sources, one.limits, one.across_hosts) for one in (wanted, known)
        )
        if asked != had:
            raise UsageError(
                f"{self._storage.place} has the results of another run (other sources, options or"
                " version): name another folder"
            )
        return known

    def _write_manifest(self) -> None:
        self._manifest.files = tuple(sorted(self._files))
        self._manifest.counts = dict(sorted(self._counts.items()))
        self._manifest.problems = dict(sorted(self._problems.items()))
        data = msgspec.json.format(msgspec.json.encode(self._manifest), indent=1)
        self._storage.write(MANIFEST, data + b"\n")


def _failure(task: Task, error: Exception) -> Exception:
    if isinstance(error, TreelaceError):
        return error
    said = " ".join(str(error).split()) or type(error).__name__
    place = f"{task.stage}, task {task.number}"
    return StoreError(f"{place}: {said}; the same command goes on from here")


@contextmanager
def _alone(out: str) -> Iterator[None]:
    """Holds an output folder; `StoreError` where another run is writing there."""
    if is_far(out):
        yield
        return
    folder = local_path(out) / "work"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("wb") as file:
        _lock(file, out)
        yield


def _lock(file: IO[bytes], out: str) -> None:
    try:
        import fcntl
    except ImportError:
        return  # no such locks on this system
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise StoreError(f"{out}: another run is writing there") from error
