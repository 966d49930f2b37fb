"""Loads page readers from their text: a wrapper's JSON, `extract`, or `entry-point:NAME`."""

from __future__ import annotations

from treelace import plugins
from treelace.wrappers.apply.other_readers import ExtractingReader, ForeignWrapper
from treelace.wrappers.model.page_reader import PageReader
from treelace.wrappers.wrapper import Wrapper

EXTRACTOR = "extract"
"""The text of the extractor."""

ENTRY_POINT = "entry-point:"
"""Stands before the name of a wrapper of another package."""


def is_file_name(text: str) -> bool:
    """Whether settings that say this name a wrapper's file, and not a reader that needs none."""
    return bool(text) and text != EXTRACTOR and not text.startswith(ENTRY_POINT)


def load_reader(text: str) -> PageReader:
    """The page reader of a text; `WrapperError` or `UsageError` where it cannot be used."""
    if text == EXTRACTOR:
        return ExtractingReader()
    if text.startswith(ENTRY_POINT):
        name = text.removeprefix(ENTRY_POINT)
        return ForeignWrapper(plugins.load(plugins.WRAPPERS, name), name)
    return Wrapper.from_json(text)
