"""What archives bring that nobody wants: each is one line, and the rest is done."""

from __future__ import annotations

import gzip
import io
import zipfile
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from tests.bulk.archives_made import FIRST, shop_pages, write_warc
from treelace.bulk import BulkSettings, Finished, run_bulk
from treelace.classes.pages import Fetched
from treelace.errors import UsageError
from treelace.limits import Limits

HERE = BulkSettings(on="threads", workers=1)
GOOD = list(shop_pages("tea.example", most=8))


def page(url: str, body: bytes, seconds: int = 0, kind: str = "text/html") -> Fetched:
    return Fetched(url, FIRST + timedelta(seconds=seconds), 200, body, kind)


def done(source: Path | str, out: Path, settings: BulkSettings = HERE) -> Finished:
    return run_bulk([str(source)], str(out), settings)


def urls(out: Path) -> list[str]:
    found = duckdb.sql(f"SELECT url FROM '{out}/pages/*.parquet' ORDER BY 1").fetchall()
    return [url for (url,) in found]


def problems(out: Path) -> list[tuple[str, str, str]]:
    query = f"SELECT place, reason, message FROM '{out}/problems/*.parquet' ORDER BY ALL"
    return duckdb.sql(query).fetchall()


def is_one_line(message: str) -> bool:
    return bool(message) and "\n" not in message and len(message) < 400


def test_a_truncated_archive_gives_its_whole_pages(tmp_path):
    path = write_warc(tmp_path / "cut.warc.gz", GOOD)
    path.write_bytes(path.read_bytes()[:-700])
    assert done(path, tmp_path / "out").counts["pages"] >= len(GOOD) - 1
    (line,) = problems(tmp_path / "out")
    assert line[1] == "archive" and is_one_line(line[2])


def test_a_damaged_archive_gives_what_is_before_the_damage(tmp_path):
    path = write_warc(tmp_path / "bad.warc.gz", GOOD)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 400] = b"\xff" * 400
    path.write_bytes(bytes(data))
    assert 0 < done(path, tmp_path / "out").counts["pages"] < len(GOOD)
    assert {reason for _, reason, _ in problems(tmp_path / "out")} == {"archive"}


def test_a_file_that_is_no_archive(tmp_path):
    for name in ("no.warc.gz", "no.wacz", "no.parquet", "no.arrow"):
        (tmp_path / name).write_bytes(b"this is none of them" * 50)
    good = write_warc(tmp_path / "good.warc.gz", GOOD)
    finished = run_bulk([str(tmp_path)], str(tmp_path / "out"), HERE)
    assert finished.counts["pages"] == len(GOOD)
    places = {Path(place).name for place, _, _ in problems(tmp_path / "out")}
    assert {"no.wacz", "no.parquet", "no.arrow"} <= places and good.name not in places


def test_records_of_other_types_are_no_pages(tmp_path):
    other = [
        page("https://tea.example/logo.png", b"\x89PNG", kind="image/png"),
        page("https://tea.example/data.json", b'{"a": 1}', kind="application/json"),
    ]
    path = write_warc(tmp_path / "pages.warc.gz", [*other, *GOOD])
    assert done(path, tmp_path / "out").counts["pages"] == len(GOOD)


def test_a_page_of_64_mebibytes_is_named(tmp_path):
    huge = page("https://tea.example/huge", b"<p>x" + b" " * (64 * 2**20))
    path = write_warc(tmp_path / "pages.warc.gz", [huge, *GOOD])
    assert done(path, tmp_path / "out").counts["pages"] == len(GOOD)
    (line,) = problems(tmp_path / "out")
    assert "https://tea.example/huge" in line[0] and "the limit is 67,108,864" in line[2]


def test_limits_are_those_that_were_said(tmp_path):
    path = write_warc(tmp_path / "pages.warc.gz", GOOD)
    few = BulkSettings(on="threads", workers=1, limits=Limits(nodes=50))
    assert done(path, tmp_path / "out", few).problems["limit"] == len(GOOD)


def test_duplicates_are_there_once_and_named(tmp_path):
    one = write_warc(tmp_path / "a.warc.gz", [*GOOD, GOOD[0]])
    two = write_warc(tmp_path / "b.warc.gz", GOOD[:3])
    finished = run_bulk([str(one), str(two)], str(tmp_path / "out"), HERE)
    assert urls(tmp_path / "out") == sorted(page.url for page in GOOD)
    assert finished.problems["duplicate"] == 4
    assert len(problems(tmp_path / "out")) == 4


def test_two_captures_of_one_second_have_an_order(tmp_path):
    twice = [page("https://tea.example/x", f"<p>{word}".encode()) for word in ("a", "b")]
    made = []
    for name, pages in (("one", twice), ("other", twice[::-1])):
        path = write_warc(tmp_path / f"{name}.warc.gz", [*GOOD, *pages])
        out = tmp_path / f"{name}-out"
        assert done(path, out).problems["same time"] == 1
        made.append(duckdb.sql(f"SELECT * FROM '{out}/changes/*.parquet'").fetchall())
    assert made[0] == made[1]


@pytest.mark.parametrize(
    "host",
    ["MÜNCHEN.example", "xn--mnchen-3ya.example:8443", "a_b.example", "203.0.113.7", "[::1]"],
)
def test_hosts_with_odd_names_have_tables(tmp_path, host):
    pages = [page(f"https://{host}/{it.url.split('/', 3)[3]}", it.body) for it in GOOD]
    path = write_warc(tmp_path / "pages.warc.gz", pages)
    assert done(path, tmp_path / "out").counts["pages"] == len(GOOD)


def test_an_address_that_cannot_be_read_is_named(tmp_path):
    path = tmp_path / "pages.parquet"
    path.write_bytes(table("parquet", [page("https://[::1/x", b"<p>x"), *GOOD]))
    assert done(path, tmp_path / "out").problems == {"address": 1}


def test_an_archive_packed_as_a_whole_is_one_split(tmp_path):
    """gzip over the whole file, not record by record: nobody can begin in its middle."""
    path = write_warc(tmp_path / "a.warc.gz", GOOD)
    whole = tmp_path / "whole.warc.gz"
    whole.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())))
    assert done(whole, tmp_path / "out").counts["pages"] == len(GOOD)
    plain = tmp_path / "plain.warc"
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    assert done(plain, tmp_path / "out2").counts["pages"] == len(GOOD)


def test_a_wacz_file(tmp_path):
    inside = write_warc(tmp_path / "a.warc.gz", GOOD).read_bytes()
    path = tmp_path / "pages.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("datapackage.json", "{}")
        archive.writestr("archive/a.warc.gz", inside)
        archive.writestr("archive/packed.warc.gz", inside, zipfile.ZIP_DEFLATED)
    assert done(path, tmp_path / "out").counts["pages"] == len(GOOD)
    (line,) = problems(tmp_path / "out")
    assert "packed.warc.gz" in line[0]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_tables_of_pages(tmp_path, ending):
    path = tmp_path / f"pages.{ending}"
    path.write_bytes(table(ending, [*GOOD, page("", b"<p>no address")]))
    finished = done(path, tmp_path / "out")
    assert urls(tmp_path / "out") == sorted(page.url for page in GOOD)
    assert finished.problems == {"archive": 1}
    write_warc(tmp_path / "same.warc.gz", GOOD)
    done(tmp_path / "same.warc.gz", tmp_path / "out2")
    query = "SELECT url, class FROM '{}/pages/*.parquet' ORDER BY 1"
    left, right = (duckdb.sql(query.format(tmp_path / it)).fetchall() for it in ("out", "out2"))
    assert left == right


def test_a_table_without_a_column_is_named(tmp_path):
    from arro3.core import Array, DataType, Table
    from arro3.io import write_parquet

    file = io.BytesIO()
    write_parquet(Table.from_pydict({"url": Array(["https://a.example/"], DataType.utf8())}), file)
    (tmp_path / "pages.parquet").write_bytes(file.getvalue())
    assert done(tmp_path / "pages.parquet", tmp_path / "out").problems == {"archive": 1}
    assert "there is no 'time'" in problems(tmp_path / "out")[0][2]


def test_a_folder_of_pages(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    lines = ["file,url,time"]
    for number, one in enumerate(GOOD):
        (folder / f"{number}.html").write_bytes(one.body)
        lines.append(f"{number}.html,{one.url},{one.time.isoformat()}")
    lines.append(f"missing.html,https://tea.example/missing,{FIRST.isoformat()}")
    (folder / "index.csv").write_text("\n".join(lines) + "\n")
    finished = done(folder, tmp_path / "out")
    assert urls(tmp_path / "out") == sorted(page.url for page in GOOD)
    assert finished.problems == {"archive": 1}


def test_what_is_no_source_is_wrong_use(tmp_path):
    (tmp_path / "notes.txt").write_text("tea")
    with pytest.raises(UsageError, match=r"pages come from a folder, or from a file \.warc"):
        done(tmp_path / "notes.txt", tmp_path / "out")
    with pytest.raises(UsageError, match="there is no such"):
        done(tmp_path / "nothing.warc.gz", tmp_path / "out2")


def table(ending: str, pages: list[Fetched]) -> bytes:
    from arro3.core import Array, DataType, Table
    from arro3.io import write_ipc, write_parquet

    made = Table.from_pydict(
        {
            "url": Array([one.url for one in pages], DataType.utf8()),
            "time": Array([one.time.isoformat() for one in pages], DataType.utf8()),
            "html": Array([one.body for one in pages], DataType.binary()),
        }
    )
    file = io.BytesIO()
    (write_parquet if ending == "parquet" else write_ipc)(made, file)
    return file.getvalue()
