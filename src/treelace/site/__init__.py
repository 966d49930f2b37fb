"""The running system, as one object."""

from __future__ import annotations

from treelace.crawl.settings import CrawlSettings
from treelace.crawl.sources import Trouble
from treelace.monitor.delivery import Delivered
from treelace.site.alert_verbs import make_rule
from treelace.site.imported import Imported
from treelace.site.record_verbs import write_records, write_table
from treelace.site.results import Copied, RoundFailed, Trial
from treelace.site.round import Crawled
from treelace.site.scrapy_extension import KeepPages
from treelace.site.site import Site
from treelace.site.version_verbs import split_version
from treelace.store.times import read as read_time

__all__ = [
    "Copied",
    "CrawlSettings",
    "Crawled",
    "Delivered",
    "Imported",
    "KeepPages",
    "RoundFailed",
    "Site",
    "Trial",
    "Trouble",
    "make_rule",
    "read_time",
    "split_version",
    "write_records",
    "write_table",
]
