"""Dates by their distance from the time of the page."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

import treelace as tl
from treelace.extract.types.relative_date import is_relative, relative_date

NOW = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("3 hours ago", datetime(2026, 3, 5, 9, 0, tzinfo=UTC)),
        ("45 mins ago", datetime(2026, 3, 5, 11, 15, tzinfo=UTC)),
        ("an hour ago", datetime(2026, 3, 5, 11, 0, tzinfo=UTC)),
        ("2 days ago", date(2026, 3, 3)),
        ("1 week ago", date(2026, 2, 26)),
        ("2 months ago", date(2026, 1, 4)),
        ("yesterday", date(2026, 3, 4)),
        ("Today at 9:30", datetime(2026, 3, 5, 9, 30, tzinfo=UTC)),
        ("gestern", date(2026, 3, 4)),
        ("vor 3 Stunden", datetime(2026, 3, 5, 9, 0, tzinfo=UTC)),
        ("hace 2 días", date(2026, 3, 3)),
        ("9999 years ago", None),
        ("yesterday at 25:10", None),
        ("in 3 hours", None),
        ("3 hours", None),
        ("ago", None),
    ],
)
def test_distances(text: str, wanted: date | None) -> None:
    assert relative_date(text, NOW) == wanted
    assert is_relative(text) or wanted is None


def forum() -> str:
    rows = "".join(
        f"<li class=post><h3><a href=/{at}>Question number {at}</a></h3>"
        f"<span class=when>{when}</span><p>asked by someone</p></li>"
        for at, when in enumerate(("2 hours ago", "yesterday", "Mar 1, 2026", "5 days ago"))
    )
    return f"<html lang=en><main><h1>Questions</h1><ul>{rows}</ul></main>"


def test_a_page_with_a_time_has_dates() -> None:
    table = tl.extract(forum(), time=NOW.isoformat())[0]
    names = [column.name for column in table.columns]
    assert table.columns[names.index("date")].type == "date"
    said = [record["cells"]["date"]["value"] for record in table.to_json()["records"]]
    assert said == ["2026-03-05T10:00:00+00:00", "2026-03-04", "2026-03-01", "2026-02-28"]


def test_what_is_no_time_is_wrong_use() -> None:
    with pytest.raises(tl.UsageError, match="write it as 2026"):
        tl.extract(forum(), time="noon")


def test_without_a_time_they_stay_words() -> None:
    table = tl.extract(forum())[0]
    names = [column.name for column in table.columns]
    assert table.columns[names.index("date")].type == "text"
