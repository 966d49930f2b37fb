"""The page classes of a site: loaded from the store, and decisions about them written there.

What makes a class, and what becomes of it, is decided in `classes`, on values; here it is carried
out, each decision in one transaction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from treelace._kernel import Features
from treelace.classes.catalogue import Catalogue, KnownClass
from treelace.classes.column_choice import ColumnChoice
from treelace.classes.drift import RefusedRecordsError, read_page
from treelace.classes.examples import MOST_EXAMPLES, is_outdated, pack, spread
from treelace.classes.layout import sketch_of
from treelace.classes.learning import learn, noisy_columns, without_columns
from treelace.classes.model import ClassState, PageClass
from treelace.classes.proposals import (
    FEWEST_PAGES,
    Proposal,
    alike_pages,
    pages_to_read,
    propose,
    sample,
)
from treelace.classes.shared_template import join_templates
from treelace.errors import WrapperError
from treelace.site.configured import ConfiguredClasses
from treelace.store import Store
from treelace.store.page_version import PageVersion
from treelace.store.plain_tables import plain_tables
from treelace.store.states import ChangeKind
from treelace.store.transaction import Transaction
from treelace.tree import Tree
from treelace.wrappers import Wrapper
from treelace.wrappers.loading import load_reader
from treelace.wrappers.model.page_reader import reads_one_record

PAGES_SEEN_TWICE = 6
"""Pages of a new class that are fetched a second time: what differs within a minute is noise."""
PAGES_A_TRANSACTION = 64
"""Pages of a class whose records are stored together."""
REPAIRED = "repaired"
"""How the reason of a wrapper begins that a repair has made."""
SEE_TWICE, STORE_RECORDS = "look", "fill"
"""What is left to do for a class; the crawl after a killed one goes on there."""


@dataclass(slots=True)
class StoredRecords:
    """Records of pages older than their class: how many, and why some pages were not read."""

    count: int = 0
    unread: dict[str, str] = field(default_factory=dict)
    refused: int = 0
    """Records of these pages that were read and not kept."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """New classes, and how many pages are still of none, by the reason."""

    classes: tuple[Proposal, ...]
    in_none: Mapping[str, int]

    def __str__(self) -> str:
        return "\n".join(map(str, self.classes)) or "no class is proposed"


class PageClasses:
    """The classes of a site, for whoever decides about them."""

    def __init__(
        self,
        store: Store,
        configured: ConfiguredClasses,
        choices: Mapping[str, ColumnChoice] | None = None,
        *,
        language: str = "",
    ) -> None:
        self._store = store
        self._configured = configured
        self._choices = choices or {}
        self._language = language

    def with_choice(self, name: str, choice: ColumnChoice) -> PageClasses:
        """The same classes, of which one has other columns."""
        choices = {**self._choices, name: choice}
        return PageClasses(self._store, self._configured, choices, language=self._language)

    def catalogue(self, *, sketches_all: bool = False) -> Catalogue:
        """The classes as they are now; those that the settings name are entered first."""
        self._configured.enter()
        known = [self._known(one) for one in self._store.classes.all()]
        kept = [one for one in known if one.page_class.state is not ClassState.REMOVED]
        return Catalogue(kept, self._configured.addresses(), sketches_all=sketches_all)

    def known(self, name: str) -> KnownClass:
        """One class, by its name."""
        return self._known(self._store.classes.get(name))

    def _known(self, one: PageClass) -> KnownClass:
        # a class that is not in use has a wrapper that waits to be accepted with it
        is_in_use = one.state is ClassState.ACCEPTED
        one = self._sketched_anew(one) if is_outdated(one.sketch) else one
        classes = self._store.classes
        stored = classes.wrapper(one.id) if is_in_use else classes.newest_wrapper(one.id)
        return self._read_by(one, None if stored is None else stored.data)

    def lineage(self, name: str) -> list[KnownClass]:
        """One class by its wrapper of now; behind it, the newest first, by those that repairs
        replaced: they read the versions from before a redesign.
        """
        now = self.known(name)
        stored = self._store.classes.wrappers(now.id)
        used = [it for it in stored if it.state is ClassState.ACCEPTED] or stored
        one = self._store.classes.get(name)
        made = [now]
        for later, before in pairwise(reversed(used)):
            if not (later.why or "").startswith(REPAIRED):
                break
            made.append(self._read_by(one, before.data))
        return made

    def _read_by(self, one: PageClass, data: str | None) -> KnownClass:
        """A class with this wrapper and the columns that are chosen of it."""
        key = self._configured.keys().get(one.name, ())
        choice = self._choices.get(one.name)
        if data is None or not choice:
            return KnownClass(one, data, key, self._language)
        wrapper = load_reader(data)
        if isinstance(wrapper, Wrapper):
            data = choice.apply(wrapper).to_json()
        learnt = [choice.new_name(column) for column in one.about.get("key") or ()]
        learnt_class = replace(one, about={**one.about, "key": learnt})
        return KnownClass(learnt_class, data, key, self._language)

    def _sketched_anew(self, one: PageClass) -> PageClass:
        """A class that an earlier version of the program sketched in its own way: its examples are
        sketched again, from the first versions of its pages, or the newest of a repaired class.
        """
        known = set(self._store.urls())
        urls = [url for url in one.about.get("examples", ()) if url in known]
        urls = urls or spread(self._store.classes.members(one.id), MOST_EXAMPLES)
        which = -1 if one.about.get("repaired") else 0
        versions = [(url, self._store.versions(url)[which].number) for url in urls]
        sketches = [sketch_of(self._store.body(url, number).tree) for url, number in versions]
        about = {**one.about, "examples": urls}
        return replace(one, sketch=pack(sketches) if sketches else None, about=about)

    def adopt(self) -> None:
        """Moves pages into the classes that the settings name for their addresses, where they came
        before the settings did, and stores their records; brings classes of an earlier version of
        the program up to date.
        """
        for one in self._store.classes.all():
            if is_outdated(one.sketch):
                new = self._sketched_anew(one)
                self._store.classes.change(one.id, sketch=new.sketch or b"", about=new.about)
        addresses = [(re.compile(it), number) for it, number in self._configured.addresses()]
        names = {one.id: one.name for one in self._store.classes.all()}
        moving: dict[int, list[str]] = {}
        for page in self._store.pages() if addresses else ():
            number = next((it for known, it in addresses if known.fullmatch(page.url)), None)
            if number is not None and page.page_class != names[number]:
                moving.setdefault(number, []).append(page.url)
        for number, urls in moving.items():
            with self._store.writing() as transaction:
                recording = transaction.recording()
                for state in self._store.states(urls).values():
                    if state.id is not None and state.class_id is not None:
                        place = PageVersion(state.id, state.url, 0, state.last_seen)
                        recording.page_is_gone(place)
                recording.flush()
                transaction.classes.assign(urls, number)
            self.store_records(names[number])

    # new classes

    def propose(self, sketched: Mapping[str, Features]) -> Proposed:
        """Looks at the pages that are of no class; what is alike is proposed as a class, and pages
        that are like it join it. `sketched` has the sketches that are at hand, of newest versions;
        others are read.
        """
        waiting = self._store.classes.members(None)
        sketches = self._sketched(sample(waiting), sketched)
        rejected = Catalogue(self.catalogue().in_state(ClassState.REJECTED))
        unwanted = [
            url
            for url, sketch in sketches.items()
            if (seen := rejected.verdict(sketch)) is not None and seen.label is not None
        ]
        for url in unwanted:
            del sketches[url]
        made = []
        for members in join_templates(alike_pages(sketches), sketches, self._is_one_record):
            trees = self.trees(pages_to_read(members))
            with self._store.writing() as transaction:
                found = propose(members, sketches, trees, self._names())
                add_class(transaction, found, ClassState.PROPOSED)
            made.append(found)
        if made:
            self._join(set(waiting) - set(sketches) - set(unwanted))
        return Proposed(tuple(made), self._why_in_none(set(unwanted)))

    def _is_one_record(self, members: Sequence[str]) -> bool:
        """Whether a page of these would be read as one record."""
        urls = pages_to_read(members)
        wrapper, _ = learn(self.trees(urls), urls, members)
        return reads_one_record(wrapper)

    def _sketched(
        self, urls: Iterable[str], sketched: Mapping[str, Features]
    ) -> dict[str, Features]:
        found = {}
        for url in urls:
            sketch = sketched.get(url)
            if sketch is None:
                tree = self._store.body(url).tree
                if tree.format != "html":
                    continue
                sketch = sketch_of(tree)
            found[url] = sketch
        return found

    def _join(self, urls: Iterable[str]) -> None:
        """Puts pages that were not clustered into the classes that they are like."""
        catalogue = self.catalogue()
        joining: dict[int, list[str]] = {}
        for url, sketch in self._sketched(sorted(urls), {}).items():
            seen = catalogue.verdict(sketch)
            if seen is not None and seen.label is not None:
                joining.setdefault(seen.label, []).append(url)
        with self._store.writing() as transaction:
            for number, some in joining.items():
                transaction.classes.assign(some, number)

    def _why_in_none(self, unwanted: Collection[str]) -> dict[str, int]:
        """How many pages are of no class, by the reason."""
        reasons: Counter[str] = Counter()
        for url in self._store.classes.members(None):
            if url in unwanted:
                reasons["like a class that was rejected"] += 1
            else:
                reasons[f"like fewer than {FEWEST_PAGES - 1} others"] += 1
        return dict(reasons)

    def trees(self, urls: Sequence[str]) -> list[Tree]:
        """The newest versions of pages."""
        return [self._store.body(url).tree for url in urls]

    def _names(self) -> set[str]:
        return {one.name for one in self._store.classes.all()}

    def proposal(self, name: str) -> Proposal:
        """A class that was proposed, as it was then."""
        one = self._store.classes.get(name)
        newest = self._store.classes.newest_wrapper(one.id)
        return Proposal(
            name,
            tuple(self._store.classes.members(one.id)),
            float(one.about.get("tightness", 0.0)),
            "" if newest is None else repr(load_reader(newest.data)),
            str(one.about.get("problem", "")),
            "" if newest is None else newest.data,
        )

    # what is left to do for new classes

    def unfinished(self, what: str) -> list[str]:
        """The classes whose pages are still to be seen twice, or whose records to be stored."""
        in_question = (ClassState.PROPOSED, ClassState.ACCEPTED)
        return [
            one.name
            for one in self._store.classes.all()
            if one.about.get("left") == what and one.state in in_question
        ]

    def _finish(self, name: str, what: str) -> None:
        one = self._store.classes.get(name)
        if one.about.get("left") == what:
            about = {field: value for field, value in one.about.items() if field != "left"}
            self._store.classes.change(one.id, about=about)

    def pages_to_see_twice(self, name: str) -> list[str]:
        """Pages of a class to fetch twice, to find noise; none for lists."""
        one = self._store.classes.get(name)
        newest = self._store.classes.newest_wrapper(one.id)
        if newest is None or not reads_one_record(load_reader(newest.data)):
            return []
        return spread(self._store.classes.members(one.id), PAGES_SEEN_TWICE)

    def leave_out_noise(self, name: str) -> list[str]:
        """Drops columns that differ from fetch to fetch on most pages; answers which."""
        one = self._store.classes.get(name)
        newest = self._store.classes.newest_wrapper(one.id)
        wrapper = None if newest is None else load_reader(newest.data)
        noise: set[str] = set()
        if newest is not None and isinstance(wrapper, Wrapper):
            pairs = self._last_two(self.pages_to_see_twice(name))
            noise = noisy_columns(wrapper, pairs) if len(pairs) >= FEWEST_PAGES else set()
            if noise:
                why = f"left out, because they differ at every look: {', '.join(sorted(noise))}"
                data = without_columns(wrapper, noise).to_json()
                self._store.classes.add_wrapper(one.id, data, state=newest.state, why=why)
                about = {**one.about, "noise": sorted({*one.about.get("noise", ()), *noise})}
                self._store.classes.change(one.id, about=about)
        self._finish(name, SEE_TWICE)
        return sorted(noise)

    def _last_two(self, urls: Sequence[str]) -> list[tuple[Tree, Tree]]:
        """The two newest versions of the pages that have two."""
        newest = {url: state.newest for url, state in self._store.states(urls).items()}
        return [
            (self._store.body(url, newest[url] - 1).tree, self._store.body(url, newest[url]).tree)
            for url in urls
            if newest[url] > 1
        ]

    def store_records(self, name: str) -> StoredRecords:
        """Stores the records of pages that were there before their class was."""
        known = self.known(name)
        done = StoredRecords()
        members = self._store.classes.members(known.id)
        for start in range(0, len(members), PAGES_A_TRANSACTION):
            urls = members[start : start + PAGES_A_TRANSACTION]
            with self._store.writing() as transaction:
                self._store_pages(known, urls, transaction, done)
        self._finish(name, STORE_RECORDS)
        return done

    def _store_pages(
        self, known: KnownClass, urls: Sequence[str], transaction: Transaction, done: StoredRecords
    ) -> None:
        recording = transaction.recording()
        for url, state in self._store.states(urls).items():
            body = self._store.body(url)
            try:
                tables = read_page(known, body.tree, url)
            except WrapperError as error:
                done.unread[url] = str(error)
                done.refused += error.records if isinstance(error, RefusedRecordsError) else 0
                continue
            if tables is None or state.id is None:
                continue
            place = PageVersion(
                state.id,
                url,
                state.newest,
                state.last_seen,
                known.id,
                known.name,
                known.key,
                known.inner_keys,
            )
            changes = recording.page(plain_tables(tables, body), place)
            done.count += sum(change.what is ChangeKind.NEW for change in changes)
        recording.flush()

    # what a person decides

    def accept(self, name: str) -> None:
        """Takes a proposed class, and its wrapper, into use."""
        self._decide(name, ClassState.ACCEPTED)

    def reject(self, name: str) -> None:
        """Rejects a class: its pages are unclassified, and the like are not proposed again."""
        self._decide(name, ClassState.REJECTED)

    def _decide(self, name: str, state: ClassState) -> None:
        one = self._store.classes.get(name)
        is_accepted = state is ClassState.ACCEPTED
        with self._store.writing() as transaction:
            newest = transaction.classes.newest_wrapper(one.id)
            if newest is not None:
                transaction.classes.set_wrapper_state(one.id, newest.number, state)
            about = {**one.about, "left": STORE_RECORDS} if is_accepted else one.about
            transaction.classes.change(one.id, state=state, about=about)
            if not is_accepted:
                transaction.classes.assign(transaction.classes.members(one.id), None)


def add_class(transaction: Transaction, found: Proposal, state: ClassState) -> int:
    """Makes a class of a proposal, with its pages and its wrapper; its number."""
    classes = transaction.classes
    number = classes.ensure(found.name, state=state, sketch=found.sketch, about=found.about)
    if found.data:
        why = "learnt from pages that are alike"
        classes.add_wrapper(number, found.data, state=state, why=why)
    classes.assign(found.pages, number)
    return number
