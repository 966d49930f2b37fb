"""What a diff promises: exact, complete, both ways, one change one operation."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest

import treelace as tl
from treelace.diff import Attribute, Delete, Delta, Edit, Insert, Move, Place, Update, Xids, diff

OLD = (
    "<Category><Title>Digital"
    " Cameras</Title><Discount><Product><Name>tx123</Name><Price>$499</Price></Product></Discount>"
    "<NewProducts><Product><Name>zy456</Name><Price>$799</Price></Product></NewProducts></Category>"
)
NEW = (
    "<Category><Title>Digital"
    " Cameras</Title><Discount><Product><Name>zy456</Name><Price>$699</Price></Product></Discount>"
    "<NewProducts><Product><Name>abc</Name><Price>$899</Price></Product></NewProducts></Category>"
)


def xml(text: str) -> tl.Tree:
    return tl.parse(text, format="xml")


def matching(old: tl.Tree, new: tl.Tree, pairs: list[tuple[str, str]]) -> tl.Matching:
    """Nodes paired by XPath, whole subtrees node for node."""
    rows = [(0, 0)]
    for left, right in pairs:
        [a], [b] = old.select_xpath(left), new.select_xpath(right)
        rows.append((a.index, b.index))
    return tl.Matching(old, new, [row[0] for row in rows], [row[1] for row in rows])


def test_the_example_of_the_paper():
    old, new = xml(OLD), xml(NEW)
    pairs = [
        ("/Category", "/Category"),
        ("//Title", "//Title"),
        ("//Title/text()", "//Title/text()"),
        ("//Discount", "//Discount"),
    ]
    pairs += [("//NewProducts", "//NewProducts"), ("//NewProducts/Product", "//Discount/Product")]
    pairs += [
        (f"//NewProducts/Product/{it}", f"//Discount/Product/{it}")
        for it in ("Name", "Name/text()", "Price", "Price/text()")
    ]
    delta = diff(old, new, matcher=matching(old, new, pairs))
    assert repr(delta) == "<Delta: 1 update, 1 delete, 1 move, 1 insert>"
    update, delete, move, insert = delta.operations
    assert update == Update(11, "$799", "$699", ())
    assert isinstance(delete, Delete) and (delete.place, delete.xids) == (Place(8, 1), (7,))
    assert move == Move((13,), Place(14, 1), Place(8, 1))
    assert isinstance(insert, Insert) and (insert.place, insert.xids) == (Place(14, 1), (20,))
    assert delta._delta.to_map == "1-2;9-13;8;16-20;14-15" and delta.next_xid == 21
    assert delta.to_xml().splitlines()[1:-1] == [
        '<upd x="11" old="$799" new="$699"/>',
        ('<del x="7" in="8.1"><Product><Name>tx123</Name><Price>$499</Price></Product></del>'),
        '<mov x="13" from="14.1" to="8.1"/>',
        '<ins in="14.1"><Product><Name>abc</Name><Price>$899</Price></Product></ins>',
    ]
    delta.verify(old)
    # the first form, as it was written before
    first = (
        '<d:delta xmlns:d="urn:treelace:delta:1"'
        f' from="{delta.old_digest}" to="{delta.new_digest}" next-xid="21">'
        '<d:to map="1-2;9-13;8;16-20;14-15"/>\n'
        '<d:update xid="11"><d:old>$799</d:old><d:new>$699</d:new></d:update>\n'
        '<d:delete xid="7" parent="8" at="1">'
        "<Product><Name>tx123</Name><Price>$499</Price></Product></d:delete>\n"
        '<d:move xid="13" from="14" from-at="1" to="8" to-at="1"/>\n'
        '<d:insert xid="20" parent="14" at="1">'
        "<Product><Name>abc</Name><Price>$899</Price></Product></d:insert>\n</d:delta>\n"
    )
    assert Delta.from_xml(first) == delta
    assert delta.to_xml(long=True) == first


def test_one_change_is_one_operation():
    old = tl.parse("<ul class=a><li>one<li>two<li>three</ul><p>x")
    cases = {
        "<ul class=b><li>one<li>two<li>three</ul><p>x": Attribute,
        "<ul class=a><li>one<li>2<li>three</ul><p>x": Update,
        "<ul class=a><li>one<li>three</ul><p>x": Delete,
        "<ul class=a><li>one<li>two<li>new<li>three</ul><p>x": Insert,
        "<ul class=a><li>three<li>one<li>two</ul><p>x": Move,
    }
    for text, kind in cases.items():
        delta = diff(old, tl.parse(text))
        assert [type(operation) for operation in delta.operations] == [kind], text


@pytest.mark.parametrize("count", [6, 600])
def test_figure_3_a_child_that_goes_to_the_end_is_one_move(count):
    names = [f"<v{number}/>" for number in range(count)]
    old = tl.parse(f"<a>{''.join(names)}</a>", format="xml")
    new = tl.parse(f"<a>{''.join([*names[1:], names[0]])}</a>", format="xml")
    delta = diff(old, new, matcher="buld")
    assert delta.operations == (Move((1,), Place(count + 1, 1), Place(count + 1, count)),)


def test_adjacent_siblings_share_an_operation():
    old, new = xml("<a><b>1</b><c>2</c></a>"), xml("<a><b>1</b><x/>t<y/><c>2</c></a>")
    [insert] = diff(old, new).operations
    assert isinstance(insert, Insert) and len(insert.nodes) == 3


def test_long_texts_and_values_are_edited_inside():
    words = "a long sentence about nothing in particular that goes on and on "
    old, new = (
        xml(f'<a k="{words}1{words}">{words}red{words}</a>'),
        xml(f'<a k="{words}2{words}">{words}blue{words}</a>'),
    )
    update, attribute = sorted(
        diff(old, new).operations, key=lambda it: type(it).__name__, reverse=True
    )
    assert isinstance(update, Update) and update.edits == (Edit(len(words), "red", "blue"),)
    assert isinstance(attribute, Attribute) and attribute.edits == (Edit(len(words), "1", "2"),)
    assert not any(getattr(it, "edits", ()) for it in diff(old, new, inner_edits=False).operations)


def test_without_order_moves_a_moved_child_is_deleted_and_inserted():
    old, new = (
        tl.parse("<ul><li>one<li>two<li>three</ul>"),
        tl.parse("<ul><li>three<li>one<li>two</ul>"),
    )
    assert diff(old, new).counts == {"move": 1}
    delta = diff(old, new, order_moves=False)
    assert delta.counts == {"delete": 1, "insert": 1}
    delta.verify(old)


def test_xids_stay_along_a_chain():
    versions = [
        xml(text)
        for text in (
            "<a><b>1</b></a>",
            "<a><c/><b>1</b></a>",
            "<a><b>2</b><c/></a>",
            "<a><c/></a>",
            "<a><d/><c/></a>",
        )
    ]
    xids, deltas = Xids.first(versions[0]), []
    seen: dict[int, str] = {}
    for old, new in pairwise(versions):
        delta = diff(old, new, xids=xids)
        made, xids = delta.apply_with_xids(old)
        assert made == new and xids == delta.new_xids(new)
        for node, xid in zip(new, xids.of.tolist(), strict=True):
            if node.is_element:
                assert seen.setdefault(xid, node.tag) == node.tag
        deltas.append(delta)
    for delta, old, new in zip(
        reversed(deltas), reversed(versions[:-1]), reversed(versions[1:]), strict=True
    ):
        assert (~delta).apply(new) == old
    assert len(set(xids.of.tolist())) == len(xids)


def test_another_base_is_refused_with_both_digests():
    old, new = tl.parse("<p>one"), tl.parse("<p>two")
    delta = diff(old, new)
    with pytest.raises(tl.DeltaError, match=f"{old.digest[:16]}, not for {new.digest[:16]}"):
        delta.apply(new)


def test_equal_documents_have_an_empty_delta():
    delta = diff(tl.parse("<p>one"), tl.parse("<p>one"))
    assert not delta and repr(delta) == "<Delta: no change>" and delta == ~delta


def test_attributes_of_html_keep_their_order_both_ways():
    old, new = tl.parse("<p a=1 b=2 c=3>"), tl.parse("<p z=0 c=3 a=1>")
    delta = diff(old, new)
    assert delta.apply(old).to_html() == new.to_html()
    assert (~delta).apply(new).to_html() == old.to_html()


def test_a_delta_travels_by_pickle():
    import pickle

    delta = diff(xml(OLD), xml(NEW))
    assert pickle.loads(pickle.dumps(delta)) == delta


def test_a_damaged_delta_is_refused():
    old, new = tl.parse("<p>one"), tl.parse("<p>two")
    text = diff(old, new).to_xml()
    with pytest.raises(tl.DeltaError, match="no node 99"):
        Delta.from_xml(text.replace('x="2"', 'x="99"')).apply(old)
    for wrong in (
        "",
        "<a/>",
        "no",
        text[:-9],
        text.replace("upd", "sing"),
        text.replace('x="2"', 'x="-2"'),
        "\ud800",
    ):
        with pytest.raises(tl.DeltaError):
            Delta.from_xml(wrong)


def test_only_deltas_compose():
    delta = diff(tl.parse("<p>a"), tl.parse("<p>b"))
    with pytest.raises(TypeError):
        delta | 3


def test_limits_reach_a_matcher_that_is_named(monkeypatch):
    given = []

    def match(*arguments, **options):
        given.append(options)
        return tl.match(*arguments, **options)

    monkeypatch.setattr(sys.modules["treelace.diff.differ"], "match", match)
    limits = tl.Limits(seconds=600)
    diff(tl.parse("<p>a"), tl.parse("<p>b"), matcher="document", limits=limits)
    assert given == [{"limits": limits}]
