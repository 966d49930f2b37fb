"""Stores on both databases."""

from tests.store.conftest import server, store_place

__all__ = ["server", "store_place"]
