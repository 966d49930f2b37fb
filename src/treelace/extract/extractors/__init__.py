"""The extractors there are, one file each, and how to get one by its name."""

from __future__ import annotations

from typing import Any

from treelace import named
from treelace.extract.extractor import Extractor
from treelace.extract.extractors.depta import Depta
from treelace.extract.extractors.equal_paths import EqualPaths
from treelace.extract.extractors.mdr import Mdr
from treelace.extract.extractors.mdr2 import Mdr2
from treelace.extract.extractors.records import Records

EXTRACTORS: dict[str, type[Extractor]] = {
    cls.name: cls for cls in (Records, Depta, Mdr2, Mdr, EqualPaths)
}
"""Every extractor by name. To add one: write its file, add it to this list and the docs."""

DEFAULT_EXTRACTOR = Records.name


def extractor_named(name: str, **options: Any) -> Extractor:
    """The extractor called `name`, made with these options."""
    return named.make("extractor", EXTRACTORS, name, options)
