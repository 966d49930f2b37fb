"""Prices in the shapes of shops: the sign apart, cents apart, ranges, former prices."""

from __future__ import annotations

from decimal import Decimal

import pytest

import treelace as tl
from treelace.extract.locales import Locale
from treelace.extract.outputs.flat import flatten
from treelace.extract.types import Price, PriceRange
from treelace.extract.types.inference import column_type, column_values

NAMES = ["Pot", "Vase", "Bowl", "Cup"]
PRICES = ["120.00", "80.00", "10.00", "7.50"]
HIGHER = ["1,340.00", "95.00", "12.00", "9.10"]

WOO = (
    '<span class="woocommerce-Price-amount amount"><bdi><span'
    ' class="woocommerce-Price-currencySymbol">&#36;</span>{}</bdi></span>'
)
MAGENTO = (
    '<span class="{}"><span class="price-container"><span class="price-label">{}</span>'
    ' <span class="price-wrapper"><span class="price">${}</span></span></span></span>'
)
DAWN = (
    '<div class="price"><div class="price__regular"><span class="visually-hidden">Regular price'
    '</span> <span class="price-item">${low} USD</span></div><div class="price__sale"><span'
    ' class="visually-hidden">Regular price</span> <span><s class="price-item">{former}</s></span>'
    ' <span class="visually-hidden">Sale price</span> <span class="price-item">${low} USD</span>'
    "</div></div>"
)


def table(prices: list[str], *, lang: str = "en") -> tl.Table:
    rows = "".join(
        f"<li><h2><a href=/{name}>{name}</a></h2>{price}</li>"
        for name, price in zip(NAMES, prices, strict=True)
    )
    found = tl.extract(tl.parse(f"<html lang={lang}><ul>{rows}</ul>"))
    return next(one for one in found if len(one) == len(NAMES))


def column(found: tl.Table, name: str) -> list[object]:
    number = [one.name for one in found.columns].index(name)
    return [None if row[number] is None else row[number].value for row in found.cells]


def dollars(amounts: list[str]) -> list[Price]:
    return [Price(Decimal(amount.replace(",", "")), "$") for amount in amounts]


@pytest.mark.parametrize(
    "shape",
    [
        f'<span class="price">{WOO}</span>',
        "<p><span>$</span>{}</p>",
        "<p><span class=cur>$</span> <span class=val>{}</span></p>",
        "<div>$ <b>{}</b></div>",
        "<div><b>{}</b>&nbsp;<i>$</i></div>",
        "<div><b>{}</b><sup>$</sup></div>",
        (
            '<div class="price-box"><span class="price-container"><span class="price">${}</span>'
            "</span>"
            "</div>"
        ),
        "<p>Price: <span>$</span><span>{}</span></p>",
    ],
)
def test_a_sign_and_its_amount_are_one_price(shape: str) -> None:
    found = table([shape.format(price) for price in PRICES])
    assert len(found.columns) == 2
    assert column(found, found.columns[1].name) == dollars(PRICES)


@pytest.mark.parametrize(
    "shape",
    [
        "<p>${}<sup>{}</sup></p>",
        "<p><span>$</span><span>{}</span><sup>{}</sup></p>",
        (
            '<p><span>$</span><span class="whole">{}<span class="decimal">.</span></span>'
            '<span class="fraction">{}</span></p>'
        ),
        "<p><span>$</span>{}.<small>{}</small></p>",
        "<p>{}<sup>{}</sup> <span>$</span></p>",
    ],
)
def test_cents_are_no_other_number(shape: str) -> None:
    found = table([shape.format(*price.split(".")) for price in PRICES])
    assert [one.name for one in found.columns] == ["title", "price"]
    assert column(found, "price") == dollars(PRICES)


def test_a_currency_after_the_amount_and_a_decimal_comma() -> None:
    shape = "<span class=price><bdi>{}&nbsp;<span>&euro;</span></bdi></span>"
    found = table([shape.format(price.replace(".", ",")) for price in PRICES], lang="de")
    assert [row[1] for row in found.rows] == ["120,00 €", "80,00 €", "10,00 €", "7,50 €"]
    assert column(found, "price") == [Price(Decimal(price), "€") for price in PRICES]


@pytest.mark.parametrize(
    "shape",
    [
        f'<span class="price">{WOO} &ndash; {WOO}</span>',
        f'<span class="price">{WOO} <span aria-hidden="true">–</span> {WOO}</span>',
        "<p>${} - ${}</p>",
        "<p><b>${}</b> to <b>${}</b></p>",
        "<p><b>${}</b> – ${}</p>",
        "<div><p>From <span>${}</span></p><p>To <span>${}</span></p></div>",
    ],
)
def test_a_range_is_one_price_with_a_low_and_a_high(shape: str) -> None:
    found = table([shape.format(*both) for both in zip(PRICES, HIGHER, strict=True)])
    assert [(one.name, one.type) for one in found.columns] == [
        ("title", "text"),
        ("price", "price range"),
    ]
    both = zip(dollars(PRICES), dollars(HIGHER), strict=True)
    assert column(found, "price") == [PriceRange(low.amount, up.amount, "$") for low, up in both]
    assert found.to_json()["records"][0]["cells"]["price"].items() >= {
        ("value", 120.0), ("high", 1340.0), ("currency", "$")
    }  # fmt: skip


@pytest.mark.parametrize(
    "shape",
    [
        "<p class=price><del>${1}</del> <ins>${0}</ins></p>",
        "<p><s>${1}</s> ${0}</p>",
        (
            f'<span class="price"><del aria-hidden="true">{WOO.format("{1}")}</del>'
            f" <ins>{WOO.format('{0}')}</ins></span>"
        ),
        "<p class=old-price>${1}</p><p class=new-price>${0}</p>",
        "<p>Was ${1}</p><p>Now ${0}</p>",
        "<p>List price: ${1}</p><p>Our price: ${0}</p>",
        (
            f'<div class="price-box">{MAGENTO.format("special-price", "Special Price", "{0}")}'
            f"{MAGENTO.format('old-price', 'Regular Price', '{1}')}</div>"
        ),
    ],
)
def test_former_and_present_prices_stand_apart(shape: str) -> None:
    found = table([shape.format(*both) for both in zip(PRICES, HIGHER, strict=True)])
    assert column(found, "price") == dollars(PRICES)
    assert column(found, "former price") == dollars(HIGHER)


def test_some_on_sale_some_in_ranges_are_one_column() -> None:
    found = table(
        [
            (
                f'<span class="price"><del>{WOO.format("9.00")}</del>'
                f" <ins>{WOO.format('7.00')}</ins></span>"
            ),
            f'<span class="price">{WOO.format("8.00")}</span>',
            f'<span class="price">{WOO.format("8.00")} – {WOO.format("11.00")}</span>',
            f'<span class="price">{WOO.format("6.00")}</span>',
        ]
    )
    assert [one.name for one in found.columns] == ["title", "price", "former price"]
    assert [row[1:] for row in found.rows] == [
        ["$7.00", "$9.00"], ["$8.00", None], ["$8.00 – $11.00", None], ["$6.00", None]
    ]  # fmt: skip


def test_a_regular_price_without_another_is_the_price() -> None:
    both = [("32.00", "$40.00 USD"), ("45.00", ""), ("5.00", ""), ("8.00", "$9.00 USD")]
    found = table([DAWN.format(low=low, former=former) for low, former in both])
    assert column(found, "price") == [Price(Decimal(low), "USD") for low, _ in both]
    assert [bool(value) for value in column(found, "former price")] == [True, False, False, True]


def test_prices_in_cells_beside_each_other_are_no_range() -> None:
    rows = "".join(
        f"<tr><td>{name}</td><td>${low}</td><td>-</td><td>${high}</td></tr>"
        for name, low, high in zip(NAMES, PRICES, HIGHER, strict=True)
    )
    found = tl.extract(tl.parse(f"<table>{rows}</table>"))[0]
    assert "price range" not in {one.type for one in found.columns}


def test_numbers_beside_a_price_stay_apart() -> None:
    found = table(
        [
            f"<p>${price}</p><p>{number}</p>"
            for price, number in zip(PRICES, (10, 45, 23, 77), strict=True)
        ]
    )
    assert [one.type for one in found.columns] == ["text", "price", "number"]


def test_prices_and_ranges_of_two_pages_are_stored_as_ranges() -> None:
    single = table([f"<p>${price}</p>" for price in PRICES])
    ranges = table([f"<p>${low} – ${up}</p>" for low, up in zip(PRICES, HIGHER, strict=True)])
    stored = {one.name: one.values for one in flatten([single, ranges])}
    assert stored["price"] == (120.0, 80.0, 10.0, 7.5) * 2
    assert stored["price high"] == (120.0, 80.0, 10.0, 7.5, 1340.0, 95.0, 12.0, 9.1)
    assert set(stored["price currency"]) == {"$"}


def test_what_is_no_range() -> None:
    assert column_type(["5 - 7", "8 - 9"]) == "text"
    assert column_type(["$5", "$7.50"]) == "price"
    assert column_values(["$5", "$7 – $9"], "price range", locale=Locale("en")) == [
        PriceRange(Decimal(5), Decimal(5), "$"), PriceRange(Decimal(7), Decimal(9), "$")
    ]  # fmt: skip


def test_things_on_sale_have_their_price_in_the_column_of_the_others() -> None:
    sale = MAGENTO.format("special-price", "Special Price", "{0}") + MAGENTO.format(
        "old-price", "Regular Price", "{1}"
    )
    plain = '<span class="price-container"><span class="price">${0}</span></span>'
    shapes = [sale, plain, plain, sale]
    found = table(
        [
            f"<div class=price-box>{shape.format(*both)}</div>"
            for shape, *both in zip(shapes, PRICES, HIGHER, strict=True)
        ]
    )
    assert [one.name for one in found.columns] == ["title", "price", "former price"]
    assert column(found, "price") == dollars(PRICES)


@pytest.mark.parametrize("text", ["From$120.00 To$340.00", "From120,00 € to340,00 €"])
def test_words_before_an_amount_need_no_space(text: str) -> None:
    assert column_type([text]) == "price range"
    (value,) = column_values([text], "price range")
    assert isinstance(value, PriceRange)
    assert [value.low, value.high] == [Decimal(120), Decimal(340)]


@pytest.mark.parametrize(
    ("text", "currency"), [("10000,00CFA", "CFA"), ("₱18,000.00 PHP", "PHP"), ("￥1,375", "￥")]
)
def test_further_currencies(text: str, currency: str) -> None:
    assert column_type([text, text]) == "price"


@pytest.mark.parametrize(
    ("lang", "text", "amount", "currency"),
    [
        ("de", "ab 12,50 €", "12.50", "€"),
        ("de", "12,- €", "12", "€"),
        ("de-CH", "CHF 1'200.–", "1200", "CHF"),
        ("de-CH", "CHF 45.-", "45", "CHF"),
        ("en-IN", "₹1,29,999", "129999", "₹"),
        ("en-IN", "₹12,34,56,789.50", "123456789.50", "₹"),
        ("pt-BR", "R$ 1.299,90", "1299.90", "R$"),
        ("en", "12.50 USD", "12.50", "USD"),
        ("en", "€12.50 / kg", "12.50", "€"),
        ("en", "£1.99/100g", "1.99", "£"),
        ("de", "2,49 €/m²", "2.49", "€"),
    ],
)
def test_prices_as_countries_and_units_write_them(lang, text, amount, currency) -> None:
    found = table([f"<p class=price>{text}</p>"] * len(NAMES), lang=lang)
    assert [(one.name, one.type) for one in found.columns][1:] == [("price", "price")]
    assert column(found, "price") == [Price(Decimal(amount), currency)] * len(NAMES)


@pytest.mark.parametrize("text", ["2 for £5", "€5/€6", "$5/12", "1,29,99 €", "£5 / a long story"])
def test_what_is_no_single_price(text: str) -> None:
    assert column_type([text, text]) != "price"


def test_an_offer_beside_a_price_is_no_other_price() -> None:
    shape = "<p class=price>£{}</p><p class=promo>2 for £{}</p>"
    found = table([shape.format(*both) for both in zip(PRICES, HIGHER, strict=True)])
    assert column(found, "price") == [Price(Decimal(price), "£") for price in PRICES]
    assert [one.type for one in found.columns] == ["text", "price", "text"]


def test_the_price_of_a_unit_is_no_former_price() -> None:
    shape = "<p class=price>£{}</p><p class=unit-price>£{}/kg</p>"
    found = table([shape.format(*both) for both in zip(PRICES, HIGHER, strict=True)])
    assert column(found, "price") == [Price(Decimal(price), "£") for price in PRICES]
    assert "former price" not in [one.name for one in found.columns]


def test_a_range_of_a_shop_is_not_told_again_for_readers_of_screens() -> None:
    shape = (
        f'<span class="price">{WOO} <span aria-hidden="true">&ndash;</span> {WOO}'
        '<span class="screen-reader-text">Price range: ${} through ${}</span></span>'
    )
    both = list(zip(PRICES, HIGHER, strict=True))
    found = table([shape.format(low, high, low, high) for low, high in both])
    assert [(one.name, one.type) for one in found.columns][1:] == [("price", "price range")]
