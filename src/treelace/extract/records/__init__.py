"""Records that are not one element each: comparison tables, grids, rows side by side."""
