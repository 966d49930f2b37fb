"""What people see: on a terminal, in a browser, with rules for what to leave out."""

from __future__ import annotations

import re
from typing import Any

import pytest

import treelace as tl
from treelace.diff import diff
from treelace.diff.ignore import Ignore
from treelace.diff.outputs import Change
from treelace.diff.outputs.html import html
from treelace.diff.outputs.stat import stat
from treelace.diff.outputs.text import text
from treelace.diff.words import Piece, pieces

NOTHING = Ignore()
OLD = tl.parse(
    "<ul class=a><li>one<li>two<li>this one moves to the front</ul><b>three is a long line of"
    " text</b><p>x\x1b[31m"
)
NEW = tl.parse(
    "<ul class=b><li>this one moves to the front<li>one<li>two</ul><b>three is a short line of"
    " text</b><h2>new</h2>"
)


def change(old: tl.Tree, new: tl.Tree, **shown: Any) -> Change:
    return Change(delta=diff(old, new), old=old, new=new, **shown)


def test_text_has_paths_and_word_marks():
    told = text(change(OLD, NEW))
    assert "@ /html/body/ul" in told
    assert "three is a [-long-]{+short+} line of text" in told
    assert "~ @class: [-a-]{+b+}" in told
    assert "+ h2" in told and "- p" in told and "> li" in told
    assert "\x1b" not in told
    assert "\x1b[3" in text(change(OLD, NEW, has_colour=True))


def test_stat_counts():
    assert "1 attribute" in stat(change(OLD, NEW))
    assert stat(change(OLD, OLD)).startswith("no change")


def test_long_texts_are_folded():
    words = "word " * 200
    old, new = tl.parse(f"<p>{words}a {words}"), tl.parse(f"<p>{words}b {words}")
    line = text(change(old, new)).splitlines()[1]
    assert len(line) < 200 and "[-a-]{+b+}" in line and "…" in line


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "a"),
        ("a", ""),
        ("one red apple", "one green apple"),
        ("aé b", "ab b"),
        ("x" * 9, "x" * 10),
    ],
)
def test_pieces_cover_both_texts(old, new):
    found = pieces(old, new)
    assert "".join(it.old for it in found) == old and "".join(it.new for it in found) == new


def test_the_page_is_whole_and_safe():
    evil = tl.parse("<p title='</script><script>alert(1)</script>'>&lt;script>alert(2)&lt;/script>")
    made = html(change(OLD, evil))
    assert made.startswith("<!DOCTYPE html>") and "alert(2)" in made and "<script>alert" not in made
    assert "http://" not in made.replace("http://www.w3.org", "") and "src=" not in made
    moved = html(change(OLD, NEW))
    assert "data-from=1" in moved and "data-to=1" in moved
    assert "<ins>short</ins>" in moved and "<del>long</del>" in moved


RULES = [
    ("<p class=a>x", "<p class=b>x", Ignore(attributes=("class",))),
    ("<p>at 12:01", "<p>at 12:02", Ignore(regex=(r"\d\d:\d\d",))),
    ("<p>a  b", "<p> a b ", Ignore(white_space=True)),
    (
        "<ul><li>one<li>two<li>three</ul>",
        "<ul><li>three<li>one<li>two</ul>",
        Ignore(unordered=("ul",)),
    ),
    ("<div class=ad>x<b>y</b></div>", "<div class=ad>z</div>", Ignore(css=(".ad",))),
    (
        "<div class=ad>x</div><p>k",
        "<div class=ad>z</div><p>k",
        Ignore(xpath=("//div[@class='ad']",)),
    ),
]


@pytest.mark.parametrize(("before", "after", "rules"), RULES)
def test_rules_change_what_is_told_and_nothing_else(before, after, rules):
    old, new = tl.parse(before), tl.parse(after)
    delta = diff(old, new)
    assert delta and not rules.reported(delta, old, new)
    assert Ignore().reported(delta, old, new)
    assert text(change(old, new, ignore=rules)) == ""
    told, quiet = html(change(old, new)), html(change(old, new, ignore=rules))
    marks = ("class=went", "class=came", "class=moved", "class=changed")
    assert any(mark in told for mark in marks) and not any(mark in quiet for mark in marks)
    assert "no change" in quiet
    assert delta.apply(old) == new


def xml(words: str) -> tl.Tree:
    return tl.parse(words, format="xml")


def told(before: str, after: str, rules: Ignore = NOTHING) -> str:
    old, new = xml(before), xml(after)
    return text(change(old, new, ignore=rules))


def test_a_whole_report():
    old = "<r xmlns:p='u'><a p:x='1'>one</a><b><c>two</c><d>three four five six</d></b></r>"
    new = "<r xmlns:p='u'><a p:x='2'>one</a><e><c>two</c></e><b><d>three four 5 six</d></b></r>"
    assert told(old, new).rstrip() == (
        '@ /r\n  + e\n  +   c "two"\n@ /r/a\n  ~ @x: [-1-]{+2+}\n@ /r/b\n  - c "two"\n'
        "@ /r/b/d/text()\n  ~ three four [-five-]{+5+} six"
    )


def test_only_the_words_beside_a_change_are_shown():
    words = "word " * 200
    line = told(f"<p>{words}a {words}b</p>", f"<p>{words}x {words}b</p>").splitlines()[1]
    assert line.startswith("  ~ …") and line.endswith("…")
    start = told(f"<p>a {words}</p>", f"<p>x {words}</p>").splitlines()[1]
    assert start.startswith("  ~ [-a-]{+x+} word") and start.endswith("…")
    end = told(f"<p>{words}a</p>", f"<p>{words}x</p>").splitlines()[1]
    assert end.startswith("  ~ …") and end.endswith("word [-a-]{+x+}")


def test_what_moved_says_where_it_was():
    items = [f"<i><b>item number {n}</b> and more</i>" for n in range(6)]
    old, new = "".join(items), "".join([items[5], *items[:5]])
    line = told(f"<r>{old}</r>", f"<r>{new}</r>").splitlines()[1]
    assert line.startswith("  > i") and line.endswith("(was in /r, place 6)")


@pytest.mark.parametrize(
    ("before", "after", "rules", "is_told"),
    [
        ("<r><a/><b/></r>", "<r><a/> <b/></r>", Ignore(white_space=True), False),
        ("<r><a/><b/></r>", "<r><a/>x<b/></r>", Ignore(white_space=True), True),
        ("<r><a/>x<b/></r>", "<r><a/><b/></r>", NOTHING, True),
        ("<r><a/>7<b/></r>", "<r><a/><b/></r>", Ignore(regex=(r"\d",)), False),
        ("<r><a/>7x<b/></r>", "<r><a/><b/></r>", Ignore(regex=(r"\d",)), True),
        ("<r><a k='1'/></r>", "<r><a/></r>", Ignore(regex=(r"\d",)), True),
        ("<r><a k='1'/></r>", "<r><a k='2'/></r>", Ignore(regex=(r"\d",)), False),
        ("<r><a k='1'/></r>", "<r><a k='2'/></r>", Ignore(attributes=("j",)), True),
    ],
)
def test_texts_and_values_that_come_or_go_are_told_by_what_the_rules_leave(
    before, after, rules, is_told
):
    assert bool(told(before, after, rules)) is is_told


def test_unchanged_lines_far_from_a_change_are_folded():
    rows = "".join(f"<i>line {n}</i>" for n in range(30))
    old, new = (xml(f"<r xmlns:p='u'>{rows}<z p:k='v'>{end}</z>{rows}</r>") for end in "ab")
    made = html(change(old, new))
    folds = re.findall(r"<td colspan=2>([\d,]+) unchanged lines</td>", made)
    shown = made.count("<tr>") - sum(map(int, folds))
    assert len(folds) == 2
    assert shown == 7  # three lines of context on each side
    assert "&lt;z p:k=&quot;v&quot;&gt;" in made
    assert "unchanged lines" not in html(change(OLD, NEW))


@pytest.mark.parametrize(("length", "end"), [(400, "x</td>"), (401, "x…</td>")])
def test_a_long_line_of_a_page_is_cut(length, end):
    old, new = (xml(f"<r><a>{'x' * length}</a><b>{n}</b></r>") for n in "12")
    made = html(change(old, new))
    assert end in made
    assert made.count("x" * 400) == (2 if length == 400 else 0)


def test_a_change_names_its_documents_old_and_new():
    made = change(OLD, NEW)
    assert (made.old_name, made.new_name, made.has_colour) == ("old", "new", False)


def test_a_thin_part_is_told_with_its_neighbours_only_between_changes():
    assert pieces("red.", "green.")[-1] == Piece(".", ".")
    assert pieces("- red", "- green")[0] == Piece("- ", "- ")
    assert pieces("a red - wine", "a green - tea")[1:] == [Piece("red - wine", "green - tea")]
