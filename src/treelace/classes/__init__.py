"""Which pages are of one kind: made by one template of a site."""

from __future__ import annotations

from treelace.classes.classifier import UNCLASSIFIED, PageClassifier, Verdict
from treelace.classes.clusterer import PageClusterer

__all__ = ["UNCLASSIFIED", "PageClassifier", "PageClusterer", "Verdict"]
