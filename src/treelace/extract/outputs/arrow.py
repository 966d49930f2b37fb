"""Flat columns as an Arrow stream without an Arrow library: the PyCapsule C interface.

The specification is https://arrow.apache.org/docs/format/CStreamInterface.html. A consumer (Polars,
DuckDB, arro3, nanoarrow, pyarrow) takes the structures over and frees them by the `release`
callback of each. Invariant: what an array or a schema points to is kept in `_KEPT` under the number
that is its `private_data`, from the moment it is filled until its own `release` is called. So an
array lives on after its parent or the stream is gone, as the specification wants.
"""

from __future__ import annotations

import ctypes
import itertools
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from treelace.extract.types import FlatColumn

_NULLABLE = 2
_MICROSECOND = timedelta(microseconds=1)
_STREAM = b"arrow_array_stream"


@dataclass(frozen=True, slots=True)
class ArrowColumns:
    """Columns for any Arrow consumer: `polars.DataFrame(columns)`, `duckdb.sql("FROM columns")`.

    >>> from treelace.extract.types import FlatColumn
    >>> type(ArrowColumns((FlatColumn("n", "integer", (1, None)),)).__arrow_c_stream__()).__name__
    'PyCapsule'
    """

    columns: tuple[FlatColumn, ...]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """An Arrow stream of one batch; the requested schema is ignored, as the standard allows."""
        return _capsule(self.columns)


class _Schema(ctypes.Structure):
    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


class _Array(ctypes.Structure):
    _fields_ = (
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.c_void_p),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


class _Stream(ctypes.Structure):
    _fields_ = (
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.c_void_p),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


_KEPT: dict[int, Any] = {}
_numbers = itertools.count(1)


def _keep(thing: Any) -> int:
    number = next(_numbers)
    _KEPT[number] = thing
    return number


def _release(kind: type[_Schema | _Array], address: int, kept: dict[int, Any] = _KEPT) -> None:
    """Frees a schema or an array with those children that nobody has taken over. A child's
    structure lies in what its parent keeps, so all are marked before anything is dropped.
    """
    numbers, ahead = [], [address]
    while ahead:
        one = kind.from_address(ahead.pop())
        if one.release:
            if one.n_children:
                ahead += [
                    child
                    for child in (ctypes.c_void_p * one.n_children).from_address(one.children)
                    if child
                ]
            one.release = None
            numbers.append(one.private_data)
    for number in numbers:
        kept.pop(number, None)


_ReleaseType = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_GetType = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_ErrorType = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_DestroyType = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)


def _on_release_schema(address: int) -> None:
    _release(_Schema, address)


def _on_release_array(address: int) -> None:
    _release(_Array, address)


def _on_release_stream(address: int) -> None:
    stream = _Stream.from_address(address)
    _KEPT.pop(stream.private_data, None)
    stream.release = None


def _on_get_schema(stream: int, out: int) -> int:
    columns, _ = _KEPT[_Stream.from_address(stream).private_data]
    children = [_schema(column.form.arrow, column.name) for column in columns]
    ctypes.memmove(out, ctypes.byref(_schema(b"+s", "", children)), ctypes.sizeof(_Schema))
    return 0


def _on_get_next(stream: int, out: int) -> int:
    columns, batches = _KEPT[_Stream.from_address(stream).private_data]
    if not batches:
        _Array.from_address(out).release = None  # the end
        return 0
    batches.pop()
    length = len(columns[0].values) if columns else 0
    array = _array(length, 0, [None], [_column(column) for column in columns])
    ctypes.memmove(out, ctypes.byref(array), ctypes.sizeof(_Array))
    return 0


def _on_get_last_error(_: int) -> None:  # no step can fail once the values are there
    return None


_release_schema = _ReleaseType(_on_release_schema)
_release_array = _ReleaseType(_on_release_array)
_release_stream = _ReleaseType(_on_release_stream)
_get_schema, _get_next = _GetType(_on_get_schema), _GetType(_on_get_next)
_get_last_error = _ErrorType(_on_get_last_error)


def _address(callback: Any) -> int | None:
    return ctypes.cast(callback, ctypes.c_void_p).value


def _schema(form: bytes, name: str, children: list[_Schema] | None = None) -> _Schema:
    below = children or []
    pointers = (ctypes.c_void_p * max(1, len(below)))(*(ctypes.addressof(child) for child in below))
    named = name.encode("utf-8", "replace").replace(b"\0", b"")
    made = _Schema(
        form,
        named,
        None,
        _NULLABLE,
        len(below),
        ctypes.addressof(pointers),
        None,
        _address(_release_schema),
    )
    made.private_data = _keep((form, named, pointers, below))
    return made


def _array(
    length: int, nulls: int, buffers: list[Any], children: list[_Array] | None = None
) -> _Array:
    below = children or []
    pointers = (ctypes.c_void_p * max(1, len(below)))(*(ctypes.addressof(child) for child in below))
    places = (ctypes.c_void_p * len(buffers))(
        *(None if buffer is None else buffer.ctypes.data for buffer in buffers)
    )
    made = _Array(
        length,
        nulls,
        0,
        len(buffers),
        len(below),
        ctypes.addressof(places),
        ctypes.addressof(pointers),
        None,
        _address(_release_array),
    )
    made.private_data = _keep((buffers, places, pointers, below))
    return made


def _column(column: FlatColumn) -> _Array:
    """One column as an array: a bitmap of what is there (none where all is), then the values."""
    import numpy as np

    values = column.values
    there = np.array([value is not None for value in values], dtype=bool)
    missing = len(values) - int(there.sum())
    bitmap = np.packbits(there, bitorder="little") if missing else None
    if column.type == "text":
        parts = [b"" if value is None else value.encode("utf-8", "replace") for value in values]
        ends = np.zeros(len(parts) + 1, dtype=np.int32)
        np.cumsum([len(part) for part in parts], out=ends[1:])
        return _array(
            len(values),
            missing,
            [bitmap, ends, np.frombuffer(b"".join(parts) or b"\0", dtype=np.uint8)],
        )
    if column.type == "bool":
        return _array(
            len(values),
            missing,
            [
                bitmap,
                np.packbits(
                    np.array([bool(value) for value in values], dtype=bool), bitorder="little"
                ),
            ],
        )
    return _array(
        len(values),
        missing,
        [
            bitmap,
            np.array(
                [0 if value is None else _number(value) for value in values],
                dtype=column.form.numpy,
            ),
        ],
    )


def _number(value: Any) -> int | float:
    if isinstance(value, datetime):
        since = value - datetime(1970, 1, 1, tzinfo=UTC if value.tzinfo else None)
        return since // _MICROSECOND
    if isinstance(value, date):
        return value.toordinal() - 719_163  # 1970-01-01
    if isinstance(value, timedelta):
        return value // _MICROSECOND
    number: int | float = value
    return number


_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))


def _capsule(columns: tuple[FlatColumn, ...]) -> object:
    stream = _Stream(
        _address(_get_schema),
        _address(_get_next),
        _address(_get_last_error),
        _address(_release_stream),
        _keep((columns, [1])),
    )
    address = ctypes.addressof(stream)
    _STREAMS[address] = stream
    return _new_capsule(address, _STREAM, _address(_destroy))


_STREAMS: dict[int, _Stream] = {}


def _on_destroy(capsule: int) -> None:
    """A capsule that goes takes its stream along, unless a consumer has moved it out."""
    address = _pointer_of(capsule, _STREAM)
    if _Stream.from_address(address).release:
        _release_stream(address)
    _STREAMS.pop(address, None)


_destroy = _DestroyType(_on_destroy)
