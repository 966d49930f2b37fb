"""Site snapshots: pages added, gone, moved, changed; exact both ways."""

from __future__ import annotations

import pytest

from treelace import parse
from treelace.diff.site import SiteDelta, diff_sites, site_document
from treelace.errors import DeltaError
from treelace.tree import Tree


def page(title: str, *lines: str) -> Tree:
    return parse(f"<title>{title}</title><h1>{title}</h1>" + "".join(f"<p>{line}" for line in lines))


OLD = {
    "/": page("Shop", "tea", "milk"),
    "/a": page("About the founders of the shop", "They met over a kettle in the year of the great storm."),
    "/b": page("Imprint", "The address of the company that nobody reads"),
    "/c": page("Careers at the shop", "We look for people who like tea and long evenings."),
}
NEW = {
    "/": page("Shop", "tea", "milk", "jam"),
    "/about/us": page("About the founders of the shop", "They met over a kettle in the year of the great storm."),
    "/b": OLD["/b"],
    "/jobs": page("Careers at the shop", "We look for people who like tea and long evenings.", "And for a cook."),
    "/news": page("News of this morning", "Nothing at all has happened"),
}


def test_pages_come_go_move_and_change() -> None:
    delta = diff_sites(OLD, NEW)
    assert delta.moved == (("/a", "/about/us"), ("/c", "/jobs"))
    assert list(delta.added) == ["/news"]
    assert list(delta.gone) == []
    assert list(delta.changed) == ["/", "/jobs"]
    assert delta.apply(OLD) == NEW
    assert (~delta).apply(NEW) == OLD
    assert (~~delta).apply(OLD) == NEW


def test_equal_snapshots_have_no_delta() -> None:
    assert not diff_sites(OLD, OLD)
    assert diff_sites({}, {}).apply({}) == {}


def test_other_pages_do_not_become_each_other() -> None:
    delta = diff_sites({"/x": page("One thing", "said in words")}, {"/y": page("Quite another", "told by somebody else")})
    assert repr(delta) == "<SiteDelta: 1 page added, 1 gone, 0 moved, 0 changed>"


@pytest.mark.parametrize("wrong", [{}, {**OLD, "/a": OLD["/b"], "/": OLD["/b"]}, {**OLD, "/news": OLD["/b"]}])
def test_another_snapshot_is_refused(wrong: dict[str, Tree]) -> None:
    with pytest.raises(DeltaError):
        diff_sites(OLD, NEW).apply(wrong)


def test_a_snapshot_is_one_document() -> None:
    document = site_document({"/a&b": page("x\x00y"), "/c": page("z")})
    assert [node.attributes["url"] for node in document.select("page")] == ["/a&b", "/c"]


def test_a_delta_says_what_it_is() -> None:
    assert isinstance(diff_sites(OLD, NEW), SiteDelta)
    assert repr(diff_sites(OLD, NEW)) == "<SiteDelta: 1 page added, 0 gone, 2 moved, 2 changed>"
