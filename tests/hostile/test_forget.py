"""After `forget` nothing of a page is found: in no byte of the store, in no table, in no feed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from tests.store.conftest import START, fetched
from treelace.site import Site
from treelace.store import FetchedPage
from treelace.store.frontier import Address, Event
from treelace.store.verify import verify

HOME = "https://shop.example/"
SECRET = f"{HOME}p/zyxsecretaddress"
VALUES = ("Quetzalworth", "Ypsilanti-only-words", "zyxsecretaddress")


def goods(names: list[str], extra: str = "") -> bytes:
    items = "".join(
        f"<li class=thing><h2>{name}</h2><p class=maker>Maker {number} & Sons</p>"
        f"<b class=price>€{number + 3}.00</b></li>"
        for number, name in enumerate(names)
    )
    return (f"<!DOCTYPE html><title>Shop</title><main><p>{extra}<ul>{items}</ul></main>").encode()


def pages(day: int) -> list[FetchedPage]:
    """Seven lists; what the one to be forgotten has no other one has."""
    made = [
        fetched(day, f"{HOME}p/{number}", body=goods([f"Tea {number}-{n}" for n in range(5)]))
        for number in range(6)
    ]
    own = goods([VALUES[0], *(f"Quetzalworth {n}" for n in range(4))], f"{VALUES[1]} {day}")
    return [fetched(day, SECRET, body=own), *made]


@pytest.fixture
def site(tmp_path: Path, store_place: str) -> Site:
    made = Site.create(tmp_path / "site", HOME, store=store_place)
    made.crawl(source=pages(1))
    for one in made.store.classes.all():
        made.accept(one.name)
    [kind, *_] = made.store.records.kinds()
    made.subscribe(
        "all", records=kind.name, when="changed", restless=True, channels=("atom:feed.xml",)
    )
    changed = [
        FetchedPage(one.url, one.time, 200, one.body.replace(b".00", b".50"), "text/html")
        for one in pages(24)
    ]
    made.crawl(source=changed)
    made.deliver(now=START + timedelta(days=3))
    made.store.frontier.add(
        [Address(url=SECRET, due=START), Address(url=f"{HOME}p/7", due=START, found_on=SECRET)]
    )
    made.store.frontier.log(
        Event(time=START, event="skipped", url=f"{HOME}p/8", note=f"leads to {SECRET}")
    )
    return made


def everything(site: Site) -> bytes:
    """All bytes of the folder, and all that the tables of the server hold."""
    found = b"\n".join(file.read_bytes() for file in site.folder.rglob("*") if file.is_file())
    with site.store._database.reading() as connection:
        for name in inspect(connection).get_table_names():
            rows = connection.execute(text(f'select * from "{name}"')).all()
            found += repr([tuple(row) for row in rows]).encode()
        if connection.dialect.name == "postgresql":
            told = "select tablename, most_common_vals::text, histogram_bounds::text from pg_stats"
            own = f"{told} where schemaname = current_schema()"
            found += repr(connection.execute(text(own)).all()).encode()
    return found


def test_nothing_is_found_afterwards(site: Site):
    feed = site.folder / "feed.xml"
    before = everything(site)
    assert all(word.encode() in before for word in (VALUES[0], VALUES[2])), "it was there"
    assert VALUES[0] in feed.read_text() and VALUES[2] in feed.read_text()
    others = len(site.store.urls()) - 1
    done = site.forget(SECRET)
    assert done.versions == 2
    left = everything(site)
    for word in VALUES:
        assert word.encode() not in left, word
        for _, data, _ in (it for url in site.store.urls() for it in site.store.texts(url)):
            assert word.encode() not in data
    assert "<entry>" in feed.read_text(), "what others told is still told"
    assert len(site.store.urls()) == others and not verify(site.store).damage


def test_the_wrapper_goes_on(site: Site):
    [one, *_] = site.store.classes.all()
    site.forget(SECRET)
    wrapper = site.store.classes.wrapper(one.id)
    assert wrapper is not None and SECRET not in one.about
    [kind, *_] = site.store.records.kinds()
    done = site.crawl(source=[one for one in pages(60) if one.url != SECRET])
    assert not done.stored.failures and not done.drift
    assert len(site.records(kind.name)) == 30


def test_an_address_that_begins_others_takes_only_itself(site: Site):
    """`/p/1` is the beginning of `/p/10`: the examples and alerts of that one stay."""
    site.crawl(source=[fetched(30, f"{HOME}p/10", body=goods([f"Tea 10-{n}" for n in range(5)]))])
    site.forget(f"{HOME}p/1")
    assert f"{HOME}p/10" in site.store.urls() and not verify(site.store).damage
    examples = [url for one in site.store.classes.all() for url in one.about.get("examples", ())]
    assert f"{HOME}p/1" not in examples and f"{HOME}p/2" in examples
