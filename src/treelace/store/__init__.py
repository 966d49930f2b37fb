"""What must be there tomorrow: versions, records and wrappers, on SQLite or PostgreSQL."""

from __future__ import annotations

from treelace.classes.pages import FetchedPage
from treelace.store.pages import Page
from treelace.store.store import Store
from treelace.store.versions import Version

__all__ = ["FetchedPage", "Page", "Store", "Version"]
