"""`treelace wrap` as a process."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Treelace

SHOP = "<ul class=shop>" + "".join(f"<li class=item><h3><a href=/{n}>Thing {n}</a></h3><p>{n}.50</p></li>" for n in range(1, 5)) + "</ul>"
OTHER = SHOP.replace("Thing", "Other")


def test_learn_apply_and_check(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    (tmp_path / "other.html").write_text(OTHER)
    (tmp_path / "letter.html").write_text("<article><h1>Dear all</h1><p>no list</p></article>")
    done = treelace("wrap", "learn", "shop.html", "--example", "name=Thing 1", "-o", "w.json")
    assert done.returncode == 0, done.stderr
    region = json.loads(treelace("wrap", "apply", "w.json", "other.html", "--to", "json").stdout)["regions"][0]
    assert [record["cells"]["name"]["text"] for record in region["records"]] == ["Other 1", "Other 2", "Other 3", "Other 4"]
    assert region["records"][0]["texts"] == ["Other 1", "1.50"]
    assert treelace("wrap", "check", "w.json", "other.html").returncode == 0
    assert treelace("wrap", "check", "w.json", "letter.html").returncode == 1
    refused = treelace("wrap", "apply", "w.json", "letter.html")
    assert refused.returncode == 3
    assert "another class" in refused.stderr
    several = treelace("wrap", "apply", "w.json", "letter.html", "other.html", "--to", "json")
    assert several.returncode == 3
    assert json.loads(several.stdout)["page"] == "other.html"


def test_a_bad_file_names_its_line(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    treelace("wrap", "learn", "shop.html", "-o", "w.json")
    (tmp_path / "w.json").write_text((tmp_path / "w.json").read_text().replace('"version": 1', '"version": true'))
    done = treelace("wrap", "apply", "w.json", "shop.html")
    assert done.returncode == 3
    assert "line 3" in done.stderr


def test_a_wrong_pair_is_wrong_use(treelace: Treelace, tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(SHOP)
    assert treelace("wrap", "learn", "shop.html", "--example", "price").returncode == 2
