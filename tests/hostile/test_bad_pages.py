"""One bad page ends nothing: it is set aside by name, counted, and the others are stored."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest
from sqlalchemy import event, text

from tests.store.conftest import START, URL, fetched
from treelace.classes.pages import Fetched
from treelace.errors import StoreError
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.monitor.channels.channel import Outbox
from treelace.monitor.delivery import deliver
from treelace.site import Site
from treelace.site.results import RoundFailed
from treelace.store import FetchedPage
from treelace.store.alerts import Alert, NewAlert
from treelace.store.verify import verify
from treelace.tree import Tree

PAGES = [f"{URL}{number}" for number in range(24)]


@pytest.fixture
def site(tmp_path: Path, store_place: str) -> Site:
    return Site.create(tmp_path / "site", URL, store=store_place)


def refuse(site: Site, table: str, column: str, word: str) -> None:
    """Makes the database refuse rows that have a word: what a value did that no one foresaw."""
    with site.store._database.writing() as connection:
        if connection.dialect.name == "sqlite":
            connection.execute(
                text(
                    f"create trigger no before insert on {table} when new.{column} like '%{word}%'"
                    " begin select raise(abort, 'no such value'); end"
                )
            )
        else:
            connection.execute(
                text(f"alter table {table} add check ({column} not like '%{word}%')")
            )


@pytest.mark.parametrize("bad", [[0], [23], [5, 6, 17], list(range(24))], ids=str)
def test_a_page_that_the_database_refuses_is_set_aside(site: Site, bad: list[int]):
    refuse(site, "pages", "url", "bad")
    urls = [f"{url}-bad" if number in bad else url for number, url in enumerate(PAGES)]
    done = site.add_pages(fetched(1, url) for url in urls)
    assert done.versions == done.new_pages == len(PAGES) - len(bad)
    assert len(done.failures) == len(bad)
    for number in bad:
        assert any(line.startswith(f"{PAGES[number]}-bad of ") for line in done.failures)
    assert site.store.urls() == [url for url in urls if "bad" not in url]
    assert not verify(site.store).damage


def test_a_record_that_the_database_refuses_costs_its_page_alone(tmp_path: Path, store_place: str):
    site = Site.create(tmp_path / "site", URL, store=store_place)
    path = site.folder / "treelace.toml"
    path.write_text(
        path.read_text() + '\n[[class]]\nname = "teas"\nurls = ".*"\nwrapper = "extract"\n'
    )
    site = Site(site.folder)
    site.add_pages([fetched(1, url) for url in PAGES])
    refuse(site, "sightings", "key", "nasty")
    pages = [fetched(2, url) for url in PAGES]
    nasty = pages[7].body.replace(b"/p/", b"/p/nasty")
    pages[7] = FetchedPage(pages[7].url, pages[7].time, 200, nasty, "text/html")
    done = site.add_pages(pages)
    assert done.versions == len(PAGES) - 1 and len(done.failures) == 1
    assert PAGES[7] in done.failures[0]
    assert len(site.history(PAGES[7])) == 1 and len(site.history(PAGES[8])) == 2
    assert not verify(site.store).damage


@dataclass(frozen=True)
class BreaksTheParser(Fetched):
    """A page on which something breaks that no one foresaw."""

    error: BaseException | None = None

    def tree(self, *, limits: Limits = DEFAULT_LIMITS) -> Tree:
        assert self.error is not None
        raise self.error


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("no\nidea"),
        MemoryError(),
        RecursionError("too deep"),
        OverflowError("int too large"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "what"),
        KeyError("name"),
        AssertionError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_breaks_on_a_page_ends_no_other(tmp_path: Path, error: BaseException):
    site = Site.create(tmp_path / "site", URL)
    good = [fetched(1, url) for url in PAGES]
    bad = BreaksTheParser(f"{URL}bad", good[0].time, 200, b"<p>tea", "text/html", error=error)
    done = site.add_pages([*good[:9], bad, *good[9:]])
    assert done.versions == len(PAGES)
    [line] = done.failures
    assert line.startswith(f"{URL}bad of ") and type(error).__name__ in line and "\n" not in line


def test_a_full_disk_is_no_page_s_fault(tmp_path: Path):
    """It ends the round, and nothing of the batch is stored; no page is blamed for it."""
    site = Site.create(tmp_path / "site", URL)
    engine = site.store._database._engine
    engine.dispose()
    event.listen(engine, "connect", lambda made, _: made.execute("pragma max_page_count = 60"))
    chance = Random(1)
    bodies = [b"<p>" + chance.randbytes(20_000).hex().encode() for _ in PAGES]
    pages = [fetched(1, url, body=body) for url, body in zip(PAGES, bodies, strict=True)]
    with pytest.raises(StoreError, match="the disk is full: make room"):
        site.add_pages(pages)
    assert not site.store.urls() and not verify(site.store).damage


def test_a_watch_goes_on_after_a_round_that_broke(tmp_path: Path):
    """A start that no one can fetch, settings that became nonsense: each round says so."""
    site = Site.create(tmp_path / "site", "http://127.0.0.1:1/")
    stop = threading.Event()
    rounds = []
    site.store.frontier.release()
    watch = site.watch(every=0.0, stop=stop)
    with site.store._database.writing() as connection:
        connection.execute(text("alter table frontier rename to elsewhere"))
    for done in watch:
        if isinstance(done, RoundFailed):
            rounds.append(str(done))
            if len(rounds) == 2:
                with site.store._database.writing() as connection:
                    connection.execute(text("alter table elsewhere rename to frontier"))
        elif len(rounds) >= 2:
            stop.set()
    assert len(rounds) >= 2 and "frontier" in rounds[0] and "\n" not in rounds[0]


class Breaks:
    """A channel of someone else's, with a fault."""

    name: ClassVar[str] = "breaks"
    needs: ClassVar[str] = ""

    def __init__(self, address: str) -> None:
        self.address = address

    def send(self, alert: Alert, key: str, outbox: Outbox) -> None:
        raise TypeError("no such thing")


def test_a_channel_that_breaks_ends_no_delivery(site: Site):
    said: list[str] = []
    for number in range(2):
        site.store.alerts.record(
            NewAlert(
                name=f"a{number}",
                kind="new",
                time=fetched(1).time,
                channels=("breaks", "terminal"),
            )
        )
    from treelace.monitor.channels import CHANNELS

    done = deliver(
        site.store.alerts,
        Outbox(folder=site.folder, say=said.append),
        channels={**CHANNELS, "breaks": Breaks},
    )
    assert (done.arrived, done.failed) == (2, 2) and len(said) == 2


@pytest.mark.parametrize("bad", ["http://[x", "http://a]b", "https://a.example:999999"])
def test_an_archive_with_addresses_that_are_none_ends_no_crawl(tmp_path: Path, bad: str):
    """They were stored, and whatever looked at all addresses ended with a `ValueError`."""
    rows = "".join(f"<li><h2>Tea {n}</h2><b>€{n}.50</b></li>" for n in range(8))
    pages = [
        FetchedPage(f"{place}/p/{n}", START, 200, f"<h1>Tea {n}</h1><ul>{rows}</ul>".encode())
        for place in ("https://a.example", bad)
        for n in range(6)
    ]
    with Site.create(tmp_path / "site", "https://a.example/") as site:
        done = site.crawl(source=pages, auto_accept=True)
        assert len(done.stored.failures) == 6 and all(bad in it for it in done.stored.failures)
        assert site.store.urls() == [page.url for page in pages[:6]]
        assert not site.verify().damage
