"""JSON-LD, microdata and OpenGraph: read though broken, as tables, and as names for columns."""

from __future__ import annotations

import json

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
