"""Three-way merge."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import treelace as tl
from tests.strategies import any_trees, page_pairs, trees, xml_trees
from treelace.diff import merge

three = st.one_of(
    st.tuples(trees(max_nodes=14), trees(max_nodes=14), trees(max_nodes=14)),
    st.tuples(*[any_trees(is_html=False)] * 3),
    st.tuples(xml_trees(), xml_trees(), xml_trees()),
    st.tuples(page_pairs(), page_pairs()).map(lambda it: (it[0][0], it[0][1], it[1][0])),
)


def laws(base: tl.Tree, left: tl.Tree, right: tl.Tree) -> None:
    for x in (left, right):
        assert (
            merge(base, x, base).tree == x
            and merge(base, base, x).tree == x
            and merge(base, x, x).tree == x
        )
        assert not merge(base, x, x).conflicts
    merged = merge(base, left, right)
    assert len(merged.tree) >= 1 and merged == merge(base, left, right)
    turned = merge(base, right, left)
    assert bool(turned.conflicts) == bool(merged.conflicts)
    if not merged.conflicts:
        assert turned.tree == merged.tree


MOVED_BESIDE_NEW = tuple(
    map(
        tl.Tree.from_brackets, ("{a{a{a{a{a}}}{b{b{a{b}}}}}}", "{a{b}}", "{a{a}{a}{b{b{a}{a{b}}}}}")
    )
)


@given(three)
@example(MOVED_BESIDE_NEW)
def test_laws(versions):
    laws(*versions)


@pytest.mark.slow
@settings(max_examples=20_000, deadline=None)
@given(three)
def test_laws_long(versions):
    laws(*versions)


@st.composite
def disjoint(draw: st.DrawFn) -> tuple[str, str, str, str]:
    """A list of records, two versions that change different ones, and both changes."""
    words = [
        f"record number {n} about {word}"
        for n, word in enumerate(
            draw(st.lists(st.sampled_from(["tea", "milk", "jam"]), min_size=6, max_size=12))
        )
    ]
    left, right, both = list(words), list(words), list(words)
    places = draw(st.permutations(range(len(words))))
    for side, place in ((left, places[0]), (right, places[1])):
        kind = draw(st.sampled_from(["change", "drop", "insert"]))
        for version in (side, both):
            if kind == "change":
                version[place] = words[place] + " now changed"
            elif kind == "drop":
                version[place] = ""
            elif abs(places[0] - places[1]) > 1:
                version[place] = words[place] + "|brand new " + str(place)
    return tuple(
        "<ul>"
        + "".join(f"<li>{part}</li>" for word in it if word for part in word.split("|"))
        + "</ul>"
        for it in (words, left, right, both)
    )  # type: ignore[return-value]


@given(disjoint())
def test_disjoint_edits_are_both_made(texts):
    base, left, right, both = (tl.parse(text, format="xml") for text in texts)
    for merged in (merge(base, left, right), merge(base, right, left)):
        assert merged.tree == both and not merged.conflicts


def xml(text: str) -> tl.Tree:
    return tl.parse(text, format="xml")


BASE = "<a><b k='1'>one</b><c>two</c></a>"


@pytest.mark.parametrize(
    ("kind", "left", "right", "said"),
    [
        ("text", BASE.replace("one", "eins"), BASE.replace("one", "uno"), ("one", "eins", "uno")),
        ("attribute", BASE.replace("'1'", "'2'"), BASE.replace("'1'", "'3'"), ("1", "2", "3")),
        (
            "deleted",
            "<a><b k='1'>one</b></a>",
            BASE.replace("two", "deux"),
            ("<c> two", None, None),
        ),
        (
            "inserted",
            BASE.replace("<c>", "<x>left</x><c>"),
            BASE.replace("<c>", "<y>right</y><c>"),
            (None, "<x> left", "<y> right"),
        ),
    ],
)
def test_a_conflict_names_the_node_and_the_values(kind, left, right, said):
    merged = merge(xml(BASE), xml(left), xml(right))
    [conflict] = [it for it in merged.conflicts if it.kind == kind]
    assert conflict.path.startswith("/a")
    assert (conflict.base, conflict.left) == (said[0], said[1]) or kind == "deleted"
    assert kind in str(conflict)


def test_what_both_put_in_comes_once():
    left = right = BASE.replace("</a>", "<d>new</d></a>")
    right = right.replace("one", "uno")
    merged = merge(xml(BASE), xml(left), xml(right))
    assert merged.tree == xml(right) and not merged.conflicts


def test_one_format_only():
    with pytest.raises(tl.UsageError):
        merge(xml("<a/>"), tl.parse("<p>"), xml("<a/>"))


def test_what_was_changed_inside_a_deleted_part_keeps_all_that_it_stands_in():
    base = "<a><b><c><d>one</d></c><e>two</e></b><f>three</f></a>"
    left, right = "<a><f>three</f></a>", base.replace("one", "uno")
    for first, second in ((left, right), (right, left)):
        merged = merge(xml(base), xml(first), xml(second))
        assert merged.tree == xml("<a><b><c><d>uno</d></c></b><f>three</f></a>")
        [conflict] = merged.conflicts
        assert (conflict.kind, conflict.base) == ("deleted", "one")


@pytest.mark.parametrize("is_turned", [False, True])
def test_what_one_side_moves_is_no_conflict(is_turned):
    """The other side changed something else: the move is made, and so is the change."""
    things = "<li>tea of the hills, first flush</li><li>milk from the valley, whole</li>"
    part = "<section id=one><h2>One list of things</h2><ul>{}</ul></section>"
    other = (
        "<section id=two><h2>Another list of things</h2><ol><li>jam of last autumn</li>{}</ol>{}"
    )
    base = tl.parse(part.format(things) + other.format("", "<p>closed on Mondays"))
    moved = tl.parse(part.format("") + other.format(things, "<p>closed on Mondays"))
    told = tl.parse(part.format(things) + other.format("", "<p>open on Mondays again"))
    merged = merge(base, told, moved) if is_turned else merge(base, moved, told)
    assert not merged.conflicts
    text = merged.tree.to_html()
    assert "open on Mondays again" in text and text.index("jam of") < text.index("tea of")


@pytest.mark.parametrize("kept", ["first", "second", "third"])
def test_what_stays_though_one_side_deleted_it_stays_where_it_stood(kept):
    base = "<a><b>first</b><c>second</c><d>third</d><e>fourth</e></a>"
    gone = "<a><e>fourth</e></a>"
    changed = base.replace(kept, "other")
    [element] = [tag for tag in "bcd" if f"<{tag}>{kept}" in base]
    for first, second in ((gone, changed), (changed, gone)):
        merged = merge(xml(base), xml(first), xml(second))
        assert merged.tree == xml(f"<a><{element}>other</{element}><e>fourth</e></a>")


def test_two_that_stay_keep_their_order():
    base = "<a><b>first</b><x>between</x><c>second</c><d>third</d></a>"
    gone = "<a><x>between</x></a>"
    changed = base.replace("first", "one").replace("second", "two").replace("third", "three")
    for first, second in ((gone, changed), (changed, gone)):
        merged = merge(xml(base), xml(first), xml(second))
        assert merged.tree == xml(changed)
