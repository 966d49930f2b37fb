"""JSON-LD, microdata and OpenGraph: read though broken, as tables, and as names for columns."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treelace as tl
from treelace.extract.page.structured_data import read_tolerantly, structured_items
from treelace.extract.structured_tables import structured_tables

GOODS = [("Assam", 3.2), ("Sencha", 4.0), ("Rooibos", 2.75)]


def ld(value: object) -> str:
    return (
        "<script"
        ' type="application/ld+json">'
        f"{value if isinstance(value, str) else json.dumps(value)}</script>"
    )


def test_objects_lists_and_graphs():
    product = {
        "@type": "Product",
        "name": "Tea",
        "offers": {"@type": "Offer", "price": 3.2, "priceCurrency": "EUR"},
        "image": "/tea.png",
    }
    for document in (
        product,
        [product],
        {"@graph": [product]},
        {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": product}]},
    ):
        (item,) = structured_items(tl.parse(ld(document)), url="https://shop.example/a")
        assert item.types == ("Product",)
        assert {one.name: one.text for one in item.statements} == {
            "name": "Tea",
            "offers.price": "3.2",
            "offers.priceCurrency": "EUR",
            "image": "https://shop.example/tea.png",
        }
        assert item.node.tag == "script"


@pytest.mark.parametrize(
    "text",
    [
        '{"@type": "Product", "name": "Tea",}',
        '{"@type": "Product", "name": "Tea", "x": [1, 2, ],\n}',
        '<!-- {"@type": "Product", "name": "Tea"} -->',
        '//<![CDATA[\n{"@type": "Product", "name": "Tea"}\n//]]>',
        '{"@type": "Product", // the name\n "name": "Tea" /* that was it */}',
        '{"@type": "Product", "name": "Tea"};',
        "{&quot;@type&quot;: &quot;Product&quot;, &quot;name&quot;: &quot;Tea&quot;}",
        (
            '{"@type": "Product", "name": "Tea", "description": "two\nlines\tand a tab // no'
            ' comment, ]"}'
        ),
        '\ufeff{"@type": "Product", "name": "Tea"}',
        '{"@type": "Product", "name": "Tea"} {"@type": "Thing"}',
        (
            '{"@context": "http://schema.org", "@type": ["http://schema.org/Product"], "name":'
            ' {"@value": "Tea"}}'
        ),
    ],
)
def test_broken_json_is_mended(text: str):
    item = structured_items(tl.parse(ld(text)))[0]
    assert (item.types[0], item.text("name")) == ("Product", "Tea")


@pytest.mark.parametrize(
    "text",
    ["", "nothing", "{", '{"@type": "Product"', "{'a': 1}", "[" * 100_000, '{"@type":' * 5_000],
)
def test_what_cannot_be_mended_is_passed_over(text: str):
    assert structured_items(tl.parse(ld(text))) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=12,
    )
)
def test_json_is_read_as_json(value: object):
    assert read_tolerantly(json.dumps(value)) == [value]


@given(st.text(alphabet='{}[]",:\\/*a1 \n', max_size=60))
def test_no_text_breaks_the_reader(text: str):
    read_tolerantly(text)


MICRODATA = (
    "<div itemscope itemtype='https://schema.org/Product' itemref=more><h2 itemprop=name>Blue"
    " <b>tea</b></h2><img itemprop=image src=/tea.png><div itemprop=offers itemscope"
    " itemtype='https://schema.org/Offer'><meta itemprop=priceCurrency content=EUR><b"
    " itemprop=price content=3.20>€3,20</b></div><time itemprop=releaseDate"
    " datetime=2026-11-15>today</time></div><p id=more>by <i itemprop=brand>Kettle &amp; Co</i></p>"
)


def test_microdata_as_the_standard_reads_it():
    (item,) = structured_items(tl.parse(MICRODATA), url="https://shop.example/")
    assert {one.name: one.text for one in item.statements} == {
        "brand": "Kettle & Co",
        "name": "Blue tea",
        "image": "https://shop.example/tea.png",
        "offers.priceCurrency": "EUR",
        "offers.price": "3.20",
        "releaseDate": "2026-11-15",
    }


def test_items_that_refer_to_each_other_end():
    page = (
        "<div itemscope itemref=b id=a><i itemprop=n>1</i></div><div id=b itemprop=p itemscope"
        " itemref=a></div>"
    )
    assert len(structured_items(tl.parse(page))) == 1


def test_opengraph():
    page = (
        "<meta property=og:title content='The shop'><meta property=og:type content=product><meta"
        " property=product:price.amount content=3>"
    )
    (item,) = structured_items(tl.parse(page))
    assert (item.source, item.types, item.text("title")) == ("opengraph", ("product",), "The shop")


def test_tables_of_what_the_page_says():
    goods = [
        {"@type": "Product", "name": name, "offers": {"price": str(price), "priceCurrency": "EUR"}}
        for name, price in GOODS
    ]
    table = structured_tables(tl.parse("<html lang=de>" + ld(goods)))[0]
    assert [(column.name, column.type) for column in table.columns] == [
        ("name", "text"),
        ("offers.price", "number"),
        ("offers.priceCurrency", "text"),
    ]
    assert [row[1].value for row in table.cells if row[1]] == [
        3.2,
        4.0,
        2.75,
    ]  # a point, whatever the page's language
    assert table.place == "json-ld Product"


def test_json_ld_names_the_columns_of_a_list():
    goods = [
        {"@type": "Product", "name": name, "offers": {"price": price}} for name, price in GOODS
    ]
    rows = "".join(
        f"<li><div><span>{name}</span></div><p>€{price:.2f}</p></li>" for name, price in GOODS
    )
    without, with_data = (
        tl.extract(tl.parse(f"{data}<ul>{rows}</ul>"))[0] for data in ("", ld(goods))
    )
    assert [column.name for column in without.columns] == ["title", "price"]
    assert [column.name for column in with_data.columns] == ["name", "price"]
    assert with_data.rows == without.rows
    other = ld([{"@type": "Product", "name": "Coffee"}, {"@type": "Product", "name": "Cocoa"}])
    assert tl.extract(tl.parse(f"{other}<ul>{rows}</ul>"))[0].columns == without.columns


LONG = [
    ("The long way home from the tea garden", 12.5),
    ("The short way back to the tea garden", 9.0),
    ("Nothing to be seen at the tea garden", 7.25),
    ("Jam", 3.0),
]


def described(shown: list[tuple[str, str]], **said: object) -> tl.Table:
    """The list of these texts, on a page that describes the same things as data."""
    things = [
        {"@type": "Product", "name": name, "offers": {"price": price, **said}}
        for name, price in LONG
    ]
    rows = "".join(f"<li><h3>{name}</h3><p>{price}</p></li>" for name, price in shown)
    return tl.extract(tl.parse(f"{ld(things)}<ul>{rows}</ul>"))[0]


def test_a_text_that_the_markup_cuts_short_has_the_whole_one_as_its_value():
    cut = [(f"{name[:20]}…" if len(name) > 20 else name, f"€{price}") for name, price in LONG]
    table = described(cut)
    assert [column.name for column in table.columns] == ["name", "price"]
    assert [row[0].text for row in table.cells] == [name for name, _ in cut]
    assert [row[0].value for row in table.cells] == [name for name, _ in LONG]


def test_the_data_says_the_currency_that_the_page_does_not():
    table = described([(name, f"{price:.2f}") for name, price in LONG], priceCurrency="EUR")
    assert [(column.name, column.type) for column in table.columns] == [
        ("name", "text"),
        ("price", "price"),
    ]
    assert [tuple(row[1].value) for row in table.cells] == [(p, "EUR") for _, p in LONG]


def test_where_page_and_data_disagree_both_are_said():
    shown = [(name, f"€{price if name != 'Jam' else 4.5:.2f}") for name, price in LONG]
    table = described(shown)
    assert [column.name for column in table.columns] == ["name", "price", "price in the data"]
    assert table.rows[-1] == ["Jam", "€4.50", "3.0"]
    assert [row[2] for row in table.cells[:3]] == [None] * 3
    assert table.cells[-1][2].node.tag == "script"
    agreeing = described([(name, f"€{price:.2f}") for name, price in LONG])
    assert [column.name for column in agreeing.columns] == ["name", "price"]


def in_place(row: str, shown: list[tuple[str, str]]) -> tl.Table:
    """A list whose rows are described in place: `{name}`, `{price}` as shown, `{whole}` and
    `{amount}` as they are.
    """
    rows = "".join(
        row.format(name=name, price=price, whole=whole, amount=amount)
        for (name, price), (whole, amount) in zip(shown, LONG, strict=True)
    )
    return tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0]


PRODUCT = '<li itemscope itemtype="https://schema.org/Product">'
CUT = [(f"{name[:20]}…" if len(name) > 20 else name, f"€{price}") for name, price in LONG]


@pytest.mark.parametrize(
    "row",
    [
        PRODUCT + '<h3 itemprop=name content="{whole}">{name}</h3><p>{price}</p>',
        PRODUCT + '<meta itemprop=name content="{whole}"><h3>{name}</h3><p>{price}</p>',
        (
            "<li><div itemscope itemtype=Product><meta itemprop=name content='{whole}'>"
            "<h3>{name}</h3><p>{price}</p></div>"
        ),
    ],
)
def test_microdata_has_the_whole_text(row):
    table = in_place(row, CUT)
    assert [column.name for column in table.columns] == ["name", "price"]
    assert [row[0].value for row in table.cells] == [name for name, _ in LONG]


def test_microdata_has_the_currency():
    row = (
        PRODUCT + "<h3 itemprop=name>{name}</h3><p itemprop=offers itemscope>"
        "<meta itemprop=priceCurrency content=EUR><b itemprop=price>{price}</b>"
    )
    table = in_place(row, [(name, f"{price:.2f}") for name, price in LONG])
    assert [(column.name, column.type) for column in table.columns] == [
        ("name", "text"),
        ("price", "price"),
    ]
    assert [tuple(row[1].value) for row in table.cells] == [(p, "EUR") for _, p in LONG]


def test_where_page_and_microdata_disagree_both_are_said():
    row = PRODUCT + "<h3 itemprop=name>{name}</h3><b itemprop=price content={amount}>{price}</b>"
    shown = [(name, f"€{price if name != 'Jam' else 4.5:.2f}") for name, price in LONG]
    table = in_place(row, shown)
    assert [column.name for column in table.columns] == ["name", "price", "price in the data"]
    assert [row[2] and row[2].text for row in table.cells] == [None, None, None, "3.0"]
    agreeing = in_place(row, [(name, f"€{price:.2f}") for name, price in LONG])
    assert [column.name for column in agreeing.columns] == ["name", "price"]


def test_what_only_machines_write_is_no_disagreement():
    event = '<li itemscope itemtype="https://schema.org/Event"><h3 itemprop=name>{}</h3>'
    rows = "".join(
        f"{event.format(name)}<b itemprop=startDate content=2026-05-0{n}T19:00Z>May {n}, 2026"
        f"</b> <i itemprop=duration content=PT{n}H>for {n} hours</i>"
        for n, (name, _) in enumerate(LONG, 1)
    )
    table = tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0]
    assert not [column.name for column in table.columns if "in the data" in column.name]
    later = tl.extract(tl.parse(f"<ul>{rows.replace('2026-05-03', '2026-06-03')}</ul>"))[0]
    assert [row[-1] and row[-1].text for row in later.cells] == [
        None,
        None,
        "2026-06-03T19:00Z",
        None,
    ]


DETAIL = (
    "<title>Assam – the tea shop</title>{meta}<h1>Assam</h1><p>Grown by hand since 1901.</p>"
    "<p>Brand: <b>Gate</b></p><p>Price: <b>{price}</b></p><p>Grams: <b>250</b></p>"
    "<h2>More of it</h2><p>It keeps for a year.</p><p>Two spoons a cup.</p><p>Three minutes.</p>"
)


def record(page: str) -> tl.Table:
    """The record of a page."""
    return next(table for table in tl.extract(tl.parse(page)) if len(table) == 1)


def graph(**said: str) -> str:
    """OpenGraph's elements."""
    return "".join(
        f'<meta property="{name.replace("_", ":")}" content="{text}">'
        for name, text in said.items()
    )


def test_opengraph_has_the_currency_of_a_page_of_one_thing():
    said = graph(
        og_title="Assam – the tea shop", product_price_amount="3.20", product_price_currency="EUR"
    )
    plain, told = (record(DETAIL.format(meta=meta, price="3.20")) for meta in ("", said))
    at = [column.name for column in told.columns].index("Price")
    assert (plain.columns[at].type, told.columns[at].type) == ("number", "price")
    assert tuple(told.cells[0][at].value) == (Decimal("3.2"), "EUR")
    assert told.rows == plain.rows


@pytest.mark.parametrize(
    "said",
    [
        graph(og_title="Assam", og_price_amount="2.90"),
        ld({"@type": "Product", "name": "Assam", "offers": {"price": "2.90"}}),
        "<div itemscope><meta itemprop=name content=Assam><meta itemprop=price content=2.90></div>",
    ],
)
def test_another_price_of_the_page_of_one_thing_is_said(said):
    told = record(DETAIL.format(meta=said, price="€3.20"))
    by_name = dict(zip((column.name for column in told.columns), told.rows[0], strict=True))
    assert (by_name["Price"], by_name["Price in the data"]) == ("€3.20", "2.90")
    same = record(DETAIL.format(meta=said, price="€2.90"))
    assert "Price in the data" not in [column.name for column in same.columns]
    other = record(DETAIL.format(meta=said.replace("Assam", "Darjeeling"), price="€3.20"))
    assert "Price in the data" not in [column.name for column in other.columns]
