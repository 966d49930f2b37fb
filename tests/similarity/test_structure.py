"""Our own measure: against its definition, and what it must not mind."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings

from tests.oracles import structure as oracle
from tests.strategies import page_trees, trees, xml_trees
from treelace import Tree, UsageError, parse, similarity
from treelace.similarity.measures.design import Design
from treelace.similarity.measures.structure import Structure

PAGE = """<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=x>\
<link rel=stylesheet href=/site.12.css?v=3>
<script src=/site.js></script><style>p {}</style></head><body class="page p-17" id=b9 \
bgcolor=#FFF onload=go()><noscript><b>no</b></noscript>
<div id=main-8><ul class="list wide">{rows}</ul><form method=POST action=/go><input name=q1 \
type=search></form>
<svg class=icon><g><path d=M0></g></svg><template><i class=t>x</i></template></div>
<footer class=foot><a href=/about rel=nofollow>about</a></footer></body></html>"""


def page(rows: int = 3, **changes: str) -> Tree:
    text = PAGE.replace(
        "{rows}",
        "".join(
            f"<li class='item item-{i}'><a href=/{i}>{i}</a><b class=price>{i}</b></li>"
            for i in range(rows)
        ),
    )
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return parse(text, format="html")


@given(page_trees(), page_trees())
def test_pages_against_the_definition(left: Tree, right: Tree) -> None:
    assert Structure().similarity(left, right) == pytest.approx(
        oracle.similarity(left, right), abs=1e-9
    )


@given(xml_trees(), trees())
def test_xml_against_the_definition(left: Tree, right: Tree) -> None:
    assert Structure().similarity(left, right) == pytest.approx(
        oracle.similarity(left, right), abs=1e-9
    )


def test_a_page_with_everything_against_the_definition() -> None:
    other = page(
        7,
        body="body",
        **{
            "class=foot": "class='foot dark'",
            "method=POST": "method=get",
            "<script src=/site.js>": "<script src=/other.js>",
        },
    )
    assert 0.5 < Structure().similarity(page(), other) < 1
    assert Structure().similarity(page(), other) == pytest.approx(
        oracle.similarity(page(), other), abs=1e-12
    )


def test_what_differs_from_page_to_page_of_one_template_does_not_matter() -> None:
    assert Structure().similarity(page(2), page(40)) == 1.0
    another = page(
        **{
            "p-17": "p-18",
            "site.12.css?v=3": "site.13.css?v=4",
            "onload=go()": "onload=stop()",
            "M0": "M1",
        }
    )
    assert Structure().similarity(page(), another) == 1.0


def test_what_a_redesign_changes_matters_little_by_little() -> None:
    """One wrapper around everything, other classes, another template: less and less alike."""
    wrapped = page(
        **{"<div id=main-8>": "<div><div id=main-8>", "</svg><template>": "</svg></div><template>"}
    )
    renamed = page(**{"item": "entry", "list wide": "grid", "price": "cost", "foot>": "bottom>"})
    another = parse("<html><body><table bgcolor=red><tr><td>1</table></body></html>", format="html")
    values = [similarity(page(), other) for other in (wrapped, renamed, another)]
    assert values == sorted(values, reverse=True)
    assert values[0] > 0.7
    assert values[1] > 0.5
    assert values[2] < 0.3


@settings(max_examples=30)
@given(page_trees(), page_trees())
def test_a_design_is_the_smaller_of_structure_and_paths(left: Tree, right: Tree) -> None:
    assert Design().similarity(left, right) == pytest.approx(oracle.design(left, right), abs=1e-9)
    assert Design(slots=70).similarity(left, right) <= Structure(slots=70).similarity(left, right)


def test_families_that_neither_page_has_are_missing_not_equal() -> None:
    one, other = parse("<p>a<i>b</i>", format="html"), parse("<p>a<b>b</b>", format="html")
    assert (
        Structure().explain(one, other)
        == "shapes 0.667, edges 0.600, words –, resources –, looks –, roles –, paths 0.667"
    )
    assert Structure().similarity(one, other) == pytest.approx(
        ((2 * (2 / 3) ** 0.5 + 0.6**0.5) / 3) ** 2
    )


def test_sketches_are_close_and_small() -> None:
    pages = [
        page(3),
        page(9, **{"foot>": "bottom>"}),
        parse("<table width=9><tr><td>1</table>", format="html"),
    ]
    exact, sketched = Structure(), Structure(slots=7 * 512)
    for left in pages:
        for right in pages:
            assert sketched.similarity(left, right) == pytest.approx(
                exact.similarity(left, right), abs=0.08
            )
    sketch = Structure(slots=256).features(pages[0])
    assert sketch.memory <= 256 * 4
    assert pickle.loads(pickle.dumps(sketch)) == sketch


@pytest.mark.parametrize(
    "options", [{"slots": 6}, {"slots": 0}, {"slots": 2**21}, {"seed": -1}, {"seed": 2**64}]
)
def test_settings_out_of_range_are_wrong_use(options: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=r"slots|seed"):
        Structure(**options)


def test_sketches_of_other_settings_do_not_compare() -> None:
    tree = page()
    with pytest.raises(UsageError, match="different settings"):
        Structure(slots=70).compare(
            Structure(slots=70).features(tree), Structure(slots=70, seed=1).features(tree)
        )
    with pytest.raises(UsageError, match="different settings"):
        Structure(slots=70).compare(
            Structure(slots=70).features(tree), Structure(slots=140).features(tree)
        )
    with pytest.raises(UsageError, match="families cannot compare"):
        Structure().compare(Structure().features(tree), Structure(slots=70).features(tree))
