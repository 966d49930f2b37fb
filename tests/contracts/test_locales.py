"""What every language promises, checked over every language."""

from __future__ import annotations

from dataclasses import fields
from datetime import date, timedelta
from decimal import Decimal

import pytest

from treelace.extract.columns.value_names import is_near_date
from treelace.extract.locales import Language, Locale, languages
from treelace.extract.types import Price
from treelace.extract.types.availability import says_availability
from treelace.extract.types.inference import column_type, column_values

every_language = pytest.mark.parametrize("code", languages())


@every_language
def test_codes_are_language_tags_in_small_letters(code: str) -> None:
    language = languages()[code]
    assert code in (language.code, *language.other_codes)
    assert 2 <= len(code) <= 3
    assert code.isalpha()
    assert code == code.lower()


@every_language
def test_words_are_small_and_said_once(code: str) -> None:
    language = languages()[code]
    for field in fields(Language):
        said = getattr(language, field.name)
        if isinstance(said, str) and field.name != "day_order":
            assert said == said.lower()
            words = said.split(", ") if ", " in said else said.split()
            assert len(set(words)) == len(words)


@every_language
def test_numbers_are_read_by_its_decimal_mark(code: str) -> None:
    mark = languages()[code].decimal_mark
    value = 1.204 if mark == "." else 1204
    assert column_values(["1.204"], "number", locale=Locale(code)) == [value]
    assert column_values([f"3{mark}5"], "number", locale=Locale.chosen(code)) == [3.5]
    for country, other in languages()[code].decimal_mark_in.items():
        assert other != mark
        chosen = Locale.chosen(f"{code}-{country.upper()}")
        assert column_values([f"3{other}5"], "number", locale=chosen) == [3.5]


@every_language
def test_dates_in_numbers_are_read_by_its_order(code: str) -> None:
    language = languages()[code]
    days = {"DMY": [date(2026, 4, 3)], "MDY": [date(2026, 3, 4)], "YMD": [date(2026, 4, 3)]}
    wanted = days[language.day_order] if language.day_order else [None]
    assert column_values(["03/04/2026"], "date", locale=Locale(code)) == wanted
    for country, order in language.day_order_in.items():
        assert Locale(f"{code}-{country}").day_order == order != language.day_order
    assert Locale(f"{code}-zz").day_order == (language.day_order or "DMY")


@every_language
def test_months_are_read(code: str) -> None:
    language = languages()[code]
    assert len(language.months) in (0, 12)
    between = language.before_month.split()[:1]
    for number, words in enumerate(language.months, start=1):
        for word in words.split():
            text = " ".join(["3", *between, word, "2026"])
            assert column_type([text], locale=Locale(code)) == "date", text
            assert column_values([text], "date", locale=Locale(code)) == [date(2026, number, 3)]


@every_language
def test_ordinals_are_read(code: str) -> None:
    for ending in languages()[code].ordinal_endings.split():
        assert column_values([f"3{ending} May 2026"], "date") == [date(2026, 5, 3)], ending


@every_language
def test_durations_are_read(code: str) -> None:
    language = languages()[code]
    for unit, words in language.duration_units.items():
        for word in words.split():
            assert column_values([f"2 {word}"], "duration") == [timedelta(**{unit: 2})], word
            for joint in language.words_for_and.split():
                other = "2 d" if unit != "days" else "2 h"
                assert column_type([f"{other} {joint} 2 {word}"]) == "duration"


@every_language
def test_prices_are_read(code: str) -> None:
    language = languages()[code]
    for sign in language.currency_signs.split():
        assert column_type([f"3 {sign}", f"4 {sign.upper()}"]) == "price", sign
    for prefix in language.price_prefixes.split():
        assert column_type([f"{prefix} €3"]) == "price", prefix
        assert column_values([f"{prefix} €3"], "price") == [Price(Decimal(3), "€")]


@every_language
def test_yes_and_no_are_read(code: str) -> None:
    language = languages()[code]
    yes, no = language.yes.split(), language.no.split()
    assert set(yes).isdisjoint(no)
    assert column_values([*yes, *no], "bool") == [True] * len(yes) + [False] * len(no)
    if yes and no:
        assert column_type([*yes, *no]) == "bool"


@every_language
def test_stock_and_days_are_read(code: str) -> None:
    language = languages()[code]
    for phrases, answer in ((language.in_stock, True), (language.out_of_stock, False)):
        assert all(says_availability(phrase) is answer for phrase in phrases.split(", ") if phrase)
    for words in language.days.values():
        assert all(map(is_near_date, words.split()))


def test_a_class_word_names_one_thing() -> None:
    for language in languages().values():
        words = [word for said in language.meanings.values() for word in said.split()]
        assert len(set(words)) == len(words)


def test_no_word_means_two_things() -> None:
    every = list({id(one): one for one in languages().values()}.values())
    meanings: dict[str, set[str]] = {}
    for language in every:
        for unit, words in language.duration_units.items():
            for word in words.split():
                meanings.setdefault(word, set()).add(unit)
        for number, words in enumerate(language.months):
            for word in words.split():
                meanings.setdefault(f"month {word}", set()).add(str(number))
        for word in language.yes.split():
            meanings.setdefault(f"answer {word}", set()).add("yes")
        for word in language.no.split():
            meanings.setdefault(f"answer {word}", set()).add("no")
    assert {word: its for word, its in meanings.items() if len(its) > 1} == {}


def test_a_language_that_is_not_here_has_the_habits_of_most() -> None:
    assert Locale("xx").decimals == "."
    assert Locale("xx").day_order == "DMY"
    assert Locale("").decimals is None
    assert Locale("").day_order is None
