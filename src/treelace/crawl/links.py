"""Links: where a page leads, be it a page for people, a sitemap or a feed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treelace.crawl.urls import normal
from treelace.errors import UsageError
from treelace.tree import Node, Tree

MOST_LINKS = 50_000
"""Links of one page that are looked at: as many as a sitemap may have by its standard."""
_SITEMAP = ("urlset", "sitemapindex")
_FEED = ("rss", "feed", "RDF")


@dataclass(frozen=True, slots=True)
class Link:
    """A way out of a page."""

    url: str
    node: int
    """The index of the node it stands on."""
    is_next: bool = False
    """Whether it leads to the next page of the same list."""
    is_entry: bool = False
    """Whether a feed or a sitemap names it."""


def links_of(tree: Tree, url: str) -> list[Link]:
    """The links of a page in document order, each once, without `nofollow` and the page itself;
    `MOST_LINKS` at most, the rest is left out.

    >>> from treelace.tree import parse
    >>> page = parse(
    ...     '<base href="/shop/"><a href="tea">Tea</a> <a href="mailto:x@y">Write</a>'
    ...     ' <a rel=next href="?page=2">Next</a>'
    ... )
    >>> [(link.url, link.is_next) for link in links_of(page, "https://a.example/x")]
    [('https://a.example/shop/tea', False), ('https://a.example/shop/?page=2', True)]
    """
    root = kind_of(tree)
    found = _named(tree, root) if root else _clickable(tree)
    base = url if root else base_of(tree, url)
    seen, links = {url}, []
    for node, target, is_next in found:
        address = resolved(target, base)
        if address and address not in seen:
            seen.add(address)
            links.append(Link(address, node.index, is_next, bool(root)))
            if len(links) == MOST_LINKS:
                break
    return links


def kind_of(tree: Tree) -> str:
    """`sitemap`, `feed`, or empty for a page for people."""
    root = next((node for node in tree.document.children if node.is_element), None)
    local = root.tag.rpartition("}")[2].rpartition(":")[2] if root is not None else ""
    return "sitemap" if local in _SITEMAP else "feed" if local in _FEED else ""


def _clickable(tree: Tree) -> Iterator[tuple[Node, str, bool]]:
    for node in tree.select("meta[name=robots i][content*=nofollow i]"):
        if node is not None:
            return
    for node in tree.select("a[href], area[href], link[rel~=next i][href]"):
        rel = node.attributes.get("rel", "").lower().split()
        if "nofollow" not in rel:
            yield node, node.attributes["href"], "next" in rel


def _named(tree: Tree, root: str) -> Iterator[tuple[Node, str, bool]]:
    names = ("loc",) if root == "sitemap" else ("link",)
    for node in tree.select_xpath(" | ".join(f"//*[local-name() = '{name}']" for name in names)):
        target = (
            node.attributes.get("href") or node.text
        )  # Atom has an attribute, RSS and sitemaps a text
        if target.strip() and node.attributes.get("rel", "alternate") in ("alternate", "next"):
            yield node, target, node.attributes.get("rel") == "next"


def base_of(tree: Tree, url: str) -> str:
    """The address that a page's links are relative to."""
    for node in tree.select("base[href]")[:1]:
        return resolved(node.attributes["href"], url) or url
    return url


def resolved(target: str, base: str) -> str:
    """The address of a link; empty where it leads to no page."""
    try:
        return normal(target, base=base)
    except UsageError:
        return ""  # mailto:, javascript:, and what no browser would follow either
