"""Addresses, links, cookies, traps and packed bodies: what decides without a network."""

from __future__ import annotations

import gzip
import http.client
import re
import zlib

import pytest

from treelace.crawl.facets import Facets, _Family, family_of, parts_of
from treelace.crawl.fetch import _unpacker
from treelace.crawl.guard import Guard
from treelace.crawl.links import kind_of, links_of
from treelace.crawl.login import Login, StoredCookie, storage_state
from treelace.crawl.scope import Scope
from treelace.crawl.traps import Traps
from treelace.crawl.urls import is_url, normal, origin, path_and_query, without_order
from treelace.errors import CrawlError, UsageError
from treelace.tree import parse

SECRET = "earl-grey"


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("http://a.example", "http://a.example/"),
        ("https://a.example:443/x", "https://a.example/x"),
        ("http://a.example:443/x", "http://a.example:443/x"),
        ("http://a.example:80/x", "http://a.example/x"),
        ("https://A.Example:8443/X", "https://a.example:8443/X"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http://bücher.example/ä", "http://xn--bcher-kva.example/%C3%A4"),
        ("http://a.example/b/../c/./d", "http://a.example/c/d"),
        ("http://a.example/../../c", "http://a.example/c"),
        ("http://a.example/b/.", "http://a.example/b/"),
        ("http://a.example/b/c/..", "http://a.example/b/"),
        ("http://a.example/.b/..c", "http://a.example/.b/..c"),
        (" http://a.example/a b?c d#e ", "http://a.example/a%20b?c%20d"),
        ("http://a.example/%41?b=%42&b=[1]", "http://a.example/%41?b=%42&b=[1]"),
    ],
)
def test_one_spelling_for_each_address(url, wanted):
    assert normal(url) == wanted
    assert normal(wanted) == wanted


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://a.example/", "a URL of a page starts with http:// or https:// and names a host"),
        ("http:///a", "names a host"),
        ("/a", "/a: a URL of a page starts with"),
        ("http://a.example:x/", "http://a.example:x/: not a URL (Port"),
        ("http://me@a.example/", "http://…@a.example: no user or password in a URL; give them as"),
        ("http://me" + f":{SECRET}@a.example/", "http://…@a.example: no user or password"),
        ("http://" + "ü" * 70 + ".example/", "not a host name"),
    ],
)
def test_what_is_no_address_of_a_page_is_said_without_secrets(url, words):
    with pytest.raises(UsageError, match=re.escape(words)) as refused:
        normal(url)
    assert SECRET not in str(refused.value)


def test_parts_of_an_address():
    assert [is_url(place) for place in ("HTTPS://a", "http://a", "http:/a", "a/http://b")] == [
        True,
        True,
        False,
        False,
    ]
    assert origin("http://a.example:8080/b?c") == "http://a.example:8080"
    assert path_and_query("http://a.example") == "/"
    assert path_and_query("http://a.example/b?c#d") == "/b?c"


def test_a_host_without_an_address_is_named():
    with pytest.raises(CrawlError, match=r"^a\.example: the host has no address$"):
        Guard(resolve=lambda host, port: []).addresses("a.example", 80)
    with pytest.raises(CrawlError, match=r"^a\.example: no answer in time on port 80$"):
        Guard(resolve=lambda host, port: ["8.8.8.8"]).connect("a.example", 80, deadline=0)
    assert Guard(allow_private=True, resolve=lambda host, port: ["10.0.0.1"]).addresses("a", 1)


@pytest.mark.parametrize(
    ("domain", "url", "is_for"),
    [
        ("a.example", "http://a.example/", True),
        ("A.example", "http://a.EXAMPLE/", True),
        ("a.example", "http://b.a.example/", False),
        (".a.example", "http://b.a.example/", True),
        (".a.example", "http://a.example/", True),
        (".a.example", "http://ba.example/", False),
    ],
)
def test_a_cookie_goes_to_its_domain(domain, url, is_for):
    assert StoredCookie(name="n", value="v", domain=domain).is_for(url, 0) is is_for


def test_a_cookie_has_its_time_and_its_safety():
    until = StoredCookie(name="n", value="v", domain="a", expires=10)
    assert [until.is_for("http://a/", now) for now in (9, 10, 11)] == [True, False, False]
    for_ever = StoredCookie(name="n", value="v", domain="a")
    assert for_ever.is_for("http://a/", 10**12)
    safe = StoredCookie(name="n", value="v", domain="a", secure=True)
    assert [safe.is_for(f"{scheme}://a/", 0) for scheme in ("http", "https")] == [False, True]


def test_a_login_is_its_owners_alone(tmp_path):
    path = tmp_path / "login.json"
    with pytest.raises(UsageError, match=r"the login cannot be read \(No such file"):
        Login.read(str(path))
    path.write_text('{"cookies": [{"name": "n", "value": "v", "domain": "a", "sameSite": "Lax"}]}')
    for mode, is_fine in ((0o600, True), (0o400, True), (0o640, False), (0o604, False)):
        path.chmod(mode)
        if is_fine:
            assert list(Login.read(str(path)).secrets()) == ["v"]
            assert storage_state(str(path))["cookies"][0]["sameSite"] == "Lax"
        else:
            with pytest.raises(UsageError, match=f"others may read this file: chmod 600 {path}"):
                Login.read(str(path))
    path.chmod(0o600)
    path.write_text('{"cookies": "v"}')
    with pytest.raises(UsageError, match="this is no storage state of a browser") as refused:
        Login.read(str(path))
    assert '"v"' not in str(refused.value)


def test_a_trap_is_so_many_pages_in_a_row_without_news():
    traps = Traps(pages_until_trap=2)

    def notice(number, *texts):
        here, before, after = (f"https://a.example/m/{number + by}" for by in (0, -1, 1))
        return traps.notice(here, texts, [after], found_on=before)

    assert [notice(1, "a"), notice(2, "a"), notice(3, "b"), notice(4, "a"), notice(5, "b 1")] == [
        False
    ] * 5
    assert not notice(6, "b  2")
    assert not traps.holds("https://a.example/m/9")
    assert notice(7, "b 3")
    assert not notice(8, "b 4")
    assert traps.holds("https://a.example/m/9")
    assert not traps.holds("https://a.example/x/9")


@pytest.mark.parametrize(
    ("found_on", "leads_to", "is_trap"),
    [("/shelf-0", 1, True), ("/all", 1, False), ("/shelf-0", 0, False)],
)
def test_things_whose_titles_differ_by_a_number_are_no_trap(found_on, leads_to, is_trap):
    """They are found on a list, or lead to things that others lead to."""
    traps = Traps(pages_until_trap=3)
    host = "https://a.example"
    for number in range(20):
        links = [f"{host}/shelf-{number + leads_to}", f"{host}/all"]
        texts = [f"Shelf {number}", "Buy", f"Width {number * 7} cm"]
        traps.notice(f"{host}/shelf-{number}", texts, links, found_on=f"{host}{found_on}")
    assert traps.holds(f"{host}/shelf-99") == is_trap


@pytest.mark.parametrize(
    ("path", "is_acting"),
    [
        ("/cart?remove_item=7&_wpnonce=1", True),
        ("/tea?add-to-cart=3", True),
        ("/tea?add_to_wishlist=3", True),
        ("/account/logout", True),
        ("/wp-login.php?redirect_to=x", True),
        ("/x?action=delete_comment", True),
        ("/x?action=show", False),
        ("/blog/how-to-delete-a-cart", False),
        ("/tea?page=2", False),
    ],
)
def test_links_that_do_something_are_not_followed(path, is_acting):
    scope = Scope(starts=("https://a.example/",))
    wanted = "a link that does something, not a page" if is_acting else ""
    assert scope.refusal(f"https://a.example{path}") == wanted


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("?orderby=price", ""),
        ("?replytocom=12", ""),
        ("?sort_by=x&page=3&utm_source=y", "?page=3"),
        ("?border=1", "?border=1"),
    ],
)
def test_one_page_in_another_order_has_one_address(query, wanted):
    assert without_order(f"https://a.example/tea{query}") == f"https://a.example/tea{wanted}"


def test_facets_are_known_parts_combined_anew():
    facets = Facets()
    assert facets.is_new("https://a.example/tea")
    facets._families["a.example/tea"] = _Family({"green", "size=s"})
    news = ("tea", "tea/green", "tea/green?size=s", "tea/black?size=s", "tea?size=")
    assert [facets.is_new(f"https://a.example/{url}") for url in news] == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert not facets.holds("https://a.example/tea/green")
    facets.found.add("a.example/tea")
    assert facets.holds("https://a.example/tea/green")
    assert not facets.holds("https://a.example/tea/black")
    assert facets.leads_on(["https://a.example/tea/black"])
    assert not facets.leads_on(["https://a.example/tea/black", "https://a.example/tea/green"])


def test_a_family_is_a_host_and_the_first_piece_of_the_path():
    assert family_of("https://a.example/b/c") == family_of("http://a.example/b?x=1")
    assert parts_of("https://a.example/b//c/?d=&e=1") == {"c", "d=", "e=1"}


def test_links_of_pages_for_people():
    page = parse(
        "<a href=b>1</a><a href=b#x>2</a><a href=/a/>self</a><a rel='x NoFollow' href=c>3</a>"
        "<a href=mailto:x>4</a><area href='//d.example/'><link rel='Next' href='?2'>"
        "<link rel=icon href=i>"
    )
    found = links_of(page, "http://a.example/a/")
    assert [(link.url, link.is_next, link.is_entry) for link in found] == [
        ("http://a.example/a/b", False, False),
        ("http://d.example/", False, False),
        ("http://a.example/a/?2", True, False),
    ]
    assert page[found[0].node].text == "1"
    quiet = parse("<meta name=ROBOTS content='noindex, NoFollow'><a href=b>1</a>")
    assert links_of(quiet, "http://a.example/") == []


@pytest.mark.parametrize(
    ("text", "kind", "urls"),
    [
        (
            (
                "<urlset xmlns='s'><url><loc> http://a.example/1 </loc></url>"
                "<url><loc> </loc></url></urlset>"
            ),
            "sitemap",
            [("http://a.example/1", False)],
        ),
        (
            "<s:sitemapindex xmlns:s='s'><s:loc>/m</s:loc></s:sitemapindex>",
            "sitemap",
            [("http://a.example/m", False)],
        ),
        (
            "<rss><channel><item><link>/1</link></item></channel></rss>",
            "feed",
            [("http://a.example/1", False)],
        ),
        (
            (
                "<feed><link rel='self' href='/f'/><link rel='next' href='/2'/>"
                "<link href='/1'/></feed>"
            ),
            "feed",
            [("http://a.example/2", True), ("http://a.example/1", False)],
        ),
        ("<page><link>/1</link></page>", "", []),
    ],
)
def test_links_of_sitemaps_and_feeds(text, kind, urls):
    tree = parse(text, format="xml")
    assert kind_of(tree) == kind
    found = links_of(tree, "http://a.example/x")
    assert [(link.url, link.is_next) for link in found] == urls
    assert all(link.is_entry for link in found)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(b"tea" * 100, mtime=0)),
        (
            "x-gzip",
            gzip.compress(b"tea" * 50, mtime=0) + gzip.compress(b"tea" * 50, mtime=0) + b"\0\0",
        ),
        ("deflate", zlib.compress(b"tea" * 100)),
        ("deflate", raw_deflate(b"tea" * 100)),
        ("identity", b"tea" * 100),
    ],
)
def test_packed_bodies_come_out_whole_and_never_more_than_asked_for(coding, packed):
    unpack = _unpacker(coding)
    assert unpack(packed, 1000) == b"tea" * 100
    assert unpack.is_whole
    assert _unpacker(coding)(packed, 10) == (b"tea" * 4)[:10]


def test_a_body_that_is_cut_off_is_not_whole():
    unpack = _unpacker("gzip")
    unpack(gzip.compress(b"tea" * 100, mtime=0)[:-4], 1000)
    assert not unpack.is_whole
    with pytest.raises(http.client.HTTPException, match="packed as br, which was not asked for"):
        _unpacker("br")
