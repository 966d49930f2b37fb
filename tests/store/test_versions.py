"""The contract of versions, on both back ends: everything comes back, exactly, at any time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.store.conftest import START, URL, fetched, shop
from treelace import parse
from treelace.errors import UsageError
from treelace.limits import DEFAULT_LIMITS
from treelace.site import Site
from treelace.store import Store
from treelace.store import body as bodies
from treelace.store.verify import verify


def test_every_version_comes_back_to_the_letter(site: Site):
    site.add_pages(fetched(version) for version in range(1, 31))
    for version in range(1, 31):
        page = parse(shop(version), format="html")
        back = site.page(URL, version)
        assert back == page and back.to_html() == page.to_html()
    assert [it.number for it in site.history(URL)] == list(range(1, 31))
    assert not verify(site.store).damage


def test_a_page_that_did_not_change_is_only_seen_again(site: Site):
    done = site.add_pages([fetched(1), fetched(2, body=shop(1)), fetched(3)])
    assert (done.versions, done.same) == (2, 1)
    page = site.store.page(URL)
    assert (page.newest, page.seen) == (2, 3) and page.last_seen == START + timedelta(hours=3)


def test_taking_the_same_pages_in_again_adds_nothing(site: Site):
    pages = [fetched(1), fetched(2), fetched(3, body=shop(2)), fetched(4, body=shop(1))]
    first = site.add_pages(pages)
    again = site.add_pages(pages)
    assert (first.versions, again.versions, again.known) == (3, 0, 4)
    assert not again.late


def test_what_is_older_than_the_newest_version_is_named_and_left_out(site: Site):
    site.add_pages([fetched(5)])
    done = site.add_pages([fetched(2)])
    assert done.versions == 0 and "older" in done.late[0]


def test_nodes_keep_their_ids_through_versions(site: Site):
    site.add_pages(fetched(version) for version in (1, 2, 3, 4))
    old, new = site.store.body(URL, 1), site.store.body(URL, 4)
    was = {
        old.tree[i].attributes["id"]: int(old.xids.of[i])
        for i in (node.index for node in old.tree.select("li"))
    }
    now = {
        new.tree[i].attributes["id"]: int(new.xids.of[i])
        for i in (node.index for node in new.tree.select("li"))
    }
    assert all(now[key] == xid for key, xid in was.items())


def test_the_delta_between_any_two_versions_leads_from_one_to_the_other(site: Site):
    site.add_pages(fetched(version) for version in range(1, 9))
    for old, new in [(1, 2), (3, 8), (8, 1), (4, 4)]:
        assert site.diff(URL, old, new).apply(
            site.page(URL, old), xids=site.store.body(URL, old).xids
        ) == site.page(URL, new)


def test_a_version_by_time(site: Site):
    site.add_pages([fetched(1), fetched(5)])
    assert site.page(URL, at=START + timedelta(hours=4)) == parse(shop(1), format="html")
    assert site.page(URL, at=START + timedelta(hours=5)) == parse(shop(5), format="html")
    with pytest.raises(UsageError, match="was not known"):
        site.page(URL, at=START)


def test_a_version_or_page_that_is_not_there_is_named_with_what_is(site: Site):
    site.add_pages([fetched(1)])
    with pytest.raises(UsageError, match="no version 7: it has 1 to 1"):
        site.page(URL, 7)
    with pytest.raises(UsageError, match=r"did you mean 'https://shop.example/'"):
        site.page("https://shop.example")


def test_one_bad_page_is_named_and_the_others_are_in(site: Site):
    bad = fetched(1, "https://shop.example/bad.xml", body=b"<a><b></a>")
    from dataclasses import replace

    done = site.add_pages([fetched(1), replace(bad, content_type="application/xml"), fetched(2)])
    assert done.versions == 2 and len(done.failures) == 1 and "bad.xml" in done.failures[0]


@pytest.mark.parametrize(
    ("markup", "format"),
    [
        ("<p>a", "html"),
        ("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'><table><p>quirks</table>", "html"),
        ("", "html"),
        ("<table><a>1<tr><td><table><a>nested", "html"),
        ("<p>\x0c&#x80;</p><plaintext>to the end</p>", "html"),
        (
            "<!DOCTYPE a [<!ENTITY e 'x'>]><a xmlns:b='u' b:c='1'>&e;<![CDATA[<]]><?pi d?></a>",
            "xml",
        ),
        ("<form><form></form><pre>\n\nx</pre><svg><a/></svg><template><td>x</template>", "html"),
    ],
)
def test_odd_trees_come_back(site: Site, markup: str, format: str):
    from dataclasses import replace

    kind = "text/html" if format == "html" else "application/xml"
    for version, body in enumerate([markup.encode(), b"<a>other</a>", markup.encode()], 1):
        site.add_pages([replace(fetched(version, body=body), content_type=kind)])
    page = parse(markup, format=format)
    for version in (1, 3):
        back = site.page(URL, version)
        assert back == page and back.quirks == page.quirks and back.format == format
    assert not verify(site.store).damage


def test_a_tree_that_no_markup_can_say_is_kept_in_the_kernels_form():
    body = bodies.Body.first(parse("<li>tea</li><li>jam</li>", fragment=True, format="html"))
    data = bodies.write(body, limits=DEFAULT_LIMITS)
    again = bodies.read(data, limits=DEFAULT_LIMITS)
    assert data[:1] == b"t" and again.tree == body.tree
    assert again.xids.of.tolist() == body.xids.of.tolist()


def test_sqlite_waits_for_the_disk_at_checkpoints_alone(tmp_path):
    with Store.create(tmp_path / "store.sqlite") as store, store._database.reading() as connection:
        found = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("synchronous", "journal_mode", "foreign_keys")
        ]
    assert found == [1, "wal", 1]
