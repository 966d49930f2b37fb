"""Values of pages as both databases take them, with the same answers.

PostgreSQL refuses what SQLite keeps (NUL, status 99999), and SQLite what PostgreSQL keeps
(infinity as JSON); whole numbers have 64 bits in both. A page says what it likes, so everything
that came from one passes here before it is stored.
"""

from __future__ import annotations

import math
import re
from datetime import date, timedelta
from hashlib import blake2b
from typing import Any

from sqlalchemy import Dialect, SmallInteger, Text, TypeDecorator

INTEGER_BOUND = 2**63
LONGEST_KEY = 500
"""Characters of a key of records or of an alert's name; PostgreSQL indexes no more than 2.7 KB."""
_NOT_STORED = re.compile("[\x00\ud800-\udfff]")


def database_value(value: Any) -> Any:
    """A value as databases have it: what none of them can hold is None (its text is kept).

    >>> database_value(date(2026, 3, 1)), database_value(timedelta(minutes=2)), database_value(True)
    ('2026-03-01', 120.0, 1)
    >>> database_value(10**20), database_value(float("inf")), database_value("tea\\x00")
    (None, None, 'tea\ufffd')
    """
    if value is None:
        return None
    if isinstance(value, str):
        return database_text(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, int):
        return int(value) if -INTEGER_BOUND <= value < INTEGER_BOUND else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value.isoformat() if isinstance(value, date) else value


def database_text(text: str) -> str:
    """A text with U+FFFD for NUL and for halves of characters."""
    return text if text.isascii() and "\0" not in text else _NOT_STORED.sub("\ufffd", text)


def database_key(text: str) -> str:
    """A key that every index takes: a long one is cut, and ends with the digest of the whole.

    >>> database_key("tea"), len(database_key("tea" * 1000))
    ('tea', 500)
    """
    if len(text) <= LONGEST_KEY:
        return text
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{text[: LONGEST_KEY - len(digest) - 1]}…{digest}"


class PageText(TypeDecorator[str]):
    """A column of texts that pages and servers may have written."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """The text as databases take it."""
        del dialect
        return None if value is None else database_text(value)


class HttpStatus(TypeDecorator[int]):
    """A column of status codes; one that no server should send is 0."""

    impl = SmallInteger
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:
        """The code as databases take it."""
        del dialect
        return value if value is None or 0 <= value <= 999 else 0
