"""A site whose wrapper file was edited badly: one line says so, pages are kept, the last good
wrapper goes on reading.
"""

from __future__ import annotations

import json
from pathlib import Path

import treelace as tl
from treelace.site import Site
from treelace.wrappers import Wrapper

SETTINGS = (
    '[site]\nurl = "https://a.example/"\n[[class]]\nname = "list"\nurls = ".*list.*"\nwrapper ='
    ' "list.json"\nkey = ["title"]\n'
)


def page(*names: str) -> str:
    rows = "".join(
        f"<li class=item><h3>{name}</h3><b class=price>{len(name)}.50 €</b></li>" for name in names
    )
    return f"<body><h1>Things</h1><ul class=t>{rows}</ul></body>"


def folder(path: Path, html: str) -> str:
    path.mkdir()
    (path / "list.html").write_text(html, encoding="utf-8")
    (path / "index.csv").write_text(
        f"file,url,time\nlist.html,https://a.example/list.html,{path.name}T10:00:00Z\n",
        encoding="utf-8",
    )
    return path.name


def test_a_crawl_goes_on_with_the_last_wrapper_that_could_be_read(treelace, tmp_path):
    first, second = (
        page("green tea", "whole milk", "plum jam", "sea salt"),
        page("green tea", "whole milk", "plum jam", "sea salt", "dark bread"),
    )
    assert treelace("init", "site", "https://a.example/").returncode == 0
    (tmp_path / "site/treelace.toml").write_text(SETTINGS, encoding="utf-8")
    good = Wrapper.learn([tl.parse(first)]).to_json()
    (tmp_path / "site/list.json").write_text(good, encoding="utf-8")
    ran = treelace("crawl", "--from", folder(tmp_path / "2026-03-02", first), "--site", "site")
    assert ran.returncode == 0, ran.stderr
    (tmp_path / "site/list.json").write_text(
        good.replace('"kind": "list"', '"kind": "table"'), encoding="utf-8"
    )
    ran = treelace("crawl", "--from", folder(tmp_path / "2026-03-03", second), "--site", "site")
    assert ran.returncode == 0, ran.stderr
    said = [line for line in ran.stderr.splitlines() if "list.json" in line]
    assert len(said) == 1
    assert "expected 'page', 'list' or 'inner', got 'table'" in said[0]
    assert "its last good version is used" in said[0]
    assert "Traceback" not in ran.stderr
    rows = json.loads(treelace("records", "list", "--to", "json", "--site", "site").stdout)
    assert "dark bread" in {row["title"] for row in rows}
    assert treelace("check", "--site", "site").returncode == 3


def test_a_class_that_never_had_a_good_wrapper_keeps_its_pages(treelace, tmp_path):
    assert treelace("init", "site", "https://a.example/").returncode == 0
    (tmp_path / "site/treelace.toml").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "site/list.json").write_text("{", encoding="utf-8")
    ran = treelace(
        "crawl",
        "--from",
        folder(tmp_path / "2026-03-02", page("green tea", "whole milk", "plum jam")),
        "--site",
        "site",
    )
    assert ran.returncode == 0, ran.stderr
    assert (
        "list.json: wrapper, line 1: expected JSON: the file ends too early; its pages are kept"
        in ran.stderr
    )
    with Site(tmp_path / "site", read_only=True) as site:
        assert [state.url for state in site.pages()] == ["https://a.example/list.html"]
