"""Records that get other keys and keep their names go on, and so are records without a link."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treelace.classes.pages import Fetched
from treelace.site import Site
from treelace.store.keys import ELSE

MONDAY = datetime(2030, 1, 7, tzinfo=UTC)
HOST = "https://a.example"
TEAS = ("Oolong", "Sencha", "Assam", "Mate", "Rooibos", "Lapsang")
WORDS = (
    "amber birch cedar dune elm fern grove heath iris juniper kelp larch moss nettle oak pine"
    " quince rowan sorrel thyme umber vetch willow yarrow zinnia aspen beech".split()
)
EXTRACT = '\n[[class]]\nname = "teas"\nurls = ".*/list/.*"\nwrapper = "extract"\n'


def shelf(page: int, address: str, price: int = 3, *, teas: Sequence[str] = TEAS) -> bytes:
    rows = "".join(
        f"<li class=tea><h3><a href='{address.format(f'{tea}-{page}'.lower())}'>{tea} of garden"
        f" {'ABCDEF'[page]}</a></h3> <b>€{price + at}.00</b><i>made by hand</i></li>"
        for at, tea in enumerate(teas)
    )
    return f"<title>{page}</title><main><h1>Teas</h1><ul>{rows}</ul></main>".encode()


def look(day: int, bodies: Sequence[bytes]) -> list[Fetched]:
    time = MONDAY + timedelta(days=day)
    return [
        Fetched(f"{HOST}/list/{at}", time, 200, body, "text/html") for at, body in enumerate(bodies)
    ]


def told(site: Site) -> list[str]:
    return [alert.why for alert in site.alerts() if alert.state == "open"]


@pytest.fixture(params=["learnt", "extract"])
def site(tmp_path: Path, request: pytest.FixtureRequest):
    folder = tmp_path / "shop"
    Site.create(folder, f"{HOST}/").close()
    if request.param == "extract":
        settings = folder / "treelace.toml"
        settings.write_text(settings.read_text() + EXTRACT)
    with Site(folder) as made:
        made.crawl(source=look(0, [shelf(at, "/p/{}") for at in range(4)]), auto_accept=True)
        (kind,) = made.store.records.kinds()
        for when in ("new", "gone", "changed"):
            made.subscribe(when, records=kind.name, when=when)
        yield made


def test_a_mass_of_gone_and_new_with_equal_titles_is_a_changed_key(site):
    (kind,) = site.store.records.kinds()
    assert kind.key == ("title link",)
    pages = [shelf(at, "/tea/{}", 3 + (at == 0)) for at in range(4)]
    done = site.crawl(source=look(1, pages))
    assert done.new_keys == {kind.name: 24}
    assert len(told(site)) == len(TEAS) and all("price" in why for why in told(site))
    assert not [why for why in told(site) if "link" in why]
    table = site.records(kind.name)
    assert len(table) == 24
    assert {row[0] for row in table.values} == {
        f"{HOST}/tea/{tea}-{at}".lower() for tea in TEAS for at in range(4)
    }
    moments = site.store.records.history(kind.name, f"{HOST}/tea/mate-0", "price")
    assert [moment.value for moment in moments] == [6, 7]
    assert not site.verify().damage


def test_a_few_records_that_go_while_others_come_are_no_changed_key(site):
    teas = ("Yunnan", "Keemun", "Ceylon", "Darjeeling", *TEAS[:2])
    done = site.crawl(
        source=look(1, [shelf(0, "/p/{}", teas=teas), *(shelf(at, "/p/{}") for at in (1, 2, 3))])
    )
    assert not done.new_keys
    assert sum(why.startswith("new record") for why in told(site)) == 4
    assert sum(why.startswith("record gone") for why in told(site)) == 4


def jobs(page: int, pay: int) -> bytes:
    rows = "".join(
        f"<li class=job><h3>{title.format(f'{tea} keeper {chr(65 + page)}')}</h3><p>City of"
        f" {tea}</p><b>{pay + at} coins</b></li>"
        for at, tea in enumerate(TEAS)
        for title in [f"<a href='/job/{page}-{at}'>{{}}</a>" if page == 0 else "{}"]
    )
    return f"<title>{page}</title><main><h1>Jobs</h1><ul>{rows}</ul></main>".encode()


def test_records_are_known_by_their_own_links_and_else_by_their_names(tmp_path):
    with Site.create(tmp_path / "jobs", f"{HOST}/") as site:
        site.crawl(source=look(0, [jobs(at, 10) for at in range(4)]), auto_accept=True)
        (kind,) = site.store.records.kinds()
        assert kind.key == ("title link", ELSE, "title")
        keys = {row[0] for row in site.records(kind.name).values}
        assert f"{HOST}/job/0-3" in keys and "Mate keeper B" in keys and len(keys) == 24
        site.subscribe("any", records=kind.name, when="changed")
        site.subscribe("new", records=kind.name, when="new")
        site.crawl(source=look(1, [jobs(at, 10 + (at == 1)) for at in range(4)]))
        assert len(told(site)) == len(TEAS) and all("keeper B" in why for why in told(site))


def test_rows_whose_links_go_from_http_to_https_are_not_new(site):
    site.crawl(source=look(1, [shelf(at, "http://a.example/p/{}") for at in range(4)]))
    site.crawl(source=look(2, [shelf(at, "https://a.example/p/{}") for at in range(4)]))
    assert told(site) == []


def test_three_posts_that_push_out_three_of_the_same_categories_are_new(tmp_path):
    """A list that moves on by three: each post that comes has the category of one that goes."""

    def blog(first: int) -> bytes:
        rows = "".join(
            f"<li class=post><h3><a href=/posts/{at}>The {WORDS[at]} letter</a></h3>"
            f"<b>{('quiet', 'early', 'broken')[at % 3]}</b><i>A word on {WORDS[at]}</i></li>"
            for at in range(first, first + 8)
        )
        return f"<title>Posts</title><main><h1>Posts</h1><ul>{rows}</ul></main>".encode()

    with Site.create(tmp_path / "blog", f"{HOST}/") as site:
        site.crawl(source=look(0, [blog(at) for at in (3, 11, 19)]), auto_accept=True)
        (kind,) = site.store.records.kinds()
        assert "title link" in kind.key
        site.subscribe("changed", records=kind.name, when="changed")
        site.subscribe("new", records=kind.name, when="new")
        site.crawl(source=look(1, [blog(at) for at in (0, 8, 16)]))
        assert sorted(told(site)) == [
            f"new record: The {word} letter" for word in sorted(WORDS[:3])
        ]
