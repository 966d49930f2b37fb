"""Records that are built unlike the others, known from a repair."""

from __future__ import annotations

import pytest

from treelace import Table, Tree, WrapperError, parse
from treelace.wrappers import Wrapper

NAMES = "amber birch cedar dune elm fern grove heath iris juniper kelp larch".split()


def old_page() -> Tree:
    rows = "".join(
        f"<li class=item><h3>The {name} lamp</h3> <b class=price>{at}4.10 €</b>"
        f"<p>Made of {name} wood by hand</p></li>"
        for at, name in enumerate(NAMES, 1)
    )
    return parse(f"<body><ul>{rows}</ul></body>")


def rows_of_the_new_page(names: list[str]) -> list[str]:
    return [
        f"<article class=q7><h2>The {name} lamp</h2> <em class=c1>{at}9.80 €</em>"
        f"<div class=z>Made of {name} wood by hand</div></article>"
        for at, name in enumerate(names, 1)
    ]


def page(rows: list[str]) -> Tree:
    return parse(f"<body><section class=b3>{''.join(rows)}</section></body>")


def without_its_element(rows: list[str]) -> list[str]:
    """One record in other elements, and without the one around them."""
    name = NAMES[7]
    lost = f"<u>The {name} lamp</u><tt><i>89.80 €</i></tt><pre>Made of {name} wood by hand</pre>"
    return [*rows[:7], lost, *rows[8:]]


def shown(table: Table) -> list[list[str]]:
    return [sorted(filter(None, row)) for row in table.rows]


def test_the_wrapper_reads_an_odd_record_as_the_repair_did():
    new = page(without_its_element(rows_of_the_new_page(NAMES)))
    repair = Wrapper.learn([old_page()]).repair(old_page(), new)
    assert repair.wrapper is not None and repair.table is not None
    assert len(repair.table) == len(NAMES)
    assert shown(repair.wrapper.apply(new, force=True)[0]) == shown(repair.table)
    assert len(repair.wrapper.regions[0].odd) == 1
    again = Wrapper.from_json(repair.wrapper.to_json())
    assert shown(again.apply(new, force=True)[0]) == shown(repair.table)


def test_what_is_known_of_an_odd_record_changes_no_other():
    new = page(without_its_element(rows_of_the_new_page(NAMES)))
    repair = Wrapper.learn([old_page()]).repair(old_page(), new)
    assert repair.wrapper is not None
    names = "moss nettle oak pine".split()
    table = repair.wrapper.apply(page(rows_of_the_new_page(names)), force=True)[0]
    assert shown(table) == [
        sorted((f"The {name} lamp", f"{at}9.80 €", f"Made of {name} wood by hand"))
        for at, name in enumerate(names, 1)
    ]


def test_a_page_without_odd_records_leaves_none_behind():
    repair = Wrapper.learn([old_page()]).repair(old_page(), page(rows_of_the_new_page(NAMES)))
    assert repair.wrapper is not None
    assert not repair.wrapper.regions[0].odd


def test_a_place_of_an_odd_record_names_a_column_that_there_is():
    new = page(without_its_element(rows_of_the_new_page(NAMES)))
    repair = Wrapper.learn([old_page()]).repair(old_page(), new)
    assert repair.wrapper is not None
    text = repair.wrapper.to_json()
    at = text.index('"odd"')
    wrong = text[:at] + text[at:].replace(': "title"', ': "nothing"', 1)
    assert wrong != text
    with pytest.raises(WrapperError, match="expected the name of a column"):
        Wrapper.from_json(wrong)
