"""HTML, XML or JSON? A guess from the file's name, else from the first tag."""

from __future__ import annotations

import re
from typing import Literal

_HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".xht", ".php", ".asp", ".aspx", ".jsp")
_XML_SUFFIXES = tuple(
    """.xml .svg .rss .atom .rdf .xsd .xsl .xslt .kml .gpx .opml .wsdl .rng .plist .xmp .xlf
    .xliff .tei .csl .mml .owl .fb2 .docbook .dbk .sitemap""".split()
)

# Elements of HTML, present and past: a first tag among these means HTML.
_HTML_ELEMENTS = frozenset(
    """a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound
    big blink blockquote body br button canvas caption center cite code col colgroup command
    data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption
    figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i
    iframe image img input ins isindex kbd keygen label legend li link listing main map mark
    marquee menu menuitem meta meter multicol nav nobr noembed noframes noscript object ol
    optgroup option output p param picture plaintext pre progress q rb rp rt rtc ruby s samp
    script search section select slot small source spacer span strike strong style sub
    summary sup table tbody td template textarea tfoot th thead time title tr track tt u ul
    var video wbr xmp""".split()
)
_SKIP = re.compile(r"(?:\s+|<!--.*?-->|<\?.*?\?>)*", re.DOTALL)
_DOCTYPE = re.compile(r"<!doctype\s+([^\s>\[]+)([^>\[]*)", re.IGNORECASE)
_TAG = re.compile(r"<([A-Za-z_][^\s/>]*)([^>]*)")
_HEAD = 4096


def format_of(source: str | bytes, name: str = "") -> Literal["html", "xml", "json"]:
    """The format of a document.

    The file's suffix decides where it is known (`.gz` and `.zst` aside). Else: a doctype `html`,
    one that names a DTD of HTML (pieces of pages are served so), or a first tag that HTML knows
    means HTML; an XML declaration, or a first tag that HTML does not
    know, means XML; no tag at all means HTML, which can read anything. A custom element (`my-card`)
    is HTML.

    >>> format_of("<!doctype html><p>"), format_of("<Category/>")
    ('html', 'xml')
    >>> format_of(b"plain words"), format_of("", "feed.xml.gz")
    ('html', 'xml')
    """
    stem = name.lower().removesuffix(".gz").removesuffix(".zst")
    if stem.endswith(_HTML_SUFFIXES):
        return "html"
    if stem.endswith(_XML_SUFFIXES):
        return "xml"
    if stem.endswith(".json"):
        return "json"
    head = _text_head(source)
    is_declared = head.startswith("<?xml")
    skipped = _SKIP.match(head)
    position = skipped.end() if skipped else 0
    if doctype := _DOCTYPE.match(head, position):
        is_html = doctype[1].lower() == "html" or (not is_declared and "HTML" in doctype[2])
        return "html" if is_html else "xml"
    tag = _TAG.match(head, position)
    if tag is None:
        return "xml" if is_declared else "html"
    first = tag[1].lower()
    if is_declared:
        return "html" if first == "html" and "http://www.w3.org/1999/xhtml" not in tag[2] else "xml"
    return "html" if first in _HTML_ELEMENTS or "-" in first else "xml"


def _text_head(source: str | bytes) -> str:
    if isinstance(source, str):
        return source[:_HEAD].lstrip("\ufeff")
    head = source[:_HEAD]
    if head.startswith((b"\xff\xfe", b"<\0")):
        return head.decode("utf-16-le", "replace").lstrip("\ufeff")
    if head.startswith((b"\xfe\xff", b"\0<")):
        return head.decode("utf-16-be", "replace").lstrip("\ufeff")
    return head.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
