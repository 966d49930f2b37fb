"""Which class a page is of: decided at the numbers that are written down, on both sides of each."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
import pytest

from treelace.classes import catalogue as module
from treelace.classes import proposals
from treelace.classes.catalogue import FLOOR, SHARE, Catalogue, KnownClass
from treelace.classes.edits import side_of, split
from treelace.classes.layout import LayoutSpace, sketch_of
from treelace.classes.model import ClassState, PageClass
from treelace.classes.names import MIN_PROSE, free_name, names_for
from treelace.classes.pages import Fetched, Parsed
from treelace.classes.pagination import SAME_LIST
from treelace.errors import UsageError
from treelace.tree import parse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treelace.wrappers import Wrapper

NOW = datetime(2026, 3, 2, tzinfo=UTC)
URL = "https://a.example/tea/assam"


class Space:
    """Stands for the layout space: how alike each pair is, is given."""

    def __init__(self, examples: list[str], urls: list[str]) -> None:
        assert len(examples) == len(urls)
        self._examples = examples

    given: ClassVar[dict[frozenset[str], float]] = {}

    def compare(self, left: str) -> NDArray[np.float64]:
        return np.array([self._alike(left, right) for right in self._examples])

    @property
    def similarities(self) -> NDArray[np.float64]:
        return np.array([self.compare(one) for one in self._examples])

    def _alike(self, left: str, right: str) -> float:
        return 1.0 if left == right else self.given.get(frozenset([left, right]), 0.0)


def known(
    number: int,
    *examples: str,
    state: ClassState = ClassState.ACCEPTED,
    lists: tuple[str, ...] = (),
) -> KnownClass:
    about = {"examples": list(lists)}
    made = KnownClass(PageClass(number, f"class-{number}", state, None, None, about, NOW))
    vars(made)["examples"] = examples
    return made


def page(url: str = URL, status: int = 200) -> Parsed:
    made = Parsed(Fetched(url, NOW, status, b"<p>tea"), parse("<p>tea"))
    made._sketch.append("page")  # type: ignore[arg-type]
    return made


@pytest.fixture
def alike(monkeypatch):
    """Says how alike pages are, pair by pair: `alike("a b", 0.9)`."""
    monkeypatch.setattr(Space, "given", {})
    monkeypatch.setattr(module, "LayoutSpace", Space)

    def say(pair: str, value: float) -> None:
        Space.given[frozenset(pair.split())] = value

    return say


@pytest.mark.parametrize(
    ("inside", "needed"), [(1.0, SHARE), (0.95, SHARE * 0.95), (0.85, FLOOR), (0.3, FLOOR)]
)
def test_a_page_joins_from_the_threshold_that_its_class_has_learnt(alike, inside, needed):
    alike("a b", inside)
    for near, is_in in ((needed, True), (needed - 0.001, False)):
        alike("page a", near)
        found = Catalogue([known(1, "a", "b")]).classify(page(), None)
        assert (found.page_class is not None) == is_in
        assert found.evidence.threshold == pytest.approx(needed)


@pytest.mark.parametrize(
    ("near", "url", "is_in"),
    [
        (SAME_LIST, "https://a.example/tea?page=3", True),
        (SAME_LIST - 0.001, "https://a.example/tea?page=3", False),
        (SAME_LIST, "https://a.example/cups?page=3", False),
    ],
)
def test_a_further_page_of_a_list_joins_the_class_of_the_list(alike, near, url, is_in):
    alike("page a", near)
    lists = Catalogue([known(1, "a", lists=("https://a.example/tea",))])
    assert (lists.classify(page(url), None).page_class is not None) == is_in


def test_a_page_that_looks_like_no_class_keeps_its_own_which_has_drifted(alike):
    alike("page a", 0.5)
    classes = Catalogue([known(1, "a"), known(2, "b", state=ClassState.PROPOSED)])
    found = classes.classify(page(), 1)
    assert found.page_class is classes[1] and not found.is_read
    assert found.drift == "the page is of another design: 0.50 alike, 0.66 needed"
    assert not classes.classify(page(), 2).drift, "a class that is not in use does not drift"


def test_a_page_moves_to_the_class_that_is_nearest(alike):
    alike("page a", 0.7)
    alike("page b", 0.8)
    classes = Catalogue([known(1, "a"), known(2, "b")])
    assert classes.classify(page(), 1).page_class is classes[2]


def test_a_page_stays_in_its_class_where_the_nearest_one_is_too_tight(alike):
    alike("b c", 1.0)  # pages of the second class are all the same
    alike("page a", 0.7)
    alike("page b", 0.72)
    classes = Catalogue([known(1, "a"), known(2, "b", "c")])
    assert classes.classify(page(), 1).page_class is classes[1]
    assert classes.classify(page(), None).page_class is None


def test_what_a_person_rejected_is_no_class(alike):
    alike("page a", 1.0)
    classes = Catalogue([known(1, "a", state=ClassState.REJECTED), known(2)])
    assert classes.classify(page(), None).page_class is None
    assert classes.classify(page(), 2).page_class is classes[2]
    assert classes.verdict("page").label == 1  # type: ignore[arg-type, union-attr]


def test_the_address_goes_before_the_looks(alike):
    alike("page a", 1.0)
    patterns = [(r".*/cups/.*", 1), (r".*/tea/.*", 2), (r".*", 1)]
    classes = Catalogue([known(1, "a"), known(2)], patterns)
    found = classes.classify(page(), 1)
    assert found.page_class is classes[2] and found.is_read and found.evidence is None


@pytest.mark.parametrize(
    ("status", "is_read"), [(200, True), (299, True), (300, False), (199, False)]
)
def test_a_word_about_a_page_changes_nothing(alike, status, is_read):
    alike("page a", 1.0)
    found = Catalogue([known(1, "a")]).classify(page(status=status), 1)
    assert found.page_class is not None and found.is_read == is_read


def test_records_are_known_by_what_the_settings_say_first():
    one = known(1)
    learnt = replace(one, page_class=replace(one.page_class, about={"key": ["name link"]}))
    assert (one.key, learnt.key) == ((), ("name link",))
    assert replace(learnt, set_key=("sku",)).key == ("sku",)


def test_three_pages_make_a_class():
    sketch = sketch_of(parse("<ul class=tea><li>1<li>2</ul>"))
    pages = {f"https://a.example/{number}": sketch for number in range(3)}
    assert proposals.alike_pages(pages) == [sorted(pages)]
    assert not proposals.alike_pages(dict(list(pages.items())[:2]))


def test_a_class_is_named_by_the_word_of_most_pages():
    urls = [f"https://a.example/tea/{number}" for number in range(4)] + ["https://a.example/x/1"]
    assert names_for(urls, None) == ["tea", "page"]
    others = [f"https://a.example/{word}/1" for word in "xyz"]
    assert names_for([*urls[:4], *others], None) == ["tea", "page"], "the folder of most"
    assert names_for([*urls[:3], *others], None) == ["page"]


def test_a_class_of_one_kind_cannot_be_split():
    sketch = sketch_of(parse("<p>tea"))
    with pytest.raises(UsageError, match="the 1 pages of tea cannot be told apart"):
        split({"https://a.example/": sketch}, "tea")
    sides = LayoutSpace([sketch, sketch], [URL, URL])
    assert side_of(sketch, sides, 1) == 0


def test_a_class_is_called_by_what_its_pages_hold():
    def reading(kind: str, column: str, *, is_prose: bool = False) -> Wrapper:
        columns = [SimpleNamespace(type=column, length=MIN_PROSE - (not is_prose))]
        return cast(
            "Wrapper", SimpleNamespace(regions=[SimpleNamespace(kind=kind, columns=columns)])
        )

    urls = ["https://a.example/tea", "https://a.example/cups"]
    assert names_for(urls, reading("page", "text")) == ["item"]
    assert names_for(urls, reading("page", "text", is_prose=True)) == ["article", "item"]
    assert names_for(urls, reading("page", "price")) == ["product", "item"]
    assert names_for(urls, reading("list", "price")) == ["list"]
    deep = ["https://a.example/shop/goods/tea", "https://a.example/new/goods/cups"]
    assert names_for(deep, reading("page", "price")) == ["goods", "product", "item"]
    days = [
        f"https://a.example/{place}" for place in ("tags/a", "tags/b", "tags/c", "days/d", "e/f")
    ]
    assert names_for(days, reading("list", "text")) == ["tags-list", "list"]
    assert free_name(["list"], {"list"}) == "list-2"
