"""Flat columns as a pandas data frame, without pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treelace.errors import UsageError

if TYPE_CHECKING:
    from treelace.extract.types import FlatColumn


def to_pandas(columns: Sequence[FlatColumn]) -> Any:
    """A data frame: integers with gaps as `Int64`, yes and no as `boolean`, dates and times as
    `datetime64[us]`, durations as `timedelta64[us]`.
    """
    try:
        import pandas
    except ImportError as missing:
        raise UsageError("to_pandas needs pandas: pip install pandas") from missing
    import numpy as np

    made = {}
    for column in columns:
        values, has_gaps = column.values, None in column.values
        if column.type == "integer":
            made[column.name] = (
                pandas.array(values, dtype="Int64")
                if has_gaps
                else np.array(values, dtype=np.int64)
            )
        elif column.type == "number":
            made[column.name] = np.array(
                [np.nan if value is None else value for value in values], dtype=np.float64
            )
        elif column.type == "bool":
            made[column.name] = pandas.array(values, dtype="boolean")
        elif column.type == "timestamp in UTC":
            naive = [None if value is None else value.replace(tzinfo=None) for value in values]
            made[column.name] = pandas.Series(
                np.array(naive, dtype="datetime64[us]")
            ).dt.tz_localize("UTC")
        elif column.type in ("date", "timestamp"):
            made[column.name] = np.array(values, dtype="datetime64[us]")
        elif column.type == "duration":
            made[column.name] = np.array(values, dtype="timedelta64[us]")
        else:
            made[column.name] = pandas.Series(
                values, dtype="str" if hasattr(pandas, "StringDtype") else object
            )
    return pandas.DataFrame(made)
