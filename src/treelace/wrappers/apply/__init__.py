"""Reading pages with a wrapper: records laid along the pattern, their cells, their health."""
