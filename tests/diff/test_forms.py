"""Every form gives the delta back; a damaged one gives an error or the right answer, never a third
thing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treelace as tl
from tests.diff.test_laws import any_matchings, pairs_of_trees
from treelace.diff import Delta, Xids, diff
from treelace.diff.outputs import Change
from treelace.diff.outputs.change_list import change_list
from treelace.diff.outputs.text import text

Form = tuple[Callable[[Delta], bytes], Callable[[bytes], Delta]]
FORMS: dict[str, Form] = {
    "xml": (lambda delta: delta.to_xml().encode(), Delta.from_xml),
    "long xml": (lambda delta: delta.to_xml(long=True).encode(), Delta.from_xml),
    "json": (lambda delta: delta.to_json().encode(), Delta.from_json),
    "binary": (
        lambda delta: delta._delta.to_binary(tl.Limits()),
        lambda data: Delta(tl._kernel.Delta.from_binary(data, tl.Limits())),
    ),
    "packed": (Delta.to_bytes, Delta.from_bytes),
}


@given(any_matchings(), st.booleans())
def test_every_form_gives_the_delta_back(matching, inner_edits):
    delta = diff(matching.old_tree, matching.new_tree, matcher=matching, inner_edits=inner_edits)
    for write, read in FORMS.values():
        for it in (delta, ~delta):
            assert read(write(it)) == it
            assert Delta.read(write(it)) == it


SCHEMA = Path(tl.__file__).parent / "diff/delta.rng"


@given(any_matchings(), st.booleans())
def test_the_xml_form_is_what_its_schema_says(matching, inner_edits):
    etree = pytest.importorskip("lxml.etree")
    delta = diff(matching.old_tree, matching.new_tree, matcher=matching, inner_edits=inner_edits)
    schema = etree.RelaxNG(etree.parse(str(SCHEMA)))
    for it in (delta, ~delta):
        try:
            document = etree.fromstring(it.to_xml().encode())
        except etree.XMLSyntaxError:
            continue  # libxml2 is stricter with the names of namespaces than XML is
        assert schema.validate(document), (schema.error_log, it.to_xml())


def harmless(delta: Delta, old: tl.Tree, new: tl.Tree) -> None:
    """Applying gives the new document or an error; so do all that work on deltas alone."""
    for work in (
        lambda: delta.apply(old),
        lambda: (~delta).apply(new),
        lambda: (delta | ~delta).apply(old),
        lambda: (~delta | delta).apply(new),
    ):
        try:
            made = work()
        except tl.TreelaceError:
            continue
        assert made.digest[:16] in (delta.old_digest, delta.new_digest)


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes changed, dropped, doubled, swapped, cut."""
    out = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(out) - 1)))
        kind = draw(st.sampled_from(["byte", "drop", "double", "cut", "digit"]))
        if not out:
            break
        if kind == "byte":
            out[at] = draw(st.integers(0, 255))
        elif kind == "drop":
            del out[at : at + draw(st.integers(1, 8))]
        elif kind == "double":
            length = draw(st.integers(1, 60))
            out[at:at] = out[at : at + length]
        elif kind == "cut":
            del out[at:]
        else:
            digits = [place for place, byte in enumerate(out) if 48 <= byte <= 57]
            if digits:
                out[draw(st.sampled_from(digits))] = draw(st.integers(48, 57))
    return bytes(out)


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_damage_is_an_error_or_harmless(form, data):
    old, new = data.draw(pairs_of_trees)
    write, read = FORMS[form]
    delta = diff(old, new)
    broken = data.draw(damaged(write(delta)))
    try:
        found = read(broken)
    except (tl.DeltaError, tl.LimitError):
        return
    harmless(found, old, new)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=20_000, deadline=None)
@given(data=st.data())
def test_damage_long(form, data):
    old, new = data.draw(pairs_of_trees)
    write, read = FORMS[form]
    broken = data.draw(damaged(write(diff(old, new))))
    try:
        found = read(broken)
    except (tl.DeltaError, tl.LimitError):
        return
    harmless(found, old, new)


OLD, NEW = "<a><b>1</b><c><e/></c><d/></a>", "<a><c/><b>1</b><d><e/></d></a>"


@pytest.mark.parametrize(
    ("what", "wrong"),
    [
        ("a place out of range", '<mov x="1" from="7.99" to="1"/>'),
        ("a place of nothing", '<mov x="1" from="7" to="1"/>'),
        ("a place behind a node", '<mov x="1" from="7.1/3" to="1"/>'),
        ("a circle in a run", '<mov x="4" from="6.2" to="3.1"/>'),
        ("a huge run", '<mov map="1-4000000000" from="6.1" to="2"/>'),
        ("more insertions than numbers", f'<ins in="6.1">{"<x/>" * 9}</ins>'),
        ("another old value", '<upd x="1" old="a" new="b"/>'),
        ("an edit of nothing", '<upd x="1"><edit at="0"/></upd>'),
        ("a value twice", '<upd x="1" old="1" new="2"><old>1</old></upd>'),
        ("an attribute that is not there", '<att x="2@k" old="1" new="2"/>'),
        ("an attribute without a name", '<att x="2@" new="2"/>'),
        ("a prefix that nobody declares", '<att x="2@p:k" new="2"/>'),
        ("the name of an attribute twice", '<att x="2@k" name="k" new="2"/>'),
        ("a name of the first form", "<update xid='1'><old>1</old><new>2</new></update>"),
        ("a name of the second form", '<d:upd x="1" old="1" new="2"/>'),
        ("a position out of range", '<d:move xid="1" from="7" from-at="99" to-at="1"/>'),
        ("a circle", '<d:move xid="4" from="6" from-at="2" to="3" to-at="1"/>'),
        ("a node twice", '<d:insert xid="2" parent="6" at="1"><x/></d:insert>'),
        (
            "huge counts",
            (
                '<d:move xid="1" count="99999999999999999999" map="1-99999999999" from="6"'
                ' from-at="1" to-at="2"/>'
            ),
        ),
        (
            "a huge map",
            (
                '<d:move xid="1" count="4000000000" map="1-4000000000" from="6" from-at="1"'
                ' to-at="2"/>'
            ),
        ),
        ("no such node", '<d:update xid="99"><d:old>a</d:old><d:new>b</d:new></d:update>'),
        ("another value", '<d:update xid="1"><d:old>a</d:old><d:new>b</d:new></d:update>'),
        ("no operation", "<d:sing/>"),
        (
            "a delete of what is not there",
            (
                '<d:delete xid="2" parent="6" at="1"><b>9</b></d:delete><d:delete xid="2"'
                ' parent="6" at="1"><b>9</b></d:delete>'
            ),
        ),
    ],
)
def test_hostile_deltas(what, wrong):
    old, new = (tl.parse(text, format="xml") for text in (OLD, NEW))
    delta = diff(old, new)
    first = FIRST_FORM.format(delta.old_digest, delta.new_digest)
    plain = delta.to_xml(long=False).splitlines()[0].replace("d:", "").replace(":d=", ":unused=")
    for head, end in ((plain, "</delta>"), (first, "</d:delta>")):
        with pytest.raises((tl.DeltaError, tl.LimitError)):
            Delta.from_xml(f"{head}{wrong}{end}").apply(old)


FIRST_FORM = '<d:delta xmlns:d="urn:treelace:delta:1" from="{}" to="{}" next-xid="8">'


def test_a_doctype_with_entities_is_no_delta():
    with pytest.raises(tl.DeltaError):
        Delta.from_xml('<!DOCTYPE d [<!ENTITY a "b">]><d:delta xmlns:d="urn:treelace:delta:1"/>')


BEFORE = Path(__file__).parent / "written_before"


@pytest.mark.parametrize("name", ["catalogue", "list", "page", "teas"])
@pytest.mark.parametrize("form", ["1.xml", "2.xml", "json", "tld"])
def test_what_was_written_before_is_still_read(name, form):
    old, new = (next(BEFORE.glob(f"{name}.{side}.*")) for side in ("old", "new"))
    kind = "html" if old.suffix == ".html" else "xml"
    old_tree, new_tree = (tl.parse(path, format=kind) for path in (old, new))
    delta = Delta.read((BEFORE / f"{name}.{form}").read_bytes())
    assert delta.apply(old_tree) == new_tree and (~delta).apply(new_tree) == old_tree
    assert delta == diff(old_tree, new_tree)
    assert Delta.read(delta.to_xml()) == delta


def test_names_of_ours_are_plain_where_the_content_leaves_room():
    def written(old: str, new: str) -> str:
        return diff(*(tl.parse(text, format="xml") for text in (old, new))).to_xml()

    plain = written("<a>1<delta/></a>", "<a>1<delta/><ins x='2'><old/></ins></a>")
    assert plain.splitlines()[1] == '<ins in="3.3"><ins x="2"><old/></ins></ins>'
    default = written('<a xmlns="urn:a"/>', '<a xmlns="urn:a"><b/></a>')
    assert default.startswith('<d:delta xmlns:d="treelace:3" xmlns="urn:a" from="1.')
    prefixed = written('<a xmlns:p="urn:p" p:k="1"/>', '<a xmlns:p="urn:p" p:k="2"/>')
    assert '<att x="1@p:k" old="1" new="2"/>' in prefixed and 'xmlns:p="urn:p"' in prefixed
    declared = written("<a/>", '<a xmlns:q="urn:q" xml:lang="en"/>')
    assert '<att x="1@xmlns:q" new="urn:q"/>' in declared
    assert '<att x="1@xml:lang" new="en"/>' in declared


def test_a_text_at_the_start_of_an_operation_is_no_neighbour_of_the_one_before():
    old = tl.parse("<a><b/><c/><d/></a>", format="xml")
    new = tl.parse("<a><b/>one<c/>two<d/></a>", format="xml")
    lines = diff(old, new).to_xml().splitlines()
    assert lines[1:3] == ['<ins in="4.2/1">one</ins>', '<ins in="4.4/2">two</ins>']


def test_the_json_form_is_json_for_people():
    old, new = (
        tl.parse("<a k='1'>x</a>", format="xml"),
        tl.parse("<a k='2'>x<b/></a>", format="xml"),
    )
    told = json.loads(diff(old, new).to_json())
    assert [it["op"] for it in told["operations"]] == ["attribute", "insert"]
    assert told["operations"][0] == {
        "op": "attribute",
        "xid": 2,
        "name": "k",
        "old": "1",
        "new": "2",
    }


def test_xids_of_another_document_are_refused():
    old, new = tl.parse("<p>one"), tl.parse("<p>two")
    with pytest.raises(tl.UsageError):
        diff(old, new, xids=Xids.first(tl.parse("<p>one<p>more")))


def test_places_in_json_documents_are_json_pointers():
    old, new = (
        tl.parse(f'{{"teas": [{{"name": "Assam"}}, {{"a/b": {n}}}]}}', format="json")
        for n in (3, 4)
    )
    change = Change(delta=diff(old, new), old=old, new=new)
    assert text(change) == "@ /teas/1/a~1b\n  ~ [-3-]{+4+}\n"
    assert [one.where for one in change_list(change)] == ["/teas/1/a~1b"]
