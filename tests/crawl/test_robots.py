"""robots.txt: the examples of RFC 9309, and agreement with its definition on made-up files."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treelace.crawl.robots import Robots

RFC = """
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


@pytest.mark.parametrize(
    ("agent", "path", "allowed"),
    [
        ("other", "/x.gif", False),
        ("other", "/x.gif?y", True),
        ("other", "/example/", False),
        ("other", "/publications/a", True),
        ("foobot", "/a", False),
        ("foobot", "/example/page.html", True),
        ("FooBot", "/example/allowed.gif", True),
        ("bazbot", "/example/page.html", False),
        ("bazbot", "/example/other", True),
        ("quxbot", "/example/page.html", True),
        ("other", "/robots.txt", True),
    ],
)
def test_the_examples_of_the_rfc(agent, path, allowed):
    assert Robots(RFC, agent=agent).allows(path) == allowed


@pytest.mark.parametrize(
    ("rule", "path", "allowed"),
    [
        ("/~tea", "/%7Etea", False),
        ("/%7etea", "/~tea", False),
        ("/a%2Fb", "/a/b", True),
        ("/ü", "/%C3%BC", False),
        ("/*/b/*c$", "/x/b/yc", False),
        ("/*/b/*c$", "/x/b/ycd", True),
        ("", "/anything", True),
        ("*" * 200 + "x" + "*a" * 200 + "$", "/" + "a" * 5000, True),
    ],
)
def test_patterns(rule, path, allowed):
    assert Robots(f"User-agent: *\nDisallow: {rule}", agent="treelace").allows(path) == allowed


def test_delay_and_sitemaps_are_read():
    robots = Robots(
        "Sitemap: https://a.example/map.xml\nUser-agent: treelace/2\nCrawl-delay:"
        " 1.5\nDisallow: /x",
        agent="treelace",
    )
    assert (robots.delay, robots.sitemaps) == (1.5, ("https://a.example/map.xml",))


@pytest.mark.parametrize(
    ("status", "allowed"),
    [(200, False), (404, True), (403, True), (500, False), (503, False), (429, False)],
)
def test_what_an_answer_means(status, allowed):
    assert (
        Robots.from_answer(status, b"User-agent: *\nDisallow: /", agent="treelace").allows("/a")
        == allowed
    )


PIECES = st.sampled_from(["/", "a", "b", "*", "$", "a/b", ".gif"])
RULES = st.lists(
    st.tuples(
        st.sampled_from(["Allow", "Disallow"]),
        st.lists(PIECES, max_size=4).map(lambda parts: "/" + "".join(parts)),
    ),
    max_size=5,
)


@given(
    RULES,
    st.lists(st.sampled_from(["/", "a", "b", "c", ".gif"]), max_size=5).map(
        lambda parts: "/" + "".join(parts)
    ),
)
def test_the_longest_rule_that_fits_decides(rules, path):
    # a $ in the middle, and which of two rules with * or $ is longer, readers see differently
    rules = [(kind, value) for kind, value in rules if "$" not in value[:-1]]
    if len({kind for kind, _ in rules}) == 2 and any(
        "*" in value or "$" in value for _, value in rules
    ):
        return
    text = "User-agent: *\n" + "".join(f"{kind}: {value}\n" for kind, value in rules)
    fitting = [(len(value), kind == "Allow") for kind, value in rules if fits(value, path)]
    assert Robots(text, agent="treelace").allows(path) == max(fitting, default=(0, True))[1]


def fits(rule: str, path: str) -> bool:
    """Section 2.2.3: a star stands for anything, a dollar at the end for the end."""
    pattern = re.escape(rule).replace(r"\*", ".*")
    pattern = pattern.removesuffix(r"\$") + "$" if pattern.endswith(r"\$") else pattern
    return re.match(pattern, path) is not None


@pytest.mark.parametrize(
    ("named", "path", "allowed"),
    [
        ("treelace", "/a", False),
        ("Treelace/2.0 (like a reader)", "/a", False),
        ("tree", "/a", True),
        ("treelacebot", "/a", True),
        ("treelace", "//host/a", False),
    ],
)
def test_a_group_names_the_whole_product(named, path, allowed):
    assert (
        Robots(f"User-agent: {named}\nDisallow: /a\nDisallow: //", agent="treelace").allows(path)
        == allowed
    )
