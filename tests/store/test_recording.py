"""Recording many versions in one transaction writes the same rows as one version after the other;
threads change nothing at all.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from treelace.classes.pages import FetchedPage
from treelace.site import Site
from treelace.store.page_version import PageVersion
from treelace.store.plain_tables import PlainRow, PlainTable

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
PAGES = 3

names = st.sampled_from(["tea", "jam", "cup", "pot"])
rows = st.dictionaries(
    names, st.tuples(st.sampled_from(["1", "2"]), st.sampled_from(["", "new"])), max_size=3
)
versions = st.lists(
    st.tuples(st.integers(0, PAGES - 1), rows, st.booleans()), min_size=1, max_size=9
)
"""Which page shows which records, with which price and badge; some versions have a column that
others do not.
"""


def shown(records: dict[str, tuple[str, str]], has_badge: bool) -> PlainTable:
    types = {"name": "text", "price": "integer", **({"badge": "text"} if has_badge else {})}
    made = []
    for number, (name, (price, badge)) in enumerate(records.items(), 1):
        values = {
            "name": name,
            "price": int(price),
            **({"badge": badge or None} if has_badge else {}),
        }
        made.append(PlainRow(values, dict.fromkeys(values, number), number))
    return PlainTable(types, tuple(made))


def site_with_pages(folder: Path) -> Site:
    site = Site.create(folder, "https://shop.example/")
    site.add_pages(
        FetchedPage(f"https://shop.example/{number}", MONDAY, 200, b"<p>%d" % number, "text/html")
        for number in range(PAGES)
    )
    return site


def told(
    site: Site, moments: list[tuple[int, dict[str, tuple[str, str]], bool]], *, at_once: int
) -> list[object]:
    """Stores the versions, so many in one transaction; what changed, and every row there is."""
    changes: list[object] = []
    for start in range(0, len(moments), at_once):
        part = [
            (number, *moments[number])
            for number in range(start, min(start + at_once, len(moments)))
        ]
        with site.store.writing() as transaction:
            recording = transaction.recording()
            coming = [
                (
                    (shown(records, badge),),
                    PageVersion(
                        page + 1,
                        f"https://shop.example/{page}",
                        2 + number,
                        1000 * number,
                        None,
                        "list",
                        ("name",),
                    ),
                )
                for number, page, records, badge in part
            ]
            if at_once > 1:
                recording.look_ahead(coming)
            for one, place in coming:
                changes += recording.page(one, place)
            recording.flush()
    with site.store._database.reading() as connection:
        for table in ("list_history", "sightings"):
            changes += [
                tuple(row)[table == "list_history" :]
                for row in connection.execute(text(f'select * from "{table}" order by 1, 2, 3, 4'))
            ]
    return changes


@settings(max_examples=40, deadline=None)
@given(versions, st.integers(2, 9))
def test_many_versions_at_once_are_stored_like_one_after_the_other(
    tmp_path_factory, moments, at_once
):
    folder = tmp_path_factory.mktemp("sites")
    with site_with_pages(folder / "one") as one, site_with_pages(folder / "many") as many:
        assert sorted(map(str, told(one, moments, at_once=1))) == sorted(
            map(str, told(many, moments, at_once=at_once))
        )


def fetches(count: int) -> list[FetchedPage]:
    made = []
    for day in range(3):
        for number in range(count):
            items = "".join(
                f'<li class=it><a href="/t/{number}-{it}">thing {it}</a>'
                f" <b>€{number + it + day * (number % 5 == 0)}.00</b>"
                for it in range(6)
            )
            body = (
                f"<title>{number}</title><main><h1>list"
                f" {number}</h1><ul>{items}</ul></main>{'<p>words of a frame</p>' * 40}"
            )
            time = MONDAY + timedelta(days=day, seconds=number)
            made.append(
                FetchedPage(f"https://shop.example/{number}", time, 200, body.encode(), "text/html")
            )
    return made


def test_the_number_of_threads_changes_nothing(tmp_path):
    """150 pages on three days: a dictionary is trained on the way, some pages change, batches
    follow each other.
    """
    dumps = []
    for workers in (1, 2, 7):
        folder = tmp_path / str(workers)
        Site.create(folder, "https://shop.example/").close()
        with (folder / "treelace.toml").open("a", encoding="utf-8") as file:
            file.write('\n[[class]]\nname = "list"\nurls = ".*"\nwrapper = "extract"\n')
        place = folder / "treelace.toml"
        place.write_text(
            place.read_text(encoding="utf-8").replace(
                "[store]\n", f"[store]\nworkers = {workers}\n"
            ),
            encoding="utf-8",
        )
        with Site(folder) as site:
            done = site.add_pages(fetches(150))
            assert (done.versions, done.same, done.failures) == (150 + 2 * 30, 240, ())
            dumps.append(dump(site))
    assert dumps[0]["versions"] and dumps[0]["dictionaries"] and dumps[0]["list_history"]
    assert dumps[0] == dumps[1] == dumps[2]


def dump(site: Site) -> dict[str, list[tuple[object, ...]]]:
    made = {}
    with site.store._database.reading() as connection:
        for table in ("pages", "versions", "nodes", "sightings", "list_history"):
            made[table] = sorted(
                tuple(row) for row in connection.execute(text(f"select * from {table}"))
            )
        made["dictionaries"] = [
            tuple(row)
            for row in connection.execute(text("select id, class_id, data from dictionaries"))
        ]
    return made


def test_a_list_without_records_may_come_first(tmp_path):
    """Its records are known by their links, and no record of the first page has one."""
    link = "https://shop.example/t/1"
    row = PlainRow({"name": "tea", "name link": link}, {"name": 1, "name link": 1}, 1)
    tables = [
        PlainTable({"name": "text"}, ()),
        PlainTable({"name": "text", "name link": "text"}, (row,)),
    ]
    with site_with_pages(tmp_path / "site") as site, site.store.writing() as transaction:
        recording = transaction.recording()
        for number, table in enumerate(tables):
            url = f"https://shop.example/{number}"
            place = PageVersion(number + 1, url, 1, 1000, None, "list", ("name link",))
            changes = recording.page((table,), place)
        recording.flush()
    assert [change.key for change in changes] == [link]


def test_a_list_of_values_that_shrinks_leaves_no_stale_value(tmp_path):
    """A tag less and a link less are gone; a column that the page knows no more keeps its value,
    and so does what another page still shows.
    """

    def table(**values: str) -> PlainTable:
        return PlainTable(
            dict.fromkeys(values, "text"), (PlainRow(values, dict.fromkeys(values, 1), 1),)
        )

    def place(page: int, version: int) -> PageVersion:
        url = f"https://shop.example/{page}"
        return PageVersion(page + 1, url, version, 1000 * version, None, "list", ("name",))

    every = {"name": "tea", "name link": "/t", "tag": "a", "tag 2": "b", "note": "c"}
    for pages, wanted in (((0,), ("a", None, None, "c")), ((0, 1), ("a", "b", "/t", "c"))):
        with site_with_pages(tmp_path / str(len(pages))) as site:
            for version, values in ((2, every), (3, {"name": "tea", "tag": "a"})):
                with site.store.writing() as transaction:
                    recording = transaction.recording()
                    for page in pages if version == 2 else (0,):
                        recording.page([table(**values)], place(page, version))
                    recording.flush()
            rows = site.sql("select tag, tag_2, name_link, note from list").values
            assert rows == (wanted,)
