"""Pages about one thing: their record, and where it comes among the tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

import treelace as tl
from treelace.extract.page.page_view import PageView
from treelace.extract.records.one_thing import confidence
from treelace.extract.records.page_pieces import pieces, text_of
from treelace.extract.records.page_record import PageRecord

PRODUCT = """
<title>Copper kettle | The Kettle Shop</title>
<nav><a href=/>Home</a> <a href=/kettles>Kettles</a> <a href=/cups>Cups</a></nav>
<main><h1>Copper kettle</h1>
<p class=price>€ 49.00</p>
<p>Brand: <a href=/b/smith>Smith &amp; Co</a></p>
<table><tr><th>Volume<td>1.7 l<tr><th>Weight<td>900 g<tr><th>Colour<td>copper</table>
<dl><dt>Warranty<dd>2 years<dt>Made in<dd>Portugal</dl>
<p>SKU: K-1402</p>
</main>
<footer><a href=/terms>Terms</a> <a href=/privacy>Privacy</a></footer>"""

STORY = (
    "<title>A day at the sea - The Daily</title><h1>A day at the sea</h1>"
    "<p>"
    + "<p>".join(
        f"{word} the wind was strong that morning, and we walked along the shore for a long time, "
        "looking for stones and shells, until the sun came out and the water grew calm again."
        for word in "At first|Later|Then|In the evening|Around noon|On the way|Still|Even so".split(
            "|"
        )
    )
    + "<p>".join(["", *"Read on|Sea|Walks|Weather|Contact".split("|")])
)


def record(page: str) -> tl.Table:
    return next(table for table in tl.extract(tl.parse(page)) if len(table) == 1)


def test_what_speaks_for_a_title_is_seen():
    """The features of a piece: by their names where they are a yes or a no."""
    page = PageRecord(PageView.of(tl.parse(PRODUCT)))
    seen = {
        text: page.title_features(number)[5:8] + page.title_features(number)[-1:]
        for number, text in enumerate(page.texts)
    }
    assert seen["Copper kettle"] == [1.0, 0.0, 1.0, 0.0], "h1, no h2, a heading, two words"
    assert seen["Kettles"] == [0.0, 0.0, 0.0, 1.0], "no heading, one word"


def test_a_product_page_gives_its_record_first():
    tables = tl.extract(tl.parse(PRODUCT))
    assert len(tables[0]) == 1
    row = dict(zip([it.name for it in tables[0].columns], tables[0].rows[0], strict=True))
    assert row["title"] == "Copper kettle"
    assert row["Volume"] == "1.7 l"
    assert row["Warranty"] == "2 years"
    assert row["Brand"] == "Smith & Co"
    assert row["price"] == "€ 49.00"


def test_cells_of_a_record_know_their_elements():
    table = record(PRODUCT)
    cells = dict(zip([it.name for it in table.columns], table.cells[0], strict=True))
    assert cells["Volume"].node.tag == "td"
    assert cells["Brand"].link == "/b/smith"


def test_an_article_is_not_taken_for_a_thing():
    assert all(table.confidence < 0.5 for table in tl.extract(tl.parse(STORY)))


def test_a_sure_list_comes_before_the_record():
    rows = "".join(
        f"<li class=product><h3><a href=/{n}>Tea number {n}</a></h3><p class=price>€{n}.20</p></li>"
        for n in range(1, 25)
    )
    tables = tl.extract(tl.parse(f"<title>Teas</title><h1>Teas</h1><ul>{rows}</ul>"))
    assert len(tables[0]) == 24
    assert [it.confidence for it in tables] == sorted(
        (it.confidence for it in tables), reverse=True
    )


@pytest.mark.parametrize(("rows", "stays_behind"), [(9, False), (10, True)])
def test_the_record_stays_behind_a_list_that_fills_the_page(rows: int, stays_behind: bool):
    """However unsure it is."""
    goods = "".join(f"<li><b>Cup number {n}</b> <i>blue and white</i>" for n in range(rows))
    tree = tl.parse(PRODUCT.replace("</main>", f"<ul id=goods>{goods}</ul></main>"))
    goods_list = next(
        table
        for table in tl.extract(tree)
        if len(table) == rows and "Cup number 0" in table.rows[0]
    )
    unsure = replace(goods_list, confidence=0.2)
    assert (confidence(PageView.of(tree), [unsure]) < 0.2) == stays_behind


@pytest.mark.parametrize(("sure", "stays_behind"), [(0.45, False), (0.54, False), (0.56, True)])
def test_the_record_stays_behind_a_short_list_only_where_that_is_rather_sure(
    sure: float, stays_behind: bool
):
    """Lists are believed a little too readily, so half is not enough."""
    tree = tl.parse(PRODUCT)
    short_list = replace(tl.extract(tree)[-1], confidence=sure)
    assert (confidence(PageView.of(tree), [short_list]) < sure) == stays_behind


def in_json_ld(*things: str) -> str:
    return "".join(f'<script type="application/ld+json">{it}</script>' for it in things)


def in_opengraph(kind: str) -> str:
    return f"<meta property=og:type content={kind}><meta property=og:title content='{SEA}'>"


SEA = "A day at the sea"
ABOUT_THE_SEA = f'{{"@type": "Product", "name": "{SEA}"}}'


@pytest.mark.parametrize(
    "said",
    [
        in_json_ld(ABOUT_THE_SEA),
        in_json_ld(ABOUT_THE_SEA, '{"@type": "Product", "name": "Another thing"}'),
        in_json_ld(f'{{"@graph": [{{"@type": "WebPage"}}, {ABOUT_THE_SEA}]}}'),
        in_json_ld(ABOUT_THE_SEA.replace("Product", "MusicEvent")),
        in_opengraph("product"),
        f"<div itemscope itemtype=https://schema.org/Product><b itemprop=name>{SEA}</b></div>",
    ],
)
def test_the_data_says_that_a_page_is_about_one_thing(said: str):
    assert record(said + STORY).confidence > 0.5


@pytest.mark.parametrize(
    "said",
    [
        in_json_ld('{"@type": "Product", "name": "Another thing"}'),
        in_json_ld('{"@type": "Product", "name": "A day"}', ABOUT_THE_SEA.replace("day", "night")),
        in_json_ld('{"@type": "Person", "name": "A day at the sea"}'),
        in_json_ld('{"@type": "NewsArticle", "author": {"@type": "Person"}}', ABOUT_THE_SEA),
        in_opengraph("article"),
    ],
)
def test_the_data_of_other_things_and_of_authors_says_nothing(said: str):
    """A story with an author in its data was taken for a page about a person."""
    assert record(said + STORY).confidence == record(STORY).confidence < 0.5


@pytest.mark.parametrize(("rows", "comes_first"), [(11, False), (60, True)])
def test_a_list_that_is_nearly_all_of_the_page_comes_first_despite_the_data(rows, comes_first):
    """Search results are called one product of many offers."""
    goods = "".join(
        f"<li class=card><h3><a href=/{n}>Sea view number {n}</a></h3><p>€{n}.20</p></li>"
        for n in range(rows)
    )
    tables = tl.extract(tl.parse(in_json_ld(ABOUT_THE_SEA) + STORY + f"<ul>{goods}</ul>"))
    assert (len(tables[0]) == rows) == comes_first


def test_a_short_page_has_no_record():
    tables = tl.extract(tl.parse("<ul><li><b>tea</b> <i>3</i><li><b>milk</b> <i>2</i></ul>"))
    assert all(len(table) > 1 for table in tables)


@pytest.mark.parametrize(
    ("markup", "label", "value"),
    [
        ("<p><b>Director:</b> Ann Lee</p>", "Director", "Ann Lee"),
        ("<p>Director: <a>Ann Lee</a></p>", "Director", "Ann Lee"),
        ("<p>by <a>Ann Lee</a></p>", "by", "Ann Lee"),
        ("<dl><dt>Year</dt><dd>1994</dd></dl>", "Year", "1994"),
        ("<div>Year:</div><div>1994</div>", "Year", "1994"),
        ("<table><tr><td>Year<td>1994<tr><td>Length<td>90 min</table>", "Year", "1994"),
        ("<table><tr><th>Year<th>Length<tr><td>1994<td>90 min</table>", "Length", "90 min"),
        ("<p><b>Year:</b> 1994 <b>Length:</b> 90 min</p>", "Length", "90 min"),
        ("<p>Year: <i>1994</i><br>Length: <i>90 min</i></p>", "Length", "90 min"),
    ],
)
def test_labels_and_their_values(markup: str, label: str, value: str):
    view = PageView.of(tl.parse(markup))
    assert (label, value) in [(piece.label, text_of(view, piece)) for piece in pieces(view)]


def test_running_text_is_one_piece_and_spans_are_several():
    view = PageView.of(
        tl.parse("<p>The <b>red</b> kettle sings.</p><p><span>Red</span> <span>Blue</span></p>")
    )
    assert [text_of(view, piece) for piece in pieces(view)] == [
        "The red kettle sings.",
        "Red",
        "Blue",
    ]
