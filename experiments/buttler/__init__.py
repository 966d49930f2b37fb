"""Buttler, "A Short Survey of Document Structure Similarity Algorithms" (2004): Tables I to V,
Figures 1 and 2.
"""
