"""Learning a wrapper from pages: lists, detail pages, their columns and names."""
