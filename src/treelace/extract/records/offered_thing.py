"""Whether a page offers one thing: its one main heading, then a price, then a button for a cart."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treelace.extract.page.page_view import PageView
    from treelace.extract.table import Table
    from treelace.tree import Node

MAX_TEXTS_BEFORE_CART = 40
"""Texts from the heading up to the button at most; after more the button is likely another
thing's.
"""

_CONTROLS = (
    ":is(form, button, input, a):is([class*=cart i], [class*=basket i], [class*='to-bag' i],"
    " [id*=cart i], [id*=basket i], [name*=cart i], [name*=basket i], [action*=cart i],"
    " [action*=basket i])"
)
_SAYING = ("class", "id", "name", "action")
_CART = re.compile(
    r"add[-_]?(?:item[-_]?)?to[-_]?(?:shopping[-_]?)?(?:cart|bag|basket)|add[-_](?:cart|basket)"
    r"|(?:cart|basket)/add|cart\.php|\b(?:tocart|button-cart)\b",
    re.IGNORECASE,
)
"""What shop programs call the button or its form, in whatever language the page is."""


def offers_one_thing(view: PageView, lists: Sequence[Table]) -> bool:
    """Whether a price and a button that puts something into a cart stand below the page's only main
    heading, and the button in no row of these lists.

    A list of things has as many buttons, in its rows; what it has between its heading and the first
    of them is no price, or a row's.

    >>> from treelace import parse
    >>> from treelace.extract.page.page_view import PageView
    >>> buy = "<form action=/cart/add><button>Kaufen</button></form>"
    >>> offers_one_thing(PageView.of(parse(f"<h1>Tea pot</h1><p>12.50 €</p>{buy}")), [])
    True
    >>> offers_one_thing(PageView.of(parse(f"<h1>Tea pots</h1>{buy}<p>12.50 €</p>")), [])
    False
    """
    headings = [node for node in view.tree.select("h1") if view.text_count(node.index)]
    if len(headings) != 1:
        return False
    start = headings[0].index
    control = next(
        (
            node.index
            for node in view.tree.select(_CONTROLS)
            if node.index > start and _says_cart(node)
        ),
        None,
    )
    if control is None:
        return False
    first, stop = view.text_before[start], view.text_before[control]
    between = list(view.texts.values())[first:stop]
    return (
        len(between) <= MAX_TEXTS_BEFORE_CART
        and _price_pattern().search(" ".join(between)) is not None
        and not any(_has_in_rows(view, table, control) for table in lists)
    )


def _says_cart(node: Node) -> bool:
    return any(_CART.search(node.attributes.get(name) or "") for name in _SAYING)


def _has_in_rows(view: PageView, table: Table, index: int) -> bool:
    return len(table.records) > 1 and any(
        root.index <= index < view.ends[root.index] for record in table.records for root in record
    )


@cache
def _price_pattern() -> re.Pattern[str]:
    """A number beside a sign or a code of a currency; made when it is first asked for."""
    from treelace.extract.types.price import SIGN

    return re.compile(rf"{SIGN}\s*\d|\d\s*{SIGN}", re.IGNORECASE)
