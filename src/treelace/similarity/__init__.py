"""How alike are two documents? Measures, matrices, sketches, and how good an answer is."""

from __future__ import annotations

from treelace.similarity.engine import cdist, similarity, similarity_matrix
from treelace.similarity.measure import FeatureMeasure, Measure
from treelace.similarity.measures import DEFAULT, MEASURES, measure_named

__all__ = [
    "DEFAULT",
    "MEASURES",
    "FeatureMeasure",
    "Measure",
    "cdist",
    "measure_named",
    "similarity",
    "similarity_matrix",
]
