"""Archives into tables: the pipeline's stages over many batches, on threads, processes or Dask."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treelace.bulk.run import BulkSettings, Finished, run_bulk

__all__ = ["BulkSettings", "Finished", "run_bulk"]


def __getattr__(name: str) -> object:
    """What makes a run, loaded when it is asked for: words of its stages need none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'treelace.bulk' has no attribute {name!r}")
    from treelace.bulk import run

    found: object = getattr(run, name)
    return found
