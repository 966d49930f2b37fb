"""Which columns a person would keep: copies, buttons, labels and further pictures are left out, and
can be had.
"""

from __future__ import annotations

import json

import pytest

import treelace as tl

NAMES = ["Tea", "Jam", "Oil", "Rye"]


def table(shape: str, **options: bool) -> tl.Table:
    rows = "".join(
        f"<li>{shape.format(name=name, n=number)}</li>" for number, name in enumerate(NAMES, 3)
    )
    return tl.extract(tl.parse(f"<ul>{rows}</ul>"), **options)[0]


def names(found: tl.Table) -> list[str]:
    return [column.name for column in found.columns]


@pytest.mark.parametrize(
    "more",
    [
        "<button>Add to cart</button>",
        "<span>Compare</span>",
        "<a class=btn href=/buy/{n}>Zum Shop</a>",
        "<p><a href=/{name}>Mehr dazu lesen</a></p>",
        "<p><a href=/{name}>{name}</a></p>",
        "<span class=visually-hidden>Product:</span>",
    ],
)
def test_what_says_nothing_is_left_out_and_can_be_had(more: str) -> None:
    shape = "<h3><a href=/{name}>{name}</a></h3><b>€{n}</b>" + more
    assert names(table(shape)) == ["title", "price"]
    assert len(names(table(shape, all_columns=True))) == 3


@pytest.mark.parametrize(
    "more",
    ["<b>€5</b>", "<i>in stock</i>", "<i>2 years</i>", "<i>2026-03-01</i>", "<i>7</i><em>7</em>"],
)
def test_a_value_that_is_the_same_everywhere_stays(more: str) -> None:
    found = table("<h3>{name}</h3><p>from place {n}</p>" + more)
    assert len(found.columns) == len(found.with_all_columns.columns)


def test_one_picture_is_enough_and_comes_last() -> None:
    pictures = "<img src=/{n}.png><img src=/{n}b.png><img src=/new.png>"
    found = table(pictures + "<h3>{name}</h3><b>€{n}</b>")
    assert names(found) == ["title", "price", "image"]
    assert [row[2] for row in found.rows] == [f"/{number}.png" for number in range(3, 7)]
    assert len(found.with_all_columns.columns) == 5


def test_columns_of_a_table_with_headers_keep_their_order() -> None:
    rows = "".join(f"<tr><td>{n}<td>{name}<td>{n}</tr>" for n, name in enumerate(NAMES))
    page = tl.parse(f"<table><tr><th>Won<th>Team<th>Lost</tr>{rows}</table>")
    assert names(tl.extract(page)[0]) == ["Won", "Team", "Lost"]


def test_json_says_what_was_left_out_and_has_every_text() -> None:
    said = table("<h3>{name}</h3><b>€{n}</b><button>Add to cart</button>").to_json()
    assert [column["name"] for column in said["left out"]] == ["button"]
    assert said["records"][0]["texts"] == ["Tea", "€3", "Add to cart"]
    assert said["records"][0]["cols"] == [0, 1, 2]
    assert list(said["records"][0]["cells"]) == ["title", "price"]
    assert json.loads(json.dumps(said)) == said


def test_a_column_that_was_left_out_can_be_chosen() -> None:
    found = table("<h3>{name}</h3><b>€{n}</b><button>Add to cart</button>")
    assert names(found.choose(["button=action", "title"])) == ["action", "title"]
    assert names(found.choose(["-price"])) == ["title"]


def test_labels_of_prices_are_left_out_where_only_some_records_have_them() -> None:
    on_sale = "<i>Special Price</i> <b>€{n}</b> <em class=old>Regular Price</em> <u>€9{n}</u>"
    prices = [on_sale, on_sale, "<b>€{n}</b>", "<b>€{n}</b>"]
    rows = "".join(
        f"<li><h3>{name}</h3><p>{price.format(n=number)}</p></li>"
        for number, (name, price) in enumerate(zip(NAMES, prices, strict=True), 3)
    )
    found = tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0]
    assert names(found) == ["title", "price", "former price"]


def test_what_all_of_many_records_say_and_what_hardly_any_says_is_left_out() -> None:
    rows = "".join(
        f"<li><h3>{name} {n}</h3><i>€{n}</i><em>In good hands</em>"
        f"{'<u>remark</u>' if (name, n) == ('Tea', 1) else ''}</li>"
        for name in NAMES
        for n in range(1, 4)
    )
    found = tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0]
    assert names(found) == ["title", "price"]
    assert len(found.with_all_columns.columns) == 4


def test_the_fullest_picture_is_shown() -> None:
    badge = ["<img src=/new1.png>", "<img src=/new2.png>", "", ""]
    rows = "".join(
        f"<li>{new}<p><img src=/{name}.png></p><h3>{name}</h3></li>"
        for name, new in zip(NAMES, badge, strict=True)
    )
    found = tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0]
    assert [row[1] for row in found.rows] == [f"/{name}.png" for name in NAMES]


@pytest.mark.parametrize(("first", "is_shown"), [(1, False), (2, True)])
def test_a_row_of_pictures_that_is_counted_is_left_out(first: int, is_shown: bool) -> None:
    """`Slide 1 Slide 2`; but `Slide 2 Slide 3` in every record is what it says."""
    rows = "".join(
        f"<li><h3><a href=/{name}>{name}</a></h3><b>€{number}</b><p>"
        + " ".join(f"<span>Slide {at}</span>" for at in range(first, first + number))
        + "</p></li>"
        for number, name in enumerate(NAMES, 3)
    )
    found = tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0]
    assert any("Slide" in str(text) for row in found.rows for text in row) == is_shown


@pytest.mark.parametrize(
    ("word", "size", "is_shown"),
    [("ADA", 5, False), ("ADA", 4, True), ("Route 66", 5, True), ("Unavailable", 5, True)],
)
def test_one_word_in_every_row_of_a_table_with_headers_is_left_out(word, size, is_shown):
    rows = "".join(f"<tr><td><b>SC-1{n}-77</b> <i>{word}</i><td>{n}5</tr>" for n in range(size))
    table = tl.extract(tl.parse(f"<table><tr><th>Case<th>Fee</tr>{rows}</table>"))[0]
    assert (len(table.columns) == 3) is is_shown
    assert len(table.with_all_columns.columns) == 3


def test_a_button_to_report_a_comment_is_left_out():
    rows = "".join(f"<li><h3>Avis {n} du jour</h3><a href=#>Signaler</a></li>" for n in range(4))
    table = tl.extract(tl.parse(f"<html lang=fr><ul>{rows}</ul>"))[0]
    assert [column.name for column in table.columns] == ["title"]


def test_one_word_beside_the_value_of_a_header_is_left_out_and_a_header_s_own_stays():
    head = "<tr><th>Case</th><th>Court</th></tr>"
    rows = "".join(
        f"<tr><td><a href=/{n}>SC-1{n}-77</a> <a href=/a{n}>ADA</a></td><td>Supreme</td></tr>"
        for n in range(6)
    )
    table = tl.extract(tl.parse(f"<table>{head}{rows}</table>"))[0]
    assert [column.name for column in table.columns] == ["Case", "Court"]
    assert table.rows[0] == ["SC-10-77", "Supreme"]
