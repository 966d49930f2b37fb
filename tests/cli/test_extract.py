"""`treelace extract` as a process: forms, several pages, and what it says where nothing repeats."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.conftest import Treelace

SHOP = (
    "<ul>"
    + "".join(f"<li><h3><a href=/{n}>Thing {n}</a></h3><p>{n}.50</p></li>" for n in range(1, 5))
    + "</ul>"
)


def test_json_has_texts_columns_and_cells(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    done = treelace("extract", "shop.html", "--to", "json")
    assert done.returncode == 0, done.stderr
    region = json.loads(done.stdout)["regions"][0]
    first = region["records"][0]
    assert first["texts"] == ["Thing 1", "1.50"]
    assert first["cols"] == [0, 1]
    names = [column["name"] for column in region["columns"]]
    assert first["cells"][names[1]]["text"] == "1.50"
    assert first["cells"][names[1]]["node"] == 7
    assert first["cells"][names[0]]["link"] == "/1"


def test_several_pages_are_an_object_a_line_and_bad_ones_are_named(
    treelace: Treelace, tmp_path: Path
) -> None:
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text(SHOP)
    done = treelace("extract", "a.html", "none.html", "b.html", "--to", "json")
    assert done.returncode == 3
    assert "none.html" in done.stderr
    assert [json.loads(line)["page"] for line in done.stdout.splitlines()] == ["a.html", "b.html"]


def test_csv_and_json_lines_hold_the_rows(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    rows = list(csv.reader(treelace("extract", "shop.html", "--to", "csv").stdout.splitlines()))
    assert rows[:2] == [
        ["title", "title link", "number", "number text"],
        ["Thing 1", "/1", "1.5", "1.50"],
    ]
    lines = treelace(
        "extract", "shop.html", "--to", "jsonl", "--columns", "number=price"
    ).stdout.splitlines()
    assert [json.loads(line) for line in lines] == [
        {"price": n + 0.5, "price text": f"{n}.50"} for n in range(1, 5)
    ]
    dropped = treelace(
        "extract", "shop.html", "--to", "csv", "--columns=-title"
    ).stdout.splitlines()
    assert dropped[0] == "number,number text"


def test_sqlite_parquet_and_html(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    for form, start in (
        ("sqlite", b"SQLite format 3"),
        ("parquet", b"PAR1"),
        ("html", b"<!DOCTYPE html>"),
    ):
        done = treelace("extract", "shop.html", "--to", form, "-o", f"out.{form}")
        assert done.returncode == 0, done.stderr
        assert (tmp_path / f"out.{form}").read_bytes().startswith(start)
    done = treelace("extract", "shop.html", "shop.html", "--to", "html")
    assert (done.returncode, done.stdout) == (2, "")
    assert "one page" in done.stderr


def test_where_nothing_repeats_the_exit_code_is_1(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text("<p>one")
    done = treelace("extract", "one.html")
    assert done.returncode == 1
    assert "no repeated structure found" in done.stderr
    assert treelace("extract", "one.html", "--to", "json").stdout.strip() == '{"regions": []}'


def test_wrong_names_are_wrong_use(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    assert treelace("extract", "shop.html", "--extractor", "nothing").returncode == 2
    assert treelace("extract", "shop.html", "--columns", "nothing").returncode == 2
    assert (
        treelace("extractors").stdout.startswith("equal-paths")
        or "equal-paths" in treelace("extractors").stdout
    )


NEWS = (
    "<div>"
    + "".join(
        f"<p class=n><a href=/n{n}>Story {n}</a> <i>2026-11-{n:02}</i> {'words ' * 20}</p>"
        for n in range(1, 6)
    )
    + "</div>"
)


def test_only_one_kind(treelace: Treelace, tmp_path: Path) -> None:
    goods = (
        "<ul>"
        + "".join(
            f"<li><h3><a href=/{n}>Thing {n}</a></h3><p>€ {n}.50</p></li>" for n in range(1, 5)
        )
        + "</ul>"
    )
    (tmp_path / "both.html").write_text(NEWS + goods)
    for kind, first in (("products", "Thing 1"), ("articles", "Story 1"), ("events", "Story 1")):
        done = treelace("extract", "both.html", "--only", kind, "--to", "json")
        assert json.loads(done.stdout)["regions"][0]["records"][0]["texts"][0] == first, kind
    done = treelace("extract", "both.html", "--only", "images")
    assert (done.returncode, done.stdout) == (1, "")
    assert "looks like images" in done.stderr
    done = treelace("extract", "both.html", "--only", "prodcts")
    assert done.returncode == 2
    assert "did you mean 'products'" in done.stderr


def test_locale_is_settable(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "p.html").write_text(
        "<html lang=en><ul>"
        + "".join(
            f"<li><b>thing {n}</b> <i>{n}.204</i> <u>0{n}/04/2026</u></li>" for n in range(1, 5)
        )
    )
    for options, wanted in (
        ([], (1.204, "01/04/2026")),
        (["--locale", "de"], (1204, "2026-04-01")),
        (["--locale", "en-US"], (1.204, "2026-01-04")),
    ):
        first = json.loads(
            treelace("extract", "p.html", "--to", "jsonl", *options).stdout.splitlines()[0]
        )
        assert (first["number"], first["date"]) == wanted, options
    assert treelace("extract", "p.html", "--locale", "!").returncode == 2


def test_structured_data_as_a_table(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "p.html").write_text(
        '<script type="application/ld+json">'
        '[{"@type":"Product","name":"Tea"},{"@type":"Product","name":"Jam"},]</script>'
    )
    done = treelace("extract", "p.html", "--structured", "--to", "csv")
    assert (done.returncode, done.stdout) == (0, "name\nTea\nJam\n")
    (tmp_path / "q.html").write_text("<p>one")
    done = treelace("extract", "q.html", "--structured")
    assert done.returncode == 1
    assert "no structured data found" in done.stderr


def test_explain_says_why_and_what_came_nearest(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    done = treelace("extract", "shop.html", "--explain", "--to", "csv")
    assert done.returncode == 0
    assert "4 records in html/body/ul" in done.stderr
    assert "for it: " in done.stderr
    assert "against it: " in done.stderr
    assert treelace("extract", "shop.html", "--explain", "--extractor", "mdr").stderr.startswith(
        "shop.html: 4 records"
    )
    for page, reason in (
        ("<p>one<div><b>two</b></div>", "p and div in html/body are"),
        ("<div><p>one</p></div>", "one record is no list"),
        ("<script>draw()</script>", "--render"),
        ("<frameset><frame src=a.html><frame src=b.html></frameset>", "a.html, b.html"),
        ("", "no visible text"),
    ):
        (tmp_path / "none.html").write_text(page)
        done = treelace("extract", "none.html", "--explain")
        assert done.returncode == 1
        assert "no repeated structure found" in done.stderr
        assert reason in done.stderr


def test_an_example_finds_its_column(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "p.html").write_text(
        "<ul>" + "".join(f"<li><b>thing {n}</b> <i>€{n}.20</i></li>" for n in range(1, 5))
    )
    done = treelace("extract", "p.html", "--example", "cost=€3.20", "--to", "csv")
    assert done.stdout.splitlines()[0].startswith("cost,")
    missing = treelace("extract", "p.html", "--example", "cost=€9")
    assert missing.returncode == 1
    assert "no table has these values: €9" in missing.stderr
    assert treelace("extract", "p.html", "--example", "cost").returncode == 2


def test_the_data_of_scripts_comes_with_all_and_for_a_page_that_shows_nothing(
    treelace: Treelace, tmp_path: Path
) -> None:
    teas = [{"sku": f"t{n}", "stock": n} for n in range(4)]
    data = f"<script id=__NEXT_DATA__ type=application/json>{json.dumps({'teas': teas})}</script>"
    (tmp_path / "shell.html").write_text(f"<div id=app></div>{data}")
    (tmp_path / "shop.html").write_text(f"{SHOP}<p>{'Words of a page. ' * 40}</p>{data}")
    done = treelace("extract", "shell.html", "--to", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith("t0,0")
    places = [
        [region["place"] for region in json.loads(ran.stdout)["regions"]]
        for ran in (
            treelace("extract", "shop.html", "--to", "json"),
            treelace("extract", "shop.html", "--to", "json", "--all"),
        )
    ]
    assert ["teas" in places[0], "teas" in places[1]] == [False, True]
    assert places[1][0] == places[0][0]
