"""How pages look: their style sheets and images, kept with them where the settings say so."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING

from treelace.crawl.looks import MOST_BYTES, STYLE, LooksFetcher, content_type_of, looks_of
from treelace.crawl.rendering import downloads
from treelace.tree.harmless_html import Looks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treelace.crawl.hosts import Past
    from treelace.crawl.settings import CrawlSettings
    from treelace.store import Store
    from treelace.tree import Tree

MOST_FILES_OF_ROUND = 1000
"""New style sheets and images that one round fetches."""
MOST_SHOWN = 8 * 2**20
"""Bytes of style sheets and images that a page is shown with."""
_OUTSIDE = re.compile(r"""@import\b|url\((?!\s*["']?data:)""", re.IGNORECASE)
"""What a style sheet would fetch. Whatever this does not see, the policy of the frame refuses."""


class PageLooks:
    """The looks of the pages of one round: noted as pages are stored, fetched after all of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wanted: dict[str, list[str]] = {}

    def see(self, url: str, tree: Tree) -> None:
        """Notes what a page shows; what is kept already is not fetched again."""
        addresses = list(dict.fromkeys(looks_of(tree, url).values()))
        for address in self._store.page_files.use(url, addresses) if addresses else ():
            if address in self._wanted or len(self._wanted) < MOST_FILES_OF_ROUND:
                self._wanted.setdefault(address, []).append(url)

    def fetch(
        self,
        settings: CrawlSettings,
        homes: Sequence[str],
        past: Past,
        *,
        check_stop: Callable[[], None],
    ) -> None:
        """Fetches and keeps what is wanted."""
        if not self._wanted:
            return
        plain = replace(settings, render=(), bytes=min(settings.bytes, MOST_BYTES))
        with downloads(plain, homes) as downloader:
            fetcher = LooksFetcher(plain, downloader, homes=homes, past=past)
            for address, outcome in fetcher.fetch(list(self._wanted)):
                kind, pages = content_type_of(outcome), self._wanted.pop(address)
                self._store.page_files.keep(address, kind, outcome.body, pages)
                check_stop()


def kept_looks(store: Store, url: str, *trees: Tree) -> Looks:
    """What is kept of how a page looks, by what versions of it write."""
    files = store.page_files.of(url, most_bytes=MOST_SHOWN)
    styles, images = {}, {}
    for said, address in (it for tree in trees for it in looks_of(tree, url).items()):
        file = files.get(address)
        if file is not None and file.content_type == STYLE:
            styles[said] = _OUTSIDE.sub(_nothing, file.data.decode("utf-8", "replace"))
        elif file is not None:
            images[said] = f"data:{file.content_type};base64,{b64encode(file.data).decode()}"
    return Looks(styles, images)


def _nothing(found: re.Match[str]) -> str:
    """In place of what a style sheet would fetch: a rule that is none, an image that is empty."""
    return "@not-import" if found[0][0] == "@" else "url(data:,"
