"""Which pages are of one kind: made by one template of a site."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treelace.classes.classifier import UNCLASSIFIED, PageClassifier, Verdict
    from treelace.classes.clusterer import PageClusterer

__all__ = ["UNCLASSIFIED", "PageClassifier", "PageClusterer", "Verdict"]


def __getattr__(name: str) -> object:
    """The estimators, loaded when they are asked for: the store needs only the words of classes."""
    if name not in __all__:
        raise AttributeError(f"module 'treelace.classes' has no attribute {name!r}")
    module = "clusterer" if name == "PageClusterer" else "classifier"
    found: object = getattr(import_module(f"treelace.classes.{module}"), name)
    return found
