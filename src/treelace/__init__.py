"""treelace turns web sites into tables with a history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treelace.diff import Delta, diff
from treelace.errors import (
    CrawlError,
    DamagedError,
    DeltaError,
    ExtractError,
    LimitError,
    MatchError,
    MissingError,
    ParseError,
    StoreError,
    TreelaceError,
    UsageError,
    WrapperError,
)
from treelace.extract import Table, extract
from treelace.limits import Limits
from treelace.matching import Matching, match
from treelace.similarity import similarity, similarity_matrix
from treelace.tree import (
    Attribute,
    Kind,
    Name,
    Node,
    Problem,
    Tree,
    compile_css,
    compile_xpath,
    parse,
)

if TYPE_CHECKING:
    from treelace.classes import PageClassifier, PageClusterer
    from treelace.crawl.fetch import fetch
    from treelace.site import Site
    from treelace.wrappers import Wrapper

__version__ = "0.1.0"

__all__ = [
    "Attribute",
    "CrawlError",
    "DamagedError",
    "Delta",
    "DeltaError",
    "ExtractError",
    "Kind",
    "LimitError",
    "Limits",
    "MatchError",
    "Matching",
    "MissingError",
    "Name",
    "Node",
    "PageClassifier",
    "PageClusterer",
    "ParseError",
    "Problem",
    "Site",
    "StoreError",
    "Table",
    "Tree",
    "TreelaceError",
    "UsageError",
    "Wrapper",
    "WrapperError",
    "compile_css",
    "compile_xpath",
    "diff",
    "extract",
    "fetch",
    "match",
    "parse",
    "similarity",
    "similarity_matrix",
]


def __getattr__(name: str) -> Any:
    """What is loaded when it is first asked for, so that `import treelace` stays light."""
    if name == "Wrapper":
        from treelace.wrappers import Wrapper

        return Wrapper
    if name == "Site":
        from treelace.site import Site

        return Site
    if name == "fetch":
        from treelace.crawl.fetch import fetch

        return fetch
    if name in ("PageClassifier", "PageClusterer"):
        from treelace import classes

        return classes.PageClassifier if name == "PageClassifier" else classes.PageClusterer
    raise AttributeError(f"module 'treelace' has no attribute {name!r}")
