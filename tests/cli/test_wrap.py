"""`treelace wrap` as a process."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Treelace

SHOP = (
    "<ul class=shop>"
    + "".join(
        f"<li class=item><h3><a href=/{n}>Thing {n}</a></h3><p>{n}.50</p></li>" for n in range(1, 5)
    )
    + "</ul>"
)
OTHER = SHOP.replace("Thing", "Other")


def test_learn_apply_and_check(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    (tmp_path / "other.html").write_text(OTHER)
    (tmp_path / "letter.html").write_text("<article><h1>Dear all</h1><p>no list</p></article>")
    done = treelace("wrap", "learn", "shop.html", "--example", "name=Thing 1", "-o", "w.json")
    assert done.returncode == 0, done.stderr
    region = json.loads(treelace("wrap", "apply", "w.json", "other.html", "--to", "json").stdout)[
        "regions"
    ][0]
    assert [record["cells"]["name"]["text"] for record in region["records"]] == [
        "Other 1",
        "Other 2",
        "Other 3",
        "Other 4",
    ]
    assert region["records"][0]["texts"] == ["Other 1", "1.50"]
    assert treelace("wrap", "check", "w.json", "other.html").returncode == 0
    assert treelace("wrap", "check", "w.json", "letter.html").returncode == 1
    for verb in ("apply", "check"):
        assert treelace("wrap", verb, "w.json").returncode == 2, "no page is named"
    refused = treelace("wrap", "apply", "w.json", "letter.html")
    assert refused.returncode == 1
    assert "another class" in refused.stderr
    several = treelace("wrap", "apply", "w.json", "letter.html", "other.html", "--to", "json")
    assert several.returncode == 1
    assert json.loads(several.stdout)["page"] == "other.html"


def test_a_bad_file_names_its_line(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    treelace("wrap", "learn", "shop.html", "-o", "w.json")
    (tmp_path / "w.json").write_text(
        (tmp_path / "w.json").read_text().replace('"version": 1', '"version": true')
    )
    done = treelace("wrap", "apply", "w.json", "shop.html")
    assert done.returncode == 3
    assert "line 3" in done.stderr


def test_a_wrong_pair_is_wrong_use(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    assert treelace("wrap", "learn", "shop.html", "--example", "price").returncode == 2


def test_repair_names_what_it_leaves_out(treelace: Treelace, tmp_path: Path) -> None:
    new = (
        SHOP.replace("<ul class=shop>", "<div class=q>")
        .replace("</ul>", "</div>")
        .replace("li", "section")
        .replace("h3", "h2")
        .replace(" class=item", " class=z")
    )
    (tmp_path / "old.html").write_text(SHOP)
    (tmp_path / "new.html").write_text(new)
    treelace("wrap", "learn", "old.html", "--example", "name=Thing 1", "-o", "w.json")
    done = treelace(
        "wrap",
        "repair",
        "w.json",
        "--old",
        "old.html",
        "--new",
        "new.html",
        "-o",
        "w2.json",
        "--table",
        "t.json",
        "--explain",
    )
    assert done.returncode == 0, done.stderr
    assert "name: restored" in done.stderr
    region = json.loads(treelace("wrap", "apply", "w2.json", "new.html", "--to", "json").stdout)[
        "regions"
    ][0]
    assert [record["cells"]["name"]["text"] for record in region["records"]] == [
        "Thing 1",
        "Thing 2",
        "Thing 3",
        "Thing 4",
    ]
    assert len(json.loads((tmp_path / "t.json").read_text())["regions"][0]["records"]) == 4
    (tmp_path / "letter.html").write_text("<p>Dear all</p>")
    lost = treelace(
        "wrap", "repair", "w.json", "--old", "old.html", "--new", "letter.html", "-o", "w3.json"
    )
    assert lost.returncode == 1
    assert "nothing could be proved" in lost.stderr
    assert not (tmp_path / "w3.json").exists()
