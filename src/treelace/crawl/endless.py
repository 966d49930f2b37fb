"""Endless places: addresses without end that bring nothing new, seen by what their pages show.

`traps` sees pages of one shape that say the same again (calendars), `facets` lists that are
filtered in one more way (colours, sizes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.crawl.facets import Facets, family_of
from treelace.crawl.scope import shape
from treelace.crawl.traps import Traps

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from treelace.classes.pages import Parsed
    from treelace.tree import Tree


class EndlessPlaces:
    """Watches the pages of one crawl."""

    def __init__(self) -> None:
        self._traps = Traps()
        self._facets = Facets()

    def refusal(self, url: str) -> str:
        """Why an address is not worth a request; empty where it is."""
        if self._traps.holds(url):
            return "its pages say nothing new"
        if self._facets.holds(url):
            return "its pages show the same records again"
        return ""

    def notice(self, page: Parsed, links: Collection[str], *, found_on: str) -> list[str]:
        """Takes note of a page, its links and where it was found; the reason if a place turns out
        to be endless.
        """
        url, texts = page.fetched.url, visible_texts(page.tree)
        found = []
        if self._traps.notice(url, texts, links, found_on=found_on):
            count = self._traps.pages_until_trap
            found.append(f"{count} pages of the form {shape(url)} said nothing new")
        if self._facets.notice(page, texts, leads_on=self._facets.leads_on(links)):
            where = f"{self._facets.pages_until_trap} pages in a row under {family_of(url)}"
            found.append(f"{where} showed the same records in another choice")
        return found


def visible_texts(tree: Tree) -> Sequence[str]:
    """The texts of a page that people may read."""
    return [
        node.text
        for node in tree.select_xpath(
            "//body//text()[normalize-space() and not(ancestor::script or ancestor::style)]"
        )
        if node.text
    ]
