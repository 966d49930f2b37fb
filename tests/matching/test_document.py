"""document: what it is for, and what must not break it."""

from __future__ import annotations

import csv
import gzip
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given

from tests.strategies import any_trees, page_pairs
from treelace import Tree, parse
from treelace.errors import UsageError
from treelace.matching.matchers.auto import Auto
from treelace.matching.matchers.document import Document
from treelace.matching.matchers.lace import Lace
from treelace.testing.mutate import mutate


def xml(text: str) -> Tree:
    return parse(text, format="xml")


def by_path(old: Tree, new: Tree, **options: object) -> dict[str, str]:
    return {old[i].xpath: new[j].xpath for i, j in Document(**options).match(old, new).pairs}  # type: ignore[arg-type]


@given(old=any_trees(max_nodes=16), new=any_trees(max_nodes=16))
def test_any_two_trees_have_a_matching(old: Tree, new: Tree) -> None:
    matching = Document().match(old, new)
    assert matching == Document().match(old, new)
    assert (0, 0) in matching.pairs


@given(pair=page_pairs())
def test_what_is_equal_and_unique_is_paired(pair: tuple[Tree, Tree]) -> None:
    old, new = pair
    partner = dict(Document().match(old, new).pairs)
    digests = [[tree[i].digest for i in range(len(tree))] for tree in (old, new)]
    for i in range(1, len(old)):
        if (
            digests[0].count(digests[0][i]) == 1 == digests[1].count(digests[0][i])
            and len(old[i].text) > 120
        ):
            assert partner[i] == digests[1].index(digests[0][i])


def test_a_changed_record_is_found_by_what_stayed() -> None:
    records = [
        f"<rec><name>name number {n}</name><price>{n}.00</price><state>in stock</state></rec>"
        for n in range(6)
    ]
    old = xml(f"<list>{''.join(records)}</list>")
    records[2] = records[2].replace("2.00", "99.95")
    del records[4]
    found = by_path(old, xml(f"<list>{''.join(records)}</list>"))
    assert found["/list/rec[3]/price/text()"] == "/list/rec[3]/price/text()"
    assert "/list/rec[5]" not in found
    assert found["/list/rec[6]"] == "/list/rec[5]"


def test_a_common_value_does_not_move() -> None:
    old = xml("<r><a><v>17</v><w>left hand side</w></a><b><v>18</v><w>right hand side</w></b></r>")
    new = xml("<r><a><v>18</v><w>left hand side</w></a><b><v>19</v><w>right hand side</w></b></r>")
    found = by_path(old, new)
    assert found["/r/a/v/text()"] == "/r/a/v/text()"
    assert found["/r/b/v/text()"] == "/r/b/v/text()"


def test_a_child_that_leaves_a_thin_container_does_not_drag_it_along() -> None:
    story = (
        "<p>a long story that is told only once in the whole of the document, from start to end</p>"
    )
    others = (
        "<p>another story that is told only once in the document</p><p>a third story, which is not"
        " like the two others at all</p>"
    )
    old = xml(f"<r><box>{story}</box><box>{others}</box></r>")
    new = xml(f"<r><box/><box>{story}{others}</box></r>")
    found = by_path(old, new)
    assert found["/r/box[1]"] == "/r/box[1]"
    assert found["/r/box[1]/p"] == "/r/box[2]/p[1]"


def test_a_blank_goes_with_the_neighbour_that_moves() -> None:
    lines = [
        f"\n  <item>the line that says {word} and nothing else at all</item>"
        for word in ("one", "two", "three", "four")
    ]
    old = xml(f"<r>{''.join(lines)}\n</r>")
    new = xml(f"<r>{lines[1]}{lines[2]}{lines[3]}{lines[0]}\n</r>")
    matching = Document().match(old, new)
    assert len(matching) == len(old)


def test_new_indentation_changes_no_element() -> None:
    old = xml("<r><a><b>text</b><c/></a><a><b>text</b><c/></a></r>")
    new = xml("<r>\n <a>\n  <b>text</b>\n  <c/>\n </a>\n <a>\n  <b>text</b>\n  <c/>\n </a>\n</r>")
    assert len(Document().match(old, new)) == len(old)


def test_wrapped_children_stay_who_they_are() -> None:
    inner = "<p>the first paragraph of some length</p><p>the second paragraph of some length</p>"
    found = by_path(xml(f"<r>{inner}</r>"), xml(f"<r><div>{inner}</div></r>"))
    assert found["/r/p[1]"] == "/r/div/p[1]"
    assert found["/r/p[2]"] == "/r/div/p[2]"


def test_a_changed_root_is_still_the_root() -> None:
    assert by_path(xml("<a><x>1</x></a>"), xml("<b><x>2</x></b>"))["/a"] == "/b"


def test_two_thousand_children_reversed() -> None:
    items = [f"<i>{n}</i>" for n in range(2000)]
    matching = Document().match(
        xml(f"<r>{''.join(items)}</r>"), xml(f"<r>{''.join(reversed(items))}</r>")
    )
    assert len(matching) == 2 + 4000


def test_a_page_of_identical_elements_has_no_moves() -> None:
    old, new = xml(f"<r>{'<i>x</i>' * 20_000}</r>"), xml(f"<r>{'<i>x</i>' * 19_800}</r>")
    matching = Document().match(old, new)
    assert len(matching) == len(new)
    assert (matching.new[1:] > matching.new[:-1]).all()


@pytest.mark.parametrize("shape", ["deep", "flat", "alternating"])
def test_hostile_shapes_take_little_time(shape: str) -> None:
    texts = {
        "deep": (
            "<a>" * 50_000 + "x" + "</a>" * 50_000,
            "<a>" * 49_999 + "<b/>y" + "</a>" * 49_999,
        ),
        "flat": ("<r>" + "<i/><j/>" * 30_000 + "</r>", "<r>" + "<j/><i/><i/>" * 20_000 + "</r>"),
        "alternating": (
            "<r>" + "".join(f"<i>{n % 7}</i>" for n in range(30_000)) + "</r>",
            "<r>" + "".join(f"<i>{n % 5}</i>" for n in range(30_000)) + "</r>",
        ),
    }[shape]
    old, new = map(xml, texts)
    start = time.process_time()
    Document().match(old, new)
    assert time.process_time() - start < 5


def test_a_key_finds_its_element_again() -> None:
    old = xml('<r><e k="1"><x>aa</x></e><e k="2"><x>bb</x></e></r>')
    new = xml('<r><e k="2"><x>cc</x></e><e k="1"><x>dd</x></e></r>')
    found = by_path(old, new, keys=["k"])
    assert found["/r/e[1]"] == "/r/e[2]"


def test_a_rate_must_be_a_share() -> None:
    with pytest.raises(UsageError, match="shares"):
        Document(rates=[("price", -0.1)])


def test_auto_asks_lace_for_a_redesigned_page() -> None:
    old = parse(
        "<ul>" + "".join(f"<li>{word}</li>" for word in "alpha beta gamma delta".split()) + "</ul>"
    )
    new = parse(
        "<table>"
        + "".join(f"<tr><td><b>{word}</b></td></tr>" for word in "one two three four five".split())
        + "</table>"
    )
    assert Auto().match(old, new) == Lace().match(old, new)
    assert Auto(share=0.0).match(old, new) == Document().match(old, new)


def test_rates_tell_what_is_not_to_be_trusted() -> None:
    """A price that goes from one record to the next is no evidence, once it is known that prices
    change.
    """
    old = xml(
        "<list><rec><name>green tea</name><price>317.50</price></rec><rec><name>black"
        " tea</name><price>429.95</price></rec></list>"
    )
    new = xml(
        "<list><rec><name>green tea leaf</name><price>429.95</price></rec><rec><name>black tea"
        " leaf</name><price>555.00</price></rec></list>"
    )
    assert by_path(old, new)["/list/rec[2]"] == "/list/rec[1]"
    learnt = by_path(old, new, rates={"price": 0.9})
    assert learnt["/list/rec[1]"] == "/list/rec[1]" and learnt["/list/rec[2]"] == "/list/rec[2]"


def snapshot(corpus: Path, site: str, number: str) -> Tree:
    return parse(
        gzip.decompress((corpus / "data/snapshots" / site / f"{number}.html.gz").read_bytes()),
        format="html",
    )


def is_document(old: Tree, new: Tree) -> bool:
    return Auto().match(old, new) == Document().match(old, new)


def test_auto_takes_document_for_versions_of_one_design(corpus: Path) -> None:
    rows = list(csv.DictReader((corpus / "data/snapshots/designs.csv").open()))
    pairs = [
        (one, two)
        for one, two in pairwise(rows)
        if (one["site"], one["design"]) == (two["site"], two["design"])
    ][::30]
    taken = [
        is_document(
            snapshot(corpus, one["site"], one["number"]),
            snapshot(corpus, two["site"], two["number"]),
        )
        for one, two in pairs
    ]
    assert len(taken) > 15 and sum(taken) >= 0.95 * len(taken)


@pytest.mark.parametrize(
    ("site", "before", "after"),
    [("heise-security", "019", "020"), ("eharmony-trackers", "090", "091")],
)
def test_auto_takes_lace_across_a_redesign(
    corpus: Path, site: str, before: str, after: str
) -> None:
    assert not is_document(snapshot(corpus, site, before), snapshot(corpus, site, after))


def test_auto_takes_lace_for_a_page_with_other_tags_and_classes() -> None:
    rows = "".join(
        f"<div class=item><span class=name>thing number {n}</span> <b class=price>{n}.50</b></div>"
        for n in range(30)
    )
    old = parse(f"<!doctype html><title>Things</title><div class=list>{rows}</div>")
    new = parse(mutate(old, ratio=0.4, seed=3, rename_tags_too=True, restyle_too=True).html)
    assert not is_document(old, new)
