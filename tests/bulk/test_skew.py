"""A host with many pages is many tasks, and pages that were not clustered have classes."""

from __future__ import annotations

from datetime import timedelta

import duckdb

from tests.bulk.archives_made import FIRST, write_warc
from treelace.bulk import BulkSettings, run_bulk
from treelace.bulk.archives import PAGES_A_SPLIT
from treelace.classes.pages import Fetched
from treelace.classes.proposals import MOST_PAGES

COUNT = MOST_PAGES + 400


def large_host():
    for number in range(COUNT):
        name, time = f"Tea {number}", FIRST + timedelta(seconds=number)
        if number % 4:
            body = (
                f"<body><div class=frame><main class=product><h1>{name}</h1>"
                f"<p class=price>€ {number % 90 + 1}.50</p><p class=stock>{number % 7} left</p>"
                f"<p class=text>{name} is a tea of class {number * 7 % 13}.</p></main></div>"
            )
            url = f"https://large.example/tea/{number}"
        else:
            body = (
                f"<body><div class=frame><article class=story><header><h2>News of {name}</h2>"
                f"<time>2026-03-{number % 28 + 1:02d}</time></header><section><p>Words {number}"
                f"<p>More words {number * 3}</section><footer>By A. Writer {number % 5}</footer>"
                "</article></div>"
            )
            url = f"https://large.example/news/{number}"
        yield Fetched(url, time, 200, body.encode(), "text/html")


def test_a_large_host_is_many_tasks(tmp_path):
    path = write_warc(tmp_path / "large.warc.gz", large_host())
    out = tmp_path / "out"
    run_bulk([str(path)], str(out), BulkSettings(on="threads", workers=1))
    parts = list((out / "pages").iterdir())
    assert len(parts) == -(-COUNT // PAGES_A_SPLIT)
    found = duckdb.sql(
        "SELECT split_part(url, '/', 4), class, count(*) "
        f"FROM '{out}/pages/*.parquet' GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    sizes = {kind: count for kind, name, count in found if name is not None}
    assert len(found) == 2 and len({name for _, name, _ in found}) == 2, found
    assert sizes == {"news": COUNT // 4, "tea": COUNT - COUNT // 4}
    (prices,) = duckdb.sql(
        "SELECT count(DISTINCT page) FROM "
        f"'{out}/records/*.parquet' WHERE number IS NOT NULL AND \"column\" LIKE 'price%'"
    ).fetchall()
    assert prices[0] >= 0.98 * sizes["tea"]
