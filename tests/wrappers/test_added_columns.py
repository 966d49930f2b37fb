"""Wrappers keep what stands in no text of a record: the heading above it, the stars it has."""

from __future__ import annotations

import pytest

import treelace as tl
from treelace import Wrapper

TALKS = (
    "Amber Birch Cedar Dune Elm Fern Grove Heath Iris Juniper Kelp Larch Myrtle Nettle Oak Pine"
    " Quince Rowan"
).split()
DAYS = ("Monday", "Tuesday", "Wednesday")


def talk(name: str, stars: int | None, tag: str = "li") -> str:
    drawn = "" if stars is None else f"<span class='stars rating-{stars}'></span>"
    return (
        f"<{tag} class=talk><a href=/talks/{name.lower()}><b>The {name} talk</b></a>"
        f"<span class=speaker>{name} Smith</span><span class=room>Room {len(name)}</span>{drawn}"
        f"</{tag}>"
    )


def programme(days: dict[str, list[tuple[str, int | None]]], tag: str = "li") -> tl.Tree:
    parts = "".join(
        f"<h3 class=day>{day}</h3>" + "".join(talk(*one, tag) for one in talks)
        for day, talks in days.items()
    )
    return tl.parse(f"<body><h1>Programme</h1><div class=talks>{parts}</div></body>")


@pytest.fixture(scope="module")
def pages() -> list[tl.Tree]:
    return [
        programme(
            {
                day: [(name, 1 + (len(name) + at) % 5) for name in TALKS[at * 3 : at * 3 + 3]]
                for at, day in enumerate(DAYS, start=start)
            }
        )
        for start in (0, 3)
    ]


def read(wrapper: Wrapper, page: tl.Tree) -> list[tuple[object, object]]:
    table = wrapper.apply(page, force=True)[0]
    names = [column.name for column in table.columns]
    return [
        (row[names.index("group")], row[names.index("rating")])
        for row in ([cell and cell.text for cell in cells] for cells in table.cells)
    ]


def test_the_heading_above_a_record_and_its_stars_are_read(pages):
    for some in (pages[:1], pages):
        wrapper = Wrapper.from_json(Wrapper.learn(some, kind="list").to_json())
        found = read(wrapper, pages[0])
        assert [group for group, _ in found] == [day for day in DAYS for _ in range(3)]
        assert [stars for _, stars in found] == [
            f"{1 + (len(name) + at // 3) % 5}/5" for at, name in enumerate(TALKS[:9])
        ]


def test_a_page_of_one_group_and_of_one_record_is_read_alike(pages):
    wrapper = Wrapper.learn(pages, kind="list")
    lone = programme({"Sunday": [("Moss", 4)]})
    assert read(wrapper, lone) == [("Sunday", "4/5")]
    without = programme({"Sunday": [("Moss", None), ("Oak", 2)]})
    assert read(wrapper, without) == [("Sunday", None), ("Sunday", "2/5")]


def test_a_repair_finds_them_again_and_names_what_it_does_not(pages):
    wrapper = Wrapper.learn(pages, kind="list")
    days = {
        day: [(name, 3 + at % 3) for name in TALKS[at * 3 : at * 3 + 3]]
        for at, day in enumerate(DAYS)
    }
    old, new = programme(days), programme(days, "article")
    repaired = wrapper.repair(old, new)
    assert {"group", "rating"} <= set(repaired.restored)
    assert repaired.wrapper is not None
    assert read(repaired.wrapper, new) == read(wrapper, old)
    plain = programme({"All": [(name, None) for name in TALKS[:9]]}, "article")
    again = wrapper.repair(programme({"All": [(name, 2) for name in TALKS[:9]]}), plain)
    assert {"group", "rating"} <= set(again.left_out)
