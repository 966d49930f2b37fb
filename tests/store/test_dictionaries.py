"""Dictionaries of page classes: learnt by themselves, used by new pages, and everything comes
back.
"""

from __future__ import annotations

from tests.store.conftest import fetched
from treelace import parse
from treelace.site import Site
from treelace.store import forgetting
from treelace.store.dictionaries import PAGES_TO_LEARN_FROM
from treelace.store.verify import verify


def page(number: int) -> bytes:
    nav = "".join(
        f'<a class="nav-item" href="/section/{n}">Section number {n}</a>' for n in range(40)
    )
    words = " ".join(f"w{number * k % 977}" for k in range(1, 80))
    return (
        f"<!DOCTYPE html><title>Article {number}</title><nav>{nav}</nav>"
        f"<article><h1>{number}</h1><p>{words}</p></article>".encode()
    )


def test_pages_of_a_class_share_a_dictionary(site: Site):
    count = 4 * PAGES_TO_LEARN_FROM  # batches that are under way when it is learnt do without
    site.add_pages(
        fetched(1, f"https://shop.example/{number}", body=page(number)) for number in range(count)
    )
    sizes = [
        site.history(f"https://shop.example/{number}")[0].bytes
        for number in (0, 1, count - 2, count - 1)
    ]
    assert max(sizes[2:]) < 0.8 * min(sizes[:2])
    for number in (0, count - 1):
        assert site.page(f"https://shop.example/{number}") == parse(page(number), format="html")
    assert not verify(site.store).damage
    before = site.store.dictionaries.newest(None)
    forgetting.forget(site.store, "https://shop.example/3")
    assert not verify(site.store).damage
    after = site.store.dictionaries.newest(None)
    assert before is not None and after is not None and before[1] != after[1], "learnt anew"
    assert site.page(f"https://shop.example/{count - 1}") == parse(page(count - 1), format="html")
