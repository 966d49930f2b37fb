"""Snapshots of a site, pages as one document, and their changes (Cobéna et al., §6.2).

The paper writes a portion of the web as one XML document of metadata, a few hundred bytes a page,
and diffs that. So do we: `site_document` holds for each page its URL, its digest, and what it says
of itself (title, headings, links). Two such documents are matched with the URL as key, so a page
that kept its address is the same page; one that did not may be found by what it says, and has
moved. Each page that changed has a delta of its own, made from the pages themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from treelace.diff.delta import Delta
from treelace.diff.differ import diff
from treelace.errors import DeltaError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.matching import Matcher
from treelace.matching.matchers.document import Document
from treelace.tree import Tree, parse

_MOST_LINES = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SiteDelta:
    """What turns one snapshot of a site into another, and back: pages added, gone, moved, changed.

    `changed` has for the new address of a page the delta from its old version. Pages in none of the
    four are as they were.

    >>> from treelace import parse
    >>> history = parse("<h1>Our history</h1><p>It began with a kettle.")
    >>> monday = {"/": parse("<h1>Shop</h1><p>tea 3"), "/old": history}
    >>> tuesday = {"/": parse("<h1>Shop</h1><p>tea 4"), "/about": history}
    >>> delta = diff_sites(monday, tuesday)
    >>> delta
    <SiteDelta: 0 pages added, 0 gone, 1 moved, 1 changed>
    >>> delta.moved, delta.apply(monday) == tuesday, (~delta).apply(tuesday) == monday
    ((('/old', '/about'),), True, True)
    """

    added: Mapping[str, Tree]
    gone: Mapping[str, Tree]
    moved: tuple[tuple[str, str], ...]
    changed: Mapping[str, Delta]

    def apply(
        self, pages: Mapping[str, Tree], *, limits: Limits = DEFAULT_LIMITS
    ) -> dict[str, Tree]:
        """The new snapshot, pages by address; `DeltaError` for other pages, before any work."""
        new_url = dict(self.moved)
        for url, tree in self.gone.items():
            if pages.get(url) != tree:
                raise DeltaError(
                    f"this delta is for another snapshot: page {url!r} is not the one it names"
                )
        missing = [url for url in new_url if url not in pages]
        if missing:
            raise DeltaError(f"this delta is for another snapshot: there is no page {missing[0]!r}")
        made = dict(self.added)
        for url, tree in pages.items():
            if url in self.gone:
                continue
            target = new_url.get(url, url)
            if target in made:
                raise DeltaError(
                    f"this delta is for another snapshot: there would be two pages {target!r}"
                )
            made[target] = (
                self.changed[target].apply(tree, limits=limits) if target in self.changed else tree
            )
        unused = [url for url in self.changed if url not in made]
        if unused:
            raise DeltaError(f"this delta is for another snapshot: there is no page {unused[0]!r}")
        return dict(sorted(made.items()))

    def invert(self) -> SiteDelta:
        """The delta that leads back; also `~delta`."""
        old_url = {new: old for old, new in self.moved}
        changed = {old_url.get(url, url): ~delta for url, delta in self.changed.items()}
        return replace(
            self,
            added=self.gone,
            gone=self.added,
            moved=tuple(sorted((new, old) for old, new in self.moved)),
            changed=changed,
        )

    __invert__ = invert

    def __bool__(self) -> bool:
        return bool(self.added or self.gone or self.moved or self.changed)

    def __repr__(self) -> str:
        pages = "page" if len(self.added) == 1 else "pages"
        return (
            f"<SiteDelta: {len(self.added):,} {pages} added, {len(self.gone):,} gone,"
            f" {len(self.moved):,} moved, {len(self.changed):,} changed>"
        )


def diff_sites(
    old: Mapping[str, Tree],
    new: Mapping[str, Tree],
    *,
    matcher: str | Matcher = "auto",
    limits: Limits = DEFAULT_LIMITS,
) -> SiteDelta:
    """What changed between two snapshots, by address; `matcher` is for pages that changed.

    Near-linear in the number of pages beside the deltas of those that changed.
    """
    partner = _same_pages(old, new, limits)
    came_from = {target: url for url, target in partner.items()}
    changed = {}
    for target, url in sorted(came_from.items()):
        if old[url].digest != new[target].digest:
            changed[target] = diff(old[url], new[target], matcher=matcher, limits=limits)
    return SiteDelta(
        added={url: new[url] for url in sorted(new) if url not in came_from},
        gone={url: old[url] for url in sorted(old) if url not in partner},
        moved=tuple((url, target) for url, target in sorted(partner.items()) if url != target),
        changed=changed,
    )


def site_document(pages: Mapping[str, Tree], *, limits: Limits = DEFAULT_LIMITS) -> Tree:
    """A snapshot as one XML document: a `page` for each, in the order of their addresses."""
    from xml.sax.saxutils import escape, quoteattr

    parts = ["<site>"]
    for url, tree in sorted(pages.items()):
        lines = [
            node.text.strip()
            for node in tree.select("title, h1, h2, h3, a[href], p", limits=limits)[:_MOST_LINES]
        ]
        said = "".join(
            f"<line>{escape(_plain(line[:200]))}</line>" for line in dict.fromkeys(lines) if line
        )
        parts.append(
            f"<page url={quoteattr(_plain(url))} digest={quoteattr(tree.digest)}>{said}</page>"
        )
    parts.append("</site>")
    return parse("".join(parts), format="xml", limits=limits)


def _same_pages(old: Mapping[str, Tree], new: Mapping[str, Tree], limits: Limits) -> dict[str, str]:
    """For the address of an old page the address it has now, if it is still there."""
    partner = {url: url for url in old if url in new}
    left_old = {url: tree for url, tree in old.items() if url not in partner}
    left_new = {url: tree for url, tree in new.items() if url not in partner}
    if not left_old or not left_new:
        return partner
    before, after = site_document(left_old, limits=limits), site_document(left_new, limits=limits)
    matching = Document(limits=limits).match(before, after)
    old_urls = dict(
        zip((page.index for page in before.select("page")), sorted(left_old), strict=True)
    )
    new_urls = dict(
        zip((page.index for page in after.select("page")), sorted(left_new), strict=True)
    )
    for i, j, confidence in matching:
        # a page that only stands at the same place in the list is another page
        if i in old_urls and confidence > 0.7:
            partner[old_urls[i]] = new_urls[j]
    return partner


def _plain(text: str) -> str:
    """The text without characters that XML cannot write."""
    return "".join(
        c if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF and c not in "\ufffe\uffff" else " "
        for c in text
    )
