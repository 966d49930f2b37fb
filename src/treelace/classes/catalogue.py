"""The classes known of a site, and which of them a page belongs to (Flesca et al., section 2).

A class is known by a few of its pages, its *examples*. A page joins the class whose nearest example
is most like it in its layout, if it is like enough; else it is of no class. Who decides is the
`PageClassifier`, which learns how alike is like enough from the examples of each class. Before
that, addresses that the settings name for a class speak.

A page that was of a class and is like none any more has been redesigned. It keeps its class, its
records stay as they were, and the class has *drifted*: repair starts from there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from treelace.classes.classifier import PageClassifier
from treelace.classes.examples import unpack
from treelace.classes.inner_tables import inner_keys
from treelace.classes.layout import LayoutSpace
from treelace.classes.model import NODE, ClassState
from treelace.classes.pagination import SAME_LIST, list_address
from treelace.errors import WrapperError
from treelace.wrappers.loading import load_reader
from treelace.wrappers.model.page_reader import reads_one_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from treelace._kernel import Features
    from treelace.classes.classifier import Verdict
    from treelace.classes.model import PageClass
    from treelace.classes.pages import Parsed
    from treelace.wrappers.model.page_reader import PageReader

SHARE, FLOOR = 0.75, 0.66
"""How thresholds are learnt inside a site: a page may be a quarter less alike than the examples are
to each other, and is at least more alike than pages of two kinds are
(docs/explanation/classes.md).
"""


@dataclass(frozen=True)
class KnownClass:
    """A class of a site: its stored form, its wrapper's text; its key and language, as set."""

    page_class: PageClass
    wrapper: str | None = None
    set_key: tuple[str, ...] = ()
    language: str = ""
    """In which dates and numbers are read; empty: what each page says."""

    @property
    def id(self) -> int:
        """Its number in the store."""
        return self.page_class.id

    @property
    def name(self) -> str:
        """What people call it."""
        return self.page_class.name

    @cached_property
    def examples(self) -> tuple[Features, ...]:
        """The pages it is known by."""
        return unpack(self.page_class.sketch, self.name)

    @cached_property
    def example_urls(self) -> tuple[str, ...]:
        """The addresses of the examples, as far as they are known."""
        known = tuple(self.page_class.about.get("examples", ()))
        return (*known, *[""] * len(self.examples))[: len(self.examples)]

    @cached_property
    def lists(self) -> frozenset[str]:
        """The lists whose pages are among its examples."""
        return frozenset(map(list_address, self.page_class.about.get("examples", ())))

    @property
    def reader(self) -> PageReader | None:
        """What reads its records."""
        return self._loaded[0]

    @property
    def problem(self) -> str:
        """Why nothing reads its records, where something should."""
        return self._loaded[1]

    @cached_property
    def _loaded(self) -> tuple[PageReader | None, str]:
        if self.wrapper is None:
            return None, ""
        try:
            return load_reader(self.wrapper), ""
        except WrapperError as error:  # the page is kept all the same
            return None, f"its wrapper cannot be read: {error}"

    @property
    def key(self) -> tuple[str, ...]:
        """The record key's columns, by settings or pages; a one-record page has its address."""
        if self.set_key:
            return self.set_key
        if reads_one_record(self.reader):
            return (NODE,)
        return tuple(self.page_class.about.get("key") or ())

    @property
    def inner_keys(self) -> tuple[tuple[str, ...], ...]:
        """The keys of the tables inside its pages, which come after the first."""
        return inner_keys(self.reader)

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the first table that its wrapper promises."""
        regions = () if self.reader is None else self.reader.regions[:1]
        return frozenset(column.name for region in regions for column in region.columns)

    def __getstate__(self) -> dict[str, object]:
        """What another process needs: no more than what it was made of."""
        fields = ("page_class", "wrapper", "set_key", "language")
        return {name: value for name, value in vars(self).items() if name in fields}


@dataclass(frozen=True, slots=True)
class Classified:
    """A page and its class, if it has one."""

    page: Parsed
    page_class: KnownClass | None = None
    is_read: bool = False
    """Whether the records of the page are read: its class is in use, and it looks as it should."""
    drift: str = ""
    """Why the page is not what its class was, where it is not."""
    evidence: Verdict | None = None
    """How alike the nearest class is, and how alike its pages have to be; None where the address
    decides, or no class is known by its looks.
    """


class Catalogue:
    """The classes of a site, as values; `addresses` are patterns, each with the number of the class
    whose pages' addresses match it, in their order. With `sketches_all` pages are sketched also
    where there is nothing to compare them with: for those who propose classes afterwards.
    """

    def __init__(
        self,
        classes: Iterable[KnownClass],
        addresses: Sequence[tuple[str, int]] = (),
        *,
        sketches_all: bool = False,
    ) -> None:
        self._sketches_all = sketches_all
        self._classes = {one.id: one for one in classes}
        self._addresses = [(re.compile(pattern), class_id) for pattern, class_id in addresses]

    def __getstate__(self) -> dict[str, object]:
        """Without what was learnt from the classes: it is learnt again where it is needed."""
        learnt = ("_owners", "_space", "_classifier")
        return {name: value for name, value in vars(self).items() if name not in learnt}

    def __getitem__(self, class_id: int) -> KnownClass:
        return self._classes[class_id]

    def __iter__(self) -> Iterator[KnownClass]:
        return iter(self._classes.values())

    def get(self, class_id: int | None) -> KnownClass | None:
        """The class of this number, if there is one."""
        return None if class_id is None else self._classes.get(class_id)

    def in_state(self, state: ClassState) -> list[KnownClass]:
        """The classes that are proposed, accepted or rejected."""
        return [one for one in self if one.page_class.state is state]

    def classify(self, page: Parsed, had: int | None) -> Classified:
        """The class of a page that was in the class `had`, or in none.

        The address goes first, then the looks; a page that looks like no class stays where it was.
        """
        named = self._by_address(page.fetched.url)
        if named is not None:
            return _member(page, named)
        before = self.get(had)
        if not page.fetched.is_page:
            return Classified(page, before)
        sketch = page.sketch if self._owners or self._sketches_all else None
        seen = None if sketch is None else self.verdict(sketch)
        found = None if seen is None else self._accepting(page, seen, before)
        if found is not None and found.page_class.state is not ClassState.REJECTED:
            return _member(page, found, seen)
        if before is None or found is not None or not before.examples or seen is None:
            return Classified(page, evidence=seen) if before is None else _member(page, before)
        why = (
            f"the page is of another design: {seen.similarity:.2f} alike,"
            f" {seen.threshold:.2f} needed"
        )
        is_in_use = before.page_class.state is ClassState.ACCEPTED
        return Classified(page, before, drift=why if is_in_use else "", evidence=seen)

    def verdict(self, sketch: Features) -> Verdict | None:
        """What a page is by its looks alone; None where no class is known by them."""
        if not self._owners:
            return None
        return self._classifier.classify([self._space.compare(sketch)])[0]

    def fits(self, class_id: int, sketch: Features) -> bool:
        """Whether a page looks as the examples of a class do, whatever else it is like."""
        at = [number for number, owner in enumerate(self._owners) if owner == class_id]
        if not at:
            return False
        place = self._classifier.classes_.tolist().index(class_id)
        needed = float(self._classifier.thresholds_[place])
        return float(self._space.compare(sketch)[at].max()) >= needed

    def _by_address(self, url: str) -> KnownClass | None:
        return next((self.get(it) for known, it in self._addresses if known.fullmatch(url)), None)

    def _accepting(
        self, page: Parsed, seen: Verdict, before: KnownClass | None
    ) -> KnownClass | None:
        """The class that takes the page: the nearest, a list it continues, or its class so far."""
        nearest = self[seen.nearest]
        if seen.label is not None:
            return nearest
        if seen.similarity >= SAME_LIST and list_address(page.fetched.url) in nearest.lists:
            return nearest
        if before is None or before.id == nearest.id:
            return None
        return before if self.fits(before.id, page.sketch) else None

    @cached_property
    def _owners(self) -> list[int]:
        """The class of each example."""
        return [one.id for one in self for _ in one.examples]

    @cached_property
    def _space(self) -> LayoutSpace:
        examples = [example for one in self for example in one.examples]
        return LayoutSpace(examples, [url for one in self for url in one.example_urls])

    @cached_property
    def _classifier(self) -> PageClassifier:
        classifier = PageClassifier(measure="precomputed", share=SHARE, floor=FLOOR)
        return classifier.fit(self._space.similarities, self._owners)


def _member(page: Parsed, of: KnownClass, seen: Verdict | None = None) -> Classified:
    """A page of a class; its records are read where the class is in use."""
    if of.page_class.state is not ClassState.ACCEPTED:
        return Classified(page, of, evidence=seen)
    return Classified(page, of, is_read=True, drift=of.problem, evidence=seen)
