"""The outline for people."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import any_trees, page_trees
from treelace import Tree, parse

PAGE = """<!doctype html>
<title>Lamps</title>
<ul id=list class="wide plain">
  <li class=item><b>Oak</b> lamp <i>$4</i></li>
  <li class=item><b>Steel</b> lamp <i>$7</i></li>
  <li class=item><b>Blue</b> lamp <i>$9</i></li>
</ul>
<p>Texts are cut: {}</p><!-- a note -->"""


def test_a_page_as_people_see_it() -> None:
    assert parse(PAGE.format("x" * 200)).to_outline(fold=True, width=40) == (
        "<!doctype html>\n"
        "html\n"
        "  head\n"
        '    title "Lamps"\n'
        "  body\n"
        "    ul#list.wide.plain\n"
        "      li.item ×3\n"
        '        b "Oak"\n'
        '        " lamp "\n'
        '        i "$4"\n'
        '    p "Texts are cut: xxxxxxxxxxxxxxxxxxxx…"\n'
        "    <!-- a note -->"
    )


def test_xml_shows_attributes() -> None:
    tree = parse('<?go now?><a xmlns:p="urn:p" p:b="1"><c id="x" k="v">t</c></a>', format="xml")
    assert tree.to_outline() == '<?go now?>\na [xmlns:p=urn:p] [p:b=1]\n  c#x [k=v] "t"'
    assert tree.to_outline(attributes=False) == '<?go now?>\na\n  c#x "t"'
    assert tree.to_outline(depth=0) == "<?go now?>\na [xmlns:p=urn:p] [p:b=1] … 2 nodes"


def test_a_part_has_an_outline() -> None:
    tree = parse(PAGE.format("."))
    item = next(node for node in tree.elements if node.tag == "li")
    assert item.to_outline() == 'li.item\n  b "Oak"\n  " lamp "\n  i "$4"'
    assert item.children[0].children[0].to_outline() == '"Oak"'


@given(st.one_of(any_trees(), page_trees()), st.booleans(), st.integers(10, 60))
def test_one_line_an_element_and_nothing_that_disturbs(tree: Tree, fold: bool, width: int) -> None:
    text = tree.to_outline(fold=fold, width=width)
    lines = text.split("\n") if text else []
    elements = sum(1 for _ in tree.elements)
    if not fold:
        assert elements <= len(lines) <= len(tree) - 1
    assert len(lines) <= max(0, len(tree) - 1)
    assert not any(unicodedata.category(c) == "Cc" and c != "\n" for c in text)
    assert tree.to_outline(fold=fold, width=width) == text


def test_deep_trees_stay_readable() -> None:
    text = parse("<a>" * 100_000 + "</a>" * 100_000, format="xml").to_outline()
    assert text.endswith("\n" + "  " * 40 + "[99999] a")
    assert len(text) < 100_000 * 110
