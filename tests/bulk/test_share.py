"""Templates that several hosts share."""

from __future__ import annotations

from itertools import chain

import duckdb
import pytest

from tests.bulk.archives_made import shop_pages, write_warc
from tests.bulk.test_skew import large_host
from treelace.bulk import BulkSettings, run_bulk
from treelace.errors import UsageError


def test_hosts_with_one_template_are_tied(tmp_path):
    shops = [shop_pages(f"shop{it}.example", seed=it, most=40) for it in range(2)]
    other = list(large_host())[:40]
    path = write_warc(tmp_path / "pages.warc.gz", chain(*shops, other))
    settings = BulkSettings(on="threads", workers=1, across_hosts=True)
    run_bulk([str(path)], str(tmp_path / "out"), settings)
    found = duckdb.sql(
        "SELECT template, list(DISTINCT host ORDER BY host) FROM "
        f"'{tmp_path}/out/templates/*.parquet' GROUP BY 1"
    ).fetchall()
    together = [hosts for _, hosts in found if len(hosts) > 1]
    assert ["shop0.example", "shop1.example"] in together
    assert all("large.example" not in hosts for hosts in together)
    with pytest.raises(UsageError, match="another run"):
        run_bulk([str(path)], str(tmp_path / "out"), BulkSettings(on="threads"))
