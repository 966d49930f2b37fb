"""Types of columns, and values with a decimal point or a decimal comma."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

import treelace as tl
from treelace.extract.locales import Locale
from treelace.extract.types import Price
from treelace.extract.types.inference import column_type, column_values
from treelace.extract.types.number import decimal_mark


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (["€ 3.20", "€ 1,204.00"], "price"),
        (["3,20 €", "1.204,00 €"], "price"),
        (["$5", "$10.50", "US $7", "CDN $27.99"], "price"),
        (["Price: £3.20", "Price: £4"], "price"),
        (["12 EUR", "9.50 USD"], "price"),
        (["12 %", "Rating: 86%"], "percentage"),
        (["12", "1,204", "-3.5"], "number"),
        (["007", "123"], "text"),
        (["2026-11-15", "2026-01-02T10:00:00Z"], "date"),
        (["https://a.example/x", "http://b.example"], "url"),
        (["12 in stock", "sold out"], "availability"),
        (["5 of 10", "$"], "text"),
        ([], "text"),
    ],
)
def test_types(texts: list[str], wanted: str) -> None:
    assert column_type(texts) == wanted


def test_the_whole_column_decides_what_the_comma_is() -> None:
    assert decimal_mark(["1.204,50", "3.000"], Locale()) == ","
    assert decimal_mark(["1.204", "3.5"], Locale()) == "."
    assert decimal_mark(["1,204"], Locale()) == "."
    assert decimal_mark(["1.204"], Locale("de-AT")) == ","
    assert column_values(["1.204", "3,5"], "number") == [1204, 3.5]
    assert column_values(["12,5 %", "7 %"], "percentage") == [12.5, 7]


def test_what_does_not_read_is_none() -> None:
    assert column_values(["2026-02-30", "2026-02-28"], "date") == [None, date(2026, 2, 28)]


def test_a_table_has_types_and_keeps_the_raw_text() -> None:
    rows = "".join(
        f"<li><h3>{name}</h3><p class=price>{price}</p></li>"
        for name, price in (("Tee", "3,20 €"), ("Milch", "1.110,00 €"), ("Brot", "2,75 €"))
    )
    table = tl.extract(tl.parse(f"<html lang=de><ul>{rows}</ul>"))[0]
    assert [(column.name, column.type) for column in table.columns] == [
        ("title", "text"),
        ("price", "price"),
    ]
    cell = table.cells[1][1]
    assert cell is not None
    assert cell.value == Price(Decimal("1110.00"), "€")
    assert cell.text == "1.110,00 €"
    record = table.to_json()["records"][1]["cells"]["price"]
    assert (record["value"], record["currency"], record["text"]) == (1110.0, "€", "1.110,00 €")


def test_more_than_three_decimals_are_no_group_of_thousands() -> None:
    assert column_values(["0.680388555", "1.2345678"], "number") == [0.680388555, 1.2345678]
    assert column_values(["3.14159 %", "12.5 %"], "percentage") == [3.14159, 12.5]
    assert column_values(["1.234,5678", "1.234.567"], "number") == [1234.5678, 1234567]


def test_a_column_says_which_rows_do_not_fit() -> None:
    prices = [f"€{n}.50" for n in range(1, 55)]
    for odd, wanted in (("by the spoon", [4]), ("on request", []), ("€9.00", [])):
        texts = [*prices[:4], odd, *prices[4:]]
        rows = "".join(f"<li><b>tea {n}</b> <i>{text}</i>" for n, text in enumerate(texts))
        table = tl.extract(f"<ul>{rows}</ul>")[0]
        assert table.misfits("price") == wanted
        assert table.to_json()["columns"][1].get("misfits", []) == wanted
        assert table.misfits("title") == []


def test_what_says_no_value_does_not_count_against_a_type() -> None:
    assert column_type(["€3.50", "sold out", "–", "n/a", "auf Anfrage"]) == "price"
    assert column_type(["€3.50", "by the spoon", "–", "n/a", "auf Anfrage"]) == "text"


def test_what_says_no_value_alone_makes_no_type() -> None:
    assert column_type(["–", "n/a", "sold out"]) == "text"
