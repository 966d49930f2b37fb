"""Stores that are locked, read-only, full, damaged or of a newer treelace: one clear line each, and
nothing lost.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Treelace
from tests.store.conftest import URL, fetched, shop
from treelace.errors import ParseError, StoreError
from treelace.site import Site
from treelace.store import database, settings
from treelace.store.verify import verify

needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to mount"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Site.create(tmp_path / "site", URL) as site:
        site.add_pages(fetched(version) for version in range(1, 6))
    return tmp_path / "site"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    made = tmp_path / "pages"
    made.mkdir()
    rows = ["file,url,time"]
    for version in range(1, 9):
        (made / f"{version}.html").write_bytes(shop(version))
        rows.append(f"{version}.html,{URL},2026-03-01T0{version}:00:00Z")
    (made / "index.csv").write_text("\n".join(rows))
    return made


def one_line(said: str) -> str:
    assert said.startswith("treelace: ") and said.count("\n") == 1, said
    return said


def test_a_newer_schema(folder: Path, treelace: Treelace):
    with sqlite3.connect(folder / "store.sqlite") as database:
        database.execute("update about set value = '999' where name = 'schema'")
    answer = treelace("log", URL, "--site", "site")
    assert (
        answer.returncode == 5
        and "schema 999" in one_line(answer.stderr)
        and "update treelace" in answer.stderr
    )


@pytest.mark.parametrize("content", [b"no database at all, only words" * 200, b""])
def test_a_file_that_is_no_store(folder: Path, treelace: Treelace, content: bytes):
    (folder / "store.sqlite").write_bytes(content)
    answer = treelace("pages", "--site", "site")
    assert answer.returncode == 5 and one_line(answer.stderr)


def test_a_database_of_someone_else(tmp_path: Path, folder: Path):
    (folder / "store.sqlite").unlink()
    with sqlite3.connect(folder / "store.sqlite") as database:
        database.execute("create table cats (name text)")
    with pytest.raises(StoreError, match="not a store of treelace: it has the table 'cats'"):
        Site(folder)


def test_no_store_and_no_site(folder: Path, treelace: Treelace):
    (folder / "store.sqlite").unlink()
    answer = treelace("pages", "--site", "site")
    assert answer.returncode == 5 and "treelace init" in one_line(answer.stderr)
    answer = treelace("pages", "--site", "elsewhere")
    assert answer.returncode == 2 and "this is no site" in one_line(answer.stderr)


def test_a_damaged_page_of_the_database(folder: Path, treelace: Treelace):
    with sqlite3.connect(folder / "store.sqlite") as database:
        database.execute("pragma wal_checkpoint(truncate)")
        root = database.execute(
            "select rootpage from sqlite_master where name = 'versions'"
        ).fetchone()[0]
    with open(folder / "store.sqlite", "r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(os.urandom(4096))
    answer = treelace("verify", "--site", "site")
    assert answer.returncode == 1 and "damaged: " in answer.stdout
    answer = treelace("show", URL, "--site", "site")
    assert answer.returncode == 5 and "damaged" in one_line(answer.stderr)


def test_a_store_that_another_process_is_writing_to(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(database, "MAX_BUSY_SECONDS", 0.1)
    other = sqlite3.connect(folder / "store.sqlite", isolation_level=None)
    other.execute("begin immediate")
    with Site(folder) as site:
        assert site.store.page(URL).newest == 5, "a reader does not wait"
        with pytest.raises(StoreError, match=r"another process is writing to it.*--wait"):
            site.add_pages([fetched(9)])
        other.execute("rollback")
        assert site.add_pages([fetched(9)]).versions == 1
    other.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    made = tmp_path / "small"
    made.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", made], capture_output=True
        ).returncode
    ):
        pytest.skip("a small disk cannot be mounted here")
    try:
        yield made
    finally:
        subprocess.run(["umount", "-l", made], capture_output=True)


@needs_root
def test_a_store_that_may_only_be_read(
    small_disk: Path, folder: Path, pages: Path, treelace: Treelace
):
    shutil.copytree(folder, small_disk / "site")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    site = str(small_disk / "site")
    seen = treelace("show", f"{URL}@2", "--site", site)
    assert seen.returncode == 0 and "Visit 2" in seen.stdout, seen.stderr
    assert treelace(
        "sql", "select count(*) from versions", "--site", site, "--to", "csv"
    ).stdout.endswith("\n5\n")
    assert treelace("verify", "--site", site).returncode == 0
    answer = treelace("import", "pages", "--site", site)
    assert answer.returncode == 5 and one_line(answer.stderr)


@needs_root
def test_a_disk_that_is_full(small_disk: Path, tmp_path: Path, treelace: Treelace):
    source = tmp_path / "large"
    source.mkdir()
    for number in range(40):
        (source / f"{number}.html").write_text(f"<p>{os.urandom(12_000).hex()}")
    assert treelace("init", str(small_disk / "site"), URL).returncode == 0
    answer = treelace("import", str(source), "--site", str(small_disk / "site"))
    assert answer.returncode == 5 and "full" in one_line(answer.stderr)
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    assert treelace("verify", "--site", str(small_disk / "site")).returncode == 0
    again = treelace("import", str(source), "--site", str(small_disk / "site"))
    assert again.returncode == 0, again.stderr
    with Site(small_disk / "site") as site:
        assert sum(1 for _ in site.pages()) == 40 and not verify(site.store).damage


def test_a_page_at_a_limit_is_named_and_the_others_are_in(
    pages: Path, folder: Path, treelace: Treelace
):
    (pages / "7.html").write_bytes(b"<p>" * 5000)
    answer = treelace("import", "pages", "--site", "site", "--limit", "nodes=2000")
    assert answer.returncode == 3 and "nodes" in answer.stderr and "failed" in answer.stdout
    assert treelace("verify", "--site", "site").returncode == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[site]\nurl = ", r"line 2"),
        (
            "[site]\nurl = 'u'\n[store]\nurll = 'x'",
            r"store.urll: there is no such field \(line 4\)",
        ),
        ("[store]\nurl = 'x'", r"site: this field is missing"),
        (
            "[site]\nurl = 'u'\n[[class]]\nname = 'a'\n[[class]]\nname = 'b'\nurls = '('",
            r"class\[1\].urls: .*regular expression.* \(line 7\)",
        ),
        (
            "[site]\nurl = 'u'\n[retention]\nkeep_days = 'x'",
            r"retention.keep_days: Expected .*\(line 4\)",
        ),
        ("[site]\nurl = 'u'\n[store]\nworkers = -1", r"store.workers: .*\(line 4\)"),
    ],
)
def test_settings_are_wrong_with_line_and_field(text: str, says: str):
    with pytest.raises(ParseError, match=says):
        settings.parse(text)


def test_the_published_schema_is_the_one_of_the_code():
    import json

    published = Path(__file__).parents[2] / "docs" / "reference" / "treelace.toml.schema.json"
    assert json.loads(published.read_text()) == json.loads(json.dumps(settings.schema())), (
        "write it again: python tools/write_settings_schema.py"
    )
