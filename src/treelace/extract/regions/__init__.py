"""Which parts of a page repeat: candidates, and their ranking by learnt weights."""
