"""Sorting: which class a fetched page is of, and classes proposed for the pages that are of none
(Flesca et al., section 2).

A class is known by a few of its pages (its *examples*: features of the measure `design`). A page
joins the class whose nearest example is most like it, if that is like enough; else it is
unclassified. Unclassified pages are clustered; a cluster that is big and tight enough is proposed
as a class with an induced wrapper, and waits for a person, or for `auto_accept`. A rejected class
keeps its examples: its pages are not proposed again.

A page that was of a class and is like none any more has been redesigned. It keeps its class, its
records stay as they were, and the class has *drifted*: repair starts from there.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from treelace.classes import PageClusterer
from treelace.classes.examples import ALIKE, EXAMPLES, MEASURE, fits, pack, spread
from treelace.classes.learning import TAUGHT, learn, link_key, noise_of, trimmed
from treelace.classes.model import Assigned, ClassState
from treelace.classes.pagination import SERIES, join_by_series
from treelace.crawl.known import KnownClasses
from treelace.errors import WrapperError
from treelace.store.plain_tables import plain_tables
from treelace.store.recording import PageVersion
from treelace.store.states import ChangeKind
from treelace.wrappers.model.page_reader import reads_one_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from treelace._kernel import Features
    from treelace.classes.pages import FetchedPage
    from treelace.crawl.known import Known
    from treelace.store.classes import Classes
    from treelace.store.ingest import Prepared
    from treelace.store.store import Store
    from treelace.store.transaction import Transaction
    from treelace.tree import Tree
    from treelace.wrappers.model.page_reader import PageReader

FEWEST = 3
"""Pages that make a class."""
LOOKS = 6
"""Pages of a class that are looked at twice."""
MOST = 400
"""Unclassified pages looked at in one go: clustering compares all pairs."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A class that was found: its name, its pages, how alike they are at least, and what its
    wrapper gives.
    """

    name: str
    pages: tuple[str, ...]
    tightness: float
    wrapper: str
    problem: str = ""
    data: str = field(default="", repr=False)
    """The wrapper itself, as JSON."""

    def __str__(self) -> str:
        gives = self.wrapper or f"no wrapper: {self.problem}"
        return f"{self.name}: {len(self.pages):,} pages, {self.tightness:.2f} alike; {gives}"


@dataclass(slots=True)
class Drift:
    """Pages of a class that are not what its wrapper knows any more, each with the reason."""

    pages: dict[str, str] = field(default_factory=dict)


class Sorter:
    """Says the class of each page; `load` makes what extracts records of a wrapper's text."""

    def __init__(
        self,
        store: Store,
        classes: Classes,
        load: Callable[[str], PageReader],
        *,
        keys: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._store = store
        self._classes = classes
        self.known = KnownClasses(classes, load, keys or {})
        self.drift: dict[str, Drift] = {}

    # in the loop

    def assign(self, page: FetchedPage, tree: Tree, class_id: int | None) -> Assigned | None:
        """The class of a page, or None."""
        had = self.known.get(class_id)
        if not 200 <= page.status < 300:
            return None if class_id is None else _without_wrapper(class_id, had)
        best, alike = self.known.nearest(MEASURE.features(tree))
        if best is not None and (
            alike >= ALIKE or (alike >= SERIES and best.has_series_of(page.url))
        ):
            if best.page_class.state == "accepted":
                return self.known.assigned(best)
            return (
                _without_wrapper(best.page_class.id, best)
                if best.page_class.state == "proposed"
                else None
            )
        if class_id is None or had is None or not had.examples:
            return None  # a class of the settings is known by its addresses, and has no examples
        why = f"the page is of another design: {alike:.2f} alike, {ALIKE:.2f} needed"
        return _without_wrapper(class_id, had, why if had.page_class.state == "accepted" else "")

    def note(self, prepared: Iterable[Prepared]) -> None:
        """Remembers which of these pages are not what their class was."""
        for made in prepared:
            if made.drift and made.assigned is not None:
                self.drift.setdefault(made.assigned.name, Drift()).pages[made.state.url] = (
                    made.drift
                )

    # new classes

    def propose(self) -> list[Proposal]:
        """Looks at the unclassified pages: clusters that are big and tight enough are proposed as
        classes.
        """
        urls = sorted(
            self._classes.members(None)[-MOST:]
        )  # whatever order the pages came in, the same classes
        trees = {}
        for url in urls:
            body = self._store.body(url)
            if body.tree.format == "html":
                trees[url] = body.tree
        features = {url: MEASURE.features(tree) for url, tree in trees.items()}
        rejected = [
            example for known in self.known.in_state("rejected") for example in known.examples
        ]
        urls = [url for url in trees if not fits(features[url], rejected)]
        if len(urls) < FEWEST:
            return []
        clusterer = PageClusterer(measure=MEASURE, threshold=ALIKE).fit(
            [features[url] for url in urls]
        )
        labels = join_by_series(urls, clusterer.labels_.tolist(), features)
        made = []
        for number in range(max(labels) + 1):
            members = [url for url, label in zip(urls, labels, strict=True) if label == number]
            if len(members) >= FEWEST:
                made.append(self.make(members, trees, features))
        self.known.reload()
        return made

    def make(
        self,
        members: Sequence[str],
        trees: Mapping[str, Tree],
        features: Mapping[str, Features],
        *,
        state: ClassState = ClassState.PROPOSED,
        transaction: Transaction | None = None,
    ) -> Proposal:
        """A class of these pages, with a wrapper learnt from some of them; pages without a tree are
        members, too.
        """
        shown = [url for url in members if url in trees]
        examples = spread(shown, EXAMPLES)
        nearest = [
            max(
                (
                    MEASURE.compare(features[one], features[other])
                    for other in shown
                    if other != one
                ),
                default=1.0,
            )
            for one in examples
        ]
        tightness = min(nearest)
        wrapper, problem = learn([trees[url] for url in spread(shown, TAUGHT)])
        name = self._free_name(name_for(members, wrapper))
        about = {
            "examples": list(examples),
            "tightness": round(tightness, 3),
            "problem": problem,
            "left": "look",
        }
        if wrapper is not None and (
            key := link_key(wrapper, [trees[url] for url in spread(shown, TAUGHT)])
        ):
            about["key"] = key
        sketch = pack([features[url] for url in examples])
        data = "" if wrapper is None else wrapper.to_json()
        with nullcontext(transaction) if transaction is not None else self._store.writing() as own:
            number = own.classes.ensure(name, state=state, sketch=sketch, about=about)
            if data:
                why = "learnt from pages that are alike"
                own.classes.add_wrapper(number, data, state=state, why=why)
            own.classes.assign(members, number)
        return Proposal(
            name,
            tuple(members),
            tightness,
            repr(wrapper) if wrapper is not None else "",
            problem,
            data,
        )

    def _free_name(self, name: str) -> str:
        taken = {one.name for one in self._classes.all()}
        numbered = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
        return next(one for one in numbered if one not in taken)

    def samples(self, name: str) -> list[str]:
        """Pages of a class to look at twice; none for lists, whose records say by themselves what
        is what.
        """
        one = self._classes.get(name)
        newest = self._classes.wrappers(one.id)[-1:]
        is_looked_at = bool(newest) and reads_one_record(self.known.load(newest[0].data))
        return spread(self._classes.members(one.id), LOOKS) if is_looked_at else []

    def quieten(self, name: str) -> list[str]:
        """Leaves columns out of a class's wrapper that differ from look to look on most pages; says
        which.
        """
        one = self._classes.get(name)
        newest = self._classes.wrappers(one.id)[-1:]
        if not newest:
            self._done(name, "look")
            return []
        wrapper: Any = self.known.load(newest[0].data)
        pairs = []
        for url in self.samples(name):
            number = self._store.states([url])[url].newest
            if number > 1:
                pairs.append(
                    (self._store.body(url, number - 1).tree, self._store.body(url, number).tree)
                )
        noise = noise_of(wrapper, pairs) if len(pairs) >= FEWEST else set()
        if noise:
            why = f"left out, because they differ at every look: {', '.join(sorted(noise))}"
            self._classes.add_wrapper(
                one.id, trimmed(wrapper, noise).to_json(), state=newest[0].state, why=why
            )
            self.known.reload()
        self._done(name, "look")
        return sorted(noise)

    def fill_in(self, name: str) -> int:
        """Stores the records of pages that were there before their class was; says how many records
        came.
        """
        one = self._classes.get(name)
        known = self.known[one.id]
        count = 0
        for url in self._classes.members(one.id):
            state = self._store.states([url])[url]
            body = self._store.body(url)
            assigned = self.known.assigned(known)
            if assigned.wrapper is None or state.id is None:
                continue
            try:
                tables = assigned.wrapper.apply(body.tree, url=url)
            except WrapperError as error:
                self.drift.setdefault(name, Drift()).pages[url] = str(error)
                continue
            place = PageVersion(
                state.id, url, state.newest, state.last_seen, one.id, name, assigned.key
            )
            with self._store.writing() as transaction:
                recording = transaction.recording()
                changes = recording.page(plain_tables(tables, body), place)
                recording.flush()
            count += sum(change.what is ChangeKind.NEW for change in changes)
        self._done(name, "fill")
        return count

    # what is left to do for a class: a crawl may be killed before it has done it, and the next one
    # goes on there

    def left(self, what: str) -> list[str]:
        """The classes whose pages are still to be looked at twice (`look`), or whose records are
        still to be stored (`fill`).
        """
        return [
            one.name
            for one in self._classes.all()
            if one.about.get("left") == what and one.state in ("proposed", "accepted")
        ]

    def _done(self, name: str, what: str) -> None:
        one = self._classes.get(name)
        if one.about.get("left") == what:
            about = {field: value for field, value in one.about.items() if field != "left"}
            self._classes.change(one.id, about=about)
            self.known.reload()

    def proposal(self, name: str) -> Proposal:
        """A class that was proposed, as it was then."""
        one = self._classes.get(name)
        newest = self._classes.wrappers(one.id)[-1:]
        gives, data = (
            (repr(self.known.load(newest[0].data)), newest[0].data) if newest else ("", "")
        )
        tightness, problem = (
            float(one.about.get("tightness", 0.0)),
            str(one.about.get("problem", "")),
        )
        return Proposal(name, tuple(self._classes.members(one.id)), tightness, gives, problem, data)

    # what a person decides

    def accept(self, name: str) -> None:
        """Takes a proposed class, and its wrapper, into use."""
        self._decide(name, ClassState.ACCEPTED)

    def reject(self, name: str) -> None:
        """Does without a class: its pages are unclassified, and pages like them are not proposed
        again.
        """
        self._decide(name, ClassState.REJECTED)

    def _decide(self, name: str, state: ClassState) -> None:
        one = self._classes.get(name)
        is_accepted = state is ClassState.ACCEPTED
        with self._store.writing() as transaction:
            newest = transaction.classes.newest_wrapper(one.id)
            if newest is not None:
                transaction.classes.set_wrapper_state(one.id, newest.number, state)
            about = {**one.about, "left": "fill"} if is_accepted else one.about
            transaction.classes.change(one.id, state=state, about=about)
            if not is_accepted:
                transaction.classes.assign(transaction.classes.members(one.id), None)
        self.known.reload()


def _without_wrapper(class_id: int, known: Known | None, drift: str = "") -> Assigned:
    """The class as that of a page of which no records are read."""
    return Assigned(class_id, known.page_class.name if known is not None else "", None, drift=drift)


def name_for(urls: Sequence[str], wrapper: Any) -> str:
    """A name for a class: the word that its addresses share, and whether its pages are lists.

    >>> name_for(["https://a.example/news/1", "https://a.example/news/2"], None)
    'news'
    >>> name_for(["https://a.example/tea", "https://a.example/cups"], None)
    'page'
    """
    words = Counter(
        word
        for url in urls
        for word in {urlsplit(url).path.strip("/").partition("/")[0].lower()}
        if word
    )
    word, count = words.most_common(1)[0] if words else ("", 0)
    is_shared = count >= 0.8 * len(urls) and re.fullmatch(r"[a-z][a-z0-9_-]*", word) is not None
    kind = "page" if wrapper is None else "item" if wrapper.regions[0].kind == "page" else "list"
    if not is_shared:
        return kind
    return f"{word}-list" if kind == "list" else word
