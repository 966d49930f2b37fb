"""JSON as the store keeps it: text in a column."""

from __future__ import annotations

import msgspec


def to_json(value: object) -> str:
    """The text of a value.

    >>> to_json({"records": "tea", "new": True})
    '{"records":"tea","new":true}'
    """
    return msgspec.json.encode(value).decode()
