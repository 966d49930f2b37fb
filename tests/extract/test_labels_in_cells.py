"""Labels at the start of the texts of a list name their column, and are no part of its values."""

from __future__ import annotations

import treelace as tl
from treelace.extract.outputs import flatten

PEOPLE = ("Bob Lindner", "Ann Orchard", "Cleo Marsh", "Ann Orchard")


def flat(rows: str) -> dict[str, tuple[object, ...]]:
    tables = tl.extract(tl.parse(f"<html><body><main>{rows}</main></body></html>"))
    return {column.name: column.values for column in flatten(tables[:1])}


def test_the_name_of_a_column_is_no_part_of_its_values():
    rows = "".join(
        f"<article><h2><a href=/{at}>The tea of day {at} and its story</a></h2>"
        f"<p>Author: {name}</p><p>A long text about tea number {at}, and what {name} says of it."
        "</p></article>"
        for at, name in enumerate(PEOPLE)
    )
    assert flat(rows)["Author"] == PEOPLE


def test_a_text_that_only_begins_like_its_column_stays_as_it_is():
    rows = "".join(
        f"<tr><td>Tea {at}</td><td>Author {name}</td><td>{at}:30</td></tr>"
        for at, name in enumerate(PEOPLE)
    )
    head = "<thead><tr><th>Title</th><th>Author</th><th>Time</th></tr></thead>"
    found = flat(f"<table>{head}<tbody>{rows}</tbody></table>")
    assert found["Author"] == tuple(f"Author {name}" for name in PEOPLE)
