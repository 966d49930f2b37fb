"""Columns whose links lead to `/tags/…`, `/categories/…`, `/authors/…` are called so."""

from __future__ import annotations

import treelace as tl
from treelace.wrappers import Wrapper

POSTS = [
    ("Assam", "Red", "wood"),
    ("Sencha", "Green", "paper"),
    ("Keemun", "Red", "wood"),
    ("Bancha", "Green", "wood"),
    ("Yunnan", "Red", "paper"),
    ("Kukicha", "Green", "wood"),
]


def row(title: str, kind: str, tag: str, root: str = "<article>") -> str:
    return (
        f"{root}<h2><a href=/2026/{title.lower()}/>{title} and what it is good for</a></h2>"
        f"<p>{title} is a tea that {len(title)} people of this house drink every day.</p>"
        f"<div class=btm><a class=x href=/categories/{kind}/>{kind}</a>"
        f"<a class=x href=/tags/{tag}/>#{tag}</a></div></article>"
    )


def names(body: str) -> list[str]:
    table = tl.extract(tl.parse(f"<html><body><main>{body}</main></body></html>"))[0]
    return [column.name for column in table.columns]


def test_columns_of_a_list_are_called_by_where_their_links_lead():
    found = names("".join(row(*post) for post in POSTS))
    assert "category" in found and "tag" in found
    assert "category 2" not in found


def test_a_property_of_the_record_is_no_name_of_a_value_in_it():
    root = "<article itemprop=blogPost itemscope>"
    found = names("".join(row(*post, root=root) for post in POSTS))
    assert "blogPost" not in found and "category" in found


def test_the_link_of_a_name_is_no_url():
    rows = "".join(
        f"<article itemscope><h2 itemprop=name><a itemprop=url href=/{name}>{name} tea</a></h2>"
        f"<p>{name} has {len(name)} letters, and is a tea for every day of the week.</p></article>"
        for name, *_ in POSTS
    )
    assert names(rows)[0] == "name"


def test_fields_of_detail_pages_are_called_by_where_their_links_lead():
    pages = [
        tl.parse(
            f"<html><body><main><h1>{title}</h1><p>{title} is a tea of {len(title)} letters.</p>"
            f"<div class=print-no-link><a href=/share>Share</a><a href=/tags/{tag}/>{tag}</a></div>"
            f"<div class=chain><a href=/categories/{kind}/>{kind}</a></div></main></body></html>"
        )
        for title, kind, tag in POSTS
    ]
    wrapper = Wrapper.learn(pages, kind="detail", all_columns=False)
    columns = [column.name for column in wrapper.regions[0].columns]
    assert "tag" in columns and "category" in columns
    assert "Share" not in columns


def test_records_that_are_categories_themselves_keep_their_titles():
    rows = "".join(
        f"<li><a href=/categories/{name.lower()}/>{name} teas</a><span>{at + 3} teas</span></li>"
        for at, (name, *_) in enumerate(POSTS)
    )
    assert names(f"<ul>{rows}</ul>")[0] == "title"
