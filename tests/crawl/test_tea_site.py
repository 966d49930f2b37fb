"""The small shop of the tutorial: its files hold its pages, and lists on small pages that differ by
their pager alone are one class.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from treelace.classes import catalogue
from treelace.classes.pages import Parsed
from treelace.crawl.sources import pages_of
from treelace.limits import DEFAULT_LIMITS
from treelace.monitor.rules import Rule
from treelace.monitor.trial import try_rule
from treelace.site import Site
from treelace.wrappers.loading import load_reader

TOP = Path(__file__).parents[2]
SAMPLES = TOP / "docs" / "samples"


def pages(day: str):
    return pages_of(
        SAMPLES / f"tea-{day}.warc.gz",
        limits=DEFAULT_LIMITS,
        on_trouble=lambda trouble: pytest.fail(str(trouble)),
    )


def test_the_files_hold_the_pages_and_are_small():
    done = subprocess.run(
        [sys.executable, "tools/write_tea_site.py", "--check"],
        cwd=TOP,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert sum(path.stat().st_size for path in SAMPLES.glob("*.warc.gz")) < 200_000


def test_a_list_of_three_small_pages_is_a_class_though_the_last_has_no_pager(tmp_path):
    with Site.create(tmp_path / "tea", "https://tea.example/") as site:
        done = site.crawl(source=pages("monday"), auto_accept=True)
        assert {one.name: len(one.pages) for one in done.proposals} == {"tea-list": 3, "tea": 18}
        assert (
            site.store.records.kind("tea-list").name == "tea_list"
        )  # by the name of its class, too
        site.store.alerts.subscribe("cheaper", {"records": "tea_list", "when": "price drops 10%"})
        site.store.alerts.subscribe("any", {"records": "tea_list", "when": "changed"})
        again = site.crawl(source=pages("tuesday"))
        assert again.stored.alerts == 4, [alert.why for alert in site.store.alerts.alerts()]
        assert not again.drift  # the last page of the list still is of its class
        assert len(try_rule(Rule(records="tea_list", when="new"), site.store)) == 1
        redesigned = site.crawl(source=pages("wednesday"))
        assert set(redesigned.drift) == {"tea-list", "tea"} and not redesigned.stored.alerts


def test_a_page_that_comes_while_its_class_is_being_loaded_is_read_all_the_same(
    tmp_path, monkeypatch
):
    with Site.create(tmp_path / "tea", "https://tea.example/") as site:
        site.crawl(source=pages("monday"), auto_accept=True)
        began, may_end = threading.Event(), threading.Event()

        def slowly(data: str):
            began.set()
            assert may_end.wait(60)
            return load_reader(data)

        monkeypatch.setattr(catalogue, "load_reader", slowly)
        known = site.page_classes.catalogue()
        found = [page for page in pages("tuesday") if "/tea/" in page.url][:2]
        teas = [Parsed(page, page.tree()) for page in found]
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(known.classify, teas[0], None)
            assert began.wait(60)
            second = pool.submit(known.classify, teas[1], None)
            with pytest.raises(TimeoutError):
                second.result(timeout=0.2)  # it waits for the wrapper, and does not do without
            may_end.set()
            for read in (first.result(), second.result()):
                assert read.is_read and read.page_class.reader is not None
