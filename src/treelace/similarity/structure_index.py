"""An index of pages by their structure: pages like this one, pages that contain this.

How it thinks, with a drawing: docs/explanation/structure-index.md.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from treelace import _kernel
from treelace.errors import DamagedError, UsageError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.similarity.commit_file import CommitFile
from treelace.similarity.index_plan import FoundPage, Plan, check_question
from treelace.similarity.index_segments import (
    Change,
    Segment,
    is_whole,
    removed_pages,
    segments_to_merge,
    without_pages,
    written_segment,
)
from treelace.similarity.measures.structure import Structure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treelace.tree import Tree

BATCH = 1 << 14
"""Pages that are committed together."""
EFFORT = 400_000
SHORTLIST = 1_024


class StructureIndex:
    """Pages by their structure, in one file: a million of them are searched in milliseconds.

    `search` answers with the pages most like a given one by the measure `structure`,
    `search_containing` with the pages that contain most of the facts of a given structure (a page
    or a fragment), wherever it stands in them. Both find candidates by sketches (MinHash with
    banding; an inverted file of a sample of the facts) and rank the best of them exactly, unless
    the index was made with `keeps_features=False`, which takes much less room and ranks by the
    sketches.

    Promised: every page whose sketch shares a band with that of the question is a candidate, as
    long as those are fewer than `effort`; similarities are those of `Structure()`; a page that
    contains the whole structure is a candidate of `search_containing`, within `effort`, and the
    best 512 candidates of a segment are looked at closely. Not promised: that no other page is more
    alike than those found. With s the share of slots in which two pages agree, a page is missed
    with probability (1 − s⁴)⁶³.

    Changes are committed as wholes: a process that is killed loses what it had not committed, and
    nothing else. Readers see the state they opened until they `refresh`.

    >>> import tempfile, pathlib
    >>> from treelace import parse
    >>> shop = [parse(f"<ul class=shop>{'<li class=item><b>x</b>' * n}</ul>") for n in range(1, 4)]
    >>> news = parse("<article class=story><h1>t</h1><p class=lead>x<p>y</article>")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with StructureIndex.create(pathlib.Path(folder) / "pages.index") as index:
    ...         index.add([("one", shop[0]), ("two", shop[1]), ("news", news)])
    ...         index.search(shop[2], limit=2)
    ...         index.search_containing(parse("<p class=lead>", fragment=True))
    3
    [FoundPage(name='one', similarity=1.0), FoundPage(name='two', similarity=1.0)]
    [FoundPage(name='news', similarity=1.0)]
    """

    def __init__(self, file: CommitFile, *, verify: bool) -> None:
        self._file = file
        self._load()
        if verify:
            self.verify()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        plan: Plan | None = None,
        keeps_features: bool = True,
        replace: bool = False,
    ) -> StructureIndex:
        """A new, empty index, open for writing; refuses an existing file unless `replace`."""
        plan = plan or Plan()
        _kernel.IndexBuilder(plan)  # checks it
        state = {"plan": asdict(plan), "keeps_features": keeps_features, "segments": [], "waste": 0}
        return cls(CommitFile.create(path, state, replace=replace), verify=False)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, is_writable: bool = False, verify: bool = True
    ) -> StructureIndex:
        """The index in its last whole state. `verify` reads every sketch once and compares
        checksums; features are always checked when they are used.
        """
        return cls(CommitFile.open(path, is_writable=is_writable), verify=verify)

    @property
    def plan(self) -> Plan:
        """How its pages are sketched."""
        return self._plan

    @property
    def keeps_features(self) -> bool:
        """Whether answers are ranked exactly."""
        return bool(self._file.state["keeps_features"])

    def __len__(self) -> int:
        return sum(
            segment["pages"] - segment["removed"] for segment in self._file.state["segments"]
        )

    def __contains__(self, name: str) -> bool:
        return any(self._places([name]))

    def __repr__(self) -> str:
        return f"<StructureIndex {self._file.path}: {len(self):,} pages>"

    def names(self) -> Iterator[str]:
        """The names of all pages, in the order in which they were added."""
        for segment, (view, removed) in zip(self._file.state["segments"], self._parts, strict=True):
            gone = set(removed.tolist())
            pages = (page for page in range(segment["pages"]) if page not in gone)
            while chunk := list(itertools.islice(pages, BATCH)):
                yield from _kernel.index_names(view, chunk)

    def features(self, tree: Tree) -> _kernel.Features:
        """What the index looks at: the facts of the measure `structure`."""
        return Structure().features(tree)

    # asking

    def search(
        self,
        page: Tree | _kernel.Features,
        *,
        limit: int = 10,
        at_least: float = 0.0,
        effort: int = EFFORT,
    ) -> list[FoundPage]:
        """The pages most like this one, the best first.

        At most `limit` pages that are at least `at_least` alike. `effort` is how many members of
        buckets are looked at; a question that more than so many pages agree with in some band is
        answered from the smaller buckets.
        """
        check_question(limit, at_least)
        shortlist = max(SHORTLIST, 8 * limit)
        found = _kernel.index_alike(
            self._plan,
            self._parts,
            self._file.view,
            self._as_features(page),
            limit,
            at_least,
            max(1, effort),
            shortlist,
            DEFAULT_LIMITS,
        )
        return self._named(found)

    def search_containing(
        self,
        structure: Tree | _kernel.Features,
        *,
        limit: int = 10,
        at_least: float = 0.8,
        effort: int = EFFORT,
        limits: Limits = DEFAULT_LIMITS,
    ) -> list[FoundPage]:
        """Pages with at least a share `at_least` of this structure's facts, the best first.

        A structure with fewer than 8 facts in the sample is looked for in the features of all
        pages, in time linear in the index; where features are not kept it is judged by what the
        sample has of it, and refused if that is nothing. A share near the border is estimated from
        the sample before it is computed: pages that contain everything are never missed, others
        seldom (two standard deviations of bad luck).
        """
        check_question(limit, at_least)
        found = _kernel.index_containing(
            self._plan,
            self._parts,
            self._file.view,
            self._as_features(structure),
            limit,
            at_least,
            max(1, effort),
            limits,
        )
        return self._named(found)

    def refresh(self) -> bool:
        """Goes on to what others have written since; whether there was anything."""
        is_new = self._file.refresh()
        self._load()
        return is_new

    def verify(self) -> None:
        """Reads everything but the features; `DamagedError` where it is not what was written."""
        for segment, (view, _) in zip(self._file.state["segments"], self._parts, strict=True):
            if not is_whole(view, segment):
                raise self._damaged("its bytes are not those that were written")

    # changing

    def add(self, pages: Iterable[tuple[str, Tree]]) -> int:
        """Adds pages by name, on all cores, replacing those with the same name; how many.

        Committed every 16,384 pages and at the end. An exception from the iterable leaves what was
        committed before it.
        """
        return self.add_features((name, self.features(tree)) for name, tree in pages)

    def add_features(self, pages: Iterable[tuple[str, _kernel.Features]]) -> int:
        """Adds pages by features that `features` made, here or elsewhere; how many."""
        pages = iter(pages)
        count = 0
        while batch := dict(itertools.islice(pages, BATCH)):
            builder = _kernel.IndexBuilder(self._plan)
            with self._change():
                for name, features in batch.items():
                    place = (
                        self._file.append(_kernel.index_facts(features))
                        if self.keeps_features
                        else 0
                    )
                    builder.add(name, features, place)
                self._append(builder, replaced=list(batch))
            count += len(batch)
            self._settle()
        return count

    def add_sketches(
        self,
        names: Sequence[str],
        slots: NDArray[np.uint8],
        samples: NDArray[np.uint32],
        ends: NDArray[np.uint64],
    ) -> int:
        """Adds pages by their sketches in one commit: rows of slots, and samples with their ends.

        Only for an index without features. Names must be different from each other.
        """
        if self.keeps_features:
            raise UsageError(
                "this index keeps features: sketches alone can be added to one made with"
                " keeps_features=False"
            )
        if len(set(names)) != len(names):
            raise UsageError("two pages have the same name")
        builder = _kernel.IndexBuilder(self._plan)
        builder.add_sketches(list(names), slots, samples, ends)
        with self._change():
            self._append(builder, replaced=names)
        self._settle()
        return len(names)

    def remove(self, names: Iterable[str]) -> int:
        """Removes pages by name, in one commit; how many there were."""
        with self._change():
            before = len(self)
            self._commit(self._without(list(dict.fromkeys(names))))
        self._settle()
        return before - len(self)

    def compact(self) -> None:
        """Writes the file anew, as one segment without anything that was removed or replaced."""
        with self._change():
            new = self._file.rewritten()
            try:
                keep = new.append if self.keeps_features else None
                builder = _kernel.IndexBuilder.merged(
                    self._plan,
                    self._parts,
                    self._file.view,
                    keep,
                    self._file.let_go,
                    DEFAULT_LIMITS,
                )
                segments = [written_segment(new, builder)] if len(builder) else []
                new.commit({**self._file.state, "segments": segments, "waste": 0})
                new.take_the_place_of(self._file)
            except BaseException:
                new.close()
                new.path.unlink(missing_ok=True) if new.path != self._file.path else None
                raise
            self._file = new
            self._load()

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

    def __enter__(self) -> StructureIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # inside

    def _load(self) -> None:
        state, view = self._file.state, self._file.view
        self._plan = Plan(**state["plan"])
        self._parts: list[tuple[NDArray[np.uint8], NDArray[np.uint32]]] = []
        for segment in state["segments"]:
            removed = removed_pages(view, segment)
            if removed is None:
                raise self._damaged("its list of removed pages is not what was written")
            self._parts.append((view[segment["at"] : segment["at"] + segment["length"]], removed))

    def _damaged(self, why: str) -> DamagedError:
        return DamagedError(
            f"{self._file.path}: this index is damaged: {why}; take a copy, or build it again"
        )

    def _as_features(self, page: Tree | _kernel.Features) -> _kernel.Features:
        return page if isinstance(page, _kernel.Features) else self.features(page)

    def _named(self, found: list[tuple[int, int, float]]) -> list[FoundPage]:
        return [
            FoundPage(_kernel.index_names(self._parts[part][0], [page])[0], value)
            for part, page, value in found
        ]

    def _places(self, names: list[str]) -> list[set[int]]:
        """For each part the numbers of the pages with these names that are not removed."""
        found = _kernel.index_named([view for view, _ in self._parts], names)
        return [
            set(pages).difference(removed.tolist()) if pages else set()
            for pages, (_, removed) in zip(found, self._parts, strict=True)
        ]

    def _change(self) -> Change:
        if not self._file.is_writable:
            raise UsageError(
                f"{self._file.path}: this index is open for reading; open it with is_writable=True"
            )
        return Change(self._file)

    def _without(self, names: list[str]) -> list[Segment]:
        """The segments of the state, with these pages marked as removed."""
        segments, places = self._file.state["segments"], self._places(names)
        return [
            without_pages(self._file, segment, removed, gone)
            for segment, (_, removed), gone in zip(segments, self._parts, places, strict=True)
        ]

    def _append(self, builder: _kernel.IndexBuilder, *, replaced: Sequence[str]) -> None:
        segments = self._without(list(replaced))
        segments.append(written_segment(self._file, builder))
        self._commit(segments)

    def _commit(self, segments: list[Segment], *, waste: int = 0) -> None:
        self._file.commit(
            {**self._file.state, "segments": segments, "waste": self._file.state["waste"] + waste}
        )
        self._load()

    def _settle(self) -> None:
        """Merges segments of about one size, and rewrites the file when most of it is waste."""
        while chosen := segments_to_merge(self._file.state["segments"]):
            parts = [self._parts[number] for number in chosen]
            segments = self._file.state["segments"]
            with self._change():
                builder = _kernel.IndexBuilder.merged(
                    self._plan, parts, self._file.view, None, self._file.let_go, DEFAULT_LIMITS
                )
                kept = [segment for number, segment in enumerate(segments) if number not in chosen]
                if len(builder):
                    kept.insert(chosen[0], written_segment(self._file, builder))
                self._commit(kept, waste=sum(segments[number]["length"] for number in chosen))
        live = sum(segment["length"] for segment in self._file.state["segments"])
        if self._file.state["waste"] > max(3 * live, 1 << 26):
            self.compact()
