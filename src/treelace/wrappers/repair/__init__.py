"""Re-attaching a wrapper to redesigned pages: what became of each column, and why."""
