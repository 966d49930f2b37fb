"""Labelled values of detail pages: labels that differ from page to page are columns, whatever row
they stand in, and outlive a redesign.
"""

from __future__ import annotations

import pytest

from treelace import Wrapper, parse
from treelace.tree import Tree
from treelace.wrappers.learn.labelled_values import label_selector

TEAS = [
    ("Assam Gold", {"Origin": "Assam", "Weight": "50 g"}),
    ("Sencha", {"Origin": "Japan", "Weight": "100 g"}),
    ("Keemun", {"Origin": "China"}),
]
KETTLES = [
    ("Copper Kettle", {"Power": "2,200 W", "Volume": "1.7 l", "Weight": "2 kg"}),
    ("Travel Kettle", {"Power": "none", "Volume": "0.8 l", "Weight": "1 kg"}),
    ("Enamel Kettle", {"Power": "1,800 W", "Volume": "1.0 l"}),
]


def page(name: str, facts: dict[str, str]) -> Tree:
    rows = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in facts.items())
    return parse(
        f"<title>{name}</title><div id=top>The shop</div><h1>{name}</h1><p class=note>All about"
        f" {name}.</p><table>{rows}</table><p>4 Quay Street</p>"
    )


def record(wrapper: Wrapper, tree: Tree) -> dict[str, str]:
    table = wrapper.apply(tree, force=True)[0]
    return {
        column.name: text
        for column, text in zip(table.columns, table.rows[0], strict=True)
        if text is not None
    }


def test_labels_that_differ_from_page_to_page_are_columns():
    things = [*TEAS, *KETTLES]
    wrapper = Wrapper.learn([page(name, facts) for name, facts in things], kind="detail")
    for name, facts in things:
        found = record(wrapper, page(name, facts))
        assert {label: found.get(label) for label in ("Origin", "Weight", "Power", "Volume")} == {
            label: facts.get(label) for label in ("Origin", "Weight", "Power", "Volume")
        }
        assert found["title"] == name
    assert not {"th", "td", "td 2"} & set(record(wrapper, page(*TEAS[0])))
    other = record(
        wrapper, page("Gyokuro", {"Caffeine": "much", "Weight": "75 g", "Origin": "Uji"})
    )
    assert (other["Origin"], other["Weight"]) == ("Uji", "75 g")


@pytest.mark.parametrize(("pages", "is_column"), [(2, True), (1, False)])
def test_a_label_is_a_column_where_two_pages_have_it(pages: int, is_column: bool):
    things = [
        (name, facts | ({"Grade": f"No {number}"} if number < pages else {}))
        for number, (name, facts) in enumerate((*TEAS, *KETTLES))
    ]
    wrapper = Wrapper.learn([page(name, facts) for name, facts in things], kind="detail")
    assert ("Grade" in [column.name for column in wrapper.regions[0].columns]) == is_column


def test_a_wrapper_with_labelled_values_is_read_again_from_its_file():
    wrapper = Wrapper.learn([page(name, facts) for name, facts in (*TEAS, *KETTLES)], kind="detail")
    assert record(Wrapper.from_json(wrapper.to_json()), page(*KETTLES[0])) == record(
        wrapper, page(*KETTLES[0])
    )


def test_labels_that_all_pages_have_stay_with_the_pattern():
    wrapper = Wrapper.learn(
        [
            page(name, {"Origin": name[::-1], "Weight": f"{number} g"})
            for number, (name, _) in enumerate(TEAS)
        ],
        kind="detail",
    )
    assert not any(column.select for column in wrapper.regions[0].columns)
    assert (
        record(wrapper, page("Oolong", {"Origin": "Taiwan", "Weight": "9 g"}))["Origin"] == "Taiwan"
    )


def test_the_selector_of_a_label_reads_tables_and_lists_of_terms():
    for markup in (
        "<table><tr><th>Maker's<td>Hofmann</table>",
        "<dl><dt>Other<dd>x<dt>Maker's<dd>Hofmann</dl>",
        "<table><tr><td>Maker's<td>Hofmann</table>",
    ):
        assert [
            node.text
            for node in parse(markup).select_xpath(label_selector("Maker's").removeprefix("xpath:"))
        ] == ["Hofmann"]
    assert label_selector("both ' and \"") == ""


def test_a_label_and_a_field_of_one_name_are_two_columns():
    """Two columns of one name would make a file that nobody can read again."""
    pages = []
    for name, facts in (*TEAS, *KETTLES):
        sellers = (
            f"<p><b>Origin:</b> <i>sold by {name}</i></p><div><b>Origin:</b> <i>sent by"
            f" {name[::-1]}</i></div>"
        )
        pages.append(parse(page(name, facts).to_html().replace("</h1>", f"</h1>{sellers}")))
    wrapper = Wrapper.learn(pages, kind="detail")
    names = [column.name for column in wrapper.regions[0].columns]
    assert len(names) == len(set(names)), names
    assert Wrapper.from_json(wrapper.to_json()).regions == wrapper.regions
