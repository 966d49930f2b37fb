"""`treelace index` as a process: build, add, remove, search, and what bad input gets."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

SHOP = (
    "<html><head><link rel=stylesheet href=/shop.css></head><body class=shop><ul"
    " class=products>{}</ul></body></html>"
)
ITEM = "<li class=product><h3><a href=/x class=link>Tea</a></h3><span class=price>4.20</span></li>"
NEWS = (
    "<html><head><link rel=stylesheet href=/news.css></head><body class=news><article"
    " class=story><h1>t</h1><p class=lead>x</p></article>"
)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(1, 5):
        (folder / f"shop{number}.html").write_text(SHOP.format(ITEM * number))
    (folder / "news.html").write_text(NEWS)
    return folder


def test_build_search_add_remove(treelace, pages: Path) -> None:
    (pages.parent / "asked.html").write_text(SHOP.format(ITEM * 9))
    assert treelace("index", "build", "my.index", "pages").returncode == 0
    ran = treelace("index", "search", "my.index", "asked.html", "-n", "4")
    assert (ran.returncode, ran.stdout.splitlines()) == (
        0,
        [f"1.000000  pages/shop{number}.html" for number in range(1, 5)],
    )
    (pages.parent / "more.html").write_text(NEWS)
    assert treelace("index", "add", "my.index", "more.html").returncode == 0
    found = json.loads(
        treelace(
            "index", "search", "my.index", "more.html", "--at-least", "0.9", "--to", "json"
        ).stdout
    )
    assert found == [
        {"name": "pages/news.html", "similarity": 1.0},
        {"name": "more.html", "similarity": 1.0},
    ]
    assert treelace("index", "remove", "my.index", "more.html", "pages/news.html").returncode == 0
    ran = treelace("index", "search", "my.index", "more.html", "--at-least", "0.9")
    assert (ran.returncode, ran.stdout) == (1, "")
    ran = treelace("index", "remove", "my.index", "more.html", "pages/shop1.html")
    assert ran.returncode == 1 and ran.stderr == "treelace: my.index: no page is called more.html\n"
    ran = treelace(
        "index",
        "search",
        "my.index",
        "-",
        "--contains",
        stdin="<li class=product><h3><a href=/y class=link>",
    )
    assert [line.split()[-1] for line in ran.stdout.splitlines()] == [
        f"pages/shop{number}.html" for number in (2, 3, 4)
    ]


def test_a_broken_page_among_others_is_named_and_left_out(treelace, pages: Path) -> None:
    (pages / "broken.xml").write_text("<a><b></a>")
    (pages / "broken.html.gz").write_bytes(gzip.compress(NEWS.encode())[:-20])
    ran = treelace("index", "build", "my.index", "pages")
    assert ran.returncode == 3
    said = ran.stderr.splitlines()
    assert (
        len(said) == 3
        and "broken.html.gz" in said[0]
        and "broken.xml" in said[1]
        and said[2] == "treelace: 2 of 7 pages left out"
    )
    assert treelace("index", "search", "my.index", "pages/news.html").returncode == 0


def test_bad_use_and_bad_files_are_one_line(treelace, pages: Path) -> None:
    assert treelace("index", "build", "my.index", "pages").returncode == 0
    whole = (pages.parent / "my.index").read_bytes()
    ran = treelace("index", "build", "my.index", "pages")
    assert ran.returncode == 2 and "is there already" in ran.stderr
    assert (
        treelace("index", "build", "my.index", "pages", "--replace", "--sketches-only").returncode
        == 0
    )
    assert len((pages.parent / "my.index").read_bytes()) < len(whole)
    cases = {
        "cut": whole[:-100],
        "head": whole[:5000],
        "version": whole[:4] + b"\x09" + whole[5:],
        "empty": b"",
        "page": b"<html>",
        "byte": bytes(
            byte ^ 255 if at == len(whole) - 2000 else byte for at, byte in enumerate(whole)
        ),
    }
    for name, data in cases.items():
        path = pages.parent / f"{name}.index"
        path.write_bytes(data)
        others = [("add", path.name, "pages"), ("remove", path.name, "x")] if name == "cut" else []
        for command in [("search", path.name, "pages/news.html"), *others]:
            ran = treelace("index", *command)
            assert (
                ran.returncode == 3
                and len(ran.stderr.splitlines()) == 1
                and path.name in ran.stderr
            ), (name, command, ran.stderr)
        assert path.read_bytes() == data
    ran = treelace("index", "search", "nowhere.index", "pages/news.html")
    assert ran.returncode == 3 and "nowhere.index" in ran.stderr
    assert treelace("index", "search", "my.index", "pages/news.html", "-n", "0").returncode == 2
