"""Columns: what is lined up with what, and what a column is called."""
