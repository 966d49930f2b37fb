"""The running system, as one object."""

from __future__ import annotations

from treelace.site.imported import Imported
from treelace.site.scrapy_extension import KeepPages
from treelace.site.site import Site

__all__ = ["Imported", "KeepPages", "Site"]
