"""Parts of another package, really installed (its metadata stands on the path), used through the
command line: a source, a wrapper, a judge.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

PACKAGE = '''
from datetime import UTC, datetime, timedelta
from treelace.store import FetchedPage

TEAS = {"assam": ("Assam", 4.2), "sencha": ("Sencha", 6.0), "rooibos": ("Rooibos", 3.5)}
START = datetime(2026, 3, 2, tzinfo=UTC)


def pages(where):
    """A shelf of teas; on the day after they cost what `where` says."""
    for day, cut in enumerate([1.0, *map(float, where.split(","))]):
        for number, (path, (name, price)) in enumerate(TEAS.items()):
            body = f"<body><h1>{name}</h1><p class=price>€{price * cut:.2f}</p><p>Made today.</p>"
            when = START + timedelta(days=day, seconds=number)
            url = f"https://tea.example/{path}"
            yield FetchedPage(url, when, 200, body.encode(), "text/html")
    if "," in where:
        raise OSError("the shelf fell down")


class Labels:
    """Records as mappings of nodes: any object that turns a page into records is a wrapper."""

    def apply(self, page, *, url=""):
        name, price = page.select("h1")[0], page.select(".price")[0]
        yield {"name": name, "price": price, "path": url.rpartition("/")[2]}


def broken(page):
    raise KeyError("no label")


def sober(alert):
    """Tells of Assam only, and says why; Sencha breaks it."""
    if "Sencha" in alert["why"]:
        raise ValueError("I do not drink green tea")
    return {"tell": "Assam" in alert["why"], "rank": 2, "why": "only black tea counts"}
'''
POINTS = """
[treelace.sources]
shelf = shelf:pages

[treelace.wrappers]
labels = shelf:Labels
broken = shelf:broken

[treelace.judges]
sober = shelf:sober
"""
SETTINGS = """
[[class]]
name = "tea"
urls = ".*"
wrapper = "entry-point:{wrapper}"
key = ["path"]
"""


@pytest.fixture
def installed(tmp_path) -> dict[str, str]:
    """The environment in which the package is there."""
    folder = tmp_path / "installed"
    (folder / "shelf-1.0.dist-info").mkdir(parents=True)
    (folder / "shelf.py").write_text(PACKAGE, encoding="utf-8")
    (folder / "shelf-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n", encoding="utf-8"
    )
    (folder / "shelf-1.0.dist-info" / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    return {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


def prepare(treelace, folder: Path, *, wrapper: str = "labels", more: str = "") -> None:
    assert (
        treelace("init", "shop", "http://127.0.0.1:9/").returncode == 0
    )  # a watch fetches nothing there
    with (folder / "shop" / "treelace.toml").open("a", encoding="utf-8") as file:
        file.write(SETTINGS.format(wrapper=wrapper) + more)


def test_a_source_and_a_wrapper_of_another_package(treelace, installed, tmp_path):
    prepare(treelace, tmp_path)
    assert treelace("check", "--site", "shop", env=installed).returncode == 0
    ran = treelace("crawl", "--from", "shelf:1.0", "--site", "shop", env=installed)
    assert ran.returncode == 0, ran.stderr
    rows = [
        json.loads(line)
        for line in treelace(
            "records", "tea", "--to", "jsonl", "--site", "shop", env=installed
        ).stdout.splitlines()
    ]
    assert [(row["name"], row["price"], row["price text"], row["path"]) for row in rows] == [
        ("Assam", 4.2, "€4.20", "assam"),
        ("Sencha", 6.0, "€6.00", "sencha"),
        ("Rooibos", 3.5, "€3.50", "rooibos"),
    ]
    assert all(row["node"] for row in rows), "a value that is a node knows its place"


def test_a_source_that_breaks_gives_what_it_had(treelace, installed, tmp_path):
    prepare(treelace, tmp_path)
    ran = treelace("import", "shelf:0.9,0.8", "--site", "shop", env=installed)
    assert ran.returncode == 3
    assert ran.stderr == "treelace: shelf: the source ended early: the shelf fell down\n"
    assert ran.stdout.startswith("9 versions added")


def test_a_wrapper_that_breaks_costs_the_records_and_not_the_pages(treelace, installed, tmp_path):
    prepare(treelace, tmp_path, wrapper="broken")
    ran = treelace("crawl", "--from", "shelf:1.0", "--site", "shop", env=installed)
    assert ran.returncode == 0
    assert "3 versions added" in ran.stdout and "3 failed" in ran.stdout
    assert ran.stderr.count("the wrapper of tea failed: broken: KeyError: 'no label'") == 3


def test_names_that_nobody_has_are_one_line(treelace, tmp_path, installed):
    prepare(treelace, tmp_path, wrapper="nothing", more='[alerts]\njudge = "nobody"\n')
    ran = treelace("check", "--site", "shop", env=installed)
    assert ran.returncode == 2
    assert (
        ran.stderr
        == "treelace: no installed package has 'nothing' among its treelace.wrappers; there are:"
        " broken, labels\n"
    )
    ran = treelace("crawl", "--from", "shelf:1.0", "--site", "shop", env=installed)
    assert (
        ran.returncode == 0
        and "tea: no installed package has 'nothing'" in ran.stderr
        and "3 versions added" in ran.stdout
    )
    ran = treelace("crawl", "--from", "nobody:x", "--site", "shop", env=installed)
    assert ran.returncode == 2 and len(ran.stderr.splitlines()) == 1


def judged(
    treelace, folder: Path, env: dict[str, str], judge: str
) -> tuple[str, str, list[dict[str, Any]]]:
    """Cheaper tea, judged: what the terminal heard, what was said beside it, and what was
    suppressed.
    """
    prepare(treelace, folder, more=f"[alerts]\njudge = {judge}\njudge_seconds = 3\n")
    treelace("crawl", "--from", "shelf:1.0", "--site", "shop", env=env)
    assert (
        treelace(
            "subscribe",
            "cheap",
            "--records",
            "tea",
            "--when",
            "price drops 10%",
            "--site",
            "shop",
            env=env,
        ).returncode
        == 0
    )
    assert (
        treelace(
            "crawl", "--from", "shelf:1.0,0.5", "--site", "shop", "--log-json", "log.jsonl", env=env
        ).returncode
        == 0
    )
    ran = treelace("watch", "--once", "--site", "shop", "--log-json", "log.jsonl", env=env)
    quiet = json.loads(
        treelace("alerts", "list", "--suppressed", "--to", "json", "--site", "shop", env=env).stdout
    )
    return ran.stdout, ran.stderr, quiet


def test_a_judge_of_another_package_vetoes_and_its_failure_loses_nothing(
    treelace, installed, tmp_path
):
    told, said, quiet = judged(treelace, tmp_path, installed, '"sober"')
    lines = [line.partition("cheap: ")[2] for line in told.splitlines() if "cheap: " in line]
    assert [line.partition(":")[0] for line in lines] == [
        "Assam",
        "Sencha",
    ], "the one with a rank first; the one it failed on goes out"
    assert "the judge sober failed (I do not drink green tea): cheap tells all the same" in said
    assert [row["why"].partition("; not told: ")[2] for row in quiet] == [
        "the judge sober said no: only black tea counts"
    ]
    assert [row["verdict"] for row in quiet] == [
        {"judge": "sober", "tell": False, "rank": 2.0, "why": "only black tea counts"}
    ]
    log = [
        json.loads(line)
        for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert sum(line["event"] == "alert" and line["rule"] == "cheap" for line in log) == 3
    assert (
        sum(line["event"] == "judged" for line in log) == 3
        and sum(line["event"] == "delivered" for line in log) == 2
    )
    again = treelace("watch", "--once", "--site", "shop", env=installed)
    assert "cheap: " not in again.stdout, "each is told once, and a veto stays one"


def test_a_judge_that_is_a_command(treelace, installed, tmp_path):
    (tmp_path / "judge.py").write_text(
        "import json, sys\nalert = json.load(sys.stdin)\nprint(json.dumps('Rooibos' in"
        " alert['why']))\n",
        encoding="utf-8",
    )
    told, _, quiet = judged(treelace, tmp_path, installed, '["python3", "../judge.py"]')
    assert told.count("cheap: ") == 1 and "cheap: Rooibos" in told
    assert {row["why"].partition("; not told: ")[2] for row in quiet} == {
        "the judge python3 said no"
    }
