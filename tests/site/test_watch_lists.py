"""Watch lists of other programs become sites with rules; the same item is compared over sites."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.site.test_inbox import page
from treelace.cli import program
from treelace.errors import UsageError
from treelace.monitor.watch_lists import read_watch_list
from treelace.site import Site, compare_sites, import_watches
from treelace.testing.shop import open_shop
from treelace.testing.shop_server import ShopServer

CHANGEDETECTION = {
    "watching": {
        "a1": {
            "url": "https://shop.example/tea",
            "title": "Tea prices",
            "include_filters": ["#prices", ".stock"],
            "time_between_check": {"days": 1},
            "paused": False,
        },
        "b2": {"url": "https://shop.example/cups", "title": None, "include_filters": []},
        "c3": {
            "url": "https://api.example/v1",
            "include_filters": ["json:$.price"],
            "paused": True,
        },
        "d4": {"url": "file:///etc/passwd"},
    },
    "settings": {},
}
DISTILL = {
    "client": {"local": 1},
    "data": [
        {
            "name": "News | Tea",
            "uri": "https://news.example/blog",
            "config": json.dumps(
                {
                    "selections": [
                        {
                            "frames": [
                                {
                                    "index": 0,
                                    "excludes": [],
                                    "includes": [{"type": "xpath", "expr": "//main/section[1]"}],
                                }
                            ]
                        }
                    ]
                }
            ),
            "tags": ["tea"],
            "state": 40,
        }
    ],
}


def test_the_forms_of_changedetection_and_distill_are_read():
    tea, cups, api = read_watch_list(json.dumps(CHANGEDETECTION))
    assert (tea.url, tea.name, tea.select) == (
        *("https://shop.example/tea", "Tea prices", "#prices, .stock"),
    )
    assert cups.select == "body" and not cups.problem
    assert api.select == "body" and api.problem == "json:$.price" and api.is_paused
    (news,) = read_watch_list(json.dumps(DISTILL))
    assert news.select == "xpath://main/section[1]" and news.name == "News | Tea"
    one = CHANGEDETECTION["watching"]["a1"]
    assert read_watch_list(json.dumps(one)) == read_watch_list(json.dumps({"x": one})) == [tea]
    lines = read_watch_list("https://a.example/ tea, cups\n\nnothing\nhttps://b.example/x\n")
    assert [it.url for it in lines] == ["https://a.example/", "https://b.example/x"]
    broken = {"data": [{"uri": "https://a.example/", "config": "{broken"}]}
    assert read_watch_list(json.dumps(broken))[0].select == "body"
    for wrong in ("", "[]", "{}", "3", '{"watching": {"a": {"url": "javascript:1"}}}'):
        with pytest.raises(UsageError, match="no watch list"):
            read_watch_list(wrong)


def test_a_list_becomes_a_site_for_each_host_and_a_rule_for_each_watch(tmp_path: Path):
    done = import_watches(json.dumps(CHANGEDETECTION), tmp_path)
    assert [Path(it).name for it in done.folders] == ["shop.example", "api.example"]
    assert str(done) == "3 of 3 watches are rules now, in 2 sites"
    with Site(tmp_path / "shop.example") as site:
        assert [it.name for it in site.rules()] == ["Tea prices", "cups"]
        assert site.settings.crawl.depth == 0 and len(site.settings.crawl.include) == 2
    with Site(tmp_path / "api.example") as site:
        assert [str(it.state) for it in site.rules()] == ["muted"]
    again = import_watches(json.dumps(CHANGEDETECTION), tmp_path)
    assert [it.rule for it in again][:2] == ["Tea prices 2", "cups 2"]


def test_what_was_taken_over_is_fetched_and_told(tmp_path: Path):
    with ShopServer(open_shop().days[0]) as shop:
        file = tmp_path / "list.txt"
        file.write_text(f"{shop.url}/cups cups\n{shop.url}/about\n")
        words = ["import-watches", str(file), "--into", str(tmp_path)]
        assert CliRunner().invoke(program, words).exit_code == 0
        folder = next(it for it in tmp_path.iterdir() if it.is_dir())
        with Site(folder) as site:
            settings = site.crawl_settings(allow_private=True, delay=0.0, obeys_robots=False)
            site.crawl(settings)
            assert sorted(it.url for it in site.pages()) == [
                f"{shop.url}/about",
                f"{shop.url}/cups",
            ]


def test_the_same_item_on_several_sites(tmp_path: Path):
    shops = {
        "one": [("Earl Grey – 100 g", "€ 5", "x"), ("Assam", "€ 4", "y"), ("Sencha", "€ 9", "z")],
        "two": [("earl grey, 100g", "€ 6", "x"), ("Assam", "€ 3", "y"), ("Oolong", "€ 7", "z")],
    }
    for name, rows in shops.items():
        Site.create(tmp_path / name, "https://tea.example/").close()
        with (tmp_path / name / "treelace.toml").open("a") as file:
            file.write('[[class]]\nname = "tea"\nurls = ".*"\nwrapper = "extract"\nkey=["name"]\n')
        with Site(tmp_path / name) as site:
            site.add_pages([page(rows, 0)])
    with Site(tmp_path / "one") as one, Site(tmp_path / "two") as two:
        found = compare_sites([("one", one, "tea"), ("two", two, "tea")], on="name", show="price")
        assert found.rows == [("Assam", 4.0, 3.0), ("Earl Grey – 100 g", 5.0, 6.0)]
        assert [it.least for it in found.items] == ["two", "one"]
        assert dict(found.only) == {"one": 1, "two": 1}
        for wrong in ([("one", one, "tea")], [("one", one, "tea"), ("one", two, "tea")]):
            with pytest.raises(UsageError):
                compare_sites(wrong, on="name", show="price")
        with pytest.raises(UsageError, match="column of tea"):
            compare_sites([("one", one, "tea"), ("two", two, "tea")], on="leaf", show="price")
    tables = [f"{tmp_path / name}:tea" for name in shops]
    words = ["compare-sites", *tables, "--on", "name", "--show", "price", "--to", "csv"]
    said = CliRunner().invoke(program, words)
    assert said.exit_code == 0 and "Assam,4.0,3.0" in said.output
