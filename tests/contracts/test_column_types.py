"""What every column type promises, checked over every member of TYPES."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import polars
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from treelace.errors import UsageError
from treelace.extract.locales import MACHINE, Locale
from treelace.extract.outputs import to_sqlite
from treelace.extract.outputs.arrow import ArrowColumns
from treelace.extract.types import TYPES, ColumnType, FlatColumn, companion_names, type_named
from treelace.extract.types.inference import column_type
from treelace.extract.types.storage import plain

every_type = pytest.mark.parametrize("kind", TYPES.values(), ids=lambda kind: kind.name)


def values_of(kind: ColumnType) -> list:
    return [kind.values([text], MACHINE)[0] for text in kind.examples]


def stored(kind: ColumnType) -> list[FlatColumn]:
    return kind.store("it", [*values_of(kind), None], [*kind.examples, None])


@every_type
def test_examples_read_and_differ(kind: ColumnType) -> None:
    values = values_of(kind)
    assert len(values) >= 2
    assert None not in values
    assert len(set(values)) == len(values)


@every_type
def test_a_column_of_examples_has_this_type(kind: ColumnType) -> None:
    """But for types that are given by what a cell is made of: their texts speak for no type."""
    if any(map(kind.recognises, kind.examples)):
        assert all(map(kind.recognises, kind.examples))
        assert column_type(kind.examples, locale=MACHINE) == kind.name
    else:
        assert kind.keeps_text


@every_type
def test_json_is_plain_and_has_the_companions(kind: ColumnType) -> None:
    for value in values_of(kind):
        said = kind.to_json(value)
        assert list(said) == ["value", *kind.companions]
        assert json.loads(json.dumps(said)) == said
    assert kind.to_json(None) == {"value": None}


@every_type
def test_what_is_stored_comes_back_from_arrow(kind: ColumnType) -> None:
    columns = stored(kind)
    frame = polars.DataFrame(ArrowColumns(tuple(columns)))
    assert {name: tuple(frame[name].to_list()) for name in frame.columns} == {
        column.name: column.values for column in columns
    }


@every_type
def test_what_is_stored_comes_back_from_sqlite(kind: ColumnType) -> None:
    columns = stored(kind)
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(to_sqlite(columns))
        rows = database.execute("SELECT * FROM records").fetchall()
    wanted = [tuple(map(plain, row)) for row in zip(*(it.values for it in columns), strict=True)]
    assert rows == wanted


@every_type
def test_columns_of_storage_are_named_after_the_companions(kind: ColumnType) -> None:
    assert [it.name for it in stored(kind)] == ["it", *(f"it {name}" for name in kind.companions)]
    assert set(kind.companions) <= set(companion_names())


@every_type
@given(texts=st.lists(st.text(max_size=70), max_size=4), tag=st.sampled_from(["", "de", "en-US"]))
@example(texts=["٣", "²", "9" * 400, "1e999 €", "99/99/9999", "P99999999999D"], tag="")
def test_no_text_makes_a_type_fail(kind: ColumnType, texts: list[str], tag: str) -> None:
    values = kind.values(texts, Locale(tag))
    assert len(values) == len(texts)
    for text, value in zip(texts, values, strict=True):
        kind.recognises(text)
        json.dumps(kind.to_json(value))
    if kind.keeps_text:
        assert list(values) == texts
    kind.fits(texts, Locale(tag))
    if not kind.needs_digits:
        return
    assert not any(kind.recognises(text) for text in texts if not any(map(str.isdigit, text)))


def test_names_are_the_keys_and_an_unknown_one_is_wrong_use() -> None:
    assert [kind.name for kind in TYPES.values()] == list(TYPES)
    with pytest.raises(UsageError, match="no type of column is called 'prize': did you mean"):
        type_named("prize")
