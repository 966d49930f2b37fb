"""Lists without rows: a category that is sold out is no redesign, an error page no empty list."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treelace.classes.pages import Fetched
from treelace.site import Site

HOST = "https://a.example"
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
TEAS = {
    "red": ("Assam", "Darjeeling", "Ceylon"),
    "green": ("Sencha", "Bancha", "Kukicha"),
    "white": ("Yinzhen", "Baimudan", "Shoumei"),
    "black": ("Keemun", "Yunnan", "Lapsang"),
    "rare": ("Tieguanyin", "Dahongpao", "Biluochun", "Longjing"),
}
SORRY = "<p class=none>No teas were found.</p>"
NONE_IN_LIST = "<ul class=list></ul>"


def shelf(kind: str, names: tuple[str, ...], empty: str = SORRY, title: str = "") -> str:
    """A page of a kind of teas."""
    title = title or f"{kind.title()} teas"
    rows = "".join(
        f"<li class=tea><a href=/tea/{name.lower()}>{name}</a><span class=price>€{len(name)}.50"
        f"</span><span class=from>Garden of {name[::-1]}</span></li>"
        for name in names
    )
    main = f"<p class=count>{len(names)} teas</p><ul class=list>{rows}</ul>" if names else empty
    kinds = "".join(f"<li><a href=/kind/{other}>{other}</a></li>" for other in TEAS)
    return (
        f"<html><head><title>{title}</title></head><body><nav class=top><a href=/>Home</a></nav>"
        f"<main><h1>{title}</h1>{main}</main><aside><ul class=kinds>{kinds}</ul></aside>"
        "<footer class=end><p>Imprint</p></footer></body></html>"
    )


def page(day: int, kind: str, body: str) -> Fetched:
    time = MONDAY + timedelta(days=day)
    return Fetched(f"{HOST}/kind/{kind}", time, 200, body.encode(), "text/html")


def day(number: int, *, empty: str = SORRY, **kinds: tuple[str, ...]) -> list[Fetched]:
    """All kinds on a day; those that are named have other teas than usual."""
    return [page(number, kind, shelf(kind, names, empty)) for kind, names in (TEAS | kinds).items()]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site.create(tmp_path / "shop", f"{HOST}/")
    made.crawl(source=day(0), auto_accept=True)
    assert len(made.records("kind_list")) == 16
    for when in ("new", "gone", "changed"):
        made.subscribe(when, records="kind_list", when=when)
    return made


def told(site: Site) -> list[str]:
    return sorted(alert.why for alert in site.alerts())


def rows(site: Site) -> int:
    return len(site.records("kind_list"))


@pytest.mark.parametrize("empty", [SORRY, NONE_IN_LIST, f"<div class=box>{SORRY}</div>", ""])
def test_a_list_without_rows_ends_them_and_is_no_drift(site, empty):
    done = site.crawl(source=day(1, empty=empty, green=()))
    assert not done.drift and done.emptied == {"kind-list": 1}
    assert told(site) == ["record gone: Bancha", "record gone: Kukicha", "record gone: Sencha"]
    assert rows(site) == 13
    assert {one.page_class for one in site.pages()} == {"kind-list"}
    again = site.crawl(source=day(2, empty=f"{empty}<p>Seen by 17</p>", green=()))
    assert not again.drift and not again.emptied and rows(site) == 13, "empty as it was"
    assert not site.crawl(source=day(3)).drift
    assert rows(site) == 16


def test_a_list_of_one_row_is_a_list(site):
    done = site.crawl(source=day(1, green=("Sencha",)))
    assert not done.drift and not done.emptied
    assert told(site) == ["record gone: Bancha", "record gone: Kukicha"]


@pytest.mark.parametrize(
    "body",
    [
        shelf("green", (), "<p class=none>Not found.</p>", title="Error"),
        "<html><head><title>Green teas</title></head><body><h1>Green teas</h1></body></html>",
        shelf("green", (), "".join(f"<p>{name} is tea.</p>" for name in TEAS["green"] * 9)),
        shelf("green", (), "".join(f"<div><b>{name}</b> €6.50</div>" for name in TEAS["green"])),
    ],
    ids=["an error page", "the frame is gone", "prose instead", "rows in another design"],
)
def test_another_page_is_no_empty_list(site, body):
    others = [one for one in day(1) if not one.url.endswith("green")]
    done = site.crawl(source=[page(1, "green", body), *others])
    assert list(done.drift["kind-list"]) == [f"{HOST}/kind/green"] and not done.emptied
    assert not told(site) and rows(site) == 16


def test_lists_that_all_lose_their_rows_without_a_word_are_doubted(site):
    nothing = dict.fromkeys(("red", "green", "white", "black"), ())
    done = site.crawl(source=day(1, empty=NONE_IN_LIST, **nothing))
    assert len(done.drift["kind-list"]) == 4 and not done.emptied
    assert "though nothing else has changed" in done.drift["kind-list"][f"{HOST}/kind/red"]
    assert not told(site) and rows(site) == 16


def test_lists_that_all_say_that_there_is_nothing_are_believed(site):
    nothing = dict.fromkeys(("red", "green", "white", "black"), ())
    done = site.crawl(source=day(1, **nothing))
    assert done.emptied == {"kind-list": 4} and not done.drift
    assert rows(site) == len(told(site)) - 8 == 4


def test_records_built_anew_end_with_the_rows(site):
    site.crawl(source=day(1, green=()))
    site.rebuild("kind_list")
    assert rows(site) == 13


def test_a_page_that_comes_into_another_class_leaves_no_record_in_its_former_one(tmp_path):
    """Categories that were empty at first are alike, and read as one record each."""
    empty = {f"new{at}": () for at in range(4)}
    full = {f"new{at}": names for at, names in enumerate(list(TEAS.values())[:4])}
    with Site.create(tmp_path / "shop", f"{HOST}/") as site:
        site.crawl(source=day(0, **empty), auto_accept=True)
        tables = {kind.name: len(site.records(kind.name)) for kind in site.records()}
        assert tables == {"kind_list": 16, "kind": 4}
        site.subscribe("gone", records="kind", when="gone")
        site.crawl(source=day(1, **full))
        assert {one.page_class for one in site.pages()} == {"kind-list"}
        assert len(site.records("kind")) == 0 and not site.alerts()
        assert rows(site) == 16
