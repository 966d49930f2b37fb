"""Pages of one record each that have more in a list than in their own fields."""

from __future__ import annotations

import pytest

from treelace import Tree, parse
from treelace.wrappers import Wrapper

FILMS = [
    ("The Ferry", "Drama", "Ilse Brandt", "Harbour Films", "Tin Lantern"),
    ("Salt Road", "Documentary", "Omar Nasri", "Two Rivers", "North Light"),
    ("Night Orchard", "Comedy", "Lena Voss", "Paper Boat", "Harbour Films"),
    ("A Winter Letter", "Thriller", "Paul Achebe", "Old Mill", "Quiet House"),
    ("Copper Bells", "Western", "Rosa Lind", "Tin Lantern", "Old Mill"),
]
LABELS = ("Genre:", "Directed by:", "Distributor:", "Studio:")


def film(number: int, labels: int) -> Tree:
    """A film with a few facts, and nine critics who each have a link and something to say."""
    name, *facts = FILMS[number]
    shown = "".join(
        f"<p><b>{label}</b> <span>{fact}</span></p>"
        for label, fact in list(zip(LABELS, facts, strict=True))[:labels]
    )
    critics = "".join(
        f"<div class=critic><a href=/critic/{number}-{one}>Critic {number * 31 + one}</a>"
        f"<p>A sentence, number {one}, about film {number}: seen at {number + one}.</p></div>"
        for one in range(1, 10)
    )
    return parse(f"<h1>{name}</h1><div>{shown}</div><h2>Critics</h2><div>{critics}</div>")


@pytest.mark.parametrize(("labels", "kind"), [(4, "page"), (2, "list")])
def test_a_page_with_labelled_facts_is_one_record_however_long_its_list(labels: int, kind: str):
    pages = [film(number, labels) for number in range(len(FILMS))]
    first = Wrapper.learn(pages).regions[0]
    assert (first.kind == "page") == (kind == "page")


def test_the_facts_beside_a_long_list_are_columns():
    pages = [film(number, 4) for number in range(len(FILMS))]
    wrapper = Wrapper.learn(pages)
    row = wrapper.apply(pages[3])[0].rows[0]
    assert set(FILMS[3]) <= set(row)


def test_a_person_who_says_that_it_is_a_list_gets_the_list():
    pages = [film(number, 4) for number in range(len(FILMS))]
    wrapper = Wrapper.learn(pages, kind="list")
    assert [len(wrapper.apply(page)[0].rows) for page in pages] == [9] * len(pages)


def diner(number: int) -> Tree:
    """A page of the old school: four tables below each other, each with its own labels."""
    street, town = 100 + 37 * number, ("Lowick", "Marton", "Ashby", "Penton", "Holm")[number]
    name = FILMS[number][0]
    return parse(
        "<table><tr><td><a href=/a>By city</a><a href=/b>By kitchen</a>"
        f"<a href=/from/{number}>Back</a></td></tr></table>"
        f"<table><tr><td><a href=/d/{number}>{name} Diner in {town}</a></td></tr></table>"
        f"<table><tr><td>Phone: </td><td>01 {street} {number}7</td></tr><tr><td>Address:</td>"
        f"<td>{street} Mill Street</td><td><a href=/map/{number}>{town}</a></td></tr></table>"
        f"<table><tr><td>Menu:</td><td><a href=/menu/{number}>{name} card</a></td></tr></table>"
    )


def test_the_tables_of_a_layout_are_no_records():
    pages = [diner(number) for number in range(5)]
    wrapper = Wrapper.learn(pages)
    assert wrapper.regions[0].kind == "page"
    assert "285 Mill Street" not in wrapper.apply(pages[4])[0].rows[0]
    assert "248 Mill Street" in wrapper.apply(pages[4])[0].rows[0]
