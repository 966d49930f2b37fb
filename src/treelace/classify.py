"""The former name of `treelace.classes`, kept for programs that import from here."""

from __future__ import annotations

from treelace.classes import UNCLASSIFIED, PageClassifier, PageClusterer, Verdict

__all__ = ["UNCLASSIFIED", "PageClassifier", "PageClusterer", "Verdict"]
