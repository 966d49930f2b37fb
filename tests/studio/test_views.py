"""Every view as programs get it: JSON and CSV, agreeing with what `Site` says; errors in words."""

from __future__ import annotations

import csv
import io
import json
import tarfile
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from tests.studio.conftest import Studio, started
from treelace.site import Site

LIST = "https://tea.example/"


@pytest.fixture(scope="module")
def site(tea: Path):
    with Site(tea, read_only=True) as opened:
        yield opened


def found(studio: Studio, path: str):
    answer = studio.ask(path + ("&" if "?" in path else "?") + "to=json")
    assert answer.status == 200, answer.text
    assert answer.headers["content-type"].startswith("application/json")
    return json.loads(answer.text)


def paths(site: Site) -> list[str]:
    page = next(it.url for it in site.pages() if it.newest > 1)
    key = site.records("tea_list").values[0][0]
    return [
        "/",
        "/s/tea/",
        "/s/tea/tables",
        "/s/tea/table/tea_list",
        f"/s/tea/record/tea_list?key={quote(key, safe='')}",
        "/s/tea/pages",
        f"/s/tea/page?url={quote(page, safe='')}",
        f"/s/tea/diff?url={quote(page, safe='')}",
        "/s/tea/classes",
        "/s/tea/classes/tea-list",
        "/s/tea/alerts",
        "/s/tea/sql?q=select+1+as+one",
        "/s/tea/care",
    ]


def test_every_view_has_three_forms(studio: Studio, site: Site):
    for path in paths(site):
        html = studio.ask(path)
        assert html.status == 200 and "<main" in html.text, path
        found(studio, path)
        table = studio.ask(path + ("&" if "?" in path else "?") + "to=csv")
        assert table.headers["content-type"].startswith("text/csv")
        assert len(list(csv.reader(io.StringIO(table.text)))) >= 1, path


def test_the_overview_says_what_the_site_says(studio: Studio, site: Site):
    seen, said = found(studio, "/s/tea/"), site.status()
    assert seen["pages"] == said.pages == 24
    assert seen["records"] == dict(said.records)
    assert [it["name"] for it in seen["classes"]] == ["tea-list", "tea"]


def test_a_table_is_sorted_filtered_and_cut(studio: Studio, site: Site):
    whole = site.records("tea_list")
    price, title = whole.heads.index("price"), whole.heads.index("title")
    wanted = sorted((row for row in whole.values if row[price] > 10), key=lambda row: -row[price])
    asked = urlencode({"where": "price > 10", "sort": "price", "desc": 1, "limit": 3, "offset": 2})
    seen = found(studio, f"/s/tea/table/tea_list?{asked}")
    assert [it["title"] for it in seen["records"]] == [row[title] for row in wanted[2:5]]
    assert seen["total"] == len(wanted)
    assert "offset=5" in seen["next"]
    none = found(studio, "/s/tea/table/tea_list?q=nothing+like+this")
    assert none["records"] == [] and none["total"] == 0


def test_a_table_of_the_past(studio: Studio, site: Site):
    old = site.records("tea_list", at=site.history(LIST)[0].time)
    seen = found(studio, "/s/tea/table/tea_list?at=2026-03-02T12:00:00%2B00:00")
    assert {it["title"]: it["price"] for it in seen["records"]} == {
        row[old.heads.index("title")]: row[old.heads.index("price")] for row in old.values
    }
    now = found(studio, "/s/tea/table/tea_list")
    assert seen["records"] != now["records"]
    fresh = found(studio, "/s/tea/table/tea_list?since=2026-03-03T00:00:00%2B00:00")
    assert 0 < fresh["total"] < now["total"]


def test_sql_only_reads_and_has_a_bound(studio: Studio):
    assert found(studio, "/s/tea/sql?q=select+count(*)+as+n+from+tea_list")[0]["n"] > 10
    for statement in ("delete from pages", "attach 'x.db' as x", "pragma user_version = 3"):
        answer = studio.ask(f"/s/tea/sql?to=json&q={quote(statement)}")
        assert answer.status == 404 and "error" in json.loads(answer.text)
    many = (
        "with recursive n(i) as (select 1 union all select i+1 from n limit 5000) select i from n"
    )
    assert len(found(studio, f"/s/tea/sql?q={quote(many)}")) == 1000


def test_what_is_wrong_is_said_in_words(studio: Studio):
    for path, words in {
        "/s/nothing/": "no site &#39;nothing&#39;",
        "/s/tea/table/milk": "no records are called",
        "/s/tea/nothing": "no such view",
        "/s/tea/table/tea_list?where=colour+%3D+red": "colour",
        "/s/tea/table/tea_list?where=price+%3E+cheap": "price is a number",
        "/s/tea/table/tea_list?sort=colour": "colour",
        "/s/tea/table/tea_list?at=yesterdayish": "no time",
        "/s/tea/page": "lacks url",
        "/s/tea/page?url=https://tea.example/no": "no page",
    }.items():
        answer = studio.ask(path)
        assert answer.status in (404, 422), path
        assert words in answer.text and "Traceback" not in answer.text, (path, answer.text)


def test_values_are_escaped(studio: Studio):
    answer = studio.ask("/s/tea/table/tea_list?q=%3Cscript%3Ealert(1)%3C/script%3E")
    assert "<script>alert" not in answer.text and "&lt;script&gt;alert" in answer.text


def test_a_store_of_an_earlier_version_is_brought_up_to_date(tmp_path: Path):
    packed = Path(__file__).parents[1] / "store" / "stores" / "schema-1.tar.xz"
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    with started(tmp_path / "tea", "--read-only") as studio:
        refused = studio.ask("/s/tea/")
        assert refused.status == 503 and "up to date" in refused.text
    with started(tmp_path / "tea") as studio:
        assert found(studio, "/s/tea/")["pages"] == 24
