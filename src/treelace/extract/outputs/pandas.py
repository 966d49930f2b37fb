"""Flat columns as a pandas data frame, without pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treelace.errors import UsageError
from treelace.extract.types.storage import FlatColumn, FormName

_DTYPES: dict[FormName, str] = {
    "text": "str",
    "integer": "int64",
    "number": "float64",
    "bool": "boolean",
    "date": "datetime64[us]",
    "timestamp": "datetime64[us]",
    "timestamp in UTC": "datetime64[us]",
    "duration": "timedelta64[us]",
}
"""What pandas has for each storage form."""


def to_pandas(columns: Sequence[FlatColumn]) -> Any:
    """A data frame: integers with gaps as `Int64`, yes and no as `boolean`, dates and times as
    `datetime64[us]`, durations as `timedelta64[us]`.
    """
    try:
        import pandas
    except ImportError as missing:
        raise UsageError("to_pandas needs pandas: pip install pandas") from missing
    return pandas.DataFrame({column.name: _series(pandas, column) for column in columns})


def _series(pandas: Any, column: FlatColumn) -> Any:
    import numpy as np

    values, dtype = list(column.values), _DTYPES[column.type]
    if dtype == "int64" and None in values:
        dtype = "Int64"
    if column.type == "timestamp in UTC":
        values = [None if value is None else value.replace(tzinfo=None) for value in values]
        return pandas.Series(np.array(values, dtype=dtype)).dt.tz_localize("UTC")
    if dtype in ("str", "Int64", "boolean"):
        return pandas.Series(values, dtype=dtype)
    return np.array(values, dtype=dtype)
