"""Dates, durations, yes and no, and locales: guessed from the page and the values, or set."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treelace as tl
from treelace.extract.locales import Locale, locale_of
from treelace.extract.types.date import dates_in, reads_as_date
from treelace.extract.types.duration import duration
from treelace.extract.types.inference import column_type, column_values

DAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-15",
        "15.11.2026",
        "15. 11. 2026",
        "15/11/26",
        "2026/11/15",
        "Nov 15, 2026",
        "November 15th, 2026",
        "15 November 2026",
        "15-Nov-2026",
        "Sunday, November 15, 2026",
        "Published: 15 Nov 2026",
        "Date: 2026-11-15",
    ],
)
def test_one_day_in_many_ways(text: str) -> None:
    assert reads_as_date(text)
    assert dates_in([text], Locale("en-GB")) == [DAY]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("15. November 2026", "de"),
        ("15 novembre 2026", "fr"),
        ("15 de noviembre de 2026", "es"),
        ("15 listopada 2026", "pl"),
        ("15 ноября 2026", "ru"),
    ],
)
def test_months_in_other_languages(text: str, language: str) -> None:
    pytest.importorskip("dateparser", reason="the extra [dates] is not installed")
    assert dates_in([text], Locale(language)) == [DAY]


def test_times() -> None:
    assert dates_in(["2026-11-15T10:30:00Z", "2026-11-15 10:30 +0100"], Locale()) == [
        datetime(2026, 11, 15, 10, 30, tzinfo=UTC),
        datetime.fromisoformat("2026-11-15T10:30+01:00"),
    ]
    assert dates_in(["Nov 15, 2026 at 3:05 pm"], Locale()) == [
        datetime.fromisoformat("2026-11-15T15:05")
    ]
    assert dates_in(["Nov 15, 2026, 12:05 am"], Locale()) == [
        datetime.fromisoformat("2026-11-15T00:05")
    ]


def test_the_column_says_whether_the_day_comes_first() -> None:
    assert dates_in(["03/04/2026", "15/04/2026"], Locale("en-US")) == [
        date(2026, 4, 3),
        date(2026, 4, 15),
    ]
    assert dates_in(["03/04/2026", "04/15/2026"], Locale("de")) == [
        date(2026, 3, 4),
        date(2026, 4, 15),
    ]
    assert dates_in(["03/04/2026"], Locale("en-US")) == [date(2026, 3, 4)]
    assert dates_in(["03/04/2026"], Locale("fr")) == [date(2026, 4, 3)]
    assert dates_in(["03.04.2026"], Locale()) == [date(2026, 4, 3)]
    assert dates_in(["03/04/2026"], Locale("en")) is None
    assert column_type(["03/04/2026", "05/06/2026"], locale=Locale("en")) == "text"


def test_a_set_locale_outweighs_the_values() -> None:
    assert dates_in(["03/04/2026", "15/04/2026"], Locale.chosen("en-US")) == [
        date(2026, 3, 4),
        None,
    ]
    assert column_values(["1.204", "3.500"], "number", locale=Locale.chosen("de")) == [1204, 3500]
    assert column_values(["1.204", "3.5"], "number", locale=Locale.chosen("de")) == [1204, None]
    assert column_values(["1,204.50", "3,5"], "number") == [1204.5, None]
    with pytest.raises(tl.UsageError, match="no locale"):
        Locale.chosen("de;drop")


@pytest.mark.parametrize("text", ["31/02/2026", "2026-13-01", "Foo 15, 2026"])
def test_no_day_of_the_calendar_is_none(text: str) -> None:
    assert dates_in([text], Locale("de")) == [None]


@pytest.mark.parametrize(
    "text",
    [
        "15",
        "11/2026",
        "12:30",
        "1.2.3.4",
        "2026",
        "in 15 days",
        "May 15",
        "Room 12, 2026 guests",
        "3 days ago",
    ],
)
def test_what_is_no_whole_date(text: str) -> None:
    assert column_type([text, text]) in ("text", "number")


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("PT1H20M", 80),
        ("P1DT30M", 1470),
        ("1h 20m", 80),
        ("1h20m", 80),
        ("80 min", 80),
        ("1 hour and 20 minutes", 80),
        ("1 hr 20 mins", 80),
        ("1,5 Std.", 90),
        ("Total time: 45 minutes", 45),
        ("2 days", 2880),
        ("90s", 1.5),
    ],
)
def test_durations(text: str, minutes: float) -> None:
    assert duration(text) == timedelta(minutes=minutes)
    assert column_type([text, text]) == "duration"


@pytest.mark.parametrize(
    "text",
    ["12:34", "P", "PT", "1h 2h", "5 m of cloth", "min", "3 months", "1", "9" * 400 + " days"],
)
def test_what_is_no_duration(text: str) -> None:
    assert duration(text) is None


def test_yes_and_no() -> None:
    assert column_type(["Yes", "no", "Yes"]) == "bool"
    assert column_values(["Yes", "no", "?"], "bool") == [True, False, None]
    assert column_type(["Yes", "Yes"]) == "text"


def test_locales_of_pages() -> None:
    assert locale_of(tl.parse("<html lang='de-AT'>")).tag == "de-AT"
    assert locale_of(tl.parse("<meta property='og:locale' content='pt_BR'>")).decimals == ","
    assert locale_of(tl.parse("<meta http-equiv='Content-Language' content='fr'>")).language == "fr"
    assert locale_of(tl.parse("<p>")) == Locale()
    assert [Locale(tag).decimals for tag in ("de", "de-CH", "es", "es-MX", "en", "")] == [
        ",",
        ".",
        ",",
        ".",
        ".",
        None,
    ]
    assert [Locale(tag).day_order for tag in ("de", "en-US", "en", "ja", "zh-Hant-TW", "")] == [
        "DMY",
        "MDY",
        None,
        "YMD",
        "YMD",
        None,
    ]


def test_a_time_element_outweighs_its_text() -> None:
    rows = "".join(
        f"<li><h3>thing {n}</h3><time datetime='2026-11-{n:02}T08:00:00Z'>{n} days ago</time></li>"
        for n in range(10, 15)
    )
    table = tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0]
    assert table.columns[1].type == "date"
    cell = table.cells[0][1]
    assert cell is not None
    assert (cell.text, cell.value) == ("10 days ago", datetime(2026, 11, 10, 8, tzinfo=UTC))
    rows = "".join(
        f"<li><h3>thing {n}</h3><time datetime=PT{n}M>{n} long minutes</time></li>"
        for n in range(10, 15)
    )
    assert tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0].columns[1].type == "duration"


@given(st.text(max_size=40))
def test_no_text_is_too_odd(text: str) -> None:
    for kind in ("date", "duration", "price", "number", "percentage", "bool", column_type([text])):
        assert len(column_values([text], kind)) == 1


@given(
    st.dates(date(1000, 1, 1)),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y"]),
)
def test_a_written_date_reads_as_itself(day: date, form: str) -> None:
    assert dates_in([day.strftime(form).replace("%Y", f"{day.year:04}")], Locale("de")) == [day]
