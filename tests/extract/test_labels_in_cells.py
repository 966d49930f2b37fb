"""Labels at the start of the texts of a list name their column, and are no part of its values."""

from __future__ import annotations

import treelace as tl
from treelace.extract.outputs import flatten, marked_page

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


CASES = "".join(
    f"<article><h2><a href=/{at}>{name} against the town of tea</a></h2>"
    f"<p>Docket #: 25-86{at}-cv</p><p>Argued: {at + 1} May 2026</p></article>"
    for at, name in enumerate(PEOPLE)
)


def test_no_output_for_people_repeats_the_name_of_a_column_in_its_cells():
    page = tl.parse(f"<html><body><main>{CASES}</main></body></html>")
    table = tl.extract(page)[0]
    assert [column.name for column in table.columns] == ["title", "Docket #", "Argued"]
    listed = marked_page(page, [table]).partition("<iframe")[0]
    notebook = table._repr_html_().partition("<iframe")[0]
    for shown in (table.fitted(200), str(table), listed, notebook):
        assert "25-860-cv" in shown and "1 May 2026" in shown
        assert "Docket #:" not in shown and "Argued:" not in shown
    assert table.rows[0][1] == "Docket #: 25-860-cv"


def test_an_example_is_a_value_with_its_label_or_without():
    table = tl.extract(f"<html><body><main>{CASES}</main></body></html>")[0]
    for value in ("25-861-cv", "Docket #: 25-861-cv"):
        found = table.named_by({"case": value})
        assert found is not None and found.columns[0].name == "case"
    assert table.named_by({"case": "25-86"}) is None


def test_a_comma_between_two_values_belongs_to_neither():
    cases = [f"SCBD-76{at}" for at in range(4)]
    rows = "".join(
        f"<p><a href=/{at}>{name} against the town</a><span>, {case}</span></p>"
        for at, (name, case) in enumerate(zip(PEOPLE, cases, strict=True))
    )
    assert tuple(cases) in flat(rows).values()
    table = tl.extract(f"<html><body><main>{rows}</main></body></html>")[0]
    assert ", SCBD" not in str(table) and ", SCBD-760" in table.rows[0]
