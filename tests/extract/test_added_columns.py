"""Ratings, the stock and groups: values that stand in pictures, in words and above the rows."""

from __future__ import annotations

import json
import sqlite3

import pytest

import treelace as tl
from treelace.extract.outputs import flatten, to_sqlite
from treelace.extract.types.inference import column_type, column_values
from treelace.extract.types.rating import Rating, read_rating

POINTS = (4.5, 2.0, 5.0, 3.5)


def shop(drawn: list[str]) -> tl.Table:
    rows = "".join(
        f'<li class="product"><h2><a href="/p{at}">Tea number {at}</a></h2>{one}'
        f'<span class="price">€{at + 3}.20</span></li>'
        for at, one in enumerate(drawn)
    )
    return tl.extract(f"<main><h1>Teas</h1><ul class=products>{rows}</ul></main>")[0]


def ratings(table: tl.Table) -> list[object]:
    names = [column.name for column in table.columns]
    assert table.columns[names.index("rating")].type == "rating"
    cells = [row[names.index("rating")] for row in table.cells]
    return [cell and cell.value for cell in cells]


def icons(points: float, full: str, half: str, empty: str) -> str:
    shown = [full if at < int(points) else half if at < points else empty for at in range(5)]
    return "<div>" + "".join(f'<i class="{one}"></i>' for one in shown) + "</div>"


@pytest.mark.parametrize(
    "draw",
    [
        # WooCommerce with its words, and as themes leave it
        lambda it: (
            f'<div class="star-rating" role="img" aria-label="Rated {it:.2f} out of 5">'
            f'<span style="width:{20 * it}%">Rated <strong class="rating">{it:.2f}</strong>'
            " out of 5</span></div>"
        ),
        lambda it: f'<div class="star-rating"><span style="width:{20 * it}%"></span></div>',
        # badges of Shopify's review programs
        lambda it: (
            f'<span class="jdgm-prev-badge__stars" data-score="{it}" aria-label="{it} stars">'
            "<span class='jdgm-star jdgm--on'></span></span>"
        ),
        lambda it: f'<div class="rating" aria-label="{it} out of 5 stars"><i></i><i></i></div>',
        # icon fonts
        lambda it: icons(it, "fa fa-star", "fa fa-star-half-o", "fa fa-star-o"),
        lambda it: icons(it, "bi bi-star-fill", "bi bi-star-half", "bi bi-star-empty"),
        # written
        lambda it: f"<span class=a-icon-alt>{it} out of 5 stars</span>",
        lambda it: f"<p>{it}/5</p>",
    ],
)
def test_ratings_are_read_however_they_are_drawn(draw) -> None:
    assert ratings(shop([draw(it) for it in POINTS])) == [Rating(it, 5.0) for it in POINTS]


def test_a_rating_may_be_a_word_of_a_class() -> None:
    drawn = [
        f'<p class="star-rating {word}"><i class="icon-star"></i></p>'
        for word in ("Three", "One", "Five")
    ]
    assert ratings(shop(drawn)) == [Rating(3, 5), Rating(1, 5), Rating(5, 5)]


def test_what_is_not_rated_has_no_rating() -> None:
    drawn = [f'<div class="star-rating"><span style="width:{n}%"></span></div>' for n in (80, 60)]
    assert ratings(shop([*drawn, "<div></div>"])) == [Rating(4, 5), Rating(3, 5), None]


def test_the_same_stars_everywhere_are_an_ornament() -> None:
    table = shop([icons(5, "fa fa-star", "", "")] * 4)
    assert "rating" not in [column.name for column in table.columns]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("★★★☆☆", Rating(3, 5)),
        ("4,5 von 5 Sternen", Rating(4.5, 5)),
        ("Note : 4 sur 5 étoiles", None),
        ("4 sur 5 étoiles", Rating(4, 5)),
        ("8.1/10 (1,204)", Rating(8.1, 10)),
        ("3 stars", Rating(3, 5)),
        ("3/5/2026", None),
        ("6 of 5", None),
        ("", None),
        ("four of five", None),
    ],
)
def test_ratings_in_words(text: str, wanted: Rating | None) -> None:
    assert read_rating(text) == wanted


def test_steps_are_no_ratings() -> None:
    assert column_type(["1/5", "2/5", "3/5", "4/5"]) == "text"
    assert column_type(["4/5", "2/5", "3/5", "3/5"]) == "rating"


def test_the_stock_keeps_its_words_and_says_yes_or_no_beside_them() -> None:
    words = ["In stock (12)", "Sold out", "Usually ships in two days", "auf Lager"]
    assert column_type(words) == "availability"
    assert column_values(words, "availability") == words
    table = shop([f"<p class=stock>{word}</p>" for word in words])
    said = [record["cells"]["stock"] for record in table.to_json()["records"]]
    assert [cell["value"] for cell in said] == words
    assert [cell["available"] for cell in said] == [True, False, True, True]
    database = sqlite3.connect(":memory:")
    database.deserialize(to_sqlite(flatten([table])))
    kept = database.execute('SELECT stock, "stock available" FROM records').fetchall()
    assert kept == list(zip(words, (1, 0, 1, 1), strict=True))


def test_sold_out_everywhere_is_about_the_stock() -> None:
    assert column_type(["Sold out", "Sold out"]) == "availability"
    assert column_type(["€3", "Sold out"]) == "price"


def meetings(heading: str, row: str, around: str) -> list[tl.Table]:
    parts = [
        heading.format(month)
        + around.format("".join(row.format(day=day, month=month) for day in (3, 11, 24)))
        for month in ("January", "February", "March")
    ]
    return tl.extract(f"<main><h1>Meetings</h1>{''.join(parts)}</main>", most=50)


@pytest.mark.parametrize(
    ("heading", "row", "around"),
    [
        (
            "<h3>{}</h3>",
            "<li><b>Council, session of {month}</b> <i>on day {day} at 9:00</i></li>",
            "<ul>{}</ul>",
        ),
        (
            "<p class=head><strong>{}</strong></p>",
            "<tr><td>Council of {month}</td><td>on day {day}</td><td><a>Agenda</a></td></tr>",
            "<table>{}</table>",
        ),
    ],
)
def test_headings_between_rows_are_a_column(heading: str, row: str, around: str) -> None:
    table = next(it for it in meetings(heading, row, around) if len(it.records) == 9)
    names = [column.name for column in table.columns]
    groups = [row[names.index("group")] for row in table.cells]
    assert [cell.text for cell in groups] == [
        month for month in ("January", "February", "March") for _ in range(3)
    ]
    assert groups[0].node.text.strip() == "January"
    said = json.loads(json.dumps(table.to_json()))["records"][0]
    assert said["cells"]["group"]["text"] == "January"
    assert "January" not in said["texts"]


def test_adverts_between_rows_are_no_groups() -> None:
    rows = [f"<li><h3>Tea {n}</h3><p>€{n}.20</p></li>" for n in range(1, 8)]
    rows.insert(3, "<div>Buy now!</div>")
    table = tl.extract(f"<main><ul>{''.join(rows)}</ul></main>")[0]
    assert "group" not in [column.name for column in table.columns]


def test_a_wrapper_reads_what_is_drawn() -> None:
    pages = [
        tl.parse(
            "<main><h1>Teas</h1><ul class=goods>"
            + "".join(
                f'<li class=good><h2>Tea {n} of {page}</h2><div class="star-rating">'
                f'<span style="width:{20 * (n % 4 + 1)}%"></span></div><b>€{n}.20</b></li>'
                for n in range(1, 9)
            )
            + "</ul></main>"
        )
        for page in range(3)
    ]
    wrapper = tl.Wrapper.learn(pages)
    tables = wrapper.apply(pages[0])
    assert [len(table.records) for table in tables][:1] == [8]
    at = [column.name for column in tables[0].columns].index("rating")
    said = [cell.text for row in tables[0].cells if (cell := row[at]) is not None]
    assert said == [f"{n % 4 + 1}/5" for n in range(1, 9)]
