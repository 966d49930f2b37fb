"""Rounds of a small site from memory: what comes, stays, goes, and what is said of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.crawl.servers import Answer, Server
from treelace.classes.pages import Fetched
from treelace.errors import UsageError
from treelace.site import Site, write_records
from treelace.store.record_table import RecordTable

HOST = "https://a.example"
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
NAMES = ("Assam", "Darjeeling", "Ceylon", "Keemun", "Sencha", "Yunnan")


def tea(name: str, price: int, around: str = "{}", head: str = "") -> str:
    main = (
        f"<main class=tea><h1 class=name>{name}</h1><span class=price>€{price}.00</span>"
        f"<div class=garden>Garden of {name}</div><div class=taste>{name} tastes {len(name)}</div>"
        f"</main>"
    )
    body = around.format(main)
    return (
        f"<html><head><title>{name}</title>{head}</head><body><nav class=top><a href=/>home</a>"
        f"</nav>{body}<footer class=end>Imprint</footer></body></html>"
    )


def day(number: int, **looks: str) -> list[Fetched]:
    """All teas on a day; a tea costs one more a day."""
    time = MONDAY + timedelta(days=number)
    return [
        Fetched(
            f"{HOST}/tea/{name.lower()}",
            time,
            200,
            tea(name, 5 + at + number, **looks).encode(),
            "text/html",
        )
        for at, name in enumerate(NAMES)
    ]


def prices(site: Site) -> set[object]:
    table = site.records("tea")
    return {row[table.heads.index("price")] for row in table.values}


@pytest.fixture
def shop(tmp_path: Path) -> Site:
    site = Site.create(tmp_path / "shop", f"{HOST}/")
    site.crawl(source=day(0), auto_accept=True)
    return site


@pytest.mark.parametrize("status", [404, 410])
def test_a_replayed_page_that_is_gone_ends_its_records(shop, status):
    assert len(shop.records("tea")) == len(NAMES)
    gone = [
        Fetched(f"{HOST}/tea/assam", MONDAY + timedelta(days=1), status, b"<p>none", "text/html")
    ]
    done = shop.crawl(source=[*gone, *day(1)[1:]])
    assert done.report.outcomes["gone"] == 1
    assert len(shop.records("tea")) == len(NAMES) - 1
    shop.crawl(
        source=[Fetched(f"{HOST}/tea/ceylon", MONDAY - timedelta(days=9), status, b"", "text/html")]
    )
    assert len(shop.records("tea")) == len(NAMES) - 1, "what is older than the newest is no news"


def test_meta_elements_in_the_head_are_no_other_design(shop):
    head = "".join(
        f'<meta property="og:x{n}" content="{n}"><link href=/{n}.css>' for n in "abcdefghi"
    )
    done = shop.crawl(source=day(1, head=head))
    assert not done.drift
    assert prices(shop) == {6, 7, 8, 9, 10, 11}


def test_another_design_that_the_wrapper_still_reads_is_read_and_said(shop):
    strip = "".join(
        f"<section class=new-{n}><em class=x-{n}><i>{n}</i></em></section>" for n in "abcdefghijkl"
    )
    done = shop.crawl(source=day(1, around=strip + "{}" + strip))
    assert done.read_on == {"tea": len(NAMES)} and not done.drift
    assert prices(shop) == {6, 7, 8, 9, 10, 11}


def test_another_design_that_is_not_read_keeps_the_records_and_drifts(tmp_path):
    site = Site.create(tmp_path / "shop", f"{HOST}/")
    site.crawl(source=day(0), auto_accept=True)
    new = [
        Fetched(
            page.url,
            page.time,
            200,
            f"<table class=z><tr><td><b>{page.url[-4:]}</b></td><td>9</td></tr></table>".encode(),
            "text/html",
        )
        for page in day(1)
    ]
    done = site.crawl(source=new)
    assert len(done.drift["tea"]) == len(NAMES) and not done.read_on
    assert prices(site) == {5, 6, 7, 8, 9, 10}


def test_pages_of_no_class_are_counted_with_the_reason(tmp_path):
    odd = [
        Fetched(f"{HOST}/{name}", MONDAY, 200, body, "text/html")
        for name, body in (
            ("about", b"<form class=f><input><select><option>1</select></form>"),
            ("map", b"<table class=m><tr><th>x<td>y</table><dl><dt>a<dd>b</dl>"),
        )
    ]
    with Site.create(tmp_path / "shop", f"{HOST}/") as site:
        done = site.crawl(source=[*day(0), *odd], auto_accept=True)
        assert done.in_none == {"like fewer than 2 others": 2}
        assert [(one.name, one.pages) for one in site.classes()] == [("tea", len(NAMES))]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"records": "tea", "when": "pricee < 5"}, "no column of tea is called 'pricee': did you"),
        ({"page": f"{HOST}/tea/assam", "select": ".pricee"}, "did you mean '.price'?"),
        ({"page": f"{HOST}/tea/assam", "select": "xpath://aside"}, "finds nothing on the page"),
        ({"drift": "te"}, "no class is called 'te': did you mean 'tea'?"),
    ],
)
def test_a_rule_on_what_does_not_exist_is_refused_with_the_nearest_name(shop, rule, said):
    with pytest.raises(UsageError) as refused:
        shop.subscribe("x", **rule)
    assert said in str(refused.value)
    assert not shop.rules()


def test_what_may_come_can_be_waited_for(shop):
    assert not shop.try_rule(page=f"{HOST}/tea/assam", select=".sale", when="appears").found


def test_nothing_is_new_at_the_first_look(tmp_path):
    """Pages of one crawl come at different times."""
    late = [replace(page, time=page.time + timedelta(minutes=at)) for at, page in enumerate(day(0))]
    with Site.create(tmp_path / "shop", f"{HOST}/") as site:
        site.crawl(source=late, auto_accept=True)
        assert site.try_rule(records="tea", when="new").told == 0
        new = Fetched(
            f"{HOST}/tea/gyokuro",
            MONDAY + timedelta(days=1, hours=1),
            200,
            tea("Gyokuro", 30).encode(),
            "text/html",
        )
        site.crawl(source=[*day(1), new])
        assert site.try_rule(records="tea", when="new").told == 1


@pytest.mark.parametrize("word", ["changes", "changed"])
def test_changes_and_changed_are_one_word(shop, word):
    shop.crawl(source=day(1))
    assert shop.try_rule(records="tea", when=word).told == len(NAMES)
    assert shop.try_rule(records="tea", when=f"price {word}").told == len(NAMES)
    assert shop.try_rule(page=f"{HOST}/tea/assam", select=".price", when=word).told == 1


def test_a_class_added_to_the_settings_after_a_crawl_takes_effect(shop):
    shop.close()
    path = shop.folder / "treelace.toml"
    section = '[[class]]\nname = "kettle"\nurls = "https://a.example/tea/.*"\nwrapper = "extract"\n'
    path.write_text(f"{path.read_text()}\n{section}")
    with Site(shop.folder) as site:
        site.crawl(source=day(0))
        assert [(one.name, one.pages) for one in site.classes()] == [
            ("tea", 0),
            ("kettle", len(NAMES)),
        ]
        assert "object at 0x" not in str(site.classes())
        assert len(site.records("tea")) == 0


def test_a_table_of_records_fits_the_terminal(monkeypatch):
    long = RecordTable(
        "x", tuple(f"column {n}" for n in range(40)), (tuple("tea " * 99 for _ in range(40)),) * 2
    )
    monkeypatch.setenv("COLUMNS", "90")
    lines = str(write_records(long, "table")).splitlines()
    assert max(map(len, lines)) <= 90 and "more (--wide)" in lines[0]
    assert max(map(len, str(write_records(long, "table", is_wide=True)).splitlines())) > 900


def test_a_column_called_page_does_not_hide_where_a_record_stands(tmp_path):
    rows = "".join(
        f"<tr><td>{name}</td><td>page {at}</td><td>{at * 7}</td></tr>"
        for at, name in enumerate(NAMES)
    )
    head = "<tr><th>title</th><th>page</th><th>key</th></tr>"
    path = tmp_path / "book"
    Site.create(path, f"{HOST}/").close()
    settings = (path / "treelace.toml").read_text()
    section = '[[class]]\nname = "book"\nurls = ".*"\nwrapper = "extract"\n'
    (path / "treelace.toml").write_text(f"{settings}\n{section}")
    with Site(path) as site:
        body = f"<title>x</title><table>{head}{rows}</table>".encode()
        site.crawl(source=[Fetched(f"{HOST}/", MONDAY, 200, body, "text/html")])
        table = site.records("book")
    line = json.loads(str(write_records(table, "jsonl")).splitlines()[0])
    assert line["page"] == f"{HOST}/" and line["page 2"].startswith("page ")


def test_building_records_anew_shows_how_far_it_is(shop):
    seen: list[object] = []

    def progress(items, /, *, total, label):
        for item in items:
            seen.append((total, label))
            yield item

    shop.rebuild("tea", progress=progress)
    assert seen == [(len(NAMES), "tea")] * len(NAMES)


def test_one_page_is_watched_and_nothing_else_is_fetched(tmp_path):
    looks = [f"<h1>Tea</h1><b>{price}</b><a href=/>home</a><a href=/x>x</a>" for price in "34"]
    with Server({"/": Answer(b"<p>home"), "/tea": Answer(looks[0].encode())}) as server:
        url = f"{server.url}/tea"
        with Site.of_page(url, tmp_path / "watched") as site:
            settings = site.crawl_settings(allow_private=True, delay=0)
            told: list[str] = []
            for look in looks:
                server.answers["/tea"] = Answer(look.encode())
                list(site.watch(settings, page=url, once=True, say=told.append))
            assert [page.url for page in site.pages()] == [url]
            assert len(site.log(url)) == 2 and len(told) == 1, told
            with pytest.raises(UsageError, match="is not a host of this site"):
                list(site.watch(settings, page="http://b.example/", once=True, say=told.append))
        with Site.of_page(url, tmp_path / "watched") as site:
            assert site.rules()[0].looks_at == url


def test_columns_are_chosen_renamed_and_typed_and_stay_so(shop):
    names = [column.name for column in shop.columns("tea")]
    title, other = names[0], names[-1]
    done = shop.columns("tea", rename={title: "what"}, drop=[other], types={"price": "text"})
    assert done[0].name == "what"
    assert other not in {column.name for column in done}
    assert ("price", "text") in {(column.name, column.type) for column in done}
    table = shop.records("tea")
    assert len(table) == len(NAMES) and "what" in table.heads and title not in table.heads
    said = (shop.folder / "treelace.toml").read_text()
    assert '[columns."tea"]' in said and f'"{title}" = "what"' in said
    shop.relearn("tea", "detail")
    assert "what" in shop.records("tea").heads, "learning again does not lose the choice"
    with pytest.raises(UsageError, match="no column of tea is called"):
        shop.columns("tea", drop=["colour"])
    shop.close()
    with Site(shop.folder) as again:
        assert again.columns("tea")[0].name == "what"
        assert [column.name for column in again.columns("tea", reset=True)] == names
        assert "[columns" not in (shop.folder / "treelace.toml").read_text()
        assert [it.name for it in again.columns("tea", only=["price", title])] == ["price", title]


def test_a_class_is_learnt_again_as_a_person_says(tmp_path):
    rows = "".join(f"<li class=row><a href=/{n}>{n}</a> <b>€{len(n)}.00</b></li>" for n in NAMES)
    pages = [
        Fetched(
            f"{HOST}/list/{n}",
            MONDAY,
            200,
            f"<h1>Teas of {n}</h1><div class=garden>Garden {n * 3}</div><b class=price>€{at}.50</b>"
            f"<ul class=teas>{rows}</ul><footer class=end>x</footer>".encode(),
            "text/html",
        )
        for at, n in enumerate("abcd", 3)
    ]
    with Site.create(tmp_path / "shop", f"{HOST}/") as site:
        done = site.crawl(source=pages, auto_accept=True)
        name = done.proposals[0].name
        site.relearn(name, "detail")
        assert len(site.records(name)) == len(pages)
        site.relearn(name, "list")
        assert len(site.records(name)) == len(NAMES)
        with pytest.raises(UsageError):
            site.relearn("teas", "list")


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_records_are_what_data_frames_read(shop, library):
    module = "pyarrow" if library == "arrow" else library
    table = shop.records("tea")
    read = getattr(table, f"to_{library}")
    if find_spec(module) is not None:
        assert len(read()) == len(NAMES)
    else:
        with pytest.raises(UsageError, match=f"{module} is not installed"):
            read()


def test_records_since_a_time_are_those_that_came_or_changed(shop):
    shop.crawl(source=day(1)[:2])
    assert len(shop.records("tea", since=MONDAY + timedelta(hours=1))) == 2
    assert len(shop.records("tea", since=MONDAY)) == len(NAMES)


@pytest.mark.parametrize(("language", "factor"), [("en", 1), ("de", 1000), ("", 1)])
def test_a_site_may_say_in_which_language_its_numbers_are_read(tmp_path, language, factor):
    """The pages say that they are in English, and write 1.231 for a thousand and more."""
    folder = tmp_path / "shop"
    Site.create(folder, f"{HOST}/").close()
    settings = folder / "treelace.toml"
    url = f'url = "{HOST}/"'
    assert url in settings.read_text()
    if language:
        settings.write_text(settings.read_text().replace(url, f'{url}\nlanguage = "{language}"'))
    english = [replace(page, body=_in_english(page.body)) for page in day(0)]
    with Site(folder) as site:
        site.crawl(source=english, auto_accept=True)
        assert prices(site) == {round(factor * (1.23 + at / 1000), 3) for at in range(5, 11)}


def _in_english(body: bytes) -> bytes:
    """A page that says so, with a price of three digits behind the dot."""
    said = body.replace(b"<html>", b'<html lang="en">')
    return re.sub(
        rb"\xe2\x82\xac(\d+)\.00", lambda it: f"€{1.23 + int(it[1]) / 1000:.3f}".encode(), said
    )
