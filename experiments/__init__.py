"""Published tables and figures again, on real data: one folder and one command each."""
