"""Lists that are cut into pages: one class, told by their addresses and their looks."""

from __future__ import annotations

from string import ascii_lowercase

import numpy as np
import pytest

from treelace.classes.layout import LayoutSpace, sketch_of
from treelace.classes.pagination import MIN_CONTINUED, SAME_LIST, join_paginated, list_address
from treelace.classes.proposals import alike_pages
from treelace.tree import parse

HOST = "https://a.example"


def frame(size: int) -> str:
    """The menu of a site, which all its pages have."""
    words = [letter * times for times in (2, 3) for letter in ascii_lowercase][:size]
    items = (f"<li class=in-{word}><a class=to-{word}>x</a>" for word in words)
    return f"<header><nav class=menu><ul>{''.join(items)}</ul></nav></header>"


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("https://a.example/tea", "https://a.example/tea?page=3", True),
        ("https://a.example/tea/", "https://a.example/tea/page/2", True),
        ("https://a.example/tea/2", "https://a.example/tea", True),
        ("https://a.example/tea", "https://a.example/cups", False),
        ("https://a.example/tea/assam", "https://a.example/tea", False),
        ("https://a.example/tea", "https://b.example/tea", False),
        ("https://a.example/assam-2", "https://a.example/assam", False),
        ("https://a.example/", "https://a.example/index2.html", True),
        ("https://a.example/index.html", "https://a.example/index-7.html", True),
        ("https://a.example/tea/", "https://a.example/tea/page-2.html", True),
        ("https://a.example/tag/tea.html", "https://a.example/tag/tea2.html", True),
        ("https://a.example/tea.html", "https://a.example/tea2.jpg", False),
        ("https://a.example/2024.html", "https://a.example/2025.html", False),
        ("https://a.example/assam-2.html", "https://a.example/assam.html", False),
    ],
)
def test_a_series_is_an_address_and_its_pages(one, other, is_one):
    assert (list_address(one) == list_address(other)) == is_one


def always(_some, _others) -> float:
    return 1.0


def test_pages_of_one_list_are_one_cluster():
    urls = [f"{HOST}/tea", f"{HOST}/cups", f"{HOST}/tea?page=2"]
    same = sketch_of(parse("<ul><li>1</ul>"))
    other = sketch_of(parse("<table class=x><tr><td>1</table>"))
    for third, wanted in ((same, [0, 1, 0]), (other, [0, 1, 2])):
        space = LayoutSpace([same, same, third], urls)
        assert join_paginated(urls, [0, 1, 2], space.similarities, space.contained) == wanted


def test_pages_of_a_list_are_one_class_from_a_similarity_on():
    urls = [f"{HOST}/tea", f"{HOST}/tea?page=2"]
    for value, wanted in ((SAME_LIST, [0, 0]), (SAME_LIST - 1e-6, [0, 1])):
        assert join_paginated(urls, [0, 1], np.array([[1, value], [value, 1]]), always) == wanted


def test_pages_of_a_list_have_what_its_first_page_has_or_the_other_way_round():
    urls = [f"{HOST}/tea", f"{HOST}/tea?page=2"]
    for value, wanted in ((MIN_CONTINUED, [0, 0]), (MIN_CONTINUED - 1e-6, [0, 1])):

        def contained(some, _others, share=value) -> float:
            return share if some == [0] else 0.0

        assert join_paginated(urls, [0, 1], np.ones((2, 2)), contained) == wanted


def post_list(number: int, featured: str = "") -> str:
    """A list of posts as Pelican makes it: the newest stands by itself on page 1."""
    rows = f"<li><article class=hentry><h2><a href=/{number}.html>x</a></h2></article>" * 4
    return f"{frame(8)}{featured}<section class=body><ol class=posts>{rows}</ol></section>"


FEATURED = (
    "<aside class=featured><article class=new><h1 class=entry><a>x</a></h1><figure class=hero>"
    "<img class=wide></figure><footer class=info><abbr class=day>x</abbr><address class=vcard>"
    "<a class=url>x</a></address><b class=in>x</b></footer><div class=lead><p class=first>x"
    "</article></aside>"
)


def test_the_first_page_of_a_list_with_the_newest_by_itself_is_of_its_class():
    pages = {f"{HOST}/{name}.html": post_list(1, FEATURED) for name in ("tea", "cups", "index")}
    pages |= {
        f"{HOST}/{name}{n}.html": post_list(n)
        for name in ("tea", "cups", "index")
        for n in range(2, 6)
    }
    sketches = {url: sketch_of(parse(text)) for url, text in pages.items()}
    assert alike_pages(sketches) == [sorted(pages)]
    unnumbered = {url.replace(".html", ""): sketch for url, sketch in sketches.items()}
    assert [len(some) for some in alike_pages(unnumbered)] == [3, 12], "by their looks they are two"


def test_numbered_records_below_a_list_are_not_its_pages():
    rows = "<ul class=rows>" + "<li class=row><a>x</a>" * 4 + "</ul>"
    record = "<div class=pay><b>9</b></div><p class=about>x"
    pages = {}
    for kind in ("jobs", "flats", "cars"):
        pages[f"{HOST}/{kind}"] = f"{frame(40)}<main><h1>x</h1>{rows}</main>"
        for n in range(1, 9):
            pages[f"{HOST}/{kind}/{n}"] = f"{frame(40)}<main><h1>x</h1>{record}</main>"
    sketches = {url: sketch_of(parse(text)) for url, text in pages.items()}
    urls = sorted(sketches)
    alike = LayoutSpace([sketches[url] for url in urls], urls).similarities
    assert alike[urls.index(f"{HOST}/jobs"), urls.index(f"{HOST}/jobs/1")] >= SAME_LIST
    assert [len(some) for some in alike_pages(sketches)] == [3, 24]
