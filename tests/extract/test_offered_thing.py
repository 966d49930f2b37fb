"""Pages that offer one thing: a heading, a price, a button to buy it."""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.extract.page.page_view import PageView
from treelace.extract.records.offered_thing import MAX_TEXTS_BEFORE_CART, offers_one_thing
from treelace.extract.records.one_thing import SAID

BUY = "<form action='/cart/add'><input name=quantity><button>Kaufen</button></form>"
TEA = ["Green tea", "Black tea", "White tea", "Red tea", "Herb tea", "Mint tea"]


def card(name: str, price: int, button: str = "") -> str:
    return (
        f"<li class=card><a href='/{name}'><img src='{price}.jpg'></a><h3><a href='/{name}'>{name}"
        f"</a></h3><span class=price>${price}.50</span>{button}</li>"
    )


def cards(button: str = "") -> str:
    return "".join(card(name, price, button) for price, name in enumerate(TEA, start=3))


def offers(page: str) -> bool:
    tree = tl.parse(page)
    lists = [table for table in tl.extract(tree) if len(table.records) > 1]
    return offers_one_thing(PageView.of(tree), lists)


PRODUCT = (
    "<nav><a href=1>Home</a> <a href=2>Shop</a> <a href=3>Help</a></nav><main><h1>Tea pot</h1>"
    f"<p class=price>$32.50</p>{BUY}<p>Made by hand, of red clay, and holds a litre.</p>"
    "<dl><dt>Weight<dd>900 g<dt>Made in<dd>Portugal<dt>Holds<dd>1 l</dl>"
    f"<h2>Others bought</h2><ul class=related-products>{cards()}</ul></main>"
    "<footer><a href=5>Terms</a> <a href=6>Privacy</a></footer>"
)


def record_of(page: str) -> tl.Table:
    return next(table for table in tl.extract(tl.parse(page)) if len(table.records) == 1)


def test_the_record_of_a_thing_for_sale_is_as_sure_as_if_data_said_so():
    record = record_of(PRODUCT)
    assert record.confidence == SAID > record_of(PRODUCT.replace("/cart/add", "/send")).confidence
    assert {"Tea pot", "$32.50"} <= {cell.text for cell in record.cells[0] if cell}


def test_a_list_of_things_for_sale_comes_first():
    page = f"<nav><a href=1>Home</a></nav><main><h1>Tea</h1><ul>{cards(BUY)}</ul></main>"
    assert not offers(page)
    assert len(tl.extract(tl.parse(page))[0]) == len(TEA)


@pytest.mark.parametrize(
    ("texts", "is_offered"), [(MAX_TEXTS_BEFORE_CART, True), (MAX_TEXTS_BEFORE_CART + 1, False)]
)
def test_a_button_far_below_the_heading_is_of_another_thing(texts: int, is_offered: bool):
    between = "".join(f"<p>word {number}</p>" for number in range(texts - 2))
    page = f"<h1>Tea pot</h1><b>$32.50</b>{between}{BUY}"
    assert offers_one_thing(PageView.of(tl.parse(page)), []) == is_offered


@pytest.mark.parametrize(
    ("page", "is_offered"),
    [
        (f"<h1>Tea pot</h1><p>€ 32</p>{BUY}", True),
        (f"<h1>Tea pot</h1><p><span>$</span><span>32.50</span></p>{BUY}", True),
        ("<h1>Чайник</h1><p>0.86 BYN /шт.</p><button class='single_add_to_cart_button'>", True),
        ("<h1>Tea pot</h1><p>$32</p><button class='action primary tocart'>Buy</button>", True),
        (f"<h1>Tea pot</h1><p>of red clay</p>{BUY}", False),
        (f"<h1>Tea pot</h1>{BUY}<p>€ 32</p>", False),
        (f"<h1>Tea pot</h1><h1>Tea cup</h1><p>€ 32</p>{BUY}", False),
        (f"<p>€ 32</p>{BUY}<h1>Tea pot</h1>", False),
        ("<h1>Tea pot</h1><p>€ 32</p><button class=subscribe>Subscribe</button>", False),
        ("<h1>Tea pot</h1><p>€ 32</p><a class=cart-link href=/cart>Cart</a>", False),
    ],
)
def test_heading_price_and_button_are_wanted_in_this_order(page: str, is_offered: bool):
    assert offers_one_thing(PageView.of(tl.parse(page)), []) == is_offered
