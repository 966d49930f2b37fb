"""Queries that would never end, or fill the memory."""

from __future__ import annotations

import pytest

from treelace.errors import LimitError, TreelaceError
from treelace.limits import Limits
from treelace.store import Store
from treelace.store.query import query

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT {} FROM n"


@pytest.fixture
def store(tmp_path, store_place):
    place = store_place if store_place.startswith("postgres") else tmp_path / store_place
    made = Store.create(place, limits=Limits(seconds=1))
    yield made
    made.close()


def rows(store: Store, statement: str) -> list[tuple[object, ...]]:
    with query(store, statement) as (_, found):
        return list(found)


def test_a_query_without_end_is_stopped(store):
    for what in ("count(*)", "max(x)"):
        with pytest.raises(LimitError, match="1 seconds"):
            rows(store, ENDLESS.format(what))
    assert rows(store, "SELECT 1") == [(1,)]


def test_rows_without_end_are_stopped(store):
    with pytest.raises(LimitError, match="1 seconds"), query(store, ENDLESS.format("x")) as found:
        for _ in found[1]:
            pass


def test_a_value_as_large_as_the_memory_is_refused(store):
    huge = "repeat('x', 2000000000)" if not store._database.is_sqlite else "zeroblob(900000000)"
    with pytest.raises(TreelaceError):
        rows(store, f"SELECT {huge}")
