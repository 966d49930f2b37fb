"""The running system on the command line: crawl from a WARC and from a server, classes, rules,
alerts, watch.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treelace.classes.pages import FetchedPage
from treelace.crawl.warc import WarcWriter
from treelace.site import Site
from treelace.testing.shop import Day, open_shop
from treelace.testing.shop_server import ShopServer

SHOP = open_shop()
HOME = "https://shop.example"
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def archive(path: Path, day: Day, start: datetime, *, looks: int = 1, fetch: int = 0) -> str:
    with WarcWriter(path.open("wb")) as writer:
        for look in range(looks):
            for number, place in enumerate(day.truth):
                fetch += 1
                body = (day.page(place, fetch=fetch) or "").encode()
                time = start + timedelta(hours=look, seconds=number)
                writer.page(
                    FetchedPage(
                        HOME + place,
                        time,
                        200,
                        body,
                        "text/html",
                        (("Content-Type", "text/html; charset=utf-8"),),
                    )
                )
    return path.name


def test_from_a_first_crawl_to_an_alert(treelace, tmp_path):
    monday = archive(tmp_path / "monday.warc.gz", SHOP.days[0], MONDAY, looks=2)
    tuesday = archive(
        tmp_path / "tuesday.warc.gz", SHOP.days[1], MONDAY + timedelta(days=1), fetch=5000
    )
    assert treelace("init", "shop", HOME + "/").returncode == 0
    ran = treelace("crawl", "--from", monday, "--site", "shop")
    assert ran.returncode == 0, ran.stderr
    assert "proposed list: 8 pages" in ran.stdout and "treelace classes accept" in ran.stdout
    ran = treelace("classes", "accept", "list", "--site", "shop")
    assert ran.stdout == "list: 79 records\n", ran.stderr
    listed = json.loads(treelace("classes", "list", "--to", "json", "--site", "shop").stdout)
    assert {(row["class"], row["state"]) for row in listed} >= {
        ("list", "accepted"),
        ("product", "proposed"),
        ("(none)", "unclassified"),
    }

    ran = treelace(
        "subscribe",
        "cheap",
        "--records",
        "list",
        "--when",
        "price drops 10%",
        "--to",
        "atom:alerts.xml",
        "--site",
        "shop",
    )
    assert "would have told 0 times" in ran.stderr
    assert (
        treelace(
            "subscribe", "news", "--records", "list", "--when", "new", "--site", "shop"
        ).returncode
        == 0
    )
    assert (
        "no records are called"
        in treelace("subscribe", "x", "--records", "nothing", "--site", "shop").stderr
    )
    assert treelace("crawl", "--from", tuesday, "--site", "shop").returncode == 0

    told = json.loads(treelace("alerts", "list", "--to", "json", "--site", "shop").stdout)
    truth = {
        change.path: change
        for change in SHOP.days[1].changes
        if not change.path.startswith("/news/")
    }
    drops = {
        path
        for path, it in truth.items()
        if it.kind == "price" and float(it.new[1:]) <= 0.9 * float(it.old[1:]) + 0.001
    }
    names = {
        product.path: product.name for product in (*SHOP.days[0].products, *SHOP.days[1].products)
    }
    assert {row["why"].partition(":")[0] for row in told if row["rule"] == "cheap"} == {
        names[path] for path in drops
    }
    assert {row["why"] for row in told if row["rule"] == "news"} == {
        f"new record: {it.new}" for it in truth.values() if it.kind == "new"
    }
    ran = treelace(
        "subscribe",
        "again",
        "--records",
        "list",
        "--when",
        "price drops 10%",
        "--try",
        "--site",
        "shop",
    )
    assert f"would have told {len(drops)} times" in ran.stderr and len(
        ran.stdout.splitlines()
    ) == len(drops)

    assert treelace("alerts", "ack", str(told[0]["alert"]), "--site", "shop").returncode == 0
    assert (
        len(json.loads(treelace("alerts", "list", "--to", "json", "--site", "shop").stdout))
        == len(told) - 1
    )
    assert treelace("alerts", "mute", "cheap", "--site", "shop").returncode == 0
    assert "muted" in treelace("alerts", "rules", "--site", "shop").stdout
    assert treelace("alerts", "remove", "news", "--site", "shop").returncode == 0
    assert "no subscription" in treelace("alerts", "mute", "news", "--site", "shop").stderr

    assert (
        treelace("classes", "rename", "list", "goods", "--site", "shop").stderr
        == "list is now goods\n"
    )
    assert len(
        treelace("records", "goods", "--to", "jsonl", "--site", "shop").stdout.splitlines()
    ) == len(SHOP.days[1].products)
    assert "goods" in treelace("alerts", "rules", "--site", "shop").stdout


def test_watching_a_server(treelace, tmp_path):
    with ShopServer(SHOP.days[0]) as server:
        assert treelace("init", "shop", server.url + "/").returncode == 0
        ran = treelace("watch", "--once", "--site", "shop")
        assert ran.returncode == 5 and "not a public address; --allow-private" in ran.stderr
        ran = treelace("watch", "--quiet-hours", "night", "--site", "shop")
        assert (
            ran.returncode == 2
            and "--quiet-hours is FROM-TO" in ran.stderr
            and len(ran.stderr.splitlines()) == 1
        )
        ran = treelace(
            "watch", "--once", "--auto-accept", "--allow-private", "--delay", "0", "--site", "shop"
        )
        assert ran.returncode == 0, ran.stderr
        treelace("subscribe", "new", "--records", "list", "--when", "new", "--site", "shop")
        server.day = SHOP.days[1]
        ran = treelace("watch", "--once", "--allow-private", "--delay", "0", "--site", "shop")
        new = [
            change.new
            for change in SHOP.days[1].changes
            if change.kind == "new" and not change.path.startswith("/news/")
        ]
        assert sorted(
            line.partition("new record: ")[2]
            for line in ran.stdout.splitlines()
            if "new record: " in line
        ) == sorted(new)
        assert "2 delivered" in ran.stderr


def test_a_second_writer_is_told_so_in_one_line(treelace, tmp_path):
    treelace("init", "shop", HOME + "/")
    with Site(tmp_path / "shop") as site, site.store.writer():
        ran = treelace("crawl", "--site", "shop")
    assert ran.returncode == 5
    assert "another process" in ran.stderr and len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["crawl", "--site", "nowhere"], "nowhere: this is no site"),
        (["subscribe", "x", "--site", "nowhere"], "a rule looks at one thing"),
        (
            ["subscribe", "x", "--records", "a", "--to", "pigeon", "--site", "nowhere"],
            "'pigeon' is no channel",
        ),
    ],
)
def test_wrong_use_is_one_line(treelace, arguments, words):
    ran = treelace(*arguments)
    assert ran.returncode == 2
    assert words in ran.stderr and len(ran.stderr.splitlines()) == 1
