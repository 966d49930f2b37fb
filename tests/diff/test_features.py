"""Documents that break other tools: each there, back, and through every form."""

from __future__ import annotations

import random
import time

import pytest

import treelace as tl
from treelace.diff import Delta, Update, diff

LONG = "".join(random.Random(7).choices("abcdefgh \n", k=1_000_000))

XML = {
    "comments": ("<a><!-- one --><b/></a>", "<a><!-- two --><b/><!----></a>"),
    "comments beside the root": ("<!--x--><a/>", "<a/><!--y--><?p?>"),
    "instructions in the root": ("<a><?php echo 1 ?></a>", "<a><?php echo 2 ?><?x?></a>"),
    "mixed content": ("<p>a<b>b</b>c<i/>d</p>", "<p>a<i/>c<b>b!</b>d<b/></p>"),
    "blank text": ("<a>\n  <b/>\n  <c/>\n</a>", "<a>\n\t<b/>\n\n  <c/> </a>"),
    "CDATA": ("<a><![CDATA[<x>&]]></a>", "<a>&lt;x&gt;&amp;<![CDATA[]]>y</a>"),
    "default namespace": ("<a xmlns='urn:1'><b/></a>", "<a xmlns='urn:1'><b/><c xmlns=''/></a>"),
    "new prefix": ("<a><b/></a>", "<a xmlns:p='urn:1'><p:b p:k='1'/></a>"),
    "namespace changed": ("<a xmlns='urn:1'><b/></a>", "<a xmlns='urn:2'><b/></a>"),
    "our own namespace": ("<a/>", "<a><d:ins xmlns:d='treelace:3'/></a>"),
    "our own namespace, as default": ("<a/>", "<a><ins xmlns='treelace:3'><old/></ins></a>"),
    "the namespace of the first form": ("<a/>", "<a><d:ins xmlns:d='urn:treelace:delta:1'/></a>"),
    "names of ours": (
        "<delta><upd/></delta>",
        "<delta><upd/><elsewhere xid='1'/><text>1</text></delta>",
    ),
    "our own prefix": ("<d:a xmlns:d='urn:x'/>", "<d:a xmlns:d='urn:x'><d:b/></d:a>"),
    "root renamed": ("<a><b/></a>", "<c><b/></c>"),
    "entities": (
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;&e;</a>",
    ),
    "missing external DTD": (
        "<!DOCTYPE a SYSTEM 'no.dtd'><a>&who;</a>",
        "<!DOCTYPE a SYSTEM 'no.dtd'><a>&who;<b>&what;</b></a>",
    ),
    "reference and text": (
        "<!DOCTYPE a SYSTEM 'no.dtd'><a>&who;</a>",
        "<!DOCTYPE a SYSTEM 'no.dtd'><a>&amp;who;</a>",
    ),
    "doctype": ("<!DOCTYPE a><a/>", "<!DOCTYPE a PUBLIC '-//X' 'y'><a/>"),
    "astral characters": (
        "<a k='\U0001f600'>\U00010000</a>",
        "<a k='\U0001f601'>\U00010000\U0010fffd</a>",
    ),
    "carriage returns": ("<a>x&#13;y</a>", "<a k='&#10;&#9;&#13;'>x&#13;&#10;y</a>"),
    "xml:id": ("<a><b xml:id='x'/></a>", "<a><b xml:id='y'/><c xml:id='x'/></a>"),
    "moved and edited": (
        "<a><b><x>some long text here</x></b><c/></a>",
        "<a><b/><c><x>some longer text here</x></c></a>",
    ),
    "wrapped children": ("<a><b>1</b><c>2</c></a>", "<a><w><b>1</b><c>2</c></w></a>"),
    "unwrapped children": ("<a><w><b>1</b><c>2</c></w></a>", "<a><b>1</b><c>2</c></a>"),
    "2,000 children reversed": (
        "<a>" + "".join(f"<b>{n}</b>" for n in range(2000)) + "</a>",
        "<a>" + "".join(f"<b>{n}</b>" for n in reversed(range(2000))) + "</a>",
    ),
    "20,000 siblings, 1 % deleted": (
        "<a>" + "".join(f"<b>{n}</b>" for n in range(20_000)) + "</a>",
        "<a>" + "".join(f"<b>{n}</b>" for n in range(20_000) if n % 100) + "</a>",
    ),
    "1 MB of text, one character inserted": (
        f"<a>{LONG}</a>",
        f"<a>{LONG[:500_000]}!{LONG[500_000:]}</a>",
    ),
    "depth 100,000": (
        "<a>" * 100_000 + "</a>" * 100_000,
        "<a>" * 99_999 + "<b/>" + "</a>" * 99_999,
    ),
}
HTML = {
    "templates": ("<template><p>x</p></template>", "<template><p>y</p><b></b></template><p>z"),
    "names XML has not": ("<p @click=1>x", "<p @click=2 :y='3'><o:p>z</o:p>"),
    "control characters": ("<p>a\x0bb", "<p>a\x0bc\x01"),
    "SVG without a declaration": ("<p>x", "<p>x<svg><path d='M0 0'/></svg>"),
    "two hyphens in a comment": ("<!--a--><p>", "<!--a -- b--><p>"),
    "attributes in another order": ("<p a=1 b=2>", "<p b=2 a=1>"),
    "a doctype comes": ("<p>one", "<!doctype html><p>two"),
    "a doctype goes": ("<!doctype html><p>one", "<p>two"),
    "another doctype": (
        "<!doctype html><p>one",
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN"><p>one',
    ),
}


def holds(old: tl.Tree, new: tl.Tree) -> Delta:
    delta = diff(old, new)
    assert delta.apply(old) == new and (~delta).apply(new) == old and ~~delta == delta
    assert Delta.from_xml(delta.to_xml()) == delta
    assert Delta.from_json(delta.to_json()) == delta
    assert Delta.from_bytes(delta.to_bytes()) == delta
    assert (delta | ~delta).apply(old) == old
    return delta


@pytest.mark.parametrize("case", XML)
def test_xml(case):
    holds(*(tl.parse(text, format="xml") for text in XML[case]))


@pytest.mark.parametrize("case", HTML)
def test_html(case):
    old, new = (tl.parse(text, format="html") for text in HTML[case])
    delta = holds(old, new)
    assert delta.apply(old).to_html() == new.to_html() and delta.apply(old).quirks == new.quirks
    assert (~delta).apply(new).to_html() == old.to_html() and (~delta).apply(
        new
    ).quirks == old.quirks


def test_another_encoding_is_written_alike():
    old = tl.parse("<!doctype html><meta charset=utf-8><p>ü".encode(), format="html")
    new = tl.parse("<!doctype html><meta charset=iso-8859-1><p>ü".encode("latin-1"), format="html")
    assert holds(old, new).apply(old).to_html() == new.to_html()


def test_utf_16():
    old, new = (
        tl.parse(
            f'<?xml version="1.0" encoding="UTF-16"?><a>{word}</a>'.encode("utf-16"), format="xml"
        )
        for word in ("Grüße", "Grüsse")
    )
    holds(old, new)


def test_one_character_in_a_megabyte_is_a_small_delta():
    old, new = (
        tl.parse(text, format="xml") for text in XML["1 MB of text, one character inserted"]
    )
    delta = diff(old, new)
    [update] = delta.operations
    assert isinstance(update, Update) and len(delta.to_xml()) < 400


def test_reversing_2000_children_is_quick_and_exact():
    old, new = (tl.parse(text, format="xml") for text in XML["2,000 children reversed"])
    started = time.process_time()
    delta = diff(old, new)
    assert time.process_time() - started < 5
    assert delta.counts.get("move", 0) == 1999
