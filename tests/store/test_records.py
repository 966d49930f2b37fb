"""Records with their history, on both back ends: keys, changes, several pages, queries of today and
of the past.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.store.conftest import START, URL, fetched
from treelace.classes.model import ClassState
from treelace.errors import UsageError, WrapperError
from treelace.site import Site
from treelace.store import keys
from treelace.store.query import query

SETTINGS = """
[[class]]
name = "Product"
urls = 'https://shop\\.example/.*'
wrapper = "extract"
"""


def page(*things: tuple[str, int]) -> bytes:
    items = "".join(
        f'<li><h2><a href="https://shop.example/p/{name}">{name}</a></h2> <b'
        f" class=price>€{price}.00</b></li>"
        for name, price in things
    )
    return f"<!DOCTYPE html><title>Shop</title><ul class=things>{items}</ul>".encode()


MONDAY = page(("tea", 3), ("jam", 2), ("milk", 1), ("salt", 5))
TUESDAY = page(("jam", 2), ("tea", 4), ("salt", 5), ("rice", 7))


@pytest.fixture
def shop(tmp_path: Path, store_place: str) -> Iterator[Site]:
    Site.create(tmp_path / "site", URL, store=store_place).close()
    path = tmp_path / "site" / "treelace.toml"
    path.write_text(path.read_text() + SETTINGS)
    with Site(tmp_path / "site") as made:
        yield made


def rows(site: Site, statement: str, at=None) -> list[tuple]:
    with query(site.store, statement, at=at) as (_, found):
        return list(found)


def names(site: Site) -> tuple[str, str]:
    """The columns of the thing's name and of its price, as SQL has them."""
    columns = site.store.records.kind("product").names
    title = next(columns[name] for name in columns if "text" not in name and "link" not in name)
    price = next(
        columns[name]
        for name, kind in site.store.records.kind("product").columns.items()
        if kind in ("number", "integer")
    )
    return title, price


def test_records_come_change_and_go(shop: Site):
    shop.add_pages([fetched(1, body=MONDAY), fetched(24, body=TUESDAY)])
    kind = shop.store.records.kind("product")
    assert kind.page_class == "Product" and kind.key[0].endswith("link")
    title, price = names(shop)
    assert rows(shop, f"select {title}, {price} from product order by 1") == [
        ("jam", 2.0),
        ("rice", 7.0),
        ("salt", 5.0),
        ("tea", 4.0),
    ]
    then = START + timedelta(hours=2)
    assert rows(shop, f"select {title}, {price} from product order by 1", then) == [
        ("jam", 2.0),
        ("milk", 1.0),
        ("salt", 5.0),
        ("tea", 3.0),
    ]
    assert rows(shop, "select count(*) from product", START) == [(0,)]
    assert rows(shop, "select count(*) from product_history") == [(6,)]


def test_a_cell_has_a_history(shop: Site):
    shop.add_pages([fetched(1, body=MONDAY), fetched(24, body=TUESDAY), fetched(48, body=MONDAY)])
    price = next(
        name
        for name, kind in shop.store.records.kind("product").columns.items()
        if kind in ("number", "integer")
    )
    found = shop.store.records.history("product", "https://shop.example/p/tea", price)
    assert [(it.value, it.version) for it in found] == [
        (3.0, 1),
        (4.0, 2),
        (3.0, 3),
    ]
    assert found[-1].valid_to is None and found[0].valid_to == found[1].valid_from
    node = found[0].node
    assert shop.store.body(URL, 1).tree[shop.store.body(URL, 1).xids.index(node)].text == "€3.00"
    with pytest.raises(UsageError, match="no record 'x'"):
        shop.store.records.history("product", "x")


def test_the_same_record_on_two_pages_is_one(shop: Site):
    other = URL + "offers"
    shop.add_pages(
        [fetched(1, body=MONDAY), fetched(2, other, body=page(("tea", 3), ("jam", 2), ("gum", 9)))]
    )
    assert rows(shop, "select count(*) from product") == [(5,)]
    shop.add_pages([fetched(3, body=page(("jam", 2), ("milk", 1), ("salt", 5)))])
    assert rows(shop, "select count(*) from product") == [(5,)], "tea is still on the other page"
    shop.add_pages([fetched(4, other, body=page(("jam", 2), ("gum", 9), ("nut", 1)))])
    key = "https://shop.example/p/tea"
    assert shop.store.records.history("product", key)[-1].valid_to == START + timedelta(hours=4)


def test_a_page_that_says_the_same_changes_nothing(shop: Site):
    other = URL + "offers"
    offers = page(("tea", 8), ("jam", 2), ("gum", 9))
    shop.add_pages([fetched(1, body=MONDAY), fetched(2, other, body=offers)])
    title, price = names(shop)
    for hour in (3, 4):
        shop.add_pages(
            [
                fetched(hour, body=MONDAY + b"<!-- %d -->" % hour),
                fetched(hour, other, body=offers + b"<!-- %d -->" % hour),
            ]
        )
    assert rows(shop, f"select {price} from product_history where {title} = 'tea'") == [(3.0,)], (
        "two pages that disagree do not quarrel for ever"
    )


def test_queries_only_read(shop: Site):
    shop.add_pages([fetched(1, body=MONDAY)])
    for statement in (
        "delete from pages",
        "drop table pages",
        "select 1; delete from pages",
        "attach 'x' as x",
        "create table x (y int)",
    ):
        with pytest.raises(UsageError):
            rows(shop, statement)
    with pytest.raises(UsageError, match="records` lists"):
        rows(shop, "select * from nothing_here")
    assert rows(shop, "select count(*) from pages") == [(1,)]


def test_a_key_can_be_set_and_the_records_are_built_anew(shop: Site):
    shop.add_pages([fetched(1, body=MONDAY), fetched(24, body=TUESDAY)])
    before = rows(shop, "select count(*) from product_history")
    title = next(
        name
        for name in shop.store.records.kind("product").columns
        if "text" not in name and "link" not in name
    )
    shop.rebuild("product", key=[title])
    assert shop.store.records.kind("product").key == (title,) and rows(
        shop, "select key from product order by 1"
    )[0] == ("jam",)
    assert rows(shop, "select count(*) from product_history") == before
    shop.rebuild("product", key=()).changes
    assert shop.store.records.kind("product").key != ("#node",)
    with pytest.raises(UsageError, match="no column"):
        shop.rebuild("product", key=["nonsense"])


def test_an_arrow_reader_gets_the_records(shop: Site):
    import duckdb
    import polars

    shop.add_pages([fetched(1, body=MONDAY), fetched(24, body=TUESDAY)])
    goods = shop.records("product")
    assert len(goods) == 4 and "4 records" in repr(goods) and "<table>" in goods._repr_html_()
    assert polars.DataFrame(goods).height == 4 and len(goods.to_pandas()) == 4
    assert duckdb.sql("select count(*) from goods").fetchall() == [(4,)]
    assert len(shop.records("product", history=True)) == 6
    assert {
        row[-1]
        for row in shop.records("product", at=START + timedelta(hours=1), history=False).rows
    } == {None, START + timedelta(hours=24)}


def test_a_learnt_wrapper_is_applied_and_its_versions_are_kept(tmp_path: Path, store_place: str):
    from treelace import Wrapper, parse

    Site.create(tmp_path / "site", URL, store=store_place).close()
    path = tmp_path / "site" / "treelace.toml"
    path.write_text(path.read_text() + SETTINGS.replace('"extract"', '"product.json"'))
    Wrapper.learn([parse(MONDAY, format="html")]).save(tmp_path / "site" / "product.json")
    with Site(tmp_path / "site") as site:
        site.check()
        site.add_pages([fetched(1, body=MONDAY), fetched(24, body=TUESDAY)])
        assert len(site.records("product")) == 4 and len(site.records("product", history=True)) == 6
        number = site.store.classes.get("Product").id
        assert [it.number for it in site.store.classes.wrappers(number)] == [1]
    (tmp_path / "site" / "product.json").write_text("{}")
    with Site(tmp_path / "site") as site, pytest.raises(WrapperError):
        site.check()


def test_keys_are_unique_stable_and_else_the_node():
    types = {"rank": "integer", "name": "text", "name link": "text", "price": "number"}
    one = [
        {"rank": 1, "name": "a", "name link": "/a", "price": 1.0},
        {"rank": 2, "name": "b", "name link": "/b", "price": 2.0},
    ]
    two = [
        {"rank": 1, "name": "b!", "name link": "/b", "price": 2.5},
        {"rank": 2, "name": "c", "name link": "/c", "price": 1.5},
    ]
    assert keys.choose(types, [one]) == ("name link",)
    assert keys.choose(
        {"rank": "integer", "price": "number"},
        [[{"rank": 1, "price": 1}, {"rank": 1, "price": 2}], [{"rank": 1, "price": 1}]],
    ) == ("price",)
    assert keys.choose(types, [one, two]) != ("name",)
    assert keys.choose(
        {"a": "text", "b": "text"}, [[{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 1}]]
    ) == ("a", "b")
    assert keys.choose({"a": "text"}, [[{"a": None}, {"a": "x"}]]) == (keys.NODE,)


def test_a_table_of_records_says_from_when_they_are(shop: Site):
    shop.add_pages([fetched(0, body=MONDAY)])
    now, ever = shop.records("product"), shop.records("product", history=True)
    assert now.heads[-1] == "valid_from" and ever.heads[-2:] == ("valid_from", "valid_to")
    assert now.values[0][-1] == START and ever.values[0][-2:] == (START, None)


def test_some_records_are_found_sorted_and_cut_by_the_database(shop: Site):
    things = [(f"{letter}{number}", number * 7 % 11) for letter in "aBc" for number in range(12)]
    shop.add_pages([fetched(0, body=page(*things))])
    kind = shop.store.records.kind("product")
    title, price = (
        next(name for name, its in kind.names.items() if its == one) for one in names(shop)
    )
    whole = shop.records("product")
    at, cost = whole.heads.index(title), whole.heads.index(price)

    def asked(**question) -> tuple[list[str], int]:
        found = shop.rows("product", **question)
        assert found.table.heads == whole.heads
        return [row[at] for row in found.table.values], found.total

    in_order = sorted(whole.values, key=lambda row: (row[cost], whole.values.index(row)))[::-1]
    assert asked(sort=price, descending=True, offset=5, limit=4) == (
        [row[at] for row in in_order[5:9]],
        36,
    )
    assert asked(limit=3) == ([row[at] for row in whole.values[:3]], 36)
    bs = [row[at] for row in whole.values if row[at].startswith("B")]
    assert asked(search="b1", limit=100) == ([it for it in bs if it.startswith("B1")], 3)
    dear = [row[at] for row in whole.values if row[cost] >= 9 and row[at].startswith("B")]
    assert asked(where=[f"{price} >= 9", f"{title} ~ b"]) == (dear, len(dear))
    assert asked(where=[f"{title} = B3"]) == (["B3"], 1)
    assert asked(where=[f"{title} ="]) == ([], 0)
    assert asked(where=[f"{title} !="], limit=1)[1] == 36
    assert asked(search="%")[1] == asked(search="_")[1] == 0  # not patterns but letters
    assert asked(offset=36) == ([], 36)
    for wrong in ({"where": ["colour = red"]}, {"sort": "colour"}, {"where": [f"{price} > dear"]}):
        with pytest.raises(UsageError):
            shop.rows("product", **wrong)
    with pytest.raises(UsageError, match="no condition"):
        shop.rows("product", where=["cheap"])


def test_some_records_of_the_past(shop: Site):
    shop.add_pages([fetched(0, body=MONDAY), fetched(24, body=TUESDAY)])
    for hours in (1, 30):
        time = START + timedelta(hours=hours)
        whole = shop.records("product", at=time)
        found = shop.rows("product", at=time, limit=100)
        assert found.table.heads == whole.heads
        assert found.table.values == whole.values
    fresh = shop.rows("product", since=START + timedelta(hours=2))
    assert fresh.total == len(shop.records("product", since=START + timedelta(hours=2))) == 2
    assert str(fresh) == "1 to 2 of 2"


def test_a_count_of_many_finds_has_a_bound(shop: Site, monkeypatch: pytest.MonkeyPatch):
    shop.add_pages([fetched(0, body=MONDAY)])
    monkeypatch.setattr("treelace.store.record_query.MAX_COUNT", 2)
    found = shop.rows("product", search="a", limit=2)
    assert (found.total, found.is_more) == (2, True) and "more than 2" in str(found)
    assert shop.rows("product").total == 4


def test_a_large_kind_gets_indexes_and_is_sorted_the_same(
    shop: Site, monkeypatch: pytest.MonkeyPatch
):
    things = [(f"{letter}{number}", number * 7 % 11) for letter in "aBc" for number in range(12)]
    shop.add_pages([fetched(0, body=page(*things))])
    kind = shop.store.records.kind("product")
    questions = [
        {"sort": column, "descending": down, "offset": 3, "limit": 20, "where": where}
        for column in (*kind.columns, "valid_from")
        for down in (False, True)
        for where in ([], ["key != "])
    ]
    before = [shop.rows("product", **one).table.values for one in questions]
    with shop.store.writing() as transaction:
        assert transaction.make_sort_indexes() == []  # a small kind needs none
        monkeypatch.setattr("treelace.store.record_indexes.MANY_RECORDS", 36)
        made = transaction.make_sort_indexes()
        assert len(made) > len(names(shop)) and transaction.make_sort_indexes() == []
    assert [shop.rows("product", **one).table.values for one in questions] == before
    assert not shop.verify().damage
    price = next(name for name, its in kind.names.items() if its == names(shop)[1])
    assert shop.rows("product", where=[f"{price} >= 9"]).total == 6
    with shop.store.writing() as transaction:
        class_id = shop.store.records.kind("product").class_id
        transaction.rename_kinds(class_id, "Product", "Goods")
        assert transaction.make_sort_indexes() == []  # they went along
    assert shop.rows("goods", sort=price).total == 36


def test_a_search_that_takes_too_long_is_cut_and_gone_on_with(
    shop: Site, monkeypatch: pytest.MonkeyPatch
):
    things = [(f"{letter}{number}", number) for letter in "ab" for number in range(12)]
    shop.add_pages([fetched(0, body=page(*things))])
    title = names(shop)[0]
    whole = shop.rows("product", search="b", limit=100)
    assert whole.total == 12 and not whole.is_cut
    monkeypatch.setattr("treelace.store.record_search._FIRST_STEP", 5)
    first = shop.rows("product", search="b", limit=100, seconds=0)
    assert (first.total, first.is_cut, first.go_on) == (0, True, 5)
    assert str(first) == "none of 0 found so far"
    seen, after = [], 0
    for _ in range(10):
        some = shop.rows("product", search="b", limit=100, seconds=0, after=after)
        seen += some.table.values
        if some.go_on is None:
            break
        after = some.go_on
    assert tuple(seen) == whole.table.values
    monkeypatch.setattr("treelace.store.record_query.MAX_COUNT", 4)
    many = shop.rows("product", search="b", sort=title, limit=4, seconds=30)
    assert many.is_more and many.go_on is not None and not many.is_cut
    assert many.table.values == shop.rows("product", search="b", sort=title).table.values[:4]


def test_records_are_counted_whether_few_or_many_have_ended(
    shop: Site, monkeypatch: pytest.MonkeyPatch
):
    shop.add_pages([fetched(0, body=MONDAY), fetched(24, body=TUESDAY)])
    counted = shop.record_counts()
    assert counted == {"product": len(shop.records("product"))}
    monkeypatch.setattr("treelace.store.record_indexes.MOST_ENDED", 0)
    assert shop.record_counts() == counted


def test_the_pages_of_a_class_have_one_order_however_they_came(shop: Site):
    """Examples are chosen by their place among them."""
    urls = [f"https://shop.example/{name}" for name in ("Zen", "b", "a", "é")]
    shop.add_pages([fetched(at, body=MONDAY, url=url) for at, url in enumerate(urls)])
    number = shop.store.classes.ensure("things")
    shop.store.classes.assign(urls, number)
    assert shop.store.classes.members(number) == sorted(urls)


def test_a_wrapper_is_kept_once_and_anew_when_its_rules_or_its_state_change(shop: Site):
    classes = shop.store.classes
    number = classes.ensure("things")
    kept = [
        classes.add_wrapper(number, data, state=state)
        for data, state in (
            ("{}", ClassState.ACCEPTED),
            ("{}", ClassState.ACCEPTED),
            ("{}", ClassState.PROPOSED),
            ("[]", ClassState.PROPOSED),
            ("{}", ClassState.PROPOSED),
        )
    ]
    assert kept == [1, 1, 2, 3, 4]
