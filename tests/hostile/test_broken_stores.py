"""Stores that were damaged from outside: every answer is whole, or a named error in one line."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.store.conftest import URL, fetched
from tests.store.test_records import MONDAY, SETTINGS, TUESDAY
from treelace.errors import StoreError, TreelaceError
from treelace.limits import Limits
from treelace.site import Site
from treelace.store.checksums import NOT_CHECKED
from treelace.store.transfer import fingerprint


@pytest.mark.parametrize(
    "schema", ["", "two", "-5", "0", "1.5", "9" * 5000, "\x1b[2J", "²", "1; drop table pages"]
)
@pytest.mark.parametrize("is_read_only", [True, False])
def test_a_schema_that_is_none_is_named(
    tmp_path: Path, store_place: str, schema: str, is_read_only: bool
):
    with Site.create(tmp_path / "site", URL, store=store_place) as site:
        site.add_pages([fetched(1)])
        with site.store._database.writing() as connection:
            statement = text("update about set value = :value where name = 'schema'")
            assert connection.execute(statement, {"value": schema}).rowcount == 1
    with pytest.raises(StoreError, match="schema") as refused:
        Site(tmp_path / "site", read_only=is_read_only).store.urls()
    assert "\n" not in str(refused.value) and "\x1b" not in str(refused.value)


@pytest.mark.parametrize("change", ["delete from about", "drop table about"])
def test_a_schema_that_is_not_there_is_named(tmp_path: Path, store_place: str, change: str):
    with (
        Site.create(tmp_path / "site", URL, store=store_place) as site,
        site.store._database.writing() as connection,
    ):
        connection.execute(text(change))
    with pytest.raises(StoreError, match="not a store of treelace"):
        Site(tmp_path / "site").store.urls()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site with versions, records, a rule and alerts, all in one file."""
    folder = tmp_path_factory.mktemp("flips") / "site"
    Site.create(folder, URL).close()
    settings = folder / "treelace.toml"
    settings.write_text(settings.read_text() + SETTINGS)
    with Site(folder) as site:
        site.subscribe("new", records="product", when="new", channels=("atom:feed.xml",))
        site.add_pages([fetched(1, body=MONDAY), fetched(1, f"{URL}2")])
        site.add_pages([fetched(2, body=TUESDAY), fetched(2, f"{URL}2")])
    with sqlite3.connect(folder / "store.sqlite") as database:
        database.execute("pragma journal_mode = delete")
    return folder


def content(folder: Path) -> dict[str, str] | None:
    """A digest of each table; None where `verify` says that the store is damaged."""
    with Site(folder, read_only=True, limits=Limits(seconds=10)) as site:
        damage = site.verify().damage
        for url in (URL, f"{URL}2"):
            for version in site.history(url):
                site.store.body(url, version.number)
        for kind in site.store.records.kinds():
            site.records(kind.name)
        site.store.alerts.alerts()
        found = fingerprint(site.store)
        return (
            None if damage else {name: it for name, it in found.items() if name not in NOT_CHECKED}
        )


@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_flips_in_the_file_are_named_or_change_nothing(kept: Path, count: int):
    """A bit anywhere in the file: what is read is as it was, or damage is named, or an error is."""
    file = kept / "store.sqlite"
    before, whole = file.read_bytes(), content(kept)
    assert whole is not None
    outcomes = {"named": 0, "damage": 0, "same": 0}
    for number in range(count):
        dice = random.Random(f"27 {number}")
        data = bytearray(before)
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        outcomes[outcome(kept, bytes(data), whole, number)] += 1
    file.write_bytes(before)
    print(outcomes)
    assert outcomes["damage"] and outcomes["named"], "flips that do harm are among them"


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut in half": lambda data: data[: len(data) // 2],
    "one page short": lambda data: data[:-4096],
    "zeros in the middle": lambda data: data[:9000] + bytes(5000) + data[14_000:],
    "head of another": lambda data: b"SQLite format 4\x00" + data[16:],
    "page size of one": lambda data: data[:16] + b"\x00\x01" + data[18:],
    "noise at the end": lambda data: data[:-8192] + random.Random(1).randbytes(8192),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_files_that_are_no_longer_whole(kept: Path, damage: str):
    file = kept / "store.sqlite"
    before, whole = file.read_bytes(), content(kept)
    try:
        assert whole is not None
        outcome(kept, DAMAGES[damage](before), whole, damage)
    finally:
        file.write_bytes(before)


def outcome(folder: Path, data: bytes, whole: dict[str, str], what: object) -> str:
    for name in ("store.sqlite-wal", "store.sqlite-shm", "store.sqlite-journal"):
        (folder / name).unlink(missing_ok=True)
    (folder / "store.sqlite").write_bytes(data)
    try:
        found = content(folder)
    except TreelaceError as error:
        said = str(error)
        return "named" if "\n" not in said else said
    assert found is None or found == whole, f"{what}: a change that `verify` does not see"
    return "damage" if found is None else "same"
