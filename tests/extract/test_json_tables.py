"""Tables of JSON documents and of the JSON in a page's scripts."""

from __future__ import annotations

import json
import time

import treelace as tl
from treelace.extract.json_tables import script_tables, tables_of_shell
from treelace.extract.page.structured_data import read_tolerantly
from treelace.extract.structured_tables import structured_tables

TEAS = [
    {"name": "Assam", "price": {"amount": 3.2, "currency": "EUR"}, "tags": ["black", "strong"]},
    {"name": "Sencha", "price": {"amount": 6, "currency": "EUR"}, "tags": []},
    {"name": "Oolong", "price": {"amount": 5, "currency": "EUR"}},
]


def test_lists_of_objects_are_tables_with_dotted_names():
    said = json.dumps({"page": 1, "data": {"teas": TEAS}, "menu": [{"to": "a"}, {"to": "b"}]})
    teas, menu = tl.extract(tl.parse(said, format="json"))
    assert [column.name for column in teas.columns] == [
        "name",
        "price.amount",
        "price.currency",
        "tags",
    ]
    assert teas.rows[0] == ["Assam", "3.2", "EUR", "black, strong"]
    assert teas.place == "data.teas"
    assert teas.confidence > menu.confidence >= 0.5
    assert teas.cells[1][0].node.tag.endswith("string")


def test_one_object_is_a_record():
    (table,) = tl.extract(tl.parse('{"name": "Assam", "price": {"eur": 3}}', format="json"))
    assert table.rows == [["Assam", "3"]]


def test_json_in_scripts_is_ranked_by_what_the_page_shows():
    other = [{"id": n, "group": f"g{n}"} for n in range(9)]
    page = tl.parse(
        f"<script id=__NEXT_DATA__ type=application/json>{json.dumps({'x': other})}</script>"
        f"<script>var a = 1; window.__STATE__ = {json.dumps({'teas': TEAS})}; f({{b: 1}})</script>"
        "<ul><li>Assam <b>3.2</b> <i>EUR</i><li>Sencha <b>6</b> <i>EUR</i>"
        "<li>Oolong <b>5</b> <i>EUR</i></ul>"
    )
    tables = script_tables(page)
    assert [table.place for table in tables] == ["teas", "x"]
    assert tables[0].confidence >= 0.9 > tables[1].confidence
    assert tables[0].cells[0][0].node.tag == "script"
    assert structured_tables(page) == tables


def test_a_page_that_shows_nothing_yet_is_what_its_scripts_carry():
    data = f"<script>window.__STATE__ = {json.dumps({'n': 1, 'teas': TEAS})}</script>"
    (table,) = tables_of_shell(tl.parse(f"<title>Teas</title><div id=app>Loading</div>{data}"))
    assert [table.place, len(table)] == ["teas", 3]
    assert table.confidence >= 0.9
    assert tables_of_shell(tl.parse(f"<p>{'A page that says something. ' * 20}</p>{data}")) == []


def test_what_is_no_json_is_passed_over():
    page = tl.parse("<script>x = {a: 1}; y = [</script><script type=application/json>{</script>")
    assert script_tables(page) == []


def test_many_assignments_and_comments_that_never_close_are_quick():
    start = time.process_time()
    assert script_tables(tl.parse(f"<script>{'x = [' * 100_000}</script>")) == []
    assert read_tolerantly("/*" * 60_000 + "{") == []
    assert time.process_time() - start < 5
