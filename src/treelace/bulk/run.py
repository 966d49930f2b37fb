"""A run: the stages one after the other, from archives to tables; what is done is not done again.

    cut → digest → (recall →) group → (gather →) learn → name → (share →) read → compare
        → tally → mark

A task's results are written once, under a name that is made of its input and of the version of the
code; the note that it is done comes last. A run that was stopped anywhere goes on from the notes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from treelace.bulk.alone import alone
from treelace.bulk.archives import sources_in
from treelace.bulk.engines import Engine, engine
from treelace.bulk.group import CLASSES_A_FILE
from treelace.bulk.guard import Bounds
from treelace.bulk.model import (
    CODE_VERSION,
    EVERY_HOST,
    MANIFEST,
    STAGE_NAMES,
    Done,
    Manifest,
    Split,
    Task,
    limits_to,
    number_of,
)
from treelace.bulk.past import files_of_past
from treelace.bulk.progress import Progress
from treelace.bulk.storage import Storage
from treelace.bulk.tasks import done_before, done_folder
from treelace.errors import StoreError, TreelaceError, UsageError
from treelace.limits import DEFAULT_LIMITS, Limits

PAGES_A_BUCKET = 20_000
"""Pages of hosts that one task groups; a host is always in one bucket, whatever its size."""


@dataclass(frozen=True, slots=True)
class BulkSettings:
    """How a run is done. What comes out depends on `across_hosts`, `since` and `limits` alone."""

    on: str = "processes"
    workers: int | None = None
    until: str = STAGE_NAMES[-1]
    across_hosts: bool = False
    """Whether pages that are alike on several hosts make classes, and templates are looked for."""
    since: str = ""
    """A finished run that this one goes on from: its classes are kept, and compared with it."""
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
    with alone(out):
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
                CODE_VERSION,
                tuple(sources),
                limits_to(settings.limits),
                settings.across_hosts,
                settings.since,
            )
        )
        self._past_files = files_of_past(settings.since) if settings.since else []
        self._engine: Engine = engine(settings.on, workers=settings.workers, bounds=settings.bounds)
        self._counts: Counter[str] = Counter()
        self._problems: Counter[str] = Counter()
        self._files: list[str] = []
        self._tasks = self._known = 0
        self._buckets = 1
        self._shared: tuple[str, ...] = ()

    def close(self) -> None:
        self._engine.close()

    def go(self) -> Finished:
        began = time.monotonic()
        for stage in (self._to_splits, self._to_past, self._to_classes, self._to_records):
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

    def _to_past(self) -> bool:
        recalled = self._stage(
            "recall",
            [
                self._task("recall", at, place=file, buckets=self._buckets)
                for at, file in enumerate(self._past_files)
            ],
        )
        known = list(zip(self._past_files, recalled, strict=True))
        self._past_classes = _by_bucket(it for file, it in known if file.startswith("classes/"))
        self._past_pages = _by_bucket(it for file, it in known if file.startswith("pages/"))
        return self._settings.until != "recall"

    def _to_classes(self) -> bool:
        is_across = self._settings.across_hosts
        parts = _by_bucket(self._digests)
        every = {number_of(EVERY_HOST) % self._buckets} if is_across else set()
        used = sorted({*parts, *self._past_classes, *every})
        groups = self._stage(
            "group",
            [
                self._task(
                    "group",
                    it,
                    bucket=it,
                    parts=parts.get(it, ()),
                    past=self._past_classes.get(it, ()),
                    is_across=is_across,
                )
                for it in used
            ],
        )
        self._groups = dict(zip(used, groups, strict=True))
        if self._settings.until == "group":
            return False
        to_learn = list(self._groups.items())
        names = tuple(one.name for one in groups)
        gathering = [
            self._task("gather", it, bucket=it, parts=names, past=self._past_classes.get(it, ()))
            for it in every
        ]
        gathered = self._stage("gather", gathering)
        to_learn += zip(every, gathered, strict=True)
        if self._settings.until == "gather":
            return False
        return self._to_wrappers(to_learn, gathered)

    def _to_wrappers(self, groups: Sequence[tuple[int, Done]], gathered: Sequence[Done]) -> bool:
        learning: list[Task] = []
        owners: list[int] = []
        for bucket, group in groups:
            for first in range(0, len(group.sizes), CLASSES_A_FILE):
                chosen = tuple(range(first, min(first + CLASSES_A_FILE, len(group.sizes))))
                number = len(learning)
                learning.append(self._task("learn", number, parts=(group.name,), chosen=chosen))
                owners.append(bucket)
        learnt = self._stage("learn", learning)
        if self._settings.until == "learn":
            return False
        parts_of: dict[int, list[str]] = {}
        for one, bucket in zip(learnt, owners, strict=True):
            parts_of.setdefault(bucket, []).append(one.name)
        naming = [
            self._task(
                "name",
                bucket,
                parts=tuple(parts_of.get(bucket, ())),
                bucket=bucket,
                past=self._past_classes.get(bucket, ()),
            )
            for bucket in self._groups
        ]
        self._names = dict(zip(self._groups, self._stage("name", naming), strict=True))
        if self._settings.until == "name":
            return False
        for one in gathered:
            self._shared = (one.name, self._names[number_of(EVERY_HOST) % self._buckets].name)
            parts_of_all = tuple(named.name for named in self._names.values())
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
                shared=self._shared,
                pages=split.pages,
            )
            for at, (split, one) in enumerate(zip(self._splits, self._digests, strict=True))
        ]
        read = self._stage("read", reading)
        if self._settings.until == "read":
            return False
        parts = _by_bucket(read)
        compared = self._stage(
            "compare",
            [
                self._task(
                    "compare", it, bucket=it, parts=parts[it], past=self._past_pages.get(it, ())
                )
                for it in sorted(parts)
            ],
        )
        return self._settings.until != "compare" and self._to_changes(compared)

    def _to_changes(self, compared: Sequence[Done]) -> bool:
        names = tuple(one.name for one in compared)
        tally = self._stage("tally", [self._task("tally", 0, parts=names)] if names else [])
        if self._settings.until == "tally":
            return False
        marking = [
            self._task("mark", at, parts=(name, one.name))
            for one in tally
            for at, name in enumerate(names)
        ]
        self._stage("mark", marking)
        return True

    def _numbered(self) -> Iterator[tuple[int, str]]:
        return iter(enumerate(self._manifest.sources))

    def _task(self, stage: str, number: int, **more: Any) -> Task:
        since = self._settings.since
        return Task(stage, number, self._storage.place, self._manifest.limits, since=since, **more)

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
            if stage in ("read", "name", "share", "mark"):
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
        if not known.is_of(wanted):
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


def _by_bucket(done: Iterable[Done]) -> dict[int, tuple[str, ...]]:
    """The names of the results that each bucket has, in the order of their tasks."""
    found: dict[int, list[str]] = {}
    for one in done:
        for bucket in one.buckets:
            found.setdefault(bucket, []).append(one.name)
    return {bucket: tuple(names) for bucket, names in found.items()}


def _failure(task: Task, error: Exception) -> Exception:
    if isinstance(error, TreelaceError):
        return error
    said = " ".join(str(error).split()) or type(error).__name__
    place = f"{task.stage}, task {task.number}"
    return StoreError(f"{place}: {said}; the same command goes on from here")
