"""Loading: what extracts records, from the text that the store keeps of it.

The text is a wrapper's JSON, `extract` for the extractor, or `entry-point:` and the name of a
wrapper of another package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treelace.classes.model import NODE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.classes.model import Applies
    from treelace.extract import Table
    from treelace.tree import Tree

EXTRACT = "extract"
"""The likeliest table of each page."""
ENTRY_POINT = "entry-point:"
"""Stands before the name of a wrapper of another package."""


def is_file(said: str) -> bool:
    """Whether the settings name a file by this, and not something that needs none."""
    return bool(said) and said != EXTRACT and not said.startswith(ENTRY_POINT)


def load_wrapper(data: str) -> Applies:
    """What extracts records; `WrapperError` or `UsageError` where it cannot be used."""
    if data == EXTRACT:
        return _Extracts()
    if data.startswith(ENTRY_POINT):
        from treelace import plugins
        from treelace.wrappers.apply.foreign import ForeignWrapper

        name = data.removeprefix(ENTRY_POINT)
        return ForeignWrapper(plugins.load(plugins.WRAPPERS, name), name)
    from treelace.wrappers import Wrapper

    wrapper: Applies = Wrapper.from_json(data)
    return wrapper


class _Extracts:
    """The extractor as a wrapper: slower, and not as steady, but it needs nothing learnt."""

    def apply(self, page: Tree, *, url: str = "") -> list[Table]:
        """The likeliest table of the page."""
        from treelace.extract import extract

        return extract(page, url=url)[:1]


def reads_one_record(wrapper: Applies | None) -> bool:
    """Whether each page is one record to this wrapper, and not a list of them."""
    regions: Sequence[Any] = getattr(wrapper, "regions", ())
    return bool(regions) and regions[0].kind == "page"


def key_without_settings(wrapper: Applies | None) -> tuple[str, ...]:
    """What identifies the records where nobody says: a page that is one record is known by its
    address; of others nothing is known.
    """
    return (NODE,) if reads_one_record(wrapper) else ()
