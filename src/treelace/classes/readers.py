"""What identifies the records that a page reader finds, where nobody says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treelace.classes.model import NODE
from treelace.wrappers.model.page_reader import reads_one_record

if TYPE_CHECKING:
    from treelace.wrappers.model.page_reader import PageReader


def key_without_settings(wrapper: PageReader | None) -> tuple[str, ...]:
    """What identifies the records where nobody says: a page that is one record is known by its
    address; of others nothing is known.
    """
    return (NODE,) if reads_one_record(wrapper) else ()
