"""What a page says about itself for machines: JSON-LD, microdata and OpenGraph."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Literal, NamedTuple
from urllib.parse import urljoin

from treelace.tree import Node, Tree

Source = Literal["json-ld", "microdata", "opengraph"]

MAX_ITEM_DEPTH = 32
"""Levels of items inside items that are followed."""

MAX_ITEMS = 20_000
"""Items of one page that are read."""

_BY_ADDRESS = {
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("img", "audio", "video", "source", "iframe", "embed", "track"), "src"),
    "object": "data",
}
"""Elements whose property is an address, and the attribute that has it."""


class Statement(NamedTuple):
    """A property: its name (nested: `offers.price`), its text, and the element that says it."""

    name: str
    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class StructuredItem:
    """A thing the page describes: its types (`Product`), statements, language and place."""

    source: Source
    types: tuple[str, ...]
    statements: tuple[Statement, ...]
    node: Node

    def text(self, name: str) -> str | None:
        """The first text of a property."""
        return next((one.text for one in self.statements if one.name == name), None)


def structured_items(tree: Tree, *, url: str = "") -> list[StructuredItem]:
    """The things a page describes, in document order: JSON-LD objects (also inside lists and
    graphs), microdata items that stand in no other, and OpenGraph's one. Addresses are resolved
    against `url`.

    JSON that is nearly JSON is read too: comments, a comma too many, raw line ends in texts,
    entities; what cannot be mended is passed over.

    >>> import treelace as tl
    >>> said = '{"@type": "Product", "name": "Tea", "offers": {"price": 3.2},}'
    >>> page = tl.parse(f'<script type="application/ld+json">{said}</script>')
    >>> [(it.types, it.text("name"), it.text("offers.price")) for it in structured_items(page)]
    [(('Product',), 'Tea', '3.2')]
    """
    found = [*_json_ld(tree, url), *_microdata(tree, url)]
    found.sort(key=lambda item: item.node.index)
    return [*found, *_opengraph(tree, url)][:MAX_ITEMS]


# JSON-LD


def _json_ld(tree: Tree, url: str) -> Iterator[StructuredItem]:
    for script in tree.select("script[type^='application/ld+json' i]"):
        for document in read_tolerantly(script.text):
            for thing in _things(document):
                yield StructuredItem(
                    "json-ld", _types(thing), tuple(_said(thing, script, url)), script
                )


def read_tolerantly(text: str) -> list[object]:
    """The JSON values of a text; none where it cannot be mended.

    >>> read_tolerantly("<!-- {'a': 1} -->"), read_tolerantly('{"a": [1, 2,],} // note')
    ([], [{'a': [1, 2]}])
    >>> read_tolerantly('{"a": 1}{"a": 2}')
    [{'a': 1}, {'a': 2}]
    """
    text = text.strip().removeprefix("\ufeff")
    stripped = (
        re.sub(
            r"^\s*(?:<!--|/\*<!\[CDATA\[\*/|//<!\[CDATA\[|<!\[CDATA\[)"
            r"|(?:-->|/\*\]\]>\*/|//\]\]>|\]\]>)\s*$",
            "",
            text,
        )
        .strip()
        .rstrip(";")
    )
    for attempt in (text, stripped, _mended(stripped), _mended(unescape(stripped))):
        found = _values(attempt)
        if found is not None:
            return found
    return []


def _values(text: str) -> list[object] | None:
    """All JSON values in a text, one after the other; raw line ends in strings are allowed."""
    decoder, found, at = json.JSONDecoder(strict=False), [], 0
    try:
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            found.append(value)
            while at < len(text) and text[at] in " \t\r\n;":
                at += 1
    except (ValueError, RecursionError):
        return None
    return found


_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*(?:.*?\*/|.*)|,(?=\s*[}\]])|\\', re.DOTALL)
"""A string, a comment (one that is not closed goes to the end, so that many cost no more than one),
a comma too many, a stray backslash.
"""


def _mended(text: str) -> str:
    """Without comments and without commas before a closing bracket, except in strings."""
    without = _PIECE.sub(lambda found: found[0] if found[0][0] == '"' else "", text)
    return _PIECE.sub(lambda found: found[0] if found[0][0] == '"' else "", without)


def _things(document: object) -> Iterator[dict[str, object]]:
    """Objects with a type, also in graphs and lists; not those that are mere properties."""
    ahead = [(document, 0)]
    while ahead:
        value, depth = ahead.pop()
        if depth > MAX_ITEM_DEPTH:
            continue
        if isinstance(value, list):
            ahead.extend((inner, depth + 1) for inner in reversed(value))
        elif isinstance(value, dict):
            inner = [
                value[key]
                for key in ("item", "itemListElement", "@graph", "mainEntity", "dataFeedElement")
                if isinstance(value.get(key), (dict, list))
            ]
            ahead.extend((one, depth + 1) for one in inner)
            if value.get("@type") and not (
                inner
                and set(_types(value))
                <= {"ItemList", "ListItem", "OfferCatalog", "BreadcrumbList", "DataFeed"}
            ):
                yield value


def _types(thing: dict[str, object]) -> tuple[str, ...]:
    types = thing.get("@type")
    return tuple(
        _short(kind)
        for kind in (types if isinstance(types, list) else [types])
        if isinstance(kind, str)
    )


def _short(name: str) -> str:
    return re.split(r"[/#:]", name.rstrip("/"))[-1]


def _said(thing: dict[str, object], node: Node, url: str) -> Iterator[Statement]:
    ahead: list[tuple[str, object, int]] = [("", thing, 0)]
    while ahead:
        name, value, depth = ahead.pop()
        if isinstance(value, dict) and depth < MAX_ITEM_DEPTH:
            if "@value" in value:
                ahead.append((name, value["@value"], depth + 1))
                continue
            pairs = [
                (f"{name}.{_short(key)}" if name else _short(key), inner)
                for key, inner in value.items()
                if not key.startswith("@")
            ]
            ahead.extend(
                (key, inner, depth + 1)
                for key, inner in reversed(pairs)
                if _short(key) not in ("itemListElement", "mainEntity")
            )
        elif isinstance(value, list) and depth < MAX_ITEM_DEPTH:
            ahead.extend((name, inner, depth + 1) for inner in reversed(value))
        elif isinstance(value, (str, int, float)) and name:
            text = (
                str(value).lower()
                if isinstance(value, bool)
                else _address(unescape(value), name, url)
                if isinstance(value, str)
                else str(value)
            )
            if text.strip():
                yield Statement(name, " ".join(text.split()), node)


def _address(text: str, name: str, url: str) -> str:
    if (
        url
        and name.rsplit(".", 1)[-1] in ("url", "image", "contentUrl", "thumbnailUrl", "logo")
        and " " not in text.strip()
    ):
        return _joined(url, text)
    return text


def _joined(url: str, text: str) -> str:
    try:
        return urljoin(url, text.strip())
    except ValueError:
        return text


# microdata (HTML standard, 5.2)


def _microdata(tree: Tree, url: str) -> Iterator[StructuredItem]:
    if not tree.select("[itemscope]", limit=1):
        return
    ids = (
        {node.attribute("id"): node for node in tree.select("[itemscope] ~ [id], [id]")}
        if tree.select("[itemref]", limit=1)
        else {}
    )
    for top in tree.select("[itemscope]:not([itemprop])"):
        types = tuple(_short(kind) for kind in (top.attribute("itemtype") or "").split())
        yield StructuredItem(
            "microdata", types, tuple(_properties(top, ids, url, "", 0, {top.index})), top
        )


def _properties(
    item: Node, ids: dict[str | None, Node], url: str, prefix: str, depth: int, seen: set[int]
) -> list[Statement]:
    roots = [*reversed(item.children)]
    roots[:0] = [
        ids[name] for name in reversed((item.attribute("itemref") or "").split()) if name in ids
    ]
    found: list[Statement] = []
    while roots:
        node = roots.pop()
        if not node.is_element or node.index in seen:
            continue
        names = (node.attribute("itemprop") or "").split()
        is_item = node.attribute("itemscope") is not None
        if names and is_item:
            if depth < MAX_ITEM_DEPTH:
                for name in names:
                    found += _properties(
                        node, ids, url, f"{prefix}{_short(name)}.", depth + 1, seen | {node.index}
                    )
        elif names and (text := _value(node, url)):
            found += [Statement(prefix + _short(name), text, node) for name in names]
        if not is_item:
            roots += reversed(node.children)
    return found


def _value(node: Node, url: str) -> str:
    """The value of a property, as the standard has it; the text with single spaces."""
    if (content := node.attribute("content")) is not None:
        return " ".join(content.split())
    if node.tag in _BY_ADDRESS:
        return _joined(url, node.attribute(_BY_ADDRESS[node.tag]) or "")
    if node.tag in ("data", "meter") and (value := node.attribute("value")) is not None:
        return value.strip()
    if node.tag == "time" and (value := node.attribute("datetime")) is not None:
        return value.strip()
    return " ".join(node.text.split())


# OpenGraph


def _opengraph(tree: Tree, url: str) -> Iterator[StructuredItem]:
    said = []
    for node in tree.select("meta[property][content]"):
        name, text = (
            (node.attribute("property") or "").strip(),
            " ".join((node.attribute("content") or "").split()),
        )
        if re.match(r"(?:og|product|article|book|profile|video|music):", name) and text:
            plain = name.removeprefix("og:").replace(":", ".")
            said.append(
                Statement(
                    plain,
                    _joined(url, text) if plain in ("url", "image", "image.url") and url else text,
                    node,
                )
            )
    if said:
        kind = next((one.text for one in said if one.name == "type"), "website")
        yield StructuredItem("opengraph", (kind,), tuple(said), said[0].node)


def common_items(
    items: Sequence[StructuredItem],
) -> dict[tuple[Source, tuple[str, ...]], list[StructuredItem]]:
    """Items of one kind together, kinds in the order they first come."""
    found: dict[tuple[Source, tuple[str, ...]], list[StructuredItem]] = {}
    for item in items:
        found.setdefault((item.source, item.types), []).append(item)
    return found
