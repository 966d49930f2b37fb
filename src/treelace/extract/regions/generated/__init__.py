"""Written by programs, not by people: each file says by which command."""
