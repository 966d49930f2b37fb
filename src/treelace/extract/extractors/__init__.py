"""The extractors there are, one file each, and how to get one by its name."""

from __future__ import annotations

from typing import Any

from treelace import named
from treelace.extract.extractor import Extractor

EXTRACTORS: named.Family[Extractor] = named.Family(
    __name__,
    {
        "records": ".records:Records",
        "depta": ".depta:Depta",
        "mdr2": ".mdr2:Mdr2",
        "mdr": ".mdr:Mdr",
        "equal-paths": ".equal_paths:EqualPaths",
    },
)
"""Every extractor by name. To add one: write its file, add it to this list and the docs."""

DEFAULT_EXTRACTOR = "records"


def extractor_named(name: str, **options: Any) -> Extractor:
    """The extractor called `name`, made with these options."""
    return named.make("extractor", EXTRACTORS, name, options)
