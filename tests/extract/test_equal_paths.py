"""The plainest extractor: siblings of one tag are records, tag paths are columns."""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.extract import EXTRACTORS, extract, extractor_named

SHOP = """<nav><a>Home</a><a>Shop</a></nav><ul>
<li><h3>Tea</h3><p>3.20</p><p>new</p></li><li><h3>Milk</h3><p>1.10</p></li>
<li><h3>Jam</h3><p>2.75</p><script>var x</script></li></ul>"""


def test_the_list_comes_before_the_menu():
    table = extract(tl.parse(SHOP), extractor="equal-paths")[0]
    assert table.rows == [["Tea", "3.20", "new"], ["Milk", "1.10", None], ["Jam", "2.75", None]]
    assert [column.name for column in table.columns] == ["h3", "p", "p.2"]


def test_every_cell_knows_its_element():
    table = extract(tl.parse(SHOP), extractor="equal-paths")[0]
    for row in table.cells:
        for cell in row:
            assert cell is None or cell.node.text == cell.text


def test_no_list_no_table():
    assert extract(tl.parse("<p>just words"), extractor="equal-paths") == []
    assert extract(tl.parse(""), extractor="equal-paths") == []


def test_an_unknown_extractor_is_named_with_the_near_miss():
    with pytest.raises(tl.UsageError, match=r"did you mean 'equal-paths'\?"):
        extractor_named("equal-path")
    assert "equal-paths" in EXTRACTORS
