"""`treelace extract` as a process: forms, several pages, and what it says where nothing repeats."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.conftest import Treelace

SHOP = "<ul>" + "".join(f"<li><h3><a href=/{n}>Thing {n}</a></h3><p>{n}.50</p></li>" for n in range(1, 5)) + "</ul>"


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


def test_several_pages_are_an_object_a_line_and_bad_ones_are_named(treelace: Treelace, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text(SHOP)
    done = treelace("extract", "a.html", "none.html", "b.html", "--to", "json")
    assert done.returncode == 3
    assert "none.html" in done.stderr
    assert [json.loads(line)["page"] for line in done.stdout.splitlines()] == ["a.html", "b.html"]


def test_csv_and_json_lines_hold_the_rows(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    rows = list(csv.reader(treelace("extract", "shop.html", "--to", "csv").stdout.splitlines()))
    assert rows[:2] == [["title", "title link", "p", "p text"], ["Thing 1", "/1", "1.5", "1.50"]]
    lines = treelace("extract", "shop.html", "--to", "jsonl", "--columns", "p=price").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [{"price": n + 0.5, "price text": f"{n}.50"} for n in range(1, 5)]
    dropped = treelace("extract", "shop.html", "--to", "csv", "--columns=-title").stdout.splitlines()
    assert dropped[0] == "p,p text"


def test_sqlite_parquet_and_html(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    for form, start in (("sqlite", b"SQLite format 3"), ("parquet", b"PAR1"), ("html", b"<!DOCTYPE html>")):
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
    assert treelace("extractors").stdout.startswith("equal-paths") or "equal-paths" in treelace("extractors").stdout
