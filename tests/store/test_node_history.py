"""The history of nodes, and changes as documents, on both back ends."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.store.conftest import START, URL, fetched
from treelace.errors import UsageError
from treelace.site import Site
from treelace.store import node_history
from treelace.store.body import Body


def page(price: str, extra: str = "") -> bytes:
    return (
        '<!DOCTYPE html><p>Intro</p><ul><li id=tea class="a"><i>tea</i>'
        f" <b>{price}</b></li>{extra}</ul>".encode()
    )


PAGES = [
    page("3"),
    page("3", "<li>jam</li>"),
    page("4", "<li>jam</li>"),
    b"<!DOCTYPE html><p>Intro</p><ul><li>jam</li></ul>",
]


@pytest.fixture
def shop(site: Site) -> Site:
    site.add_pages(fetched(hour, body=body) for hour, body in enumerate(PAGES))
    return site


@pytest.mark.parametrize("expression", ["#tea b", "//li[@id='tea']/b", "/html/body/ul/li[1]/b"])
def test_a_node_has_a_history(shop: Site, expression: str):
    identity = node_history.identify(shop.store.body(URL, 3), expression)
    found = node_history.history(shop.store, URL, identity)
    assert [(it.version, it.value) for it in found] == [(1, "3"), (3, "4"), (4, None)]
    assert found == node_history.history(
        shop.store, URL, node_history.identify(shop.store.body(URL, 1), f"#{identity.xid}")
    )


def test_an_attribute_has_a_history(shop: Site):
    found = node_history.history(
        shop.store, URL, node_history.identify(shop.store.body(URL, 1), "//li/@class")
    )
    assert [(it.version, it.value) for it in found] == [(1, "a"), (4, None)]


def test_what_names_no_single_node_is_wrong_use(shop: Site):
    body = shop.store.body(URL, 2)
    for expression, says in (
        ("li", "2 nodes"),
        ("table", "nothing"),
        ("xpath:count(//li)", "value"),
    ):
        with pytest.raises(UsageError, match=says):
            node_history.identify(body, expression)
    with pytest.raises(UsageError, match="never had"):
        node_history.history(shop.store, URL, node_history.Identity(99999))


def test_changes_are_documents(shop: Site):
    came = list(node_history.changes(shop.store, URL, "//d:insert//li"))
    assert [(it.version, it.text) for it in came] == [(2, "jam")]
    assert [it.text for it in node_history.changes(shop.store, URL, "//d:update/d:new")] == ["4"]
    assert (
        list(node_history.changes(shop.store, URL, "//d:insert", since=START + timedelta(hours=2)))
        == []
    )
    assert [number for number, _, _ in node_history.deltas(shop.store, URL)] == [2, 3, 4]


def test_rates_count_how_often_a_node_changed(shop: Site):
    rates = shop.store.rates(shop.store.page(URL).id)
    assert rates.steps == 3
    assert rates.labels["b"] == 1 and rates.labels["ul"] == 2
    ul = shop.store.body(URL).tree.select("ul")[0].index
    assert rates.rate(int(shop.store.body(URL).xids.of[ul])) == pytest.approx(2 / 3)


def test_a_version_is_parsed_only_where_the_node_can_have_changed(site: Site, monkeypatch):
    said = [("3", "jam"), ("3", "marmalade"), ("4", "marmalade")]
    bodies = [page(price, f"<li>{other}</li>") for price, other in said]
    site.add_pages(fetched(hour, body=body) for hour, body in enumerate(bodies))
    identity = node_history.identify(site.store.body(URL, 1), "#tea")
    parsed: list[int] = []
    plain = site.store.checked

    def checked(data: bytes, digest: bytes, url: str, number: int) -> Body:
        parsed.append(number)
        return plain(data, digest, url, number)

    monkeypatch.setattr(site.store, "checked", checked)
    found = node_history.history(site.store, URL, identity)
    assert [(it.version, it.value) for it in found] == [(1, "tea 3"), (3, "tea 4")]
    assert parsed == [1, 3]  # in the second version something changed behind the node
