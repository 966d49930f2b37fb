"""Pages that are being tried: kept in memory, the oldest forgotten."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from treelace.errors import UsageError

if TYPE_CHECKING:
    from treelace.site import TriedPage

MOST_PAGES = 20


class Tries:
    """Tried pages by their keys."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pages: OrderedDict[str, TriedPage] = OrderedDict()

    def put(self, page: TriedPage) -> str:
        """Keeps a page, and answers with its key."""
        key = secrets.token_urlsafe(8)
        with self._lock:
            self._pages[key] = page
            while len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)
        return key

    def get(self, key: str) -> TriedPage:
        """A page that is being tried."""
        found = self._pages.get(key)
        if found is None:
            raise UsageError("this page is not being tried any more: try it again")
        return found
