"""Kinds of records renamed and taken away, on both back ends."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from tests.store.conftest import URL, fetched
from treelace.errors import UsageError
from treelace.site import Site


def test_kinds_are_renamed_and_taken_away(store_place, tmp_path):
    Site.create(tmp_path / "shop", URL, store=store_place).close()
    with (tmp_path / "shop" / "treelace.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[class]]\nname = "list"\nurls = ".*"\nwrapper = "extract"\n')
    with Site(tmp_path / "shop") as site:
        site.add_pages(fetched(number) for number in range(5))
        site.store.alerts.subscribe("new", {"records": "list", "when": "new"})
        before = list(site.store.records.read("list", history=True)[1])
        number = site.store.classes.get("list").id
        with site.store.writing() as transaction:
            assert transaction.rename_kinds(number, "list", "goods") == {"list": "goods"}
        assert list(site.store.records.read("goods", history=True)[1]) == before
        assert site.store.alerts.subscription("new").rule["records"] == "goods"
        with site.store._database.reading() as connection:
            assert connection.execute(text("select count(*) from goods")).scalar_one() == len(
                list(site.store.records.read("goods")[1])
            )
        site.add_pages(
            [fetched(6)]
        )  # the class still has its name: its records are made anew, beside the others
        assert {kind.name for kind in site.store.records.kinds()} == {"goods", "list"}
        with pytest.raises(UsageError, match="no records are called"):
            site.store.records.kind("nothing")
        with site.store.writing() as transaction:
            assert transaction.drop_kinds(number) == ["goods", "list"]
        assert not site.store.records.kinds()
        site.add_pages([fetched(7)])
        assert [kind.name for kind in site.store.records.kinds()] == ["list"]
