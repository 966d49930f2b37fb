"""What is no news in a change of texts: each kind of noise beside the news that looks like it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from treelace import parse
from treelace.classes.pages import Fetched
from treelace.monitor.noise import ColumnChanges, masked_numbers, news_of
from treelace.monitor.rules import Rule, of_selection
from treelace.monitor.selection import selected
from treelace.site import Site

PARAGRAPH = (
    "We keep what you tell us for as long as the law asks us to, and not a day longer than that;"
    " write to us and we delete it."
)


def reasons(old: list[str], new: list[str], *earlier: list[str], **more) -> list[str] | None:
    news = news_of(old, new, earlier, **more)
    return None if news.come or news.gone else news.reasons


@pytest.mark.parametrize(
    ("old", "new", "earlier", "wanted"),
    [
        (["a", "b"], ["b", "a"], (), ["the order"]),
        (["What is it? #"], ["What is it?"], (), ["signs, spaces or the order"]),
        (["Rue 65-67"], ["Rue 65–67"], (), ["signs, spaces or the order"]),
        (["a"], ["a", "–"], (), ["signs, spaces or the order"]),
        (["3 hours ago"], ["yesterday, 17:08"], (), ["times and ages"]),
        (["vor 22 Stunden"], ["Freitag, 04:24"], (), ["times and ages"]),
        (["Version: 01/31/2023"], ["Version: 17/10/2023"], (), None),
        (["18 March 2026"], ["19 March 2026"], (), None),
        (["© 2024 Tea Ltd"], ["© 2025 Tea Ltd"], (), ["the year of the copyright"]),
        (["2024"], ["2025"], (), ["the year of the copyright"]),
        (["2024"], ["1980"], (), None),
        (["€24"], ["€22"], (), None),
        (
            ["Visitors", "7"],
            ["Visitors", "9"],
            (["Visitors", "5"], ["Visitors", "4"]),
            ["numbers that change at most looks"],
        ),
        (["Price", "7"], ["Price", "9"], (["Price", "7"], ["Price", "7"]), None),
        (
            ["Price", "7", "Visitors", "4"],
            ["Price", "6", "Visitors", "5"],
            (["Price", "7", "Visitors", "3"], ["Price", "7", "Visitors", "1"]),
            None,
        ),
        (
            ["Buy!"],
            ["Hurry!"],
            (["Hurry!"], ["Buy!"]),
            ["texts that were there before and take turns"],
        ),
        (["Buy!"], ["Hurry!"], (["Buy!"], ["Buy!"]), None),
        (["Tea"], ["Tea", PARAGRAPH], (["Tea", PARAGRAPH],), None),
        (["Tea", "Offer"], ["Tea"], (["Tea"], ["Tea", "Offer"]), None),
        (
            ["Show of May 1", "with a frog"],
            ["Show of May 8", "with a crane"],
            (["Show of April 24", "with an owl"], ["Show of April 17", "with tar"]),
            None,
        ),
    ],
)
def test_noise_and_the_news_that_looks_like_it(old, new, earlier, wanted):
    assert reasons(old, new, *earlier) == wanted


def test_the_frame_of_a_page_is_no_news_unless_it_was_asked_for():
    old = parse("<nav><a>Home</a></nav><main><p>Tea<p>Milk<p>Jam</main>")
    new = parse("<nav><a>Home</a><a>Shop</a></nav><main><p>Tea<p>Milk<p>Jam</main>")
    texts, menu = "xpath://body//text()", "nav a"

    def said(select: str) -> list[str]:
        return [
            found.suppressed
            for found in of_selection(Rule(page="u", select=select, when="changes"), old, new)
        ]

    assert said(texts) == ["only menus, forms or the foot of the page changed"]
    assert said(menu) == [""]


def test_scripts_are_not_seen_unless_they_are_what_is_selected():
    page = parse(
        "<body><p>Tea<script>var a = 1</script> and milk<style>p {}</style></p><script>var b ="
        " 2</script>"
    )
    assert [one.text for one in selected(page, "p")] == ["Tea and milk"]
    assert [one.text for one in selected(page, "xpath://body//text()")] == ["Tea", "and milk"]
    assert [one.text for one in selected(page, "body > script")] == ["var b = 2"]


def test_the_alert_names_what_is_news():
    old, new = parse("<ul><li>Tea<li>7 visits"), parse("<ul><li>Tea<li>9 visits<li>Jam<li>Milk")
    (found,) = of_selection(
        Rule(page="u", select="li", when="changes"),
        old,
        new,
        earlier=lambda: [parse(f"<ul><li>Tea<li>{count} visits") for count in (5, 3)],
    )
    assert found.why == "li: new: Jam, Milk" and not found.suppressed


def test_numbers_are_masked_with_the_ends_of_the_words_they_count():
    assert masked_numbers("1 Kommentar") != masked_numbers("1 Stunde") and masked_numbers(
        "1 Stunde"
    ) == masked_numbers("12 Stunden")


# columns


def test_a_column_that_changes_in_nearly_every_record_is_noise_but_a_price_is_none():
    changes = ColumnChanges()
    for number in range(10):
        old = {"visits": 1, "price": 3.0, "price currency": "€", "stock": 5}
        new = old | {"visits": 2 + number, "price": 2.5, "stock": 5 - (number == 0)}
        changes.add("item", 1, [(old, new)] if number < 8 else [])
    assert changes.noise("item") == {"visits"}
    changes.add("item", 1, [])
    assert changes.noise("item") == set(), "eight of eleven"


def test_two_records_are_too_few_to_call_a_column_noise():
    changes = ColumnChanges()
    for _ in range(2):
        changes.add("item", 1, [({"a": 0, "stock": 1}, {"a": 0, "stock": 2})])
    assert changes.noise("item") == set()
    changes.add("item", 1, [({"a": 0, "stock": 1}, {"a": 0, "stock": 2})])
    assert changes.noise("item") == {"stock"}


def test_pages_that_all_show_another_record_are_news():
    changes = ColumnChanges()
    for n in range(9):
        old, new = {"title": f"a{n}", "city": f"b{n}"}, {"title": f"c{n}", "city": f"d{n}"}
        changes.add("job", 1, [(old, new)])
    assert changes.noise("job") == set()


def test_a_counter_on_every_page_is_not_told_on_the_second_day(tmp_path):
    def pages(day: int) -> list[Fetched]:
        made = []
        for number, word in enumerate(("amber", "birch", "cedar", "dune", "elm", "fern")):
            price = 2 + number - (day > 0 and number == 2)
            body = (
                f"<title>{word} lamp</title><body><div class=lamp><h1>{word} lamp</h1>"
                f"<p class=price>{price}.50 €</p><p>of {word}, by hand</p>"
                f"<p class=look>{(number + 1) * (day + 3)}</p></div></body>"
            )
            made.append(
                Fetched(
                    f"https://lamps.example/lamp/{word}",
                    datetime(2026, 3, 1 + day, tzinfo=UTC),
                    200,
                    body.encode(),
                    "text/html",
                )
            )
        return made

    with Site.create(tmp_path / "lamps", "https://lamps.example/") as site:
        site.replay(pages(0), auto_accept=True)
        kind = site.records()[0].name
        site.subscribe("any", records=kind, when="changed")
        site.replay(pages(1))
        told = [alert.why for alert in site.alerts()]
    assert len(told) == 1, told
    assert "4.50" in told[0] or "3.5" in told[0]
