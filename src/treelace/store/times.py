"""Times: milliseconds since 1970 in UTC inside, `datetime` in UTC outside."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from treelace.errors import UsageError

_START = datetime(1970, 1, 1, tzinfo=UTC)
_AGO = re.compile(r"(\d+)\s*(second|minute|hour|day|week)s?\s+ago")


def to_number(time: datetime) -> int:
    """Milliseconds since 1970; a time without a zone is UTC."""
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return (aware - _START) // timedelta(milliseconds=1)


def from_number(number: int) -> datetime:
    """The time in UTC."""
    return _START + timedelta(milliseconds=number)


def now() -> int:
    """The time now."""
    return to_number(datetime.now(UTC))


def read(words: str, *, at: datetime | None = None) -> datetime:
    """A time as people and files write it: ISO 8601 (without a zone: UTC), `20260301120000`,
    seconds since 1970, `now`, `3 days ago`.

    >>> read("2026-03-01T12:00:00Z").isoformat(), read("2026-03-01").isoformat()
    ('2026-03-01T12:00:00+00:00', '2026-03-01T00:00:00+00:00')
    """
    plain = words.strip()
    if plain.lower() == "now":
        return at or datetime.now(UTC)
    if ago := _AGO.fullmatch(plain.lower()):
        return (at or datetime.now(UTC)) - timedelta(**{ago[2] + "s": int(ago[1])})
    try:
        if len(plain) == 14 and plain.isdigit():
            return datetime.strptime(plain, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        if plain.replace(".", "", 1).isdigit() and len(plain.split(".")[0]) >= 9:
            return _START + timedelta(seconds=float(plain))
        time = datetime.fromisoformat(plain)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{words!r} is no time: write it as 2026-03-01T12:00:00Z, or as '3 days ago'"
        ) from error
    return time.astimezone(UTC) if time.tzinfo is not None else time.replace(tzinfo=UTC)


def local(number: int) -> str:
    """The time for people, in their own zone."""
    return from_number(number).astimezone().strftime("%Y-%m-%d %H:%M:%S")
