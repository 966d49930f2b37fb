"""Sorting: which class a fetched page is of, and classes proposed for the pages that are of none (Flesca et al., section 2).

A class is known by a few of its pages (its *examples*: features of the measure `design`). A page joins the class whose nearest example is most like
it, if that is like enough; else it is unclassified. Unclassified pages are clustered; a cluster that is big and tight enough is proposed as a
class with an induced wrapper, and waits for a person, or for `auto_accept`. A rejected class keeps its examples: its pages are not proposed again.

A page that was of a class and is like none any more has been redesigned. It keeps its class, its records stay as they were, and the class has
*drifted*: repair starts from there.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from treelace.classify import PageClusterer
from treelace.crawl.loading import key_without_settings, reads_one_record
from treelace.errors import DamagedError, TreelaceError, WrapperError
from treelace.similarity.measures.design import Design
from treelace.store.ingest import Assigned
from treelace.store.recording import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from treelace._kernel import Features
    from treelace.extract import Table
    from treelace.store.classes import Classes, PageClass
    from treelace.store.fetched import FetchedPage
    from treelace.store.ingest import Applies, Prepared
    from treelace.store.records import Records
    from treelace.store.store import Store
    from treelace.tree import Tree
    from treelace.wrappers.form import RegionForm

ALIKE = 0.85
"""Pages of one class inside a site are at least so alike (by `design`); kinds of pages of one site share its frame and reach 0.8."""
SERIES = 0.7
"""Pages of one series (`/tea`, `/tea?page=2`) are of one class from here on: on a small page a pager alone makes much of the difference."""
FEWEST = 3
"""Pages that make a class."""
EXAMPLES = 12
"""Pages by which a class is known."""
TAUGHT = 10
"""Pages a wrapper is learnt from."""
SURE = 0.95
"""How sure the extractor must be of a list for a page to count as one."""
LOOKS = 6
"""Pages of a class that are looked at twice."""
SEEDS = 5
"""Pages that are tried as the first one of a class of lists."""
LONG = 4
"""Records of the longest list of a class of lists, at least."""
MOST = 400
"""Unclassified pages looked at in one go: clustering compares all pairs."""

MEASURE = Design()


@dataclass(slots=True)
class _Known:
    """A class as the sorter holds it."""

    page_class: PageClass
    examples: list[Features]
    wrapper: Applies | None = None
    is_loaded: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A class that was found: its name, its pages, how alike they are at least, and what its wrapper gives."""

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

    def __init__(self, store: Store, classes: Classes, load: Callable[[str], Applies], *, keys: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self._store = store
        self._classes = classes
        self._load = load
        self._keys = dict(keys or {})
        self._known: dict[int, _Known] = {}
        self._loading = Lock()
        self.drift: dict[str, Drift] = {}
        self.reload()

    def reload(self) -> None:
        """Reads the classes again."""
        self._known = {}
        for one in self._classes.all():
            if one.state != "removed":
                self._known[one.id] = _Known(one, _examples(one))

    # in the loop

    def assign(self, page: FetchedPage, tree: Tree, class_id: int | None) -> Assigned | None:
        """The class of a page, or None."""
        if not 200 <= page.status < 300:
            return None if class_id is None else self._without_wrapper(class_id)
        features = MEASURE.features(tree)
        best, alike = self._nearest(features)
        if best is not None and (alike >= ALIKE or (alike >= SERIES and self._has_series(best, page.url))):
            known = self._known[best]
            if known.page_class.state != "accepted":
                return Assigned(best, known.page_class.name, None) if known.page_class.state == "proposed" else None
            return self._assigned(known, page.url)
        if class_id is None or class_id not in self._known or not self._known[class_id].examples:
            return None  # a class of the settings is known by its addresses, and has no examples
        why = f"the page is of another design: {alike:.2f} alike, {ALIKE:.2f} needed"
        return self._without_wrapper(class_id, why if self._known[class_id].page_class.state == "accepted" else "")

    def _nearest(self, features: Features) -> tuple[int | None, float]:
        best, most = None, 0.0
        for number, known in self._known.items():
            for example in known.examples:
                alike = MEASURE.compare(features, example)
                if alike > most:
                    best, most = number, alike
                    if alike == 1.0:
                        return best, most
        return best, most

    def _has_series(self, number: int, url: str) -> bool:
        """Whether a page continues a list by which a class is known."""
        return series_of(url) in {series_of(example) for example in self._known[number].page_class.about.get("examples", ())}

    def _assigned(self, known: _Known, url: str) -> Assigned:
        name = known.page_class.name
        with self._loading:  # a thread that comes meanwhile must not take the class for one without a wrapper
            if not known.is_loaded:
                stored = self._classes.wrapper(known.page_class.id)
                try:
                    known.wrapper = None if stored is None else self._load(stored.data)
                except WrapperError as error:  # the page is kept all the same
                    known.problem = f"its wrapper cannot be read: {error}"
                known.is_loaded = True
        watched = None if known.wrapper is None else _Watched(known.wrapper, url)
        return Assigned(known.page_class.id, name, watched, self.key_of(name, known.wrapper), known.problem)

    def load(self, data: str) -> Applies:
        """What extracts records, from a wrapper's text."""
        return self._load(data)

    def examples(self, class_id: int) -> list[Features]:
        """The pages by which a class is known."""
        return self._known[class_id].examples

    def key_of(self, name: str, wrapper: Applies | None) -> tuple[str, ...]:
        """What identifies the records of a class: what the settings say; a page that is one record is known by its address."""
        learnt = next((known.page_class.about.get("key") for known in self._known.values() if known.page_class.name == name), None)
        return self._keys.get(name) or key_without_settings(wrapper) or tuple(learnt or ())

    def _without_wrapper(self, class_id: int, drift: str = "") -> Assigned:
        return Assigned(class_id, self._known[class_id].page_class.name if class_id in self._known else "", None, drift=drift)

    def note(self, prepared: Iterable[Prepared]) -> None:
        """Remembers which of these pages are not what their class was."""
        for made in prepared:
            if made.drift and made.assigned is not None:
                self.drift.setdefault(made.assigned.name, Drift()).pages[made.state.url] = made.drift

    # new classes

    def propose(self) -> list[Proposal]:
        """Looks at the unclassified pages: clusters that are big and tight enough are proposed as classes."""
        urls = sorted(self._classes.members(None)[-MOST:])  # whatever order the pages came in, the same classes
        trees = {}
        for url in urls:
            body = self._store.body(url)
            if body.tree.format == "html":
                trees[url] = body.tree
        features = {url: MEASURE.features(tree) for url, tree in trees.items()}
        rejected = [known for known in self._known.values() if known.page_class.state == "rejected"]
        urls = [url for url in trees if not any(MEASURE.compare(features[url], one) >= ALIKE for known in rejected for one in known.examples)]
        if len(urls) < FEWEST:
            return []
        clusterer = PageClusterer(measure=MEASURE, threshold=ALIKE).fit([features[url] for url in urls])
        labels = _with_series(urls, clusterer.labels_.tolist(), features)
        made = []
        for number in range(max(labels) + 1):
            members = [url for url, label in zip(urls, labels, strict=True) if label == number]
            if len(members) >= FEWEST:
                made.append(self.make(members, trees, features))
        self.reload()
        return made

    def make(
        self,
        members: Sequence[str],
        trees: Mapping[str, Tree],
        features: Mapping[str, Features],
        *,
        state: str = "proposed",
        connection: Connection | None = None,
    ) -> Proposal:
        """A class of these pages, with a wrapper learnt from some of them; pages without a tree are members, too."""
        shown = [url for url in members if url in trees]
        examples = spread(shown, EXAMPLES)
        nearest = [max((MEASURE.compare(features[one], features[other]) for other in shown if other != one), default=1.0) for one in examples]
        tightness = min(nearest)
        wrapper, problem = learn([trees[url] for url in spread(shown, TAUGHT)])
        name = self._free_name(name_for(members, wrapper))
        about = {"examples": list(examples), "tightness": round(tightness, 3), "problem": problem, "left": "look"}
        if wrapper is not None and (key := link_key(wrapper, [trees[url] for url in spread(shown, TAUGHT)])):
            about["key"] = key
        sketch = pack([features[url] for url in examples])
        with self._store.database.writing() if connection is None else nullcontext(connection) as own:
            number = self._classes.ensure(name, state=state, sketch=sketch, about=about, connection=own)
            data = "" if wrapper is None else wrapper.to_json()
            if data:
                self._classes.add_wrapper(number, data, state=state, why="learnt from pages that are alike", connection=own)
            self.put(own, members, number)
        return Proposal(name, tuple(members), tightness, repr(wrapper) if wrapper is not None else "", problem, data)

    def put(self, connection: Connection, urls: Iterable[str], class_id: int | None) -> None:
        """Puts pages into a class, or into none."""
        states = self._store.states(list(urls))
        for state in states.values():
            if state.id is not None:
                self._classes.assign(connection, state.id, class_id)

    def _free_name(self, name: str) -> str:
        taken = {one.name for one in self._classes.all()}
        numbered = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
        return next(one for one in numbered if one not in taken)

    def samples(self, name: str) -> list[str]:
        """Pages of a class to look at twice; none for lists, whose records say by themselves what is what."""
        one = self._classes.get(name)
        newest = self._classes.wrappers(one.id)[-1:]
        is_looked_at = bool(newest) and reads_one_record(self._load(newest[0].data))
        return spread(self._classes.members(one.id), LOOKS) if is_looked_at else []

    def quieten(self, name: str) -> list[str]:
        """Leaves columns out of a class's wrapper that differ from look to look on most pages; says which."""
        one = self._classes.get(name)
        newest = self._classes.wrappers(one.id)[-1:]
        if not newest:
            self._done(name, "look")
            return []
        wrapper: Any = self._load(newest[0].data)
        pairs = []
        for url in self.samples(name):
            number = self._store.states([url])[url].newest
            if number > 1:
                pairs.append((self._store.body(url, number - 1).tree, self._store.body(url, number).tree))
        noise = noise_of(wrapper, pairs) if len(pairs) >= FEWEST else set()
        if noise:
            why = f"left out, because they differ at every look: {', '.join(sorted(noise))}"
            self._classes.add_wrapper(one.id, trimmed(wrapper, noise).to_json(), state=newest[0].state, why=why)
            self.reload()
        self._done(name, "look")
        return sorted(noise)

    def fill_in(self, name: str, records: Records) -> int:
        """Stores the records of pages that were there before their class was; says how many records came."""
        one = self._classes.get(name)
        known = self._known[one.id]
        count = 0
        for url in self._classes.members(one.id):
            state = self._store.states([url])[url]
            body = self._store.body(url)
            assigned = self._assigned(known, url)
            if assigned.wrapper is None or state.id is None:
                continue
            try:
                tables = assigned.wrapper.apply(body.tree)
            except WrapperError as error:
                self.drift.setdefault(name, Drift()).pages[url] = str(error)
                continue
            with self._store.database.writing() as connection:
                place = Place(state.id, url, state.newest, state.last_seen, one.id, name, assigned.key)
                changes = records.store_page(connection, tables, body, place)
            count += sum(change.what == "new" for change in changes)
        self._done(name, "fill")
        return count

    # what is left to do for a class: a crawl may be killed before it has done it, and the next one goes on there

    def left(self, what: str) -> list[str]:
        """The classes whose pages are still to be looked at twice (`look`), or whose records are still to be stored (`fill`)."""
        return [one.name for one in self._classes.all() if one.about.get("left") == what and one.state in ("proposed", "accepted")]

    def _done(self, name: str, what: str) -> None:
        one = self._classes.get(name)
        if one.about.get("left") == what:
            with self._store.database.writing() as connection:
                about = {field: value for field, value in one.about.items() if field != "left"}
                self._classes.change(name, connection=connection, about=about)
            self.reload()

    def proposal(self, name: str) -> Proposal:
        """A class that was proposed, as it was then."""
        one = self._classes.get(name)
        newest = self._classes.wrappers(one.id)[-1:]
        gives, data = (repr(self._load(newest[0].data)), newest[0].data) if newest else ("", "")
        tightness, problem = float(one.about.get("tightness", 0.0)), str(one.about.get("problem", ""))
        return Proposal(name, tuple(self._classes.members(one.id)), tightness, gives, problem, data)

    # what a person decides

    def accept(self, name: str) -> None:
        """Takes a proposed class, and its wrapper, into use."""
        self._decide(name, "accepted")

    def reject(self, name: str) -> None:
        """Does without a class: its pages are unclassified, and pages like them are not proposed again."""
        self._decide(name, "rejected")

    def _decide(self, name: str, state: str) -> None:
        one = self._classes.get(name)
        with self._store.database.writing() as connection:
            for wrapper in self._classes.wrappers(one.id)[-1:]:
                self._classes.set_wrapper_state(one.id, wrapper.number, state, connection=connection)
            about = {**one.about, "left": "fill"} if state == "accepted" else one.about
            self._classes.change(name, connection=connection, state=state, about=about)
            if state == "rejected":
                self.put(connection, self._classes.members(one.id), None)
        self.reload()


def series_of(url: str) -> str:
    """What the addresses of a list that is cut into pages have in common.

    >>> series_of("https://a.example/tea?page=2") == series_of("https://a.example/tea") == series_of("https://a.example/tea/page/3")
    True
    """
    parts = urlsplit(url)
    return f"{parts.netloc}{re.sub(r'(/page)?/[0-9]{1,4}$', '', parts.path.rstrip('/'))}"


def _with_series(urls: Sequence[str], labels: Sequence[int], features: Mapping[str, Features]) -> list[int]:
    """The clusters, those that pages of one series tie together made one."""
    into: dict[int, int] = {}
    first: dict[str, str] = {}
    label_of = dict(zip(urls, labels, strict=True))
    for url in urls:
        other = first.setdefault(series_of(url), url)
        mine, its = (_last(into, label_of[one]) for one in (url, other))
        if mine != its and MEASURE.compare(features[url], features[other]) >= SERIES:
            into[max(mine, its)] = min(mine, its)
    return [_last(into, label) for label in labels]


def _last(into: Mapping[int, int], label: int) -> int:
    while label in into:
        label = into[label]
    return label


class _Watched:
    """A wrapper that refuses a page that is not what it was learnt from: then there are no tables, and the class has drifted."""

    def __init__(self, wrapper: Applies, url: str) -> None:
        self._wrapper = wrapper
        self._url = url

    def apply(self, page: Tree) -> list[Any]:
        """The tables; a `WrapperError` where the page is not what the wrapper knows."""
        regions = getattr(self._wrapper, "regions", ())
        tables: list[Any] = self._wrapper.apply(page, url=self._url) if regions else self._wrapper.apply(page)  # type: ignore[call-arg]
        trouble = trouble_of(tables[0], regions[0]) if regions else ""
        if trouble:
            raise WrapperError(trouble)
        return tables


def trouble_of(table: Table, region: RegionForm) -> str:
    """What is wrong with the table of one page, by what its wrapper expects; empty where all is well.

    No record at all; a column of a list that all records had and most have no longer, or most of whose values do not read as its type; more than half
    of the columns of a page that is one record. A page is a small sample, so columns that are often empty tell nothing.
    """
    rows = table.cells
    if not rows:
        return "no record is found"
    if region.kind == "page":
        usual = [at for at, column in enumerate(region.columns) if column.fill >= 0.99]
        missing = [region.columns[at].name for at in usual if rows[0][at] is None]
        return f"most of its columns are empty: {', '.join(missing[:5])}" if len(missing) > len(usual) / 2 else ""
    for at, column in enumerate(region.columns):
        cells = [row[at] for row in rows if row[at] is not None]
        if column.fill >= 0.99 and len(cells) < len(rows) / 2:
            return f"the column {column.name!r} is empty in {len(rows) - len(cells)} of {len(rows)} records"
        unread = sum(cell.value is None for cell in cells if cell is not None)
        if column.type not in ("text", "image", "url") and unread > len(cells) / 2:
            return f"the column {column.name!r} does not read as {column.type} in {unread} of {len(cells)} records"
    return ""


def learn(trees: Sequence[Tree]) -> tuple[Any, str]:
    """A wrapper for pages that are alike, or None and the reason.

    They are lists where most of them show a list nearly for certain; else each is one record. Columns that say the same on every page are
    frame and left out.
    """
    from treelace.extract import extract
    from treelace.wrappers import Wrapper

    first = [next(iter(extract(tree)), None) for tree in trees]
    # paragraphs of a text repeat as well, in one column
    sure = [table for table in first if table is not None and table.confidence >= SURE and len(table.columns) > 1]
    is_list = len(sure) > len(trees) / 2 and max(len(table.cells) for table in sure) >= LONG
    try:
        if is_list:
            return trimmed(_purest_list(trees, [0 if table is None else len(table.cells) for table in first]), set()), ""
        wrapper = Wrapper.learn(trees, kind="detail")
        return trimmed(wrapper, frame_of(wrapper, trees) if len(trees) > 1 else set()), ""
    except TreelaceError as error:
        return None, str(error)


def _purest_list(trees: Sequence[Tree], sizes: Sequence[int]) -> Any:
    """The best of a few wrappers: what is learnt from lists depends on which page comes first.

    The best one finds most records on all pages; of equals, the one whose columns mix fewest shapes of texts (a price among ratings).
    """
    from treelace.wrappers import Wrapper

    longest = sorted(range(len(trees)), key=lambda number: (-sizes[number], number))[:SEEDS]
    made, failure = [], None
    for number in longest:
        try:
            made.append(Wrapper.learn([trees[number], *(tree for at, tree in enumerate(trees) if at != number)], kind="list"))
        except TreelaceError as error:
            failure = error
    if not made:
        raise failure or WrapperError("no list was found")
    return max(made, key=lambda wrapper: _purity(wrapper, trees))


def _purity(wrapper: Any, trees: Sequence[Tree]) -> tuple[int, float]:
    shapes: dict[str, Counter[str]] = {}
    found = 0
    for tree in trees:
        try:
            table = wrapper.apply(tree, force=True)[0]
        except TreelaceError:
            continue
        found += len(table.cells)
        for row in table.cells:
            for column, cell in zip(table.columns, row, strict=True):
                if cell is not None:
                    shapes.setdefault(column.name, Counter())[re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", cell.text))] += 1
    mixed = sum(counts.total() - counts.most_common(1)[0][1] for counts in shapes.values())
    return found, -mixed


def link_key(wrapper: Any, trees: Sequence[Tree]) -> list[str]:
    """The column of a list whose text leads to the record's own page, which no two records share; empty where there is none.

    Better than any value as a key: an address outlives prices, names and designs. Pictures lead there, too, but pictures come and go.
    """
    first = wrapper.form.regions[0]
    if first.kind == "page":
        return []
    tables = [wrapper.apply(tree, force=True)[0] for tree in trees]
    for at, column in enumerate(first.columns):
        links = [[row[at].link if row[at] is not None else None for row in table.cells] for table in tables]
        if column.type != "image" and links and all(all(part) and len(set(part)) == len(part) for part in links):
            return [f"{column.name} link"]
    return []


def frame_of(wrapper: Any, trees: Sequence[Tree]) -> set[str]:
    """The columns that say one thing on all pages."""
    tables = [wrapper.apply(tree, force=True)[0] for tree in trees]
    return {column.name for at, column in enumerate(tables[0].columns) if len({_text(row[at]) for table in tables for row in table.cells}) == 1}


def noise_of(wrapper: Any, pairs: Sequence[tuple[Tree, Tree]]) -> set[str]:
    """The columns that differ between two looks at a page on a third of the pages: counters, advertisements, time stamps.

    A third, because adverts that take turns are the same twice now and then; and two pages at least, because a price may change between two looks.
    """
    changed: Counter[str] = Counter()
    for pair in pairs:
        old, new = (wrapper.apply(tree, force=True)[0] for tree in pair)
        if old.cells and new.cells:
            changed.update(column.name for at, column in enumerate(old.columns) if _text(old.cells[0][at]) != _text(new.cells[0][at]))
    return {name for name, count in changed.items() if count >= max(2, len(pairs) / 3)}


def _text(cell: Any) -> str | None:
    return cell.text if cell is not None else None


def trimmed(wrapper: Any, dropped: set[str]) -> Any:
    """The wrapper's first table without some of its columns, and no other tables; as it is where nothing would be left."""
    from msgspec.structs import replace

    from treelace.wrappers import Wrapper

    first = wrapper.form.regions[0]
    kept = {column.name for column in first.columns} - dropped
    if not kept:
        return wrapper
    columns = tuple(column for column in first.columns if column.name in kept)
    pattern = tuple(row if row.column in kept else replace(row, column="") for row in first.pattern)
    evidence = tuple({name: text for name, text in row.items() if name in kept} for row in first.evidence)
    return Wrapper(replace(wrapper.form, regions=(replace(first, columns=columns, pattern=pattern, evidence=evidence),)))


def name_for(urls: Sequence[str], wrapper: Any) -> str:
    """A name for a class: the word that its addresses share, and whether its pages are lists.

    >>> name_for(["https://a.example/news/1", "https://a.example/news/2"], None)
    'news'
    >>> name_for(["https://a.example/tea", "https://a.example/cups"], None)
    'page'
    """
    words = Counter(word for url in urls for word in {urlsplit(url).path.strip("/").partition("/")[0].lower()} if word)
    word, count = words.most_common(1)[0] if words else ("", 0)
    is_shared = count >= 0.8 * len(urls) and re.fullmatch(r"[a-z][a-z0-9_-]*", word) is not None
    kind = "page" if wrapper is None else "item" if wrapper.regions[0].kind == "page" else "list"
    if not is_shared:
        return kind
    return f"{word}-list" if kind == "list" else word


def spread(things: Sequence[str], count: int) -> list[str]:
    """At most so many, evenly spread, the first and the last among them.

    >>> spread(["a", "b", "c", "d", "e"], 3)
    ['a', 'c', 'e']
    """
    if len(things) <= count:
        return list(things)
    return [things[round(number * (len(things) - 1) / (count - 1))] for number in range(count)]


def pack(features: Sequence[Features]) -> bytes:
    """Examples as the store keeps them."""
    return msgspec.msgpack.encode([one.to_bytes() for one in features])


def _examples(one: PageClass) -> list[Features]:
    from treelace._kernel import Features

    if not one.sketch:
        return []
    try:
        return [Features.from_bytes(data) for data in msgspec.msgpack.decode(one.sketch, type=list[bytes])]
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DamagedError(f"the examples of the class {one.name!r} cannot be read: {error}") from error
