"""Kinds of pages of one site that share its frame, told apart and held together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from treelace.classes.layout import LayoutSpace, address_form, plain_similarity, sketch_of
from treelace.classes.learning import learn
from treelace.classes.linkage import cut_average
from treelace.classes.names import names_for
from treelace.classes.proposals import FEWEST_PAGES, MOST_PAGES, alike_pages, sample
from treelace.classes.shared_template import join_templates
from treelace.tree import parse
from treelace.wrappers.model.page_reader import reads_one_record

HOST = "https://a.example"
FRAME = (
    "<header class=top><nav class=menu><ul>"
    + "".join(f"<li class=item-{word}><a class=link-{word}>{word}</a>" for word in "abcdefghij")
    + "</ul></nav><form class=search><input><button>Go</button></form></header>{}"
    + "<footer class=end>"
    + "".join(f"<div class=col-{word}><h4>{word}</h4><p class=small>x</div>" for word in "abcdefgh")
    + "</footer>"
)


def page(main: str, head: str = "") -> str:
    return f"<html><head><title>x</title>{head}</head><body>{FRAME.format(main)}</body></html>"


def job(number: int) -> str:
    return page(
        f"<main class=content><h1>Job {number}</h1><div class=pay><b>9</b></div>"
        "<p class=about>Text</p></main>"
    )


def job_list(number: int) -> str:
    rows = f"<li class=row><a href=/jobs/{number}>Job</a>" * 4
    return page(f"<main class=content><h1>Jobs</h1><ul class=rows>{rows}</ul></main>")


def post(number: int) -> str:
    code = "<figure class=code><table><tr><td class=gutter><pre>1</pre></td></tr></table></figure>"
    table = "<table class=data><thead><tr><th>a</th></tr></thead></table><ul><li>x</ul>"
    said = "<p>one</p><p>two</p><p>three</p>" + (code if number % 2 else table) * 2
    return page(f"<article class=post><h1>{number}</h1><time>x</time><div class=entry>{said}</div>")


def grouped(pages: dict[str, str]) -> list[set[str]]:
    """The addresses of each class, by what stands before the number."""
    found = alike_pages({url: sketch_of(parse(text)) for url, text in pages.items()})
    return [{url.removeprefix(HOST).rstrip("0123456789") for url in some} for some in found]


def test_kinds_that_share_nearly_everything_are_two_classes():
    pages = {f"{HOST}/jobs/{n}": job(n) for n in range(6)}
    pages |= {f"{HOST}/jobs/page/{n}": job_list(n) for n in range(1, 5)}
    assert grouped(pages) == [{"/jobs/"}, {"/jobs/page/"}]
    left, right = (sketch_of(parse(text)) for text in (job(1), job_list(1)))
    assert plain_similarity(left, right) > 0.85, "by all facts they are one"


def test_posts_are_one_class_whatever_stands_in_their_text():
    pages = {f"{HOST}/2026/03/{n}-tea": post(n) for n in range(8)}
    pages |= {f"{HOST}/jobs/{n}": job(n) for n in range(4)}
    assert [len(some) for some in grouped(pages)] == [8, 1]


def test_page_one_of_a_list_is_of_the_class_of_its_other_pages():
    intro = "<div class=intro><h2>All our teas</h2><p class=lead>x<img class=hero></div>"
    first = job_list(1).replace("<ul class=rows>", f"{intro}<ul class=rows>")
    pages = {f"{HOST}/tea/page/{n}": job_list(n) for n in range(2, 7)} | {f"{HOST}/tea": first}
    pages |= {f"{HOST}/cups/{n}": job(n) for n in range(4)}
    assert {"/tea", "/tea/page/"} in grouped(pages)


def test_head_scripts_and_styles_are_no_layout():
    meta = "".join(f"<meta name=m{n} content=x><link rel=stylesheet href=/{n}.css>" for n in "abcd")
    script = "<script src=/x.js></script><style>p{}</style>"
    bare = sketch_of(parse(page("")))
    assert plain_similarity(bare, sketch_of(parse(page(script)))) == 1.0
    assert plain_similarity(bare, sketch_of(parse(page("", meta + script)))) == 1.0


@pytest.mark.parametrize("count", [2, 3])
def test_three_bare_paragraphs_are_running_text(count):
    def with_text(inside: str) -> str:
        return page(f"<div class=entry>{'<p>x</p>' * count}{inside}</div>")

    left, right = (sketch_of(parse(with_text(it))) for it in ("<hr>", "<pre><b>x</b></pre>"))
    assert (plain_similarity(left, right) == 1.0) == (count == 3)


def test_a_site_of_one_kind_is_one_class():
    pages = {f"{HOST}/tea-{n}": job(n) for n in range(5)}
    extra = "<div class=offer><b>Sale</b></div></main>"
    pages[f"{HOST}/tea-9"] = job(9).replace("</main>", extra)
    assert len(grouped(pages)) == 1 and len(alike_pages({})) == 0


def test_few_pages_in_between_do_not_join_two_kinds():
    import numpy as np

    alike = np.full((7, 7), 0.4)
    alike[:3, :3] = alike[4:, 4:] = 0.95
    alike[3, :] = alike[:, 3] = 0.75  # like both
    np.fill_diagonal(alike, 1.0)
    labels = cut_average(alike, threshold=0.7, tight=0.9).tolist()
    assert labels[0] == labels[2] != labels[4] == labels[6]


def test_every_form_of_address_is_in_the_sample():
    urls = [f"{HOST}/tea/{n}-x" for n in range(3 * MOST_PAGES)] + [
        f"{HOST}/p?id={n}" for n in "abc"
    ]
    some = sample(urls)
    assert len(some) <= MOST_PAGES
    assert sum("?" in url for url in some) == FEWEST_PAGES
    assert sample(urls[:5]) == urls[:5]


def test_a_page_unlike_the_space_is_unlike_all():
    space = LayoutSpace(
        [sketch_of(parse(job(n))) for n in range(3)], [f"{HOST}/{n}" for n in "abc"]
    )
    assert space.compare(sketch_of(parse(job(7)))).tolist() == [1.0] * 3
    assert space.compare(sketch_of(parse("<table class=y><tr><td>x</table>"))).max() < 0.2
    assert len(space) == 3
    assert address_form(f"{HOST}/") == ""


def test_classes_are_named_by_what_they_hold():
    said = '<script type="application/ld+json">{"@type": "Recipe", "name": "x"}</script>'
    trees = [parse(page("<h1>x</h1>", said))] * 3
    urls = [f"{HOST}/en/food/{n}" for n in "abc"]
    assert names_for(urls, None, trees)[0] == "recipe"
    assert names_for(urls, None, [*trees, parse(page(""))] * 2)[0] == "food", "three of four"


# pages of a plain design, where what a post says outweighs its template


def plain_post(number: int, *, has_code: bool) -> str:
    code = "".join(
        f"<div class=highlight><pre><span class={kind}>x</span></pre></div><table><tr><td>1"
        for kind in ("k", "n", "o", "p", "s", "c")
    )
    words = " ".join(f"word{number * 7 + at}" for at in range(30))
    return (
        "<html><body><header><a href=/>Home</a></header><main>"
        f"<h2><a href=/posts/{number}>Post {number} of ours</a></h2>"
        f"<time>2026-03-{number + 1:02}</time><p>{words}</p>{code if has_code else ''}"
        f"<p>{words[::-1]}</p></main></body></html>"
    )


def plain_list(number: int) -> str:
    rows = "".join(
        f"<article><h2><a href=/posts/{number + at}>Post {number + at} of ours</a></h2>"
        f"<time>2026-03-{at + 1:02}</time><p>Words about {number + at} and more</p></article>"
        for at in range(8)
    )
    return f"<html><body><header><a href=/>Home</a></header><main>{rows}</main></body></html>"


def asked(pages: dict[str, str], *, folder: str) -> list[list[str]]:
    found = {f"{HOST}{folder}{url}": parse(text) for url, text in pages.items()}
    sketches = {url: sketch_of(tree) for url, tree in found.items()}

    def is_one_record(urls: Sequence[str]) -> bool:
        return reads_one_record(learn([found[url] for url in urls], urls, urls)[0])

    with_code = sorted(url for url in found if url.rsplit("/", 1)[1].startswith("code"))
    others = sorted(set(found) - set(with_code))
    return join_templates([with_code, others], sketches, is_one_record)


def test_posts_with_code_and_without_are_one_class():
    posts = {f"plain{n}": plain_post(n, has_code=False) for n in range(6)}
    posts |= {f"code{n}": plain_post(n + 6, has_code=True) for n in range(4)}
    assert [len(some) for some in asked(posts, folder="/posts/")] == [10]
    assert len(asked(posts, folder="/")) == 2, "addresses in the first folder say nothing"


def test_lists_are_not_joined_with_the_posts_that_they_show():
    pages = {f"plain{n}": plain_post(n, has_code=False) for n in range(6)}
    pages |= {f"code{n}": plain_list(n * 8) for n in range(4)}
    assert len(asked(pages, folder="/posts/")) == 2
