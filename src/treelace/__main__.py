"""`python -m treelace`."""

from treelace.cli import main

main()
