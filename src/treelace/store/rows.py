"""Rows: what the database keeps as rows, as the frozen objects the rest of the program knows, and
back. Times are numbers there, JSON is text.
"""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from treelace.store import times

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from sqlalchemy import Row

    Thing = TypeVar("Thing", bound=DataclassInstance)


def thing(kind: type[Thing], row: Row[Any], **own: Any) -> Thing:
    """An object of a row: each field is the column of its name; those given here are taken as they
    are.
    """
    found = row._mapping
    return kind(
        **own, **{name: read(found[name]) for name, read, _ in _forms(kind) if name not in own}
    )


def values(one: DataclassInstance) -> dict[str, Any]:
    """The columns of an object."""
    return {name: write(getattr(one, name)) for name, _, write in _forms(type(one))}


@lru_cache
def _forms(kind: type[Any]) -> list[tuple[str, Any, Any]]:
    """Name of each field, and how it is read and written."""
    return [(field.name, *_form(str(field.type))) for field in fields(kind)]


def _form(said: str) -> tuple[Any, Any]:
    if said.startswith("datetime"):
        return (lambda number: None if number is None else times.from_number(number)), (
            lambda time: None if time is None else times.to_number(time)
        )
    if said.startswith("Mapping"):
        return msgspec.json.decode, lambda value: msgspec.json.encode(value).decode()
    return _same, _same


def _same(value: Any) -> Any:
    return value
