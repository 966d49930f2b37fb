"""`verify` sees every bit that was changed in what is kept, whichever table it is in."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import LargeBinary, Table, Text, bindparam, cast, select, text, update
from sqlalchemy.exc import SQLAlchemyError

from tests.store.conftest import START, URL, fetched
from tests.store.test_records import MONDAY, SETTINGS, TUESDAY
from treelace.site import Site
from treelace.store import Store
from treelace.store import body as bodies
from treelace.store.checksums import NOT_CHECKED, add_row, as_stored, checked_tables, plain_type
from treelace.store.record_kinds import history_table, load_kinds
from treelace.store.schema import dictionaries
from treelace.store.verify import verify

FLIPS_IN_ONE_LOOK = 40
PAGES = 12


@pytest.fixture
def kept(tmp_path: Path, store_place: str) -> Site:
    """A site that has something in every table: records of two days, a rule, alerts, deliveries,
    a dictionary, a captured file.
    """
    Site.create(tmp_path / "site", URL, store=store_place).close()
    path = tmp_path / "site" / "treelace.toml"
    path.write_text(path.read_text() + SETTINGS)
    site = Site(tmp_path / "site")
    site.subscribe("new", records="product", when="new", channels=("atom:feed.xml",))
    site.add_pages(fetched(1, f"{URL}{n}", body=_page(MONDAY, n)) for n in range(PAGES))
    site.add_pages(fetched(2, f"{URL}{n}", body=_page(TUESDAY, n)) for n in range(PAGES))
    site.store.classes.add_wrapper(site.store.classes.get("Product").id, "{}", why="by hand")
    site.store.page_files.keep("https://cdn.example/a.css", "text/css", b"p {}", [f"{URL}0"])
    learnt = {"class_id": None, "made": START, "data": bodies.pack(MONDAY)}
    with site.store._database.writing() as connection:
        add_row(connection, dictionaries, learnt)
    return site


def _page(body: bytes, number: int) -> bytes:
    return body.replace(b"/p/", b"/p/%d-" % number)


def tables_of(store: Store) -> list[Table]:
    with store._database.reading() as connection:
        return [*checked_tables(), *map(history_table, load_kinds(connection))]


def test_something_is_in_every_table(kept: Site):
    assert not verify(kept.store).damage
    with kept.store._database.reading() as connection:
        for table in tables_of(kept.store):
            assert connection.execute(select(table)).first() is not None, table.name


def test_what_is_not_covered_is_named():
    assert {"frontier", "crawl_log"} <= set(NOT_CHECKED)
    assert "frontier" in (verify.__doc__ or "") and "log" in (verify.__doc__ or "")


def test_three_hundred_flips(kept: Site):
    assert flipped(kept.store, 300, random.Random(27)) >= 300


@pytest.mark.slow
def test_ten_thousand_flips(kept: Site):
    assert flipped(kept.store, 10_000, random.Random(28)) >= 10_000


def flipped(store: Store, count: int, chance: random.Random) -> int:
    """Flips bits of rows, several at a time, and looks whether each row is named; how many. Each
    look begins with the store as it was.
    """
    done = 0
    while done < count:
        places = _places(store, chance)
        made = []
        for table, key, column in places:
            before = _value(store, table, key, column)
            after = _flip(before, chance)
            if after is not None and _set(store, table, key, column, after):
                made.append((table, key, column, before, after))
        damage = verify(store).damage
        for table, key, column, before, after in made:
            assert _is_named(table, key, column, damage), (table.name, key, column, before, after)
        for table, key, column, before, after in reversed(made):
            now = {**key, column: after} if column in key else key
            assert _set(store, table, now, column, before)
        done += len(made)
    assert not verify(store).damage
    return done


def _is_named(table: Table, key: dict[str, Any], column: str, damage: tuple[str, ...]) -> bool:
    if column in key:
        return any(line.startswith(f"{table.name}") for line in damage)
    which = f"{table.name} {' '.join(map(str, key.values()))}: this row"
    return any(line.startswith(which) for line in damage)


def _places(store: Store, chance: random.Random) -> list[tuple[Table, dict[str, Any], str]]:
    """Rows of all tables, each once, with a column; at most one of a table by its number, since
    only the table is named then. `kinds` alone: without it the records are not found.
    """
    tables = tables_of(store)
    if chance.random() < 0.1:
        tables = [table for table in tables if table.name == "kinds"]
    else:
        tables = [table for table in tables if table.name != "kinds"]
    found: dict[tuple[str, str], tuple[Table, dict[str, Any], str]] = {}
    numbered: set[str] = set()
    with store._database.reading() as connection:
        keys = {
            table.name: [
                dict(row)
                for row in connection.execute(select(*table.primary_key.columns)).mappings()
            ]
            for table in tables
        }
    for _ in range(FLIPS_IN_ONE_LOOK if len(tables) > 1 else 1):
        table = chance.choice(tables)
        key, column = chance.choice(keys[table.name]), chance.choice(list(table.c.keys()))
        if column in key:
            if table.name in numbered:
                continue
            numbered.add(table.name)
        found.setdefault((table.name, str(key)), (table, key, column))
    return list(found.values())


def _value(store: Store, table: Table, key: dict[str, Any], column: str) -> Any:
    columns = {one.name: one for one in as_stored(table, is_sqlite=store._database.is_sqlite)}
    where = [table.c[name] == value for name, value in key.items()]
    with store._database.reading() as connection:
        found = connection.execute(select(columns[column]).where(*where)).scalar()
    if isinstance(found, bytes) and isinstance(plain_type(table.c[column].type), Text):
        return found.decode()
    return found


def _flip(value: Any, chance: random.Random) -> Any:
    """The value with one bit changed; None where it has none."""
    if isinstance(value, int):
        return value ^ (1 << chance.randrange(15 if abs(value) < 2**15 else 31))
    if isinstance(value, float):
        data = bytearray(struct.pack("<d", value))
    elif isinstance(value, str):
        data = bytearray(value.encode())
    elif isinstance(value, bytes):
        data = bytearray(value)
    else:
        return None
    if not data:
        return None
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    if isinstance(value, float):
        return struct.unpack("<d", data)[0]
    if isinstance(value, str):
        try:
            return data.decode()
        except UnicodeDecodeError:
            return None
    return bytes(data)


def _set(store: Store, table: Table, key: dict[str, Any], column: str, value: Any) -> bool:
    """Whether the database took it: rows that others lean on it may protect."""
    plain = plain_type(table.c[column].type)
    where = [
        cast(table.c[name], LargeBinary) == value.encode()
        if isinstance(value, str) and store._database.is_sqlite
        else table.c[name] == value
        for name, value in key.items()
    ]
    statement = update(table).where(*where).values({column: bindparam("b", type_=plain)})
    try:
        with store._database._engine.connect() as connection:
            if store._database.is_sqlite:
                connection.connection.driver_connection.execute("pragma foreign_keys=off")
            with connection.begin():
                done = connection.execute(statement, {"b": value}).rowcount == 1
            if store._database.is_sqlite:
                connection.connection.driver_connection.execute("pragma foreign_keys=on")
            return done
    except SQLAlchemyError:
        return False


@pytest.mark.parametrize(
    "change",
    [
        "delete from product_history where id = 3",
        "delete from versions where page_id = 5 and number = 1",
        "delete from sightings where page_id = 7",
        "delete from nodes where page_id = 9",
        "update product_history set valid_from = valid_from + 1 where id = 4",
        "update pages set url = url || 'x' where id = 11",
        "update versions set time = time - 1 where page_id = 12",
        "update wrappers set state = 'rejected'",
    ],
)
def test_what_is_changed_or_deleted_is_seen(kept: Site, change: str):
    with kept.store._database.writing() as connection:
        assert connection.execute(text(change)).rowcount
    assert verify(kept.store).damage
    kept.add_pages([fetched(3, f"{URL}{n}", body=_page(MONDAY, n)) for n in range(PAGES)])
    assert verify(kept.store).damage, "work that goes on does not make it whole"
