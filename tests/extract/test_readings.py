"""How single texts, attributes and tables are read: both sides of each small decision."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

import treelace as tl
from treelace.extract.cells.money_text import with_its_sign
from treelace.extract.explain import explained
from treelace.extract.locales import Locale
from treelace.extract.outputs.arrow import _number
from treelace.extract.outputs.writers import _quoted
from treelace.extract.page.page_view import PageView
from treelace.extract.page.structured_data import structured_items
from treelace.extract.records.comparison_tables import _has_spans
from treelace.extract.types.date import dates_in
from treelace.extract.types.duration import duration
from treelace.extract.types.number import decimal_mark, plain_digits, read_number
from treelace.tree.harmless_html import harmless_attributes

ANY = Locale()


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["1.204,50"], ","),
        (["1,204.50"], "."),
        (["3,5"], ","),
        (["3.5"], "."),
        (["1.204"], "."),
        (["0,204"], ","),
        (["1.204.300"], ","),
        (["1,204,300"], "."),
        (["3,5", "3.5"], "."),
        (["3,5", "3.5", "2,25"], ","),
        ([], "."),
    ],
)
def test_the_mark_of_decimals(texts, mark):
    assert decimal_mark(texts, ANY) == mark


def test_the_language_decides_what_numbers_leave_open():
    assert decimal_mark(["1.204"], Locale("de")) == ","
    assert decimal_mark(["3.5"], Locale("de")) == "."
    assert decimal_mark(["3.5"], Locale.chosen("de")) == ","


@pytest.mark.parametrize(
    ("text", "mark", "digits", "number"),
    [
        ("a 1,204.50 b", ".", "1204.50", 1204.5),
        ("1.204,50", ",", "1204.50", 1204.5),
        ("1.204,50", ".", None, None),
        ("-3", ".", "3", -3),
        ("−3", ".", "3", -3),
        ("- 3", ".", "3", 3),
        ("2-3", ".", "2", 2),
        ("3", ".", "3", 3),
        ("12'345", ".", "12345", 12345),
        ("none", ".", None, None),
    ],
)
def test_the_first_number_of_a_text(text, mark, digits, number):
    assert plain_digits(text, mark) == digits
    assert read_number(text, mark) == number
    assert type(read_number(text, mark)) is type(number)


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["13/01/2026"], [date(2026, 1, 13)]),
        (["01/13/2026"], [date(2026, 1, 13)]),
        (["12/12/2026", "01/02/2026"], None),
        (["13/01/2026", "01/13/2026"], None),
        (["13/01/2026", "14/01/2026", "01/13/2026"], [date(2026, 1, 13), date(2026, 1, 14), None]),
        (["32/01/13"], [date(2032, 1, 13)]),
        (["13/01/32"], [date(2032, 1, 13)]),
        (["01/13/32"], [date(2032, 1, 13)]),
        (["2026/01/02"], [date(2026, 1, 2)]),
        (["2026-01-02", "x"], [date(2026, 1, 2), None]),
    ],
)
def test_what_the_numbers_say_about_the_order_of_day_and_month(texts, days):
    assert dates_in(texts, ANY) == days


def test_a_locale_is_a_language_and_a_country():
    tags = ("de", "de-AT", "zh-Hans-CN", "pt-br")
    assert [Locale(tag).language for tag in tags] == ["de", "de", "zh", "pt"]
    assert [Locale(tag).country for tag in tags] == ["", "at", "cn", "br"]


def test_a_duration_is_known_by_its_units():
    assert duration("P1W") == timedelta(weeks=1)
    assert duration("PT1.5S") == duration("1,5 seconds") == timedelta(seconds=1.5)
    assert duration("2 hours, 3 minutes") == timedelta(hours=2, minutes=3)
    assert duration("2 hours 3") is None


def test_what_arrow_counts_from():
    assert _number(date(1970, 1, 2)) == 1
    assert _number(date(1969, 12, 31)) == -1
    assert _number(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)) == 1_000_000
    assert _number(datetime.fromisoformat("1970-01-01T00:00:02")) == 2_000_000
    assert _number(timedelta(milliseconds=1)) == 1000
    assert _number(2.5) == 2.5


def test_names_in_sql_are_quoted():
    assert _quoted('a "b"\0 c') == '"a ""b"" c"'


def test_attributes_of_a_marked_page_reach_nothing_outside():
    page = tl.parse(
        "<img src='https://x.example/a.png' alt='a&b' onclick=go() data-treelace-item=1 title=t>"
        "<img src=' DATA:image/png;base64,AA' class=c><a href=/b id=i>x</a>"
    )
    images, links = page.select("img"), page.select("a")
    assert harmless_attributes(page, images[0].index) == ' alt="a&amp;b"'
    assert (
        harmless_attributes(page, images[1].index) == ' src=" DATA:image/png;base64,AA" class="c"'
    )
    assert harmless_attributes(page, links[0].index) == ' id="i"'


def test_an_image_that_is_a_record_is_its_item():
    page = tl.parse("<div><img src=a.png alt=a><p>x</p><img src=b.png alt=b></div>")
    view = PageView.of(page)
    first, last = (node.index for node in page.select("img"))
    text = page.select("p")[0].index
    assert view.items_in((first,)) == [first]
    assert view.items_in((text, last)) == [*view.texts_in(text), last]


def test_open_graph_is_about_its_first_statement():
    page = tl.parse(
        "<meta property='og:title' content=' Tea \n time '><meta property='og:type' content=book>"
        "<meta property='og:image' content=a.png><meta property=fb:x content=y>"
    )
    (item,) = structured_items(page, url="https://x.example/b/")
    assert (item.types, item.node) == (("book",), page.select("meta")[0])
    assert [(said.name, said.text) for said in item.statements] == [
        ("title", "Tea time"),
        ("type", "book"),
        ("image", "https://x.example/b/a.png"),
    ]


@pytest.mark.parametrize(
    ("types", "wanted"),
    [
        ('"Product"', ("Product",)),
        ('"https://schema.org/Product/"', ("Product",)),
        ('["schema:Product", 3, "x#Book"]', ("Product", "Book")),
    ],
)
def test_types_of_json_ld_are_short(types, wanted):
    page = tl.parse(
        f'<script type="application/ld+json">{{"@type": {types}, "name": "a"}}</script>'
    )
    assert [item.types for item in structured_items(page)] == [wanted]


@pytest.mark.parametrize(
    ("cells", "spans"),
    [
        ("<td>a<td>b", False),
        ("<td colspan=1>a", False),
        ("<th colspan=2>a", True),
        ("<td rowspan=2>a", True),
    ],
)
def test_cells_over_several_rows_or_columns(cells, spans):
    page = tl.parse(f"<table><tr>{cells}</table>")
    assert _has_spans(PageView.of(page), page.select("table")[0].index) is spans


def lists(number: int) -> str:
    return "".join(
        f"<h2>List {n}</h2><ul class=l{n}>"
        + "".join(
            f"<li><b>Thing {n}{i}</b> <i>€{i + n}.50</i> and some words</li>" for i in range(6)
        )
        + "</ul><p>And so on.</p>"
        for n in range(number)
    )


def test_the_next_three_tables_are_told():
    page = tl.parse(lists(1))
    first = tl.extract(page)[0]
    where = f"{len(first)} records in {first.place}"
    share = f"{where}, {first.confidence:.0%} of the page's text"
    assert explained(page, [first], by_records=False) == [share]
    lines = explained(page, [first] * 6, by_records=False)
    assert lines == [share, *[f"next: {where}, confidence {first.confidence:.2f}"] * 3]


@pytest.mark.parametrize(
    ("text", "pieces", "wanted"),
    [
        ("275.00 each", ["$", "275.00 each"], "$275.00 each"),
        ("$275.00 each", ["$", "275.00 each"], "$275.00 each"),
        ("about 275", ["about 275", "€"], "about 275 €"),
        ("about 275 €", ["about 275", "€"], "about 275 €"),
        ("275 each", ["275", "each"], "275 each"),
    ],
)
def test_a_price_keeps_the_sign_at_its_ends_once(text, pieces, wanted):
    assert with_its_sign(text, pieces) == wanted
