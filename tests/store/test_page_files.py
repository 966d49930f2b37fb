"""Style sheets and images of pages, on both back ends: kept once, shared, copied, forgotten, and
checked like everything else.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from tests.store.conftest import URL, fetched
from treelace.site import Site
from treelace.store import Store, forgetting, transfer
from treelace.store.verify import verify

CSS = "https://shop.example/a.css"


def count(store: Store, table: str) -> int:
    with store._database.reading() as connection:
        return int(connection.execute(text(f"select count(*) from {table}")).scalar_one())


def filled(site: Site) -> Store:
    site.add_pages([fetched(0), fetched(0, URL + "b")])
    files = site.store.page_files
    assert files.use(URL, [CSS]) == [CSS]
    files.keep(CSS, "text/css", b"p {}", [URL, URL, "https://shop.example/unknown"])
    files.keep("https://cdn.example/b.css", "text/css", b"p {}", [URL])
    files.keep("https://cdn.example/c.png", "image/png", bytes(3000), [URL])
    assert files.use(URL + "b", [CSS, "https://cdn.example/new.css"]) == [
        "https://cdn.example/new.css"
    ]
    assert not files.use(URL + "b", [CSS])
    return site.store


def test_the_same_bytes_are_kept_once(site: Site):
    store = filled(site)
    assert (count(store, "captured_files"), count(store, "page_files")) == (2, 4)
    found = store.page_files.of(URL, most_bytes=10_000)
    assert {name: (it.content_type, len(it.data)) for name, it in found.items()} == {
        CSS: ("text/css", 4),
        "https://cdn.example/b.css": ("text/css", 4),
        "https://cdn.example/c.png": ("image/png", 3000),
    }
    assert list(store.page_files.of(URL, most_bytes=10)) == [CSS, "https://cdn.example/b.css"]


def test_they_are_forgotten_with_the_last_page(site: Site):
    store = filled(site)
    with site.store.writer():
        forgetting.forget(store, URL)
    assert (count(store, "captured_files"), count(store, "page_files")) == (1, 1)
    assert not verify(store).damage
    with site.store.writer():
        forgetting.forget(store, URL + "b")
    assert (count(store, "captured_files"), count(store, "page_files")) == (0, 0)
    assert not verify(store).damage


def test_they_are_copied_and_damage_is_seen(site: Site, tmp_path: Path):
    store = filled(site)
    with Store.create(tmp_path / "copy.sqlite") as copied:
        transfer.copy(store, copied)
        assert transfer.fingerprint(copied) == transfer.fingerprint(store)
    with store._database.writing() as connection:
        connection.execute(text("update captured_files set content_type = 'text/html'"))
    assert len(verify(store).damage) == 2
