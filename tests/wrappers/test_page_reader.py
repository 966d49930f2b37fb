"""Everything that turns a page into tables is read in one way: wrappers, the extractor, others'."""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.wrappers import ForeignWrapper, PageReader, Wrapper
from treelace.wrappers.apply.other_readers import ExtractingReader
from treelace.wrappers.loading import is_file_name, load_reader
from treelace.wrappers.model.page_reader import reads_one_record

LIST = tl.parse(
    "<ul>"
    + "".join(f"<li><a href=/{name}>{name}</a> <i>3</i>" for name in ("tea", "jam", "milk", "oats"))
    + "</ul>"
)
DETAILS = [tl.parse(f"<h1>{name}</h1><p>Price: <b>{name}</b></p>") for name in ("tea", "jam")]


class WithoutAddress:
    def apply(self, page):
        yield {"name": page.select("a")[0]}


class WithAddress:
    def apply(self, page, *, url):
        yield {"name": url}


def function(page):
    return [{"name": page.select("a")[0]}]


@pytest.mark.parametrize(
    ("reader", "first"),
    [
        (Wrapper.learn([LIST]), "tea"),
        (ExtractingReader(), "tea"),
        (ForeignWrapper(WithoutAddress, "theirs"), "tea"),
        (ForeignWrapper(WithoutAddress(), "theirs"), "tea"),
        (ForeignWrapper(WithAddress, "theirs"), "https://a.example/"),
        (ForeignWrapper(function, "theirs"), "tea"),
    ],
)
def test_a_page_reader_is_told_the_address_and_gives_tables(reader: PageReader, first: str):
    (table, *_) = reader.apply(LIST, url="https://a.example/")
    assert table.rows[0][0] == first
    assert all(region.columns for region in reader.regions)
    assert not reads_one_record(reader)


def test_a_learnt_reader_promises_tables_and_says_what_a_page_must_be_like():
    wrapper = Wrapper.learn(DETAILS, kind="detail")
    assert reads_one_record(wrapper)
    assert wrapper.page_class.threshold > 0
    assert ExtractingReader().page_class is None
    assert not reads_one_record(None)


def test_links_are_resolved_against_the_address():
    for reader in (Wrapper.learn([LIST]), ExtractingReader()):
        cell = reader.apply(LIST, url="https://a.example/x/")[0].cells[0][0]
        assert cell is not None
        assert cell.link == "https://a.example/tea"


def test_a_reader_is_loaded_from_the_text_that_is_kept_of_it():
    wrapper = Wrapper.learn([LIST])
    assert load_reader(wrapper.to_json()) == wrapper
    extractor = load_reader("extract")
    assert repr(extractor) == "<the extractor: the likeliest table of each page>"
    theirs = load_reader(f"entry-point:{__name__}:WithAddress")
    assert repr(theirs) == f"<{__name__}:WithAddress, a wrapper of another package>"
    with pytest.raises(tl.WrapperError, match="a wrapper has a method apply"):
        load_reader(f"entry-point:{__name__}:LIST")


@pytest.mark.parametrize(
    ("text", "is_file"),
    [("tea.json", True), ("", False), ("extract", False), ("entry-point:theirs", False)],
)
def test_settings_name_a_file_or_a_reader_without_one(text: str, is_file: bool):
    assert is_file_name(text) == is_file
