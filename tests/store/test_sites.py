"""Many sites in one database: added, listed, paused, removed, used by every command."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.conftest import Treelace
from tests.store.conftest import URL, fetched
from treelace.errors import StoreError, TreelaceError, UsageError
from treelace.site import Site
from treelace.site.sites import (
    add_site,
    change_site,
    list_sites,
    list_workers,
    pause_site,
    remove_site,
    resume_site,
    site_settings_of,
)
from treelace.store.host_rights import HostRights, lock_keys
from treelace.store.sites import Sites
from treelace.store.transfer import fingerprint
from treelace.store.verify import verify
from treelace.store.work import Work

SAMPLES = Path(__file__).parents[2] / "docs" / "samples"


def new_database(server: str) -> str:
    """The address of a database of its own."""
    import psycopg

    name = f"t{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture(scope="module")
def one_database(server: str) -> str:
    return new_database(server)


@pytest.fixture
def database(one_database: str) -> str:
    """A database without sites."""
    import psycopg

    with psycopg.connect(one_database, autocommit=True) as connection:
        ours = "select nspname from pg_namespace where nspname ~ '^(treelace|site_)'"
        for (name,) in connection.execute(ours).fetchall():
            connection.execute(f"drop schema {name} cascade")
    return one_database


def test_a_site_of_a_database_is_a_site_like_any_other(database: str):
    add_site(database, URL, name="shop")
    add_site(database, "https://tea.example/")
    with Site(f"{database}#shop") as site:
        site.add_pages([fetched(1), fetched(2)])
        site.subscribe("any", page=URL, select="body")
        assert [version.number for version in site.history(URL)] == [1, 2]
        assert site.status().url == URL
        assert site.place.endswith("#shop")
    with Site(f"{database}#tea.example", read_only=True) as other:
        assert not list(other.pages())
        assert not list(other.rules())
        assert not verify(other.store).damage
    assert [(one.name, one.state) for one in list_sites(database)] == [
        ("shop", "active"),
        ("tea.example", "active"),
    ]


def test_settings_stand_in_the_database(database: str, tmp_path: Path):
    said = '[site]\nurl = "https://old.example/"\n[store]\nurl = "x"\n[crawl]\ndelay = 3\n'
    add_site(database, URL, name="shop", settings=said)
    assert site_settings_of(database, "shop") == (
        f'[site]\nurl = "{URL}"\n[store]\n[crawl]\ndelay = 3\n'
    )
    change_site(database, "shop", settings=f'[site]\nurl = "{URL}"\n[crawl]\ndelay = 7\n', every=9)
    with Site(f"{database}#shop") as site:
        assert site.settings.crawl.delay == 7
    assert list_sites(database)[0].every == 9
    with pytest.raises(TreelaceError, match=r"shop: crawl.delay: Expected `float`"):
        change_site(database, "shop", settings=f'[site]\nurl = "{URL}"\n[crawl]\ndelay = "x"\n')


def test_what_is_wrong_is_said_in_one_line(database: str):
    with pytest.raises(UsageError, match="has no sites yet: `treelace sites add` adds one"):
        list_sites(database)
    add_site(database, URL, name="shop")
    for name in ("a b", "x#y", "", "'; drop schema treelace; --", "x" * 64, "../shop", "☕"):
        with (
            pytest.raises(UsageError, match="is no name for a site"),
            Sites(database) as sites,
        ):
            sites.add(name, f'[site]\nurl = "{URL}"\n')
    add_site(database, URL, name="tëa-2.b_c")
    with pytest.raises(UsageError, match="there is a site 'shop' already"):
        add_site(database, URL, name="shop")
    with pytest.raises(UsageError, match="no site 'shp': did you mean 'shop'"):
        Site(f"{database}#shp")
    with pytest.raises(UsageError, match="which site of this database"):
        Site(database)
    with pytest.raises(UsageError, match="many sites are kept by PostgreSQL"):
        list_sites("shop.sqlite")
    with pytest.raises(UsageError, match="asks for the variable NO_SUCH"):
        list_sites("env:NO_SUCH")
    with pytest.raises(UsageError, match="`treelace sites add` makes a site in a database"):
        Site.create(f"{database}#new", URL)
    with Site.of_page(URL, f"{database}#shop") as site:
        assert site.place.endswith("#shop")
    with pytest.raises(StoreError, match="there is no such database"):
        list_sites(database.replace("?", "x?"))
    with pytest.raises(StoreError, match="the server does not answer"):
        list_sites("postgresql://127.0.0.1:9/shops")


def test_a_newer_database_is_refused(database: str):
    import psycopg

    add_site(database, URL, name="shop")
    with psycopg.connect(database) as connection:
        connection.execute("update treelace.about set value = '99' where name = 'schema'")
    with pytest.raises(StoreError, match="have schema 99, this treelace knows 1: update"):
        list_sites(database)


def test_two_who_add_the_same_site_at_once_make_one(database: str):
    said: list[str] = []

    def add() -> None:
        try:
            said.append(str(add_site(database, URL, name="shop")))
        except UsageError as error:
            said.append(str(error))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum("there is a site 'shop' already" in line for line in said) == 3, said
    assert len(list_sites(database)) == 1


def test_paused_sites_are_not_served_and_removed_ones_leave_nothing(database: str):
    import psycopg

    add_site(database, URL, name="shop")
    pause_site(database, "shop")
    with Work(database) as work:
        assert work.next() is None
        resume_site(database, "shop")
        found = work.next()
        assert found is not None
        assert found.name == "shop"
        work.done(found, due_in=60, page_due=None)
        assert work.next() is None
    remove_site(database, "shop")
    assert not list_sites(database)
    with psycopg.connect(database) as connection:
        count = "select count(*) from pg_tables where schemaname like 'site%'"
        assert connection.execute(count).fetchone() == (0,)


def test_a_site_is_removed_when_its_writer_is_done(database: str):
    add_site(database, URL, name="shop")
    with Site(f"{database}#shop") as site:
        with site.writer():
            removing = threading.Thread(target=remove_site, args=(database, "shop"))
            removing.start()
            removing.join(0.5)
            assert removing.is_alive()
            assert list_sites(database)[0].state == "removing"
            site.add_pages([fetched(1)])
        removing.join(20)
    assert not list_sites(database)


@pytest.fixture
def two_works(database: str) -> Iterator[tuple[Work, Work]]:
    for name, url in (("a", URL), ("b", f"{URL}other"), ("c", "https://tea.example/")):
        add_site(database, url, name=name)
    with Work(database, name="one") as one, Work(database, name="two") as two:
        yield one, two


def test_a_host_is_served_by_one_worker(two_works: tuple[Work, Work], database: str):
    one, two = two_works
    first = one.next()
    second = two.next()
    assert first is not None
    assert second is not None
    assert (first.name, second.name) == ("a", "c"), "b is of the same host as a"
    with (
        Site(f"{database}#b") as site,
        pytest.raises(StoreError, match=r"another process asks shop\.example"),
    ):
        site.crawl()
    shown = list_workers(database)
    assert [(it.name, it.site, it.is_there) for it in shown] == [
        ("one", "a", True),
        ("two", "c", True),
    ]
    assert shown.backlog.of.due == 3
    one.done(first, due_in=60, page_due=None)
    third = two.rights, one.next()
    assert third[1] is not None
    assert third[1].name == "b"


def test_what_a_dead_worker_had_is_due_still(two_works: tuple[Work, Work], database: str):
    import psycopg

    one, two = two_works
    first = one.next()
    assert first is not None
    assert one.rights.wait("shop.example", 2.0) == 0
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(backend, 10000) from treelace.workers where name = 'one'"
        )
    assert one.beat(first.id) == "the database has ended this worker's session"
    again = two.next()
    assert again is not None
    assert again.name == "a"
    assert 1.5 < two.rights.wait("shop.example", 2.0) <= 2, "it may have been asked just now"
    assert [it.name for it in list_workers(database) if not it.is_there] == ["one"]


def test_pauses_are_kept_from_worker_to_worker(two_works: tuple[Work, Work]):
    one, two = two_works
    first = one.next()
    assert first is not None
    assert one.rights.wait("shop.example", 5.0) == 0
    one.rights.set_delay("shop.example", 8.0)
    one.done(first, due_in=0, page_due=None)
    second = two.next()
    assert second is not None
    assert 7.0 < two.rights.wait("shop.example", 5.0) <= 8, (
        "its robots.txt asks for more than we do"
    )
    two.rights.set_rest("shop.example", 100.0)
    two.done(second, due_in=0, page_due=None)
    assert one.next() is not None
    assert 99.0 < one.rights.wait("shop.example", 5.0) <= 100, "it said Retry-After"


@pytest.mark.parametrize(
    ("left", "right", "is_both"),
    [
        (["a.example"], ["b.example"], True),
        (["a.example"], ["a.example"], False),
        (["a.example"], [".example"], False),
        (["x.y.a.example"], ["b.example", ".a.example"], False),
        ([".a.example"], [".y.a.example"], False),
        ([".a.example"], ["aa.example"], True),
        ([".a.example"], ["a.example"], False),
    ],
)
def test_sites_with_a_host_in_common_exclude_each_other(
    database: str, left: list[str], right: list[str], is_both: bool
):
    with Sites(database) as sites:
        one, two = HostRights(sites.database), HostRights(sites.database)
        assert one.take(left)
        assert two.take(right) is is_both
        assert len(lock_keys(left)) == len(set(lock_keys(left)))
        one.close()
        assert is_both or two.take(right, wait=True), "what ended is free"
        two.close()


def test_a_site_moves_between_a_folder_and_a_database(database: str, tmp_path: Path):
    with Site.create(tmp_path / "shop", URL) as site:
        site.add_pages([fetched(1), fetched(2)])
        site.subscribe("any", page=URL, select="body")
        token, there = site.store.token(), fingerprint(site.store)
        moved = site.export(f"{database}#shop")
        assert str(moved).startswith(f"{list_place(database)}#shop: ")
        with pytest.raises(UsageError, match="there is a site 'shop' already"):
            site.export(f"{database}#shop")
    assert list_sites(database)[0].state == "active"
    with Site(f"{database}#shop") as kept:
        assert fingerprint(kept.store) == there
        assert kept.store.token() == token, "receivers of alerts know it"
        kept.add_pages([fetched(3)])
        there = fingerprint(kept.store)
        back = kept.export(f"{tmp_path / 'back'}/")
        assert str(back).startswith(f"{tmp_path / 'back'}: ")
        with pytest.raises(UsageError, match="this is a site already"):
            kept.export(f"{tmp_path / 'back'}/")
    with Site(tmp_path / "back") as site:
        assert fingerprint(site.store) == there
        assert not verify(site.store).damage
        assert site.settings.site.url == URL
        site.add_pages([fetched(4)])
    with Site.create(tmp_path / "third", URL) as site:
        site.import_(f"{database}#shop")
        assert fingerprint(site.store) == there


def test_half_an_export_is_none(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def copy(*_: object) -> int:
        raise StoreError("the disk is full")

    monkeypatch.setattr("treelace.store.transfer.copy", copy)
    with Site.create(tmp_path / "shop", URL) as site, pytest.raises(StoreError, match="is full"):
        site.export(f"{database}#shop")
    assert not list_sites(database)


def list_place(database: str) -> str:
    """The address as messages show it."""
    with Sites(database) as sites:
        return sites.database.place


def test_readers_are_never_blocked(database: str):
    add_site(database, URL, name="shop")
    with Site(f"{database}#shop") as site:
        site.add_pages([fetched(1)])
        with site.writer(), site.asking(), site.store.writing() as transaction:
            transaction.alerts.subscribe("any", {"page": URL})
            with Site(f"{database}#shop", read_only=True) as reader:
                assert reader.status().pages == 1
                assert not list(reader.rules()), "what is not written yet is not seen"
                assert list(reader.sql("select count(*) from pages").rows) == [(1,)]
            assert len(list_sites(database)) == 1
            assert not list_workers(database)


def test_the_studio_shows_sites_of_a_database(database: str):
    from treelace.limits import DEFAULT_LIMITS
    from treelace.studio.sites import Sites as Shown

    add_site(database, URL, name="shop")
    shown = Shown([f"{database}#shop"], limits=DEFAULT_LIMITS)
    assert list(shown.folders) == ["shop"]
    assert shown.reading("shop").status().url == URL
    change_site(database, "shop", settings=f'[site]\nurl = "{URL}x"\n')
    assert shown.reading("shop").settings.site.url == f"{URL}x"
    shown.close()


def test_the_command_line_says_it_in_a_line(database: str, treelace: Treelace):
    def run(*words: str) -> tuple[int, str]:
        done = treelace(*words, env={"SHOPS": database})
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout + done.stderr

    assert run("sites", "add", URL, "--name", "shop", "--store", "env:SHOPS") == (
        0,
        f"env:SHOPS#shop: a site for {URL}; workers serve it now\n",
    )
    for words, code, said in (
        (
            ("sites", "add", URL, "--name", "a/b", "--store", "env:SHOPS"),
            2,
            "is no name for a site",
        ),
        (("sites", "add", "shop", "--store", "env:SHOPS"), 2, "a URL of a page starts with http"),
        (("sites", "list", "--store", "mysql://x/y"), 2, "many sites are kept by PostgreSQL"),
        (("worker", "--store", "env:NO_SUCH"), 2, "asks for the variable NO_SUCH"),
        (("pages", "--site", "env:SHOPS#shp"), 2, "no site 'shp': did you mean 'shop'?"),
    ):
        found, lines = run(*words)
        assert (found, lines.count("\n")) == (code, 1), lines
        assert said in lines
    assert run("pages", "--site", "env:SHOPS#shop")[0] == 0
    code, said = run("workers", "--store", "env:SHOPS", "--to", "csv")
    assert (code, said.splitlines()[0]) == (
        0,
        "worker,serves,since,last sign,rounds,failures,error",
    )
    assert "1 sites, 1 due for" in said
    assert run("sites", "remove", "shop", "--yes", "--store", "env:SHOPS")[0] == 0
    assert run("sites", "--store", "env:SHOPS", "--to", "json") == (0, "[]\n")


def test_a_round_that_is_done_is_not_taken_again(two_works: tuple[Work, Work]):
    one, two = two_works
    first = one.next()
    assert first is not None
    given_back, taken = one.rights.give_back, []

    def give_back() -> None:
        given_back()
        taken.append(two.next())

    one.rights.give_back = give_back  # type: ignore[method-assign]
    one.done(first, due_in=60, page_due=None)
    assert [it.name for it in taken if it] == ["b"], "a is not due any more when its host is free"


def test_a_repair_that_two_ask_for_at_once_is_made_once(database: str):
    add_site(database, "https://tea.example/", name="tea")
    place = f"{database}#tea"
    with Site(place) as site:
        for day in ("monday", "wednesday"):
            site.crawl(source=str(SAMPLES / f"tea-{day}.warc.gz"), auto_accept=True)

    def repair(found: list[set[str]]) -> None:
        with Site(place) as site:
            found.append(set(site.repair("tea-list", accept=True, wait=True).restored))

    found: list[set[str]] = []
    both = [threading.Thread(target=repair, args=(found,)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
    assert len(found) == 2 and {"title", "price"} <= found[0]
    with Site(place, read_only=True) as site:
        known = site.page_classes.known("tea-list")
        assert len(site.store.classes.wrappers(known.id)) == 2, "the first, and the repaired one"
        assert not site.verify().damage
