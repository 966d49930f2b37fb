"""The running system, as one object."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from treelace.site.alert_verbs import make_rule
from treelace.site.record_verbs import write_records, write_table
from treelace.site.results import Copied, RoundFailed, Trial
from treelace.site.site import Site
from treelace.site.version_verbs import split_version
from treelace.store.settings import NoiseSection
from treelace.store.sites import is_site_of_database
from treelace.store.times import read as read_time

if TYPE_CHECKING:
    from treelace.crawl.settings import CrawlSettings
    from treelace.crawl.sources import Trouble
    from treelace.monitor.delivery import Delivered
    from treelace.site.comparison import compare_sites
    from treelace.site.intake import Imported
    from treelace.site.round import Crawled
    from treelace.site.scrapy_extension import KeepPages
    from treelace.site.tried_pages import (
        TableChoice,
        TriedPage,
        try_file,
        try_page,
        watch_site,
        watch_table,
    )
    from treelace.site.watch_import import import_watches

__all__ = [
    "Copied",
    "CrawlSettings",
    "Crawled",
    "Delivered",
    "Imported",
    "KeepPages",
    "NoiseSection",
    "RoundFailed",
    "Site",
    "TableChoice",
    "Trial",
    "TriedPage",
    "Trouble",
    "compare_sites",
    "import_watches",
    "is_site_of_database",
    "make_rule",
    "read_time",
    "split_version",
    "try_file",
    "try_page",
    "watch_site",
    "watch_table",
    "write_records",
    "write_table",
]

_LOADED_WHEN_ASKED_FOR = {
    "CrawlSettings": "treelace.crawl.settings",
    "Crawled": "treelace.site.round",
    "Delivered": "treelace.monitor.delivery",
    "Imported": "treelace.site.intake",
    "KeepPages": "treelace.site.scrapy_extension",
    "TableChoice": "treelace.site.tried_pages",
    "TriedPage": "treelace.site.tried_pages",
    "Trouble": "treelace.crawl.sources",
    "compare_sites": "treelace.site.comparison",
    "import_watches": "treelace.site.watch_import",
    "try_file": "treelace.site.tried_pages",
    "try_page": "treelace.site.tried_pages",
    "watch_site": "treelace.site.tried_pages",
    "watch_table": "treelace.site.tried_pages",
}


def __getattr__(name: str) -> object:
    """What only some commands need, so that the others start sooner."""
    if name in _LOADED_WHEN_ASKED_FOR:
        found: object = getattr(import_module(_LOADED_WHEN_ASKED_FOR[name]), name)
        return found
    raise AttributeError(f"module 'treelace.site' has no attribute {name!r}")
