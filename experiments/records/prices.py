"""Are prices read right: amount, currency, range, former price?

1. Pages of our own in the shapes of WooCommerce, Shopify, Magento and plain markup: lists of eight
   things, each price with a known amount, currency, highest amount and former amount. Every shape
   is tried in four ways of writing money, with all things on sale, none, or every third one.
2. The lists of the shops of `sites`: amounts of the rows that their truth names, in the table that
   has most of them (which table comes first is another figure).

    python -m experiments.records.prices [--corpus ../shared] [--misses]

writes `prices.md`: of the values asked for, the share that a column called `price` or `former
price` (or, on the shops, any price column of the record's row) holds.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from experiments.records.labelled import responses
from treelace import Table, extract, parse
from treelace.extract.types import Price, PriceRange

HERE = Path(__file__).parent
NAMES = "Amber bowl,Birch cup,Coral vase,Delta pot,Ember jar,Fjord jug,Grove tin,Haven mug".split(
    ","
)
LOWS = ["120.00", "80.00", "1240.00", "7.50", "9.99", "33.00", "410.25", "18.90"]
HIGHS = ["140.00", "95.00", "1340.00", "9.10", "12.99", "45.00", "510.00", "28.00"]

WOO = '<span class="woocommerce-Price-amount amount"><bdi>{}</bdi></span>'
WOO_SIGN = '<span class="woocommerce-Price-currencySymbol">{}</span>'
MAGENTO = (
    '<span class="{}"><span class="price-container"><span class="price-label">{}</span>'
    '<span class="price-wrapper"><span class="price">{}</span></span></span></span>'
)
LISTED = (
    '<div class="price"><div class="price__regular"><span class="visually-hidden">Regular price'
)


class Shape(NamedTuple):
    """How one price, a price on sale (former, present) and a range are written."""

    name: str
    one: str
    sale: str
    both: str


SHAPES = (
    Shape("plain", "<p>{0}</p>", "<p><s>{1}</s> {0}</p>", "<p>{0} - {1}</p>"),
    Shape(
        "plain with words",
        "<p>Price: {0}</p>",
        "<p>Was {1}</p><p>Now {0}</p>",
        "<p>{0} to {1}</p>",
    ),
    Shape(
        "plain with classes",
        "<b class=price>{0}</b>",
        "<i class=old-price>{1}</i><b class=price>{0}</b>",
        "<b class=price>{0} – {1}</b>",
    ),
    Shape(
        "WooCommerce",
        f'<span class="price">{WOO.format("{0}")}</span>',
        f'<span class="price"><del aria-hidden="true">{WOO.format("{1}")}</del>'
        f' <span class="screen-reader-text">Original price was: {{1}}.</span>'
        f' <ins aria-hidden="true">{WOO.format("{0}")}</ins>'
        f' <span class="screen-reader-text">Current price is: {{0}}.</span></span>',
        f'<span class="price">{WOO.format("{0}")} &ndash; {WOO.format("{1}")}</span>',
    ),
    Shape(
        "Shopify",
        f'{LISTED}</span><span class="price-item price-item--regular">{{0}}</span></div></div>',
        '<div class="price price--on-sale"><div class="price__sale"><span class="visually-hidden">'
        'Regular price</span><span><s class="price-item price-item--regular">{1}</s></span>'
        '<span class="visually-hidden">Sale price</span><span class="price-item'
        ' price-item--sale">{0}</span></div></div>',
        '<div class="price"><span class="price-item">{0}</span> - <span class="price-item">{1}'
        "</span></div>",
    ),
    Shape(
        "Magento",
        '<div class="price-box"><span class="price-container"><span class="price">{0}</span></span>'
        "</div>",
        f'<div class="price-box">{MAGENTO.format("special-price", "Special Price", "{0}")}'
        f"{MAGENTO.format('old-price', 'Regular Price', '{1}')}</div>",
        '<div class="price-box"><p class="price-from"><span class="price-label">From</span>'
        '<span class="price">{0}</span></p><p class="price-to"><span class="price-label">To</span>'
        '<span class="price">{1}</span></p></div>',
    ),
)


class Money(NamedTuple):
    """How amounts are written: language, sign, whether it stands first, and the marks."""

    lang: str
    sign: str
    is_first: bool
    marks: str

    def write(self, amount: str, shape: Shape) -> str:
        """An amount as a page writes it."""
        whole, _, cents = f"{Decimal(amount):,.2f}".partition(".")
        text = whole.replace(",", self.marks[0]) + self.marks[1] + cents
        sign = WOO_SIGN.format(self.sign) if shape.name == "WooCommerce" else self.sign
        return f"{sign}{text}" if self.is_first else f"{text}&nbsp;{sign}"


MONEY = (
    Money("en", "$", True, ",."),
    Money("de", "€", False, ".,"),
    Money("en", "£", True, ",."),
    Money("pl", "zł", False, " ,"),
)
ON_SALE = {"none": 0, "all": 1, "some": 3}


def own_pages() -> Iterator[tuple[str, str, list[dict[str, object]]]]:
    """Pages of our own: what it is called, markup, and the prices of each row."""
    for shape in SHAPES:
        for money in MONEY:
            for sale, every in ON_SALE.items():
                rows, truth = [], []
                for at, (name, low, high) in enumerate(zip(NAMES, LOWS, HIGHS, strict=True)):
                    is_sale = bool(every) and at % every == 0
                    form = shape.sale if is_sale else shape.one
                    rows.append(
                        (name, form.format(*(money.write(it, shape) for it in (low, high))))
                    )
                    said: dict[str, object] = {"amount": Decimal(low), "currency": money.sign}
                    truth.append(said | ({"former": Decimal(high)} if is_sale else {}))
                yield f"{shape.name}, {money.sign}, on sale: {sale}", _page(money, rows), truth
            both = [
                (name, shape.both.format(*(money.write(it, shape) for it in pair)))
                for name, *pair in zip(NAMES, LOWS, HIGHS, strict=True)
            ]
            truth = [
                {"amount": Decimal(low), "high": Decimal(high), "currency": money.sign}
                for low, high in zip(LOWS, HIGHS, strict=True)
            ]
            yield f"{shape.name}, {money.sign}, ranges", _page(money, both), truth


def _page(money: Money, rows: list[tuple[str, str]]) -> str:
    listed = "".join(
        f"<li class=product><h2><a href=/{at}>{name}</a></h2>{price}<button>Buy</button></li>"
        for at, (name, price) in enumerate(rows)
    )
    return f"<html lang={money.lang}><main><h1>Things</h1><ul class=products>{listed}</ul></main>"


def read(table: Table, row: int) -> dict[str, object]:
    """The prices of one row."""
    found: dict[str, object] = {}
    for column, cell in zip(table.columns, table.cells[row], strict=True):
        value = cell.value if cell is not None else None
        if isinstance(value, PriceRange) and value.low != value.high:
            found |= {"amount": value.low, "high": value.high, "currency": value.currency}
        elif isinstance(value, PriceRange | Price):
            amount = value.low if isinstance(value, PriceRange) else value.amount
            if column.name == "former price":
                found["former"] = amount
            else:
                found |= {"amount": amount, "currency": value.currency}
    return found


def on_own_pages() -> Iterator[tuple[str, bool, str]]:
    """Each value asked for: its kind, whether it is right, and where."""
    for name, page, truth in own_pages():
        table = next((one for one in extract(page) if len(one) == len(NAMES)), None)
        for row, said in enumerate(truth):
            found = read(table, row) if table is not None else {}
            for kind, value in said.items():
                yield kind, found.get(kind) == value, name
            if "former" not in said:
                yield "no former price", "former" not in found, name


def on_shops(corpus: Path) -> Iterator[tuple[str, bool, str]]:
    """Amounts in the lists of the shops."""
    for site in ("shopify-pillowcase", "woo-amina"):
        folder = corpus / "data/sites" / site
        bodies = dict(responses(folder / "pages.warc.gz"))
        for said in map(json.loads, (folder / "truth.jsonl").open(encoding="utf-8")):
            rows = [row for row in said.get("list") or [] if row.get("price")]
            if said["kind"] != "list" or not rows or said["url"] not in bodies:
                continue
            tables = extract(parse(bodies[said["url"]], format="html"), url=said["url"])
            wanted: Counter[object] = Counter(Decimal(row["price"]) for row in rows)
            held = max(
                (
                    (Counter(read(one, row).get("amount") for row in range(len(one))) & wanted)
                    for one in tables
                ),
                key=Counter.total,
                default=Counter(),
            )
            for amount in wanted.elements():
                is_there = held[amount] > 0
                held[amount] -= 1
                yield site, is_there, said["url"]


def main() -> None:
    """Scores prices and writes `prices.md`."""
    parser = argparse.ArgumentParser(description="Scores how prices are read.")
    parser.add_argument("--corpus", type=Path, default=Path("../shared"))
    parser.add_argument("--misses", action="store_true", help="name the pages with wrong values")
    options = parser.parse_args()
    answers = [*on_own_pages(), *on_shops(options.corpus)]
    lines = ["| what | values | right |", "|---|---|---|"]
    for kind in [*dict.fromkeys(kind for kind, *_ in answers), ""]:
        those = [is_right for one, is_right, _ in answers if not kind or one == kind]
        lines.append(f"| {kind or 'all'} | {len(those)} | {sum(those) / len(those):.4f} |")
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if options.misses:
        print(
            *sorted({f"{kind}: {where}" for kind, is_right, where in answers if not is_right}),
            sep="\n",
        )
    (HERE / "prices.md").write_text(
        f"# Prices (`python -m experiments.records.prices`)\n\n{text}", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
