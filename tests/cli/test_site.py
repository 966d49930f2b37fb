"""The commands of a site, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Treelace
from tests.store.conftest import URL, shop
from tests.store.test_records import MONDAY, SETTINGS, TUESDAY


@pytest.fixture
def site(tmp_path: Path, treelace: Treelace) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    rows = ["file,url,time"]
    for version in range(1, 6):
        (pages / f"{version}.html").write_bytes(shop(version))
        rows.append(f"{version}.html,{URL},2026-03-0{version}T00:00:00Z")
    for number, body in enumerate((MONDAY, TUESDAY), 1):
        (pages / f"list{number}.html").write_bytes(body)
        rows.append(f"list{number}.html,{URL}list,2026-03-0{number}T12:00:00Z")
    (pages / "index.csv").write_text("\n".join(rows))
    assert treelace("init", "site", URL).returncode == 0
    settings = tmp_path / "site" / "treelace.toml"
    settings.write_text(settings.read_text() + SETTINGS.replace(".*", "list"))
    answer = treelace("import", "pages", "--site", "site")
    assert answer.returncode == 0, answer.stderr
    assert "7 versions added, 2 new pages" in answer.stdout
    return tmp_path / "site"


def test_the_first_hour(site: Path, treelace: Treelace):
    assert "2 pages" in treelace("check", "--site", "site").stdout
    pages = json.loads(treelace("pages", "--site", "site", "--to", "json").stdout)
    assert [(page["url"], page["class"], page["versions"]) for page in pages] == [
        (URL, None, 5),
        (URL + "list", "Product", 2),
    ]
    log = json.loads(treelace("log", URL, "--site", "site", "--to", "json").stdout)
    assert [line["version"] for line in log] == [1, 2, 3, 4, 5] and log[0][
        "changes"
    ] == "first version"
    for version in (1, 3, 5):
        shown = treelace("show", f"{URL}@{version}", "--site", "site").stdout
        assert shown == treelace("parse", f"pages/{version}.html", "--to", "html").stdout
    assert (
        treelace("show", f"{URL}@2026-03-03", "--site", "site").stdout
        == treelace("show", f"{URL}@3", "--site", "site").stdout
    )
    assert (
        treelace("show", f"{URL}@-1", "--site", "site").stdout
        == treelace("show", f"{URL}@4", "--site", "site").stdout
    )
    assert treelace("verify", "--site", "site").stdout == "2 pages, 7 versions: all whole\n"
    again = treelace("import", "pages", "--site", "site")
    assert again.returncode == 0 and again.stdout.startswith("0 versions added, 7 known")


def test_differences_between_versions(site: Path, treelace: Treelace):
    answer = treelace("diff", f"{URL}@1", f"{URL}@2", "--site", "site")
    assert answer.returncode == 1 and "Visit" in answer.stdout
    assert treelace("diff", f"{URL}@2", f"{URL}@2", "--site", "site").returncode == 0
    delta = treelace("diff", f"{URL}@1", f"{URL}@2", "--site", "site", "--to", "xml").stdout
    assert "<delta" in delta
    found = treelace("log", URL, "--xpath", "//d:update/d:new", "--site", "site")
    assert found.returncode == 0
    assert treelace("log", URL, "--xpath", "//d:nothing", "--site", "site").returncode == 1


def test_history(site: Path, treelace: Treelace):
    moments = json.loads(treelace("history", URL, "p", "--site", "site", "--to", "json").stdout)
    assert [list(moment.values())[2] for moment in moments] == [
        f"Visit {version}" for version in range(1, 6)
    ]
    cell = treelace(
        "history",
        "product",
        "https://shop.example/p/tea",
        "--column",
        "price",
        "--site",
        "site",
        "--to",
        "csv",
    )
    assert [line.split(",")[2] for line in cell.stdout.splitlines()] == ["price", "3.0", "4.0"], (
        cell.stderr
    )


def test_records_and_sql(site: Path, treelace: Treelace):
    assert "product" in treelace("records", "--site", "site").stdout
    rows = [
        json.loads(line)
        for line in treelace(
            "records", "product", "--site", "site", "--to", "jsonl"
        ).stdout.splitlines()
    ]
    assert len(rows) == 4 and {row["page"] for row in rows} == {URL + "list"}
    then = treelace(
        "sql",
        "select count(*) as n, sum(price) as total from product",
        "--as-of",
        "2026-03-01T13:00:00Z",
        "--site",
        "site",
        "--to",
        "csv",
    )
    assert then.stdout == "n,total\n4,11.0\n"
    wrong = treelace("sql", "delete from product_history", "--site", "site")
    assert wrong.returncode == 2 and "only read" in wrong.stderr
    assert (
        treelace(
            "records", "product", "--site", "site", "--to", "parquet", "-o", "x.parquet"
        ).returncode
        == 0
    )
    assert (site.parent / "x.parquet").read_bytes()[:4] == b"PAR1"


def test_care(site: Path, treelace: Treelace, tmp_path: Path):
    said = treelace("gc", "--site", "site")
    assert said.returncode == 0 and "nothing may go" in said.stdout
    planned = treelace("gc", "--keep-versions", "2", "--site", "site").stdout
    assert f"{URL}: 3 versions before @4" in planned and "would be removed" in planned
    assert treelace("export", "copy.sqlite", "--site", "site").returncode == 0
    assert treelace("init", "second", URL).returncode == 0
    assert treelace("import", "site", "--site", "second").returncode == 0
    assert (
        treelace("log", URL, "--site", "second").stdout
        == treelace("log", URL, "--site", "site").stdout
    )
    assert "removed" in treelace("gc", "--keep-versions", "2", "--apply", "--site", "site").stdout
    assert len(treelace("log", URL, "--site", "site", "--to", "jsonl").stdout.splitlines()) == 2
    stopped = treelace("forget", URL, "--site", "site", stdin="n\n")
    assert stopped.returncode == 130
    assert treelace("forget", URL, "--yes", "--site", "site").returncode == 0
    assert treelace("log", URL, "--site", "site").returncode == 2
    assert treelace("verify", "--site", "site").returncode == 0


def test_what_is_already_a_site_is_left_alone(site: Path, treelace: Treelace):
    answer = treelace("init", "site", URL)
    assert answer.returncode == 2 and "already" in answer.stderr
    assert treelace("init", "other", "not-an-address").returncode == 2
