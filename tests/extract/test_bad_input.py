"""Pages made to hurt: a right answer, an empty one, or a named reason, in bounded time, from every
extractor.
"""

from __future__ import annotations

import time
from random import Random

import pytest

import treelace as tl
from treelace.extract import EXTRACTORS, extract
from treelace.extract.explain import nearest_miss

PAGES = {
    "one record": "<ul><li><b>tea</b> <i>3.20</i></li></ul>",
    "a thousand nested tables": "<table><tr><td>" * 1000 + "x",
    "script only": "<script>document.write('<ul><li>a<li>b</ul>')</script>",
    "frames": "<frameset><frame src=a.html><frame src=b.html></frameset>",
    "nothing": "",
    "one text": "tea",
    "deep": "<div>" * 4000 + "x",
}


@pytest.mark.parametrize("name", EXTRACTORS)
@pytest.mark.parametrize("page", PAGES)
def test_no_list_gives_no_table_and_a_reason(page: str, name: str) -> None:
    tree = tl.parse(PAGES[page], format="html")
    start = time.process_time()
    tables = extract(tree, extractor=name)
    assert time.process_time() - start < 20
    assert tables == [] or page == "one record"
    assert nearest_miss(tree)


def test_one_record_is_read_in_its_parts_or_not_at_all() -> None:
    """Two cells of one record look like a list of two: whatever is found has low confidence or is
    small, and no text is made up.
    """
    for table in extract(tl.parse(PAGES["one record"])):
        assert len(table) == 2


def nested(levels: int) -> tl.Tree:
    return tl.parse("<table><tr><td>a<td>" * levels + "x", format="html")


@pytest.mark.parametrize("name", EXTRACTORS)
def test_nested_tables_with_texts_take_bounded_time(name: str) -> None:
    tree = nested(100)
    start = time.process_time()
    for table in extract(tree, extractor=name)[:1]:
        assert table.to_json()["records"]
    assert time.process_time() - start < 30


@pytest.mark.slow
def test_a_thousand_nested_tables_with_texts() -> None:
    start = time.process_time()
    tables = extract(nested(1000))
    assert tables[0].to_json()["records"]
    assert time.process_time() - start < 60


def rows(count: int) -> tl.Tree:
    return tl.parse(
        "<ul>" + "".join(f"<li><b>thing {n}</b> <i>{n}.50</i>" for n in range(count)) + "</ul>",
        format="html",
    )


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("records", 10_000),
        ("mdr", 2_000),
        ("equal-paths", 2_000),
        pytest.param("records", 50_000, marks=pytest.mark.slow),
    ],
)
def test_a_long_list_is_read_whole(name: str, count: int) -> None:
    tree = rows(count)
    start = time.process_time()
    table = extract(tree, extractor=name)[0]
    assert len(table) == count
    last = table.rows[count - 1][-1]
    assert last is not None
    assert last.endswith(f"{count - 1}.50")
    assert time.process_time() - start < 60


def test_rows_that_differ_are_not_too_many_for_the_alignment() -> None:
    page = (
        "<ul>"
        + "".join(
            f"<li><b>thing {n}</b> " + "<i>x</i>" * (n % 4) + "<u>z</u>" * (n % 3)
            for n in range(300)
        )
        + "</ul>"
    )
    tree = tl.parse(page)
    start = time.process_time()
    for name in ("records", "depta"):
        tables = extract(tree, extractor=name)
        assert tables[0].rows
    assert time.process_time() - start < 60


@pytest.mark.parametrize("name", EXTRACTORS)
def test_thousands_of_rows_that_all_differ_end_in_seconds(name: str) -> None:
    random = Random(5)
    tags = ["b", "i", "u", "em", "p", "span", "div"]
    rows = [
        "".join(f"<{tag}>{n} {tag}</{tag}>" for tag in random.choices(tags, k=random.randint(1, 8)))
        for n in range(5_000)
    ]
    tree = tl.parse(
        "<ul>" + "".join(f"<li><h3>thing {n}</h3>{row}" for n, row in enumerate(rows)) + "</ul>"
    )
    start = time.process_time()
    assert extract(tree, extractor=name)[0].rows
    assert time.process_time() - start < 20


def test_thousands_of_rows_that_differ_are_lined_up() -> None:
    random = Random(5)
    rows = [
        "".join(f"<{tag}>{tag}</{tag}>" for tag in random.choices("biu", k=random.randint(1, 5)))
        for _ in range(1_000)
    ]
    tree = tl.parse(
        "<ul>"
        + "".join(
            f"<li><h3>thing {n}</h3>{row}<div><p>a</p><p>b</p></div>" for n, row in enumerate(rows)
        )
        + "</ul>"
    )
    start = time.process_time()
    table = extract(tree, extractor="depta", threshold=0.9)[0]
    assert len(table.rows) == 1_000
    assert time.process_time() - start < 20
