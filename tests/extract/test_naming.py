"""What columns are called where classes say nothing, and records that stand side by side in rows of
cells.
"""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.extract.page.page_view import PageView
from treelace.extract.records.side_by_side import grid_records, side_by_side_records
from treelace.testing.shop import open_shop

THINGS = [
    ("Tea", "€3.20", "2026-03-01", "Replies: 2"),
    ("Milk", "€1.10", "2026-03-02", "Replies: 14"),
    ("Jam", "€2.75", "2026-03-05", "Replies: 0"),
]


def names(rows: str) -> list[str]:
    return [column.name for column in tl.extract(tl.parse(f"<ul>{rows}</ul>"))[0].columns]


def test_columns_without_a_name_of_their_own_are_called_by_what_they_hold():
    rows = "".join(
        f"<li><div><a href=/{n}>{n}</a></div><p>{p}</p><span>{d}</span><em>{r}</em></li>"
        for n, p, d, r in THINGS
    )
    assert names(rows) == ["title", "price", "date", "Replies"]


@pytest.mark.parametrize(("length", "wanted"), [(160, "title"), (161, "description")])
def test_a_text_is_a_title_up_to_a_length(length: int, wanted: str):
    rows = "".join(
        f"<li><p>{n} {'x' * (length - len(n) - 1)}</p><b>{p}</b></li>" for n, p, *_ in THINGS
    )
    assert names(rows) == [wanted, "price"]


def test_the_page_s_own_words_come_first():
    rows = "".join(
        f"<li><h3>{n}</h3><a href=/{n}>about {n}</a><p class=cost>{p}</p><time>{d}</time></li>"
        for n, p, d, _ in THINGS
    )
    assert names(rows) == ["title", "description", "cost", "date"]


def test_links_that_all_say_the_same_are_no_titles():
    rows = "".join(f"<li><p>{n}</p><a href=/{n}>more</a></li>" for n, *_ in THINGS)
    assert names(rows) == ["title"]


@pytest.mark.parametrize(
    "day",
    [open_shop().days[0], open_shop().days[2], open_shop().redesign],
    ids=["first", "third", "redesigned"],
)
def test_records_in_rows_of_cells_are_told_apart(day):
    table = tl.extract(tl.parse(day.page("/gifts")))[0]
    assert table.rows == [[product.name, product.price] for product in day.gifts]
    assert [column.type for column in table.columns] == ["text", "price"]


def lanes(rows: str, size: int) -> list[list[str]] | None:
    page = tl.parse(f"<table>{rows}</table>")
    found = [row.index for row in page.select("tr")]
    made = side_by_side_records(
        PageView.of(page), [tuple(found[at : at + size]) for at in range(0, len(found), size)]
    )
    return made and [[page[cell].text for cell in record] for record in made.records]


def test_a_record_of_two_rows_is_one_record():
    classes = "".join(
        f"<tr><td class=n>{n}<td class=p>{p}<tr><td class=d>{d}<td class=r>{r}"
        for n, p, d, r in THINGS
    )
    plain = "".join(f"<tr><td>{n}<td>{p}<tr><td>{d}<td>{r}" for n, p, d, r in THINGS)
    assert lanes(classes, 2) is None and lanes(plain, 2) is None


def test_a_last_row_that_is_not_full_keeps_its_records():
    names_and_prices = [f"<td>thing {n}" for n in range(7)], [f"<td>€{n}.50" for n in range(7)]
    rows = "".join(
        f"<tr>{''.join(part[at : at + 3])}" for at in (0, 3, 6) for part in names_and_prices
    )
    assert lanes(rows, 2) == [[f"thing {n}", f"€{n}.50"] for n in range(7)]


def test_what_a_program_made_of_a_class_is_no_name():
    rows = "".join(
        f"<li><b class='OfferTitle-ejgREu eFKTtX'>{n}</b><i class=kfKhmg>{p}</i></li>"
        for n, p, *_ in THINGS
    )
    assert names(rows) == ["title", "price"]


def test_a_grid_is_read_cell_by_cell():
    cell = "<td><a href=/{0}><img src={0}.png></a><p><a href=/{0}>{0}</a></p><p>€{1}.50</p></td>"
    rows = "".join(
        f"<tr>{''.join(cell.format(f'thing {n}', n) for n in range(at, min(at + 3, 7)))}</tr>"
        for at in (0, 3, 6)
    )
    page = tl.parse(f"<table>{rows}</table>")
    assert [row[-1] for row in tl.extract(page)[0].rows] == [f"€{n}.50" for n in range(7)]
    table = "".join(
        f"<tr><td><a href=/{n}>{n}</a> <b>new</b></td><td>{p} <i>each</i></td></tr>"
        for n, p, *_ in THINGS
    )
    assert (
        grid_records(
            PageView.of(tl.parse(f"<table>{table}</table>")),
            [(row.index,) for row in tl.parse(f"<table>{table}</table>").select("tr")],
        )
        is None
    )


def test_a_price_and_its_cents_are_one_cell():
    rows = "".join(
        f"<li><h3>thing {n}</h3><div class=price>{n}69,<span"
        f" class=decimal>0{n}</span></div><p>({n})</p></li>"
        for n in range(1, 5)
    )
    table = tl.extract(tl.parse(f"<html lang=de><ul>{rows}</ul>"))[0]
    assert [row[1] for row in table.rows] == ["169,01", "269,02", "369,03", "469,04"]


def test_class_words_that_say_how_a_thing_looks_are_no_names():
    rows = "".join(
        f"<li><h3>{n}</h3><p class='margin-none underline'>{d} here</p>"
        f"<i class=fluid>by {n}</i></li>"
        for n, _, d, _ in THINGS
    )
    assert names(rows) == ["title", "date", "author"]


def test_a_header_names_its_column_without_a_colon_and_without_its_explanation():
    rows = "".join(f"<tr><td>{n}</td><td>{p}</td></tr>" for n, p, *_ in THINGS)
    heads = f"<tr><th>Case name:</th><th>Fee<span>{'what it means, ' * 9}</span></th></tr>"
    table = tl.extract(tl.parse(f"<table>{heads}{rows}</table>"))[0]
    assert [column.name for column in table.columns] == ["Case name", "Fee"]


def rows_of(shape: str, *, size: int = 8) -> str:
    words = "amber birch coral delta ember fjord grove haven".split()
    return "".join(
        f"<li>{shape.format(n=n, w=word, W=word.title())}</li>"
        for n, word in zip(range(1, size + 1), words, strict=False)
    )


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ("<dl><dt>Warranty</dt><dd>{n} years here</dd></dl>", "Warranty"),
        ("<p data-label=Colour>{w}</p>", "Colour"),
        ("<p aria-label=Colour>{w}</p>", "Colour"),
        ("<p>Warranty: {n} long years</p>", "Warranty"),
        ("<b>Sold by:</b> <i>{w}</i>", "Sold by"),
        ("<span>by</span> <a href=/u/{n}>{w} {w}</a>", "author"),
        ("<b>{n}</b> <i>votes</i>", "votes"),
        ("<p class=book-author>{w} {w}</p>", "author"),
        ("<p class=venue-name>{w} {w}</p>", "location"),
        ("<p class=text-size-3>{n} comments</p>", "comments"),
        ("<p>{n} hours ago</p>", "date"),
        ("<p>July {n}</p>", "date"),
        ("<p>9{n} m²</p>", "area"),
        ("<p>8001{n} {W}</p>", "location"),
        ("<p>www.{w}.example/page</p>", "url"),
        ("<p>In stock ({n})</p>", "availability"),
        ("<p>22-CV-010{n}</p>", "number"),
        ("<p>{w}-{n}.pdf</p>", "file"),
        ("<p itemprop=datePublished>{n} of {w}</p>", "date"),
        ("<p itemprop=http://schema.org/articleBody>{w} {w}</p>", "text"),
        ("<p itemprop=recipeIngredient>{n} {w}</p>", "ingredient"),
    ],
)
def test_a_column_is_called_by_what_the_page_says_and_then_by_what_it_holds(shape, wanted):
    named = names(rows_of("<h3><a href=/{n}>{W} thing</a></h3>" + shape))
    assert named == ["title", wanted]


@pytest.mark.parametrize("word", ["margin-none", "text-7", "a-size-base", "start", "absolute", "i"])
def test_a_class_without_a_meaning_names_nothing(word):
    for name in names(rows_of(f"<h3>{{W}}</h3><p class={word}>{{w}} for {{n}}</p>")):
        assert set(word.split("-")).isdisjoint(name.split())


def test_several_links_are_tags():
    rows = "".join(
        f"<li><h3><a href=/{n}>{w} it</a></h3><p>{f' <a href=/t{n}>{w}</a>' * (1 + n % 3)}</p></li>"
        for n, w in enumerate("amber birch coral delta ember fjord".split())
    )
    assert names(rows) == ["title", "tags"]


def test_a_header_names_the_fullest_column_below_it_and_the_others_go_by_what_they_hold():
    head = "<tr><th>Forum<th>Posts</tr>"
    rows = "".join(
        f"<tr><td><b>Topic {word}</b><i>a long story of {word}, told again and again by them all"
        f"</i></td><td>{n}</td></tr>"
        for n, word in enumerate("amber birch coral delta".split())
    )
    table = tl.extract(tl.parse(f"<table>{head}{rows}</table>"))[0]
    assert [column.name for column in table.columns] == ["Forum", "description", "Posts"]


def test_a_first_row_of_words_above_numbers_is_a_header():
    rows = "".join(f"<tr><td>{w}<td>{n}<td>{n}5</tr>" for n, w in enumerate("abcdefgh", 3))
    page = tl.parse(f"<table><tr><td>Team<td>Won<td>Lost</tr>{rows}</table>")
    assert [column.name for column in tl.extract(page)[0].columns] == ["Team", "Won", "Lost"]


def test_labels_and_values_in_one_cell_are_a_column_each():
    row = "<td><b>Case:</b> {W} v. {w}<br><b>Argued:</b> {n} May 2026<br><b>Court:</b> {w}"
    rows = rows_of(row).replace("li>", "tr>")
    table = tl.extract(tl.parse(f"<table>{rows}</table>"))[0]
    assert [column.name for column in table.columns] == ["Case", "Argued", "Court"]
    assert table.columns[1].type == "date"
    assert table.rows[0] == ["Case: Amber v. amber", "Argued: 1 May 2026", "Court: amber"]


def test_the_name_of_an_author_is_the_author():
    person = (
        "<span itemprop=author><a itemprop=url href=/{n}><b itemprop=name>{w} {w}</b></a></span>"
    )
    assert names(rows_of("<h3 itemprop=name>{W}</h3>" + person)) == ["name", "author"]


@pytest.mark.parametrize(
    ("word", "text", "wanted"),
    [
        ("pageId-7", "{W} street", False),
        ("pageId-7", "AB-10{n}", True),
        ("month-weekday", "{n} o'clock in {w}", False),
        ("month-weekday", "{W}", False),
    ],
)
def test_a_class_names_only_values_that_can_be_what_it_says(word, text, wanted):
    meant = "code" if word.startswith("page") else "weekday"
    named = names(rows_of(f"<h3><a href=/{{n}}>{{W}} thing</a></h3><p class={word}>{text}</p>"))
    assert (meant in named) is wanted


def test_there_are_no_more_than_seven_weekdays():
    days = "Mon Tue Wed Thu Fri Sat Sun Mon Tue".split()
    rows = [f"<h3>thing {n}</h3><p class=month-weekday>{day}</p>" for n, day in enumerate(days)]
    assert names("".join(f"<li>{row}</li>" for row in rows)) == ["title", "weekday"]


def test_things_that_are_weighed_are_no_weights():
    weighed = rows_of("<h3>{W} thing</h3><p>{n}00 g {w}</p>")
    assert "weight" not in names(weighed)
    assert "weight" in names(rows_of("<h3>{W} thing</h3><p>{n}00 g</p>"))


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ("<ul class=recipe-ingredients><li>{}</li></ul>", "ingredient"),
        ("<div class=wprm-recipe-steps><ol><li>{}</li></ol></div>", "step"),
        ("<ul class=recipe-ingredients><li><a href=/x>{}</a></li></ul>", "title"),
        ("<section class=steps><div><div><ul><li>{}</li></ul></div></div></section>", "title"),
        ("<ul class=cards><li>{}</li></ul>", "title"),
    ],
)
def test_texts_are_called_what_the_class_of_their_list_says(row, wanted):
    before, item, after = row.partition(row[row.index("<li>") : row.index("</li>") + 5])
    texts = ["Flour of wheat", "Sugar, white", "An egg", "Milk to taste"]
    page = f"{before}{''.join(item.format(text) for text in texts)}{after}"
    assert [column.name for column in tl.extract(tl.parse(page))[0].columns] == [wanted]


@pytest.mark.parametrize(
    ("months", "are_months"),
    [("Apr. May Jun JUL", True), ("April May June July", True), ("Apr May June Tea", False)],
)
def test_names_of_months_are_months(months, are_months):
    rows = [f"<h3>thing {word}</h3><p class=date>{word}</p>" for word in months.split()]
    named = names("".join(f"<li>{row}</li>" for row in rows))
    assert ("month" in named) is are_months


def test_only_a_short_text_is_a_quantity():
    short = rows_of("<h3>{W} thing</h3><p class=quantity>about {n}</p>")
    assert names(short) == ["title", "quantity"]
    long = rows_of("<h3>{W} thing</h3><p class=quantity>about {n} of the best {w}</p>")
    assert "quantity" not in names(long)


def test_the_parts_of_an_ingredient_are_called_what_their_classes_say():
    part = "<span class=wprm-recipe-ingredient-{}>{}</span> "
    rows = "".join(
        f"<li>{part.format('amount', n)}{part.format('unit', unit)}{part.format('name', name)}</li>"
        for n, unit, name in [("1", "cup", "flour"), ("½", "cup", "milk"), ("2", "tsp", "salt")]
    )
    assert names(rows) == ["ingredient", "quantity", "unit"]
