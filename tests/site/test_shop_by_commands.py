"""A small shop in the markup that many have, on a real server, played by the commands."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from tests.conftest import Treelace
from tests.crawl.servers import Answer, Server

WORDS = "amber birch cedar dune elm fern grove heath iris juniper kelp larch".split()
LOCAL = ("--allow-private", "--delay", "0", "--no-progress")
_nonces = itertools.count()


def amount(value: float) -> str:
    return f"<span class=amount><bdi><span class=sign>$</span>{value:.2f}</bdi></span>"


class Shop:
    """Twelve lamps of one price, in a list of two pages; on the second day one is cheaper."""

    def __init__(self) -> None:
        self.day = 1

    def card(self, word: str) -> str:
        return (
            f"<li class=product><a href=/lamp/{word}/><img src=/img/{word}.jpg><h2>The {word} lamp"
            f"</h2><span class=price>{self.price(word)}</span></a>"
            f"<a class=button href='?add-to-cart={word}'>Add to cart</a></li>"
        )

    def price(self, word: str) -> str:
        return amount(12 if word == "dune" and self.day > 1 else 20)

    def page(self, title: str, main: str) -> Answer:
        metas = "".join(f"<meta property='og:x{n}' content='{title} {n}'>" for n in range(9))
        head = f"<title>{title} – Lamps</title>{metas if self.day > 1 else ''}"
        return Answer(
            f"<html lang=en><head>{head}<script>var nonce = {next(_nonces)}</script></head><body>"
            "<header><a href=/>Home</a><a href=/shop/>Shop</a><a href=/cart/>Cart</a></header>"
            f"<div id=content>{main}</div><footer>Lamps since 1990</footer></body></html>".encode()
        )

    def home(self, _: object) -> Answer:
        return self.page("Home", "<h1>Welcome</h1><p>We make lamps.</p>")

    def cart(self, _: object) -> Answer:
        return self.page("Cart", "<p>It is empty.</p><a href='/cart/?remove_item=7'>Remove</a>")

    def shelf(self, number: int) -> Answer:
        cards = "".join(map(self.card, WORDS[6 * number - 6 : 6 * number]))
        pager = "".join(f"<a href=/shop/page/{n}/>{n}</a>" for n in (1, 2))
        order = "<a href='?orderby=price'>by price</a><a href='?orderby=date'>by date</a>"
        return self.page("Shop", f"<h1>Shop</h1>{order}<ul>{cards}</ul><nav>{pager}</nav>")

    def lamp(self, word: str) -> Answer:
        others = [other for other in WORDS if other != word]
        strip = "".join(map(self.card, random.Random(f"{word} {self.day}").sample(others, 3)))
        return self.page(
            f"The {word} lamp",
            f"<div class=summary><h1>The {word} lamp</h1><p class=price>{self.price(word)}</p>"
            f"<p class=about>Made of {word} by hand.</p><p>SKU: <b class=sku>{word[:2]}-1</b></p>"
            f"<a href='/lamp/{word}/?replytocom=3'>Reply</a></div>"
            f"<section class=related><h2>Related</h2><ul>{strip}</ul></section>",
        )

    def server(self) -> Server:
        lamps = {f"/lamp/{word}/": lambda _, word=word: self.lamp(word) for word in WORDS}
        shelves = {f"/shop/page/{n}/": lambda _, n=n: self.shelf(n) for n in (1, 2)}
        first = {"/": self.home, "/cart/": self.cart, "/shop/": lambda _: self.shelf(1)}
        return Server({**first, **shelves, **lamps})


@pytest.fixture
def shop():
    return Shop()


@pytest.fixture
def server(shop):
    with shop.server() as server:
        yield server


@pytest.fixture
def site(tmp_path: Path, server: Server, treelace: Treelace):
    folder = str(tmp_path / "shop")
    treelace("init", folder, server.url)
    treelace("crawl", "--site", folder, "--auto-accept", *LOCAL)
    return folder


def test_links_that_act_or_show_the_same_are_not_asked_for(site, server):
    assert [path for path in server.asked if "?" in path] == []
    assert {f"/lamp/{word}/" for word in WORDS} <= set(server.asked)


def test_a_price_that_all_have_is_told_when_it_drops_and_nothing_else_is(site, shop, treelace):
    """Beside it: `meta` elements, a nonce in a script, other related lamps."""
    for kind in ("lamp", "shop_list"):
        treelace("subscribe", kind, "--site", site, "--records", kind, "--when", "changes")
    for _ in range(2):
        shop.day += 1
        treelace("crawl", "--site", site, *LOCAL)
    alerts = treelace("alerts", "--site", site).stdout
    assert alerts.count("The dune lamp: price 20 → 12") == 2
    assert len(alerts.splitlines()) == 3, alerts


@pytest.mark.parametrize(
    ("rule", "nearest"),
    [
        (("--records", "lamp", "--when", "pricee < 5"), "did you mean 'price'?"),
        (("--records", "lampe", "--when", "new"), "did you mean 'lamp'?"),
        (("--page", "{}/lamp/elm/", "--select", ".pricee"), "did you mean '.price'?"),
        (("--drift", "lampe"), "did you mean 'lamp'?"),
    ],
)
def test_a_misspelt_rule_is_refused_with_the_nearest_name(site, server, treelace, rule, nearest):
    words = [word.format(server.url) for word in rule]
    said = treelace("subscribe", "x", "--site", site, *words)
    assert said.returncode == 2
    assert nearest in said.stderr


def test_one_page_is_watched_in_a_folder_named_after_its_host(tmp_path, server, treelace):
    treelace("watch", f"{server.url}/lamp/elm/", "--once", *LOCAL)
    assert set(server.asked) - {"/robots.txt"} == {"/lamp/elm/"}
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("127.0.0.1")
