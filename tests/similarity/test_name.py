"""`treelace.similarity` is a function and a package: the function is what the name means."""

from __future__ import annotations

import importlib

import treelace


def test_the_name_is_the_function() -> None:
    package = importlib.import_module("treelace.similarity")
    assert treelace.similarity is package.similarity
