"""Wrappers: learnt from list and detail pages, applied to others, kept as JSON."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

import treelace as tl
from treelace.wrappers import Wrapper
from treelace.wrappers.model import json_file


def shop(*things: tuple[str, str], note: str = "") -> tl.Tree:
    rows = "".join(
        f"<li class=item><h3><a href=/{name}>{name}</a></h3><p class=price>{price}</p></li>"
        for name, price in things
    )
    return tl.parse(
        f"<body><nav><a href=/>Home</a> <a href=/all>All</a></nav>{note}<ul"
        f" class=things>{rows}</ul></body>"
    )


def product(
    name: str, price: str, *, fax: str = "", genres: tuple[str, ...] = (), text: str = "Good."
) -> tl.Tree:
    more = f"<tr><td>Fax:</td><td>{fax}</td></tr>" if fax else ""
    links = ", ".join(f"<a href=/g>{genre}</a>" for genre in genres)
    return tl.parse(
        f"<title>{name}</title><body><div id=top><a href=/>Home</a><a href=/help>Help</a></div><div"
        f" id=main><h1>{name}</h1><table>{more}<tr><td>Price:</td><td>{price}</td></tr><tr><td>Made"
        f" in:</td><td>Ulm</td></tr></table><p class=genres>{links}</p><p"
        f" class=about>{text}</p></div><div id=foot>All rights reserved</div></body>"
    )


SHOP = shop(("tea", "3.20 €"), ("milk", "1.10 €"), ("jam", "2.75 €"), ("salt", "0.40 €"))
PRODUCTS = [
    product("Kettle", "39.90 €", genres=("steel", "big"), fax="01"),
    product("Pot", "19.90 €", genres=("clay",)),
    product("Jug", "9.90 €", genres=("glass", "small", "blue", "old"), fax="02"),
    product("Cup", "4.90 €", genres=("clay", "white")),
]


def test_a_list_wrapper_gives_back_what_it_learnt_from():
    wrapper = Wrapper.learn([SHOP])
    table = tl.extract(SHOP)[0]
    assert wrapper.apply(SHOP)[0].rows == table.rows
    assert wrapper.apply(SHOP)[0].columns == table.columns


def test_a_list_wrapper_reads_another_page_with_more_records_and_an_advert():
    wrapper = Wrapper.learn([SHOP])
    other = shop(
        *((f"thing {n}", f"{n}.50 €") for n in range(12)), note="<div class=ad>Buy now</div>"
    )
    rows = wrapper.apply(other)[0].rows
    assert rows == [[f"thing {n}", f"{n}.50 €"] for n in range(12)]


def test_values_have_types_and_cells_have_nodes_and_links():
    table = Wrapper.learn([SHOP]).apply(SHOP)[0]
    name, price = table.cells[0]
    assert name is not None
    assert price is not None
    assert (name.text, name.link, name.node.tag) == ("tea", "/tea", "a")
    assert price.value == (Decimal("3.20"), "€")


def test_detail_pages_share_a_template_and_differ_in_fields():
    wrapper = Wrapper.learn(PRODUCTS)
    table = wrapper.apply(product("Pan", "29.90 €", fax="07", genres=("iron",)))[0]
    row = {
        column.name: cell.text
        for column, cell in zip(table.columns, table.cells[0], strict=True)
        if cell
    }
    assert row["title"] == "Pan"
    assert row["Price"] == "29.90 €"
    assert row["Fax"] == "07"
    assert "Home" not in row.values()
    assert "All rights reserved" not in row.values()


def test_a_missing_field_is_missing_and_does_not_shift_others():
    table = Wrapper.learn(PRODUCTS).apply(product("Pan", "29.90 €"))[0]
    row = {
        column.name: cell.text if cell else None
        for column, cell in zip(table.columns, table.cells[0], strict=True)
    }
    assert row["Fax"] is None
    assert row["Price"] == "29.90 €"


def test_a_labelled_value_that_was_constant_is_a_field_all_the_same():
    page = tl.parse(PRODUCTS[1].to_html().replace("Ulm", "Bonn"))
    table = Wrapper.learn(PRODUCTS).apply(page)[0]
    assert {
        column.name: cell.text
        for column, cell in zip(table.columns, table.cells[0], strict=True)
        if cell
    }["Made in"] == "Bonn"


def test_what_repeats_inside_a_page_is_a_table_of_its_own():
    wrapper = Wrapper.learn(PRODUCTS)
    tables = wrapper.apply(
        product("Pan", "29.90 €", genres=("iron", "black", "round", "flat", "new"))
    )
    assert [row[0] for row in tables[1].rows] == ["iron", "black", "round", "flat", "new"]


def test_columns_that_matter_come_first():
    names = [column.name for column in Wrapper.learn(PRODUCTS).regions[0].columns]
    assert set(names[:2]) == {"title", "Price"}


@pytest.mark.parametrize("pages", [[SHOP], PRODUCTS])
def test_the_file_reads_back_equal_and_works_the_same(pages: list[tl.Tree]):
    wrapper = Wrapper.learn(pages)
    again = Wrapper.from_json(wrapper.to_json())
    assert again == wrapper
    assert again.to_json() == wrapper.to_json()
    assert again.apply(pages[0])[0].rows == wrapper.apply(pages[0])[0].rows
    assert json.loads(wrapper.to_json())["treelace"] == "wrapper"


def test_examples_name_columns_and_choose_the_table():
    wrapper = Wrapper.learn([SHOP], examples={"cost": "1.10", "thing": "milk"})
    table = wrapper.apply(SHOP)[0]
    assert [column.name for column in table.columns][:2] == ["cost", "thing"]
    assert table.rows[0][:2] == ["3.20 €", "tea"]
    with pytest.raises(tl.WrapperError, match=r"99\.99"):
        Wrapper.learn([SHOP], examples={"cost": "99.99"})


def test_selectors_by_hand_mix_with_what_is_learnt():
    wrapper = Wrapper.learn([SHOP], columns={"cost": "css:.price", "where": "xpath:.//a/@href"})
    table = wrapper.apply(SHOP)[0]
    assert [column.name for column in table.columns][:2] == ["cost", "where"]
    assert table.rows[1][:2] == ["1.10 €", "/milk"]
    with pytest.raises(tl.WrapperError, match="finds nothing"):
        Wrapper.learn([SHOP], columns={"cost": "css:.none"})


def test_a_page_of_another_class_is_refused_and_can_be_forced():
    wrapper = Wrapper.learn([SHOP])
    letter = tl.parse(
        "<body><article><h1>Dear all</h1><p>Nothing repeats here.</p></article></body>"
    )
    with pytest.raises(tl.WrapperError, match="another class"):
        wrapper.apply(letter)
    assert wrapper.apply(letter, force=True)[0].cells == ()


def test_health_tells_what_broke():
    wrapper = Wrapper.learn([SHOP])
    assert wrapper.check([SHOP]).is_fine
    broken = tl.parse(
        SHOP.to_html()
        .replace("€", "")
        .replace("3.20", "?")
        .replace("1.10", "?")
        .replace("2.75", "?")
        .replace("0.40", "?")
    )
    health = wrapper.check([broken])
    assert not health.is_fine
    assert any("price" in problem for problem in health.problems)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ('"version": 1', '"version": "one"', 3, "expected a whole number, got a text"),
        ('"treelace": "wrapper"', '"treelace": "pie"', 2, "expected 'wrapper', got 'pie'"),
        ('"kind": "list"', '"kind": "lists"', None, "'lists'"),
        (
            '"column": "price"',
            '"column": "prize"',
            None,
            "expected the name of a column, got 'prize'",
        ),
        ('"css:', '"css:((', None, "selector"),
        ('"threshold": ', '"threshold" ', None, ""),
    ],
)
def test_a_badly_edited_file_is_an_error_with_line_and_what_was_expected(
    old: str, new: str, line: int | None, says: str
):
    text = Wrapper.learn([SHOP]).to_json()
    assert old in text
    at = text[: text.index(old)].count("\n") + 1
    with pytest.raises(tl.WrapperError) as caught:
        Wrapper.from_json(text.replace(old, new, 1))
    assert f"line {line or at}" in str(caught.value), str(caught.value)
    assert says.lower() in str(caught.value).lower()


def test_several_lists_are_seen_as_lists():
    pages = [
        shop(*((f"thing {page}{n} of many", f"{n}.{page}0 €") for n in range(8)))
        for page in range(3)
    ]
    assert Wrapper.learn(pages).regions[0].kind == "list"
    assert Wrapper.learn(PRODUCTS).regions[0].kind == "page"
    assert Wrapper.learn(pages, kind="detail").regions[0].kind == "page"


def test_the_published_schema_is_that_of_the_code():
    published = Path(json_file.__file__).with_name("wrapper.schema.json")
    assert json.loads(published.read_text(encoding="utf-8")) == json.loads(
        json.dumps(json_file.schema())
    ), "run tools/write_wrapper_schema.py"


def test_line_of_a_path():
    text = Wrapper.learn([SHOP]).to_json()
    lines = text.splitlines()
    assert '"threshold"' in lines[json_file.line_of(text, "$.page_class.threshold") - 1]
    assert '"depth": 0' in lines[json_file.line_of(text, "$.regions[0].pattern[0].depth") - 1]
