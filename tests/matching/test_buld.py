"""BULD: the paper's example, its oracle, and the phases one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.buld import buld, weight
from tests.strategies import page_pairs, trees, xml_trees
from treelace import Tree, diff, parse
from treelace.errors import UsageError
from treelace.matching.matchers.buld import Buld

OLD = parse(
    "<Category><Title>Digital"
    " Cameras</Title><Discount><Product><Name>tx123</Name><Price>$499</Price></Product></Discount>"
    "<NewProducts><Product><Name>zy456</Name><Price>$799</Price></Product></NewProducts></Category>",
    format="xml",
)
NEW = parse(
    "<Category><Title>Digital"
    " Cameras</Title><Discount><Product><Name>zy456</Name><Price>$699</Price></Product></Discount>"
    "<NewProducts><Product><Name>abc</Name><Price>$899</Price></Product></NewProducts></Category>",
    format="xml",
)


def pairs_by_path(old: Tree, new: Tree, **options: object) -> dict[str, str]:
    return {old[i].xpath: new[j].xpath for i, j in Buld(**options).match(old, new).elements.pairs}  # type: ignore[arg-type]


@pytest.mark.parametrize("depth", [1, 3])
def test_the_example_of_the_paper(depth: int) -> None:
    found = pairs_by_path(OLD, NEW, depth=depth)
    assert found == {
        "/Category": "/Category",
        "/Category/Title": "/Category/Title",
        "/Category/Discount": "/Category/Discount",
        "/Category/NewProducts": "/Category/NewProducts",
        "/Category/NewProducts/Product": "/Category/Discount/Product",
        "/Category/NewProducts/Product/Name": "/Category/Discount/Product/Name",
        "/Category/NewProducts/Product/Price": "/Category/Discount/Product/Price",
    }


def test_matching_single_children_at_once_would_lose_the_move_of_the_example() -> None:
    def moved(pairs: set[tuple[int, int]]) -> bool:
        return any(
            (OLD[i].xpath, NEW[j].xpath)
            == ("/Category/NewProducts/Product", "/Category/Discount/Product")
            for i, j in pairs
        )

    assert moved(buld(OLD, NEW, depth=1))
    assert not moved(buld(OLD, NEW, depth=1, is_immediate=True))


def test_the_weights_of_the_example() -> None:
    assert round(weight(NEW[0]), 4) == 23.1887
    by_tag = {
        node.tag: round(weight(node), 4)
        for node in NEW.select("Title, Discount Name, Discount Price")
    }
    assert by_tag == {"Title": 4.7081, "Name": 3.6094, "Price": 3.3863}


@given(old=trees(max_nodes=14), new=trees(max_nodes=14), depth=st.integers(1, 4))
def test_small_trees_are_matched_as_the_definition_says(old: Tree, new: Tree, depth: int) -> None:
    assert set(Buld(depth=depth).match(old, new).pairs) == buld(old, new, depth=depth)


@given(old=xml_trees(max_nodes=14), new=xml_trees(max_nodes=14), depth=st.integers(1, 3))
def test_documents_are_matched_as_the_definition_says(old: Tree, new: Tree, depth: int) -> None:
    assert set(Buld(depth=depth).match(old, new).pairs) == buld(old, new, depth=depth)


@given(pair=page_pairs())
def test_pages_without_blanks_in_view_are_matched_one_to_one(pair: tuple[Tree, Tree]) -> None:
    old, new = pair
    matching = Buld(blanks=False).match(old, new)
    assert (0, 0) in matching.pairs  # one-to-one is what Matching checks


@pytest.mark.parametrize(("origin", "target"), [(17, 330), (330, 17), (0, 399), (399, 0)])
def test_a_row_that_moves_in_an_indented_list_is_one_move(origin: int, target: int) -> None:
    rows = [f"<row><n>name {n}</n><v>{7 * n}</v></row>" for n in range(400)]
    old = parse("<t>\n  " + "\n  ".join(rows) + "\n</t>", format="xml")
    rows.insert(target, rows.pop(origin))
    new = parse("<t>\n  " + "\n  ".join(rows) + "\n</t>", format="xml")
    assert diff(old, new, matcher=Buld(blanks=False)).counts == {"move": 1}
    assert diff(old, new).counts == {"move": 1}


def test_an_id_decides() -> None:
    old = parse('<r><p xml:id="a">1</p><p xml:id="b">2</p><p xml:id="c">3</p></r>', format="xml")
    new = parse('<r><p xml:id="b">1</p><p xml:id="a">2</p><p xml:id="d">3</p></r>', format="xml")
    assert (
        len(Buld().match(old, new).elements) == 3
    )  # c and d have an ID and no partner: unmatched for good, though their content is equal
    paths = pairs_by_path(old, new)
    assert paths["/r/p[1]"] == "/r/p[2]"
    assert paths["/r/p[2]"] == "/r/p[1]"


def test_a_key_is_an_id_by_the_word_of_the_user() -> None:
    old = parse('<r><p k="a">1</p><p k="b">2</p></r>', format="xml")
    new = parse('<r><p k="b">1</p><p k="a">2</p></r>', format="xml")
    assert pairs_by_path(old, new, keys=["k"])["/r/p[1]"] == "/r/p[2]"


def test_the_id_of_html_is_no_veto() -> None:
    old, new = (
        parse("<p id=a>a long and telling text here</p>"),
        parse("<p id=b>a long and telling text here</p>"),
    )
    assert len(Buld().match(old, new).elements) == len(old.select("*"))


def test_a_rate_must_be_a_share() -> None:
    with pytest.raises(UsageError, match="shares"):
        Buld(rates={"price": 2.0})
