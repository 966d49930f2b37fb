"""Pages into kinds: which pages of a site are made by one template."""

from __future__ import annotations

from treelace.classify.leaders import leader_clusters

__all__ = ["leader_clusters"]
