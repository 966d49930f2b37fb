"""`treelace.similarity`, `diff` and `extract` are functions and packages: the functions are what
the names mean, in doctests too.
"""

from __future__ import annotations

import sys


def pytest_collectstart() -> None:
    """pytest imports sources by their files and binds each package to its name in its parent, over
    the function of that name: put it back.
    """
    _put_back()


def pytest_collection_finish() -> None:
    """Once more after the last one."""
    _put_back()


def _put_back() -> None:
    treelace = sys.modules.get("treelace")
    for name in getattr(treelace, "__all__", ()):
        package = sys.modules.get(f"treelace.{name}")
        if package is not None and getattr(treelace, name) is package:
            setattr(treelace, name, getattr(package, name))
