"""Flesca and others, "Structural Document Similarity for Integrated Crawling and Wrapping": Tables
1 and 2, Figures 6 to 10.
"""
