"""Columns of a class's table that tell nothing of its own records are left out."""

from __future__ import annotations

from treelace.classes.learning import learn
from treelace.tree import Tree, parse

HOST = "https://a.example"
TITLES = ["Green tea", "Old cups", "Blue pot", "Tall jar", "Thin spoon", "Warm milk", "Red bowl"]
URLS = [f"{HOST}/posts/{number}/" for number in range(len(TITLES))]


def post(number: int, *, neighbours: str) -> Tree:
    """A post whose neighbours are posts, or pages of another kind."""
    before, after = (number - 1) % len(TITLES), (number + 1) % len(TITLES)
    links = "".join(
        f'<article class={side}><a href="/{neighbours}/{at}"><b>{TITLES[at]}</b></a></article>'
        for side, at in (("before", before), ("after", after))
    )
    return parse(
        f"<html><body><main><h1>{TITLES[number]}</h1><time>2026-03-{number + 1:02}</time>"
        f"<p>{TITLES[number]} has been with us for {number + 3} years and is well liked.</p>"
        f"<div class=row>{links}</div></main></body></html>"
    )


def columns(neighbours: str) -> set[str | None]:
    """Where the columns of the first post lead to."""
    trees = [post(number, neighbours=neighbours) for number in range(len(TITLES))]
    wrapper, problem = learn(trees, URLS, URLS)
    assert wrapper is not None, problem
    cells = wrapper.apply(trees[0], force=True, url=URLS[0])[0].cells[0]
    return {cell.link for cell in cells if cell is not None}


def test_the_next_and_the_previous_post_are_no_columns():
    assert columns("posts") == {None}


def test_a_page_of_another_kind_is_a_column():
    assert columns("authors") == {None, f"{HOST}/authors/6", f"{HOST}/authors/1"}


def test_tables_inside_pages_are_left_out_also_where_no_column_tells_pages_apart():
    rows = "".join(f"<tr><td>{word}</td><td>{len(word)}0 hours</td></tr>" for word in TITLES)
    same = "<p class=text>We make all that there is, by hand, for everyone and for a long time.</p>"
    page = f"<html><body><main><h1>Works</h1>{same}<table class=jobs>{rows}</table></main></body>"
    trees = [parse(page) for _ in URLS]
    wrapper, problem = learn(trees, URLS, URLS, kind="detail")
    assert wrapper is None or len(wrapper.regions) == 1, problem
