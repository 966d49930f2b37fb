"""Flat columns as a pandas data frame, without pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treelace.errors import UsageError
from treelace.extract.types.storage import FlatColumn, FormName


def to_pandas(columns: Sequence[FlatColumn]) -> Any:
    """A data frame: integers with gaps as `Int64`, yes and no as `boolean`, dates and times as
    `datetime64[us]`, durations as `timedelta64[us]`.
    """
    try:
        import pandas
    except ImportError as missing:
        raise UsageError("to_pandas needs pandas: pip install pandas") from missing
    return pandas.DataFrame(
        {column.name: _SERIES[column.type](list(column.values)) for column in columns}
    )


def _texts(values: list[Any]) -> Any:
    import pandas

    return pandas.Series(values, dtype="str")


def _integers(values: list[Any]) -> Any:
    import numpy as np
    import pandas

    if None in values:
        return pandas.array(values, dtype="Int64")
    return np.array(values, dtype=np.int64)


def _numbers(values: list[Any]) -> Any:
    import numpy as np

    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _yes_and_no(values: list[Any]) -> Any:
    import pandas

    return pandas.array(values, dtype="boolean")


def _moments(values: list[Any]) -> Any:
    import numpy as np

    return np.array(values, dtype="datetime64[us]")


def _moments_in_utc(values: list[Any]) -> Any:
    import pandas

    naive = [None if value is None else value.replace(tzinfo=None) for value in values]
    return pandas.Series(_moments(naive)).dt.tz_localize("UTC")


def _durations(values: list[Any]) -> Any:
    import numpy as np

    return np.array(values, dtype="timedelta64[us]")


_SERIES: dict[FormName, Callable[[list[Any]], Any]] = {
    "text": _texts,
    "integer": _integers,
    "number": _numbers,
    "bool": _yes_and_no,
    "date": _moments,
    "timestamp": _moments,
    "timestamp in UTC": _moments_in_utc,
    "duration": _durations,
}
"""What pandas has for each storage form."""
