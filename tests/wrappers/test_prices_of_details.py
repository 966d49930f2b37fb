"""Prices of detail pages are whole, typed, and never a part of the template."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import treelace as tl
from treelace import Wrapper
from treelace.classes.learning import learn
from treelace.store.plain_tables import rows_of

WORDS = "amber birch cedar dune elm fern grove heath".split()


def amount(value: str) -> str:
    return f"<span class=amount><bdi><span class=sign>$</span>{value}</bdi></span>"


def product(number: int, price: str) -> tl.Tree:
    word = WORDS[number]
    return tl.parse(
        f"<title>The {word} lamp – Lamps</title><body><header><a href=/>Home</a>"
        f"<a class=cart href=/cart>{amount('0.00')}</a></header><div class=product>"
        f"<div class=summary><h1>The {word} lamp</h1><p class=price>{price}</p>"
        f"<p>Made of {word} by hand.</p><p>SKU: <b>{word[:2]}-{number}</b></p></div></div>"
    )


def learnt(prices: Sequence[str]) -> tuple[Wrapper, list[tl.Tree]]:
    pages = [product(number, price) for number, price in enumerate(prices)]
    wrapper, problem = learn(pages)
    assert wrapper is not None, problem
    return wrapper, pages


def read(wrapper: Wrapper, page: tl.Tree) -> dict[str, object]:
    found: dict[str, object] = rows_of(wrapper.apply(page, force=True)[0])[0]
    return found


@pytest.mark.parametrize("same", [True, False])
def test_currency_and_amount_stay_together_also_where_all_pages_have_one_price(same: bool):
    wrapper, pages = learnt([amount("20.00" if same else f"{n + 3}0.00") for n in range(8)])
    row = read(wrapper, pages[4])
    assert (row["price"], row["price currency"]) == (20.0 if same else 70.0, "$")
    assert read(wrapper, product(2, amount("9.99")))["price"] == 9.99, "a price drop"
    assert sum("currency" in name for name in row) == 1, "the cart's total is no field"


def test_a_range_has_its_low_and_its_high():
    wrapper, pages = learnt(
        [
            amount(f"{n + 3}0.00") + (f" – {amount(f'{n + 9}0.00')}" if n % 3 == 0 else "")
            for n in range(8)
        ]
    )
    row = read(wrapper, pages[3])
    assert (row["price"], row["price high"]) == (60.0, 120.0)
    assert read(wrapper, pages[4])["price"] == 70.0


def test_a_sale_has_its_price_and_its_former_price():
    wrapper, pages = learnt(
        [
            f"<del>{amount(f'{n + 9}0.00')}</del> <ins>{amount(f'{n + 3}5.00')}</ins>"
            if n % 2
            else amount(f"{n + 3}0.00")
            for n in range(8)
        ]
    )
    row = read(wrapper, pages[3])
    assert (row["price"], row["former price"]) == (65.0, 120.0)
    assert (read(wrapper, pages[4])["price"], read(wrapper, pages[4])["former price"]) == (70, None)
    assert Wrapper.from_json(wrapper.to_json()) == wrapper


def test_a_sale_that_no_learning_page_had_is_read_without_the_former_price():
    wrapper, _ = learnt([amount(f"{n + 3}0.00") for n in range(8)])
    sale = product(1, f"<del>{amount('40.00')}</del> <ins>{amount('35.00')}</ins>")
    assert read(wrapper, sale)["price"] == 35.0
