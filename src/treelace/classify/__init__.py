"""Pages into kinds: which pages of a site are made by one template."""

from __future__ import annotations

from treelace.classify.classifier import UNCLASSIFIED, PageClassifier, Verdict
from treelace.classify.clusterer import PageClusterer
from treelace.classify.leaders import leader_clusters

__all__ = ["UNCLASSIFIED", "PageClassifier", "PageClusterer", "Verdict", "leader_clusters"]
