"""The views, a file for each part of a site: each asks `Site` and says how that is shown."""
