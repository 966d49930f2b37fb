"""Plug-ins: sources, wrappers and judges that other packages name in their metadata.

    [project.entry-points."treelace.sources"]
    shelf = "shelf:pages"            # a function: what stands after the colon of --from shelf:WHERE
    → an iterator of FetchedPage

    [project.entry-points."treelace.wrappers"]
    shelf = "shelf:Labels"           # something with apply(page): tables, or records as mappings

    [project.entry-points."treelace.judges"]
    sober = "shelf:is_news"          # a function: an alert as a mapping → whether to tell, how much
    it weighs, why

Nothing is imported before its name is used, and what fails to load is one line with the name of the
culprit.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from treelace.errors import UsageError

SOURCES = "treelace.sources"
WRAPPERS = "treelace.wrappers"
JUDGES = "treelace.judges"


def names(group: str) -> list[str]:
    """The names that the installed packages give to parts of a kind, in alphabetical order."""
    return sorted({point.name for point in entry_points(group=group)})


def load(group: str, name: str) -> Any:
    """A part by its name, or by `module:attribute`; `UsageError` if it cannot be loaded.

    >>> load(JUDGES, "nobody")
    Traceback (most recent call last):
    treelace.errors.UsageError: no installed package has 'nobody' among its treelace.judges; ...
    >>> load(JUDGES, "math:isnan")
    <built-in function isnan>
    """
    try:
        found = [point for point in entry_points(group=group) if point.name == name]
        if found:
            return found[0].load()
        module, colon, attribute = name.partition(":")
        if not colon:
            raise UsageError(
                f"no installed package has {name!r} among its {group}; there are:"
                f" {', '.join(names(group)) or 'none'}"
            )
        return getattr(import_module(module), attribute)
    except UsageError:
        raise
    except Exception as error:  # whatever someone else's module does when it is imported
        said = " ".join(str(error).split()) or type(error).__name__
        raise UsageError(f"{name!r} of {group} cannot be loaded: {said}") from error
