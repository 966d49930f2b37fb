"""Lists and details are told apart by agreement over the pages of a class."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import treelace as tl
from treelace import Wrapper
from treelace.classes.record_keys import record_key
from treelace.wrappers.apply.health import page_trouble
from treelace.wrappers.learn.shared_list import shared_list

MONTHS = "".join(f"<li><a href=/2026/{month:02}/>Month {month}</a>" for month in range(1, 13))
FRAME = f"<nav><a href=/>Home</a> <a href=/cart>Cart</a></nav><aside><ul>{MONTHS}</ul></aside>"
WORDS = (
    "amber birch cedar dune elm fern grove heath iris juniper kelp larch moss nettle oak".split()
)


def card(word: str, *, sale: bool = False) -> str:
    price = (
        f"<del>{len(word)}9.00 €</del> <b>{len(word)}4.50 €</b>" if sale else f"{len(word)}.20 €"
    )
    return (
        f"<li class=card><a href=/p/{word}/><img src=/i/{word}.jpg></a>"
        f"<h3><a href=/p/{word}/>The {word} lamp</a></h3><p class=price>{price}</p></li>"
    )


def category(name: str, words: Sequence[str], *, sale: Sequence[str] = ()) -> tl.Tree:
    cards = "".join(card(word, sale=word in sale) for word in words)
    return tl.parse(f"<body>{FRAME}<main><h1>{name}</h1><ul class=cards>{cards}</ul></main></body>")


def product(word: str, related: Sequence[str]) -> tl.Tree:
    strip = "".join(map(card, related))
    return tl.parse(
        f"<body>{FRAME}<main><h1>The {word} lamp</h1><p class=price>{len(word)}.20 €</p>"
        f"<p class=text>Made of {word} by hand, each {word} lamp is another one.</p>"
        f"<section class=related><h2>You may like</h2><ul class=cards>{strip}</ul></section>"
    )


def test_a_cart_an_empty_category_and_one_row_do_not_turn_a_class_of_lists():
    pages = [
        category("Wood", WORDS[:6]),
        category("Sea", WORDS[6:12]),
        category("Odd", WORDS[12:13]),
        category("Nothing", []),
        tl.parse(f"<body>{FRAME}<main><h1>Your cart</h1><p>It is empty.</p></main>"),
        category("More", WORDS[9:15]),
    ]
    wrapper = Wrapper.learn(pages)
    assert wrapper.regions[0].kind == "list"
    assert [len(wrapper.apply(page, force=True)[0].cells) for page in pages] == [6, 6, 1, 0, 0, 6]


def test_product_pages_with_a_strip_are_one_record_each():
    urls = [f"https://shop.example/p/{word}/" for word in WORDS[:8]]
    pages = [product(word, [w for w in WORDS[:8] if w != word][:5]) for word in WORDS[:8]]
    assert shared_list(pages, urls, urls) is None
    assert Wrapper.learn(pages, urls=urls).regions[0].kind == "page"


def test_the_months_of_the_sidebar_are_not_the_list():
    pages = [category("Wood", WORDS[:2]), category("Sea", WORDS[2:5]), category("Odd", WORDS[5:7])]
    found = shared_list(pages)
    assert found is not None
    assert [len(records) for records in found.records] == [2, 3, 2]


@pytest.mark.parametrize(("is_cut", "kind"), [(True, "list"), (False, "page")])
def test_rows_without_links_are_a_list_where_it_is_cut_into_pages(is_cut: bool, kind: str):
    def jobs(names: Sequence[str]) -> tl.Tree:
        rows = "".join(
            f"<div class=job><h3>{name} keeper</h3><p>at {name}</p><p>{len(name)} 000 €</p></div>"
            for name in names
        )
        text = f"All about keepers of {names[0]}, for those who look for something to keep."
        return tl.parse(f"<body>{FRAME}<h1>Jobs at {names[1]}</h1><p>{text}</p><div>{rows}</div>")

    pages = [jobs([f"{word}{at}" for word in WORDS[at : at + 9]]) for at in (0, 3, 6)]
    urls = [f"https://a.example/jobs/{'page/' if is_cut else 'of-'}{at}/" for at in (1, 2, 3)]
    assert Wrapper.learn(pages, urls=urls).regions[0].kind == kind


def test_a_column_is_learnt_that_only_another_page_has():
    pages = [
        category("Wood", WORDS[:7]),
        category("Sale", WORDS[7:12], sale=WORDS[7:12]),
        category("More", WORDS[10:14]),
    ]
    rows = Wrapper.learn(pages).apply(pages[1])[0].rows
    assert all(any("4.50 €" in (cell or "") for cell in row) for row in rows)
    assert all(any("9.00 €" in (cell or "") for cell in row) for row in rows)


def test_the_head_of_a_table_is_no_record():
    def table(words: Sequence[str]) -> tl.Tree:
        rows = "".join(
            f"<tr class=item><td><a href=/p/{w}>{w} pot</a><td>{len(w)} l<td>{len(w)}.10 €"
            for w in words
        )
        head = "<tr class='item head'><th>Pot<th>Volume<th>Price"
        return tl.parse(f"<body>{FRAME}<table>{head}{rows}</table></body>")

    pages = [table(WORDS[:5]), table(WORDS[5:9]), table(WORDS[9:15])]
    wrapper = Wrapper.learn(pages)
    assert [len(wrapper.apply(page)[0].cells) for page in pages] == [5, 4, 6]


def test_a_fresh_wrapper_refuses_none_of_its_pages():
    def posts(words: Sequence[str], when: str) -> tl.Tree:
        rows = "".join(
            f"<article><h2><a href=/{w}/>On {w}</a></h2><time>{when.format(n)}</time></article>"
            for n, w in enumerate(words, 1)
        )
        return tl.parse(f"<body>{FRAME}{rows}</body>")

    pages = [
        posts(WORDS[:5], "2026-03-0{}"),
        posts(WORDS[5:9], "in week {}"),
        posts(WORDS[9:13], "2026-04-0{}"),
    ]
    wrapper = Wrapper.learn(pages)
    for page in pages:
        table = wrapper.apply(page)[0]
        assert page_trouble(table, wrapper.regions[0]) == ""
        assert len(table.cells) >= 4


def test_records_without_links_are_known_by_the_names_that_tell_them_apart():
    def jobs(at: int) -> tl.Tree:
        rows = "".join(
            f"<div class=job><h3>{word} keeper</h3><p>City of {city}</p><p>{at}{n} 000 €</p></div>"
            for n, (word, city) in enumerate((w, c) for w in WORDS[:4] for c in WORDS[at : at + 3])
        )
        return tl.parse(f"<body>{FRAME}<h1>Jobs</h1><div>{rows}</div>")

    pages = [jobs(at) for at in (0, 3, 6)]
    wrapper = Wrapper.learn(pages, urls=[f"https://a.example/jobs/page/{n}/" for n in range(3)])
    key = record_key(wrapper, pages)
    names = [column.name for column in wrapper.regions[0].columns]
    assert len(key) == 2
    row = wrapper.apply(pages[0])[0].rows[0]
    assert {row[names.index(name)] for name in key} == {"amber keeper", "City of amber"}


def archive(words: Sequence[str], *, crumb: str = "") -> tl.Tree:
    """Titles with days, as archives have them, after a box of the frame in the same markup."""
    box = f"<div class=card><nav><a href=/{crumb}/>{crumb}</a></nav></div>" if crumb else ""
    rows = "".join(
        f"<div class=card><article><time>03-{len(word)}</time><a href=/p/{word}/>The {word}</a>"
        "</article></div>"
        for word in words
    )
    return tl.parse(f"<body>{FRAME}<main><div class=column>{box}{rows}</div></main></body>")


def test_rows_that_are_all_their_pages_say_are_a_list():
    pages = [
        archive(WORDS[:8]),
        archive(WORDS[8:11]),
        archive(WORDS[2:8], crumb="april"),
        archive(WORDS[4:8]),
        archive(WORDS[11:13]),
    ]
    wrapper = Wrapper.learn(pages)
    assert wrapper.regions[0].kind == "list"
    assert [len(wrapper.apply(page, force=True)[0].cells) for page in pages] == [8, 3, 6, 4, 2]


def test_a_thing_told_in_two_parts_is_no_list():
    parts = (
        "<section><h2>About {0}</h2><p>{0} is old. <a href=/a/{0}>More</a></p></section>"
        "<section><h2>Care for {0}</h2><p>{0} is dry. <a href=/c/{0}>More</a></p></section>"
    )
    pages = [tl.parse(f"<body>{FRAME}<main>{parts.format(word)}</main></body>") for word in WORDS]
    assert Wrapper.learn(pages).regions[0].kind == "page"


def test_a_date_that_stands_beside_the_text_of_a_post_is_a_column():
    """Posts in full, code and all, each with its date before the box of its text."""

    def post(at: int, word: str) -> str:
        code = "".join(f"<div class=line>let {word}{line} = {line};</div>" for line in range(at))
        return (
            f"<article><div class=meta><a href=/post/{word}/><time>2026-03-{at + 10}</time></a>"
            f"</div><div class=inner><h2><a href=/post/{word}/>On the {word}</a></h2>"
            f"<div class=entry><p>Some words on the {word} that only this post has, and more.</p>"
            f"<pre>{code}</pre><p>More words on {word}.</p></div></div></article>"
        )

    pages = [
        tl.parse(
            f"<body>{FRAME}<main>"
            + "".join(post(at, word) for at, word in enumerate(WORDS[start : start + 5]))
            + "</main></body>"
        )
        for start in (0, 5, 10)
    ]
    urls = [f"https://a.example/page/{number}/" for number in range(3)]
    found = shared_list(pages, urls)
    assert found is not None
    assert {pages[0].local_name(node) for node in found.records[0]} == {"article"}
    table = Wrapper.learn(pages, urls=urls).apply(pages[0])[0]
    at = [column.type for column in table.columns].index("date")
    assert [row[at] for row in table.rows] == [f"2026-03-{10 + it}" for it in range(5)]


def pots(word: str, fields: Sequence[str], count: int) -> tl.Tree:
    heads = "".join(f"<th>{field}</th>" for field in ("Pot", *fields))
    rows = "".join(
        f"<tr class=pot><td class=pot-name><a href=/pot/{word}-{at}>Pot {word} {at}</a></td>"
        + "".join(f"<td class=pot-{field.lower()}>{ord(field[0])}{at} cm</td>" for field in fields)
        + "</tr>"
        for at in range(count)
    )
    return tl.parse(f"<body>{FRAME}<h1>{word}</h1><table><tr>{heads}</tr>{rows}</table></body>")


def test_fields_that_some_rows_lack_stand_in_the_columns_of_their_classes():
    every = ("Diameter", "Height", "Length", "Width")
    kinds = (every[:2], every[1:], every, every[1:2])
    pages = [pots(word, kinds[at % 4], 3 + at % 3) for at, word in enumerate(WORDS[:10])]
    wrapper = Wrapper.learn(pages, urls=[f"https://a.example/{word}/" for word in WORDS[:10]])
    columns = {field: set[int]() for field in every}
    for at, page in enumerate(pages):
        for number, row in enumerate(wrapper.apply(page, force=True)[0].rows):
            for field in kinds[at % 4]:
                columns[field].add(row.index(f"{ord(field[0])}{number} cm"))
    assert all(len(some) == 1 for some in columns.values())
    assert len(set.union(*columns.values())) == len(every)


def pot_table(kind: str, heads: Sequence[str], count: int) -> tl.Tree:
    """A list of pots in a table; of each kind other things are said, and not of every pot."""
    head = "".join(f"<th>{name}</th>" for name in heads)
    rows = ""
    for number in range(count):
        cells = "".join(
            f"<td>{value_of(kind, name, number) if (number + len(name)) % 5 else ''}</td>"
            for name in heads[1:]
        )
        rows += (
            f"<tr class=pot><td><a href=/pots/{kind}{number}>{kind} {number}</a></td>{cells}</tr>"
        )
    return tl.parse(
        f"<html><body><h1>All {kind} pots</h1><table class=pots><tr class=pot>{head}</tr>{rows}"
        "</table></body></html>"
    )


def value_of(kind: str, name: str, number: int) -> str:
    return f"{len(kind) + len(name) * 3 + number} cm"


def test_the_head_of_a_table_says_what_a_cell_is_where_columns_differ_from_page_to_page():
    kinds = {
        "round": ("Pot", "Height", "Diameter"),
        "square": ("Pot", "Length", "Width", "Height"),
        "long": ("Pot", "Width", "Length"),
        "deep": ("Pot", "Diameter", "Depth", "Height"),
    }
    pages = [pot_table(kind, heads, 8) for kind, heads in kinds.items()]
    urls = [f"https://a.example/lists/{kind}" for kind in kinds]
    wrapper = Wrapper.from_json(Wrapper.learn(pages, urls=urls, members=urls).to_json())
    for page, (kind, heads) in zip(pages, kinds.items(), strict=True):
        (table,) = wrapper.apply(page, force=True)
        assert len(table.rows) == 8  # and the head of the table is no record
        for number, row in enumerate(table.rows):
            said = dict(zip((column.name for column in table.columns), row, strict=True))
            for name in ("Height", "Diameter", "Length", "Width", "Depth"):
                is_said = name in heads and (number + len(name)) % 5
                assert said[name] == (value_of(kind, name, number) if is_said else None)
