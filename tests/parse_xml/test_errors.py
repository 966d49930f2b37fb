"""Errors of XML documents: one line that says what, with the line and the column of the place."""

from __future__ import annotations

import pytest

from treelace import parse
from treelace.errors import ParseError

CASES = [
    # document; part of the message; line; column
    ("", "a root element expected, the end found", 1, 1),
    ("  \n x", "a root element expected, 'x' found", 2, 2),
    ("<a>", "<a> is never closed", 1, 4),
    ("<a></b>", "</b> does not close <a>", 1, 4),
    ("<a></ab>", "</ab> does not close <a>", 1, 4),
    ("<a></a x>", "'>' expected after '</a', 'x' found", 1, 7),
    ("<a/><b/>", "only comments and instructions may follow the root element", 1, 5),
    ("<a/>\nx", "'x' found", 2, 1),
    ("<a/></a>", "'<' found", 1, 5),
    ("</a>", "an end tag without a start tag", 1, 1),
    ("<a b=1/>", "a value in quotes expected, '1' found", 1, 6),
    ("<a b/>", "'=' and a value expected after 'b'", 1, 5),
    ("<a b='1'c='2'/>", "white space, '>' or '/>' expected, 'c' found", 1, 9),
    ("<a b='1' b='2'/>", "a second attribute 'b'", 1, 10),
    ("<a b='<'/>", "'<' in an attribute value", 1, 7),
    ("<a b='1", "never closed", 1, 6),
    ("<a b='&x;'/>", "entity 'x' is not declared", 1, 7),
    ("<é>\n  é & é</é>", "'&' must be written '&amp;'", 2, 5),
    ("<a>&#0;</a>", "names no character of XML", 1, 4),
    ("<a>&#x110000;</a>", "names no character of XML", 1, 4),
    ("<a>&#xg;</a>", "a character reference is", 1, 4),
    ("<a>]]></a>", "']]>' in text", 1, 4),
    ("<a><1/></a>", "'<' must be written '&lt;', or begin a tag: '1' found", 1, 4),
    ("<a><!-- -- --></a>", "'--' inside a comment", 1, 9),
    ("<a><!-- </a>", "this comment is never closed", 1, 4),
    ("<a><![CDATA[</a>", "this CDATA section is never closed", 1, 4),
    ("<a><?x </a>", "this processing instruction is never closed", 1, 4),
    ("<a><?XML ?></a>", "the XML declaration may only stand at the very start", 1, 4),
    (" <?xml version='1.0'?><a/>", "the XML declaration may only stand at the very start", 1, 2),
    ("<?xml version='2.0'?><a/>", "unknown XML version", 1, 16),
    ("<?xml encoding='utf-8'?><a/>", "must begin with the version", 1, 7),
    ("<a>\n\n\x01</a>", "the character U+0001 may not stand in XML", 3, 1),
    ("<a>\ufffe</a>", "the character U+FFFE may not stand in XML", 1, 4),
    ("<a><b></a>\x01", "</a> does not close <b>", 1, 7),
    ("<p:a/>", "the prefix 'p' is not declared", 1, 2),
    ("<a p:b='1'/>", "the prefix 'p' is not declared", 1, 4),
    ("<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", "a second attribute 'q:x'", 1, 36),
    ("<a xmlns:p=''/>", "a prefix may not stand for the empty namespace", 1, 4),
    ("<a xmlns:xml='u'/>", "belong together", 1, 4),
    ("<a xmlns:xmlns='u'/>", "the prefix 'xmlns' may not be declared", 1, 4),
    ("<xmlns:a/>", "may not have the prefix 'xmlns'", 1, 2),
    ("<a:b:c xmlns:a='u'/>", "a colon in the wrong place", 1, 2),
    ("<!DOCTYPE a [<!ENTITY e '<b>'>]>\n<a>&e;</a>", "<b> is never closed, in entity 'e'", 2, 4),
    (
        "<!DOCTYPE a [<!ENTITY e '</a>'>]>\n<a>&e;",
        "an end tag without a start tag, in entity 'e'",
        2,
        4,
    ),
    ("<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]>\n<a>&e;</a>", "contains itself", 2, 4),
    ("<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]>\n<a b='x&e;'/>", "contains itself", 2, 8),
    ("<!DOCTYPE a [<!ENTITY e \"<b c='&e;'/>\">]>\n<a>&e;</a>", "contains itself", 2, 4),
    ("<!DOCTYPE a [<!ENTITY e '&#60;'>]><a b='&e;'/>", "'<' in an attribute value", 1, 41),
    ("<!DOCTYPE a [<!ENTITY e SYSTEM 'x' NDATA n>]><a>&e;</a>", "is not XML", 1, 49),
    ("<!DOCTYPE a [<!ENTITY e SYSTEM 'x'>]><a b='&e;'/>", "lies outside", 1, 44),
    ("<!DOCTYPE a [<!ENTITY % p '%q;'>]><a/>", "'%' is written '&#37;'", 1, 28),
    ("<!DOCTYPE a [<!ENTITY % p '<!ELEMENT'> %p;]><a/>", "in parameter entity 'p'", 1, 40),
    ("<!DOCTYPE a [<!ENTITY % p '&#37;p;'> %p;]><a/>", "contains itself", 1, 38),
    ("<!DOCTYPE a [<!ELEMENT a (b|c,d)>]><a/>", "'|' and ',' in one group", 1, 30),
    ("<!DOCTYPE a [<!ATTLIST a b NAME #IMPLIED>]><a/>", "unknown attribute type 'NAME'", 1, 28),
    (
        "<!DOCTYPE a [<!ENTITY lt 'x'>]><a/>",
        "can only be declared as the character it stands for",
        1,
        26,
    ),
    ("<!DOCTYPE a [", "the internal subset is never closed", 1, 14),
    ("<!DOCTYPE a><!DOCTYPE a><a/>", "a second document type", 1, 13),
    ("<!DOCTYPE a PUBLIC 'é' 's'><a/>", "may not stand in a public identifier", 1, 21),
]


@pytest.mark.parametrize(
    ("source", "message", "line", "column"), CASES, ids=[source[:40] for source, *_ in CASES]
)
def test_errors_say_what_and_where(source: str, message: str, line: int, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse(source, format="xml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)
