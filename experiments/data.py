"""Documents for the experiments: real pages from the folder that TREELACE_CORPUS names, made ones
from a seed.
"""

from __future__ import annotations

import csv
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treelace import Tree, parse


@dataclass(frozen=True, slots=True)
class Page:
    """A document and the class it belongs to."""

    name: str
    group: str
    tree: Tree


def corpus(*names: str) -> Path:
    """A part of the outside data."""
    folder = os.environ.get("TREELACE_CORPUS")
    if not folder:
        raise SystemExit("this experiment needs outside data: set TREELACE_CORPUS to its folder")
    return Path(folder).joinpath("data", *names)


def class_pages() -> dict[str, list[Page]]:
    """The pages of `data/classes` by category (e-commerce, museums, newspapers, universities),
    class after class as they are listed.
    """
    folder = corpus("classes")
    pages: dict[str, list[Page]] = {}
    with (folder / "labels.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            pages.setdefault(row["category"], []).append(
                Page(row["file"], row["class"], parse(folder / row["file"]))
            )
    return pages


def snapshots(site: str, count: int | None = None) -> list[Page]:
    """Snapshots of a page in order of time, so many of them evenly spread."""
    files = sorted(corpus("snapshots", site).glob("*.html.gz"))
    if count is not None and count < len(files):
        files = [files[number * (len(files) - 1) // max(1, count - 1)] for number in range(count)]
    return [Page(f"{site}/{file.name}", site, parse(file)) for file in files]


def designs() -> dict[str, list[str]]:
    """The design of each snapshot in order of time, by site (`snapshots/designs.csv`)."""
    found: dict[str, list[str]] = {}
    with (corpus("snapshots") / "designs.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["site"], []).append(row["design"])
    return found


def sites() -> list[str]:
    """Every page of which there are snapshots, in the order of their names."""
    return sorted(folder.name for folder in corpus("snapshots").iterdir() if folder.is_dir())


def books(count: int, *, seed: int = 1, most_authors: int = 6) -> list[Page]:
    """Documents that list one book each: title, one to six authors, publisher, year. They differ
    only in the number of authors (Buttler, IV).
    """
    choose = random.Random(seed)
    made = []
    for number in range(count):
        authors = choose.randint(1, most_authors)
        names = "".join(f"<author>{choose.choice(NAMES)}</author>" for _ in range(authors))
        text = (
            f'<book year="{choose.randint(1950, 2003)}"><title>{choose.choice(NAMES)} of'
            f" {number}</title>"
            f"<authors>{names}</authors><publisher>{choose.choice(NAMES)}</publisher>"
            f"<date>{choose.randint(1950, 2003)}</date></book>"
        )
        made.append(Page(f"book {number}", f"{authors} authors", parse(text, format="xml")))
    return made


def tpch(share: float, *, seed: int) -> Tree:
    """A share of a TPC-H data set at scale factor 0.001: 150 customers, 1,500 orders with one to
    seven items, 200 parts, 10 suppliers.

    Made after the tables of the benchmark's specification; the values are of the right kind, and
    random.
    """
    return parse("".join(_tpch(share, random.Random(seed))), format="xml")


def _tpch(share: float, choose: random.Random) -> Iterator[str]:
    def row(kind: str, *columns: str) -> str:
        return (
            f"<{kind}>"
            + "".join(f"<{column}>{choose.randrange(10**6)}</{column}>" for column in columns)
            + f"</{kind}>"
        )

    yield "<tpch><customers>"
    for _ in range(round(150 * share)):
        yield row(
            "customer",
            "custkey",
            "name",
            "address",
            "nationkey",
            "phone",
            "acctbal",
            "mktsegment",
            "comment",
        )
    yield "</customers><parts>"
    for _ in range(round(200 * share)):
        yield row(
            "part",
            "partkey",
            "name",
            "mfgr",
            "brand",
            "type",
            "size",
            "container",
            "retailprice",
            "comment",
        )
    yield "</parts><suppliers>"
    for _ in range(round(10 * share)):
        yield row(
            "supplier", "suppkey", "name", "address", "nationkey", "phone", "acctbal", "comment"
        )
    yield "</suppliers><orders>"
    for _ in range(round(1500 * share)):
        order = row(
            "order",
            "orderkey",
            "custkey",
            "orderstatus",
            "totalprice",
            "orderdate",
            "orderpriority",
            "clerk",
            "shippriority",
            "comment",
        )
        yield order.removesuffix("</order>")
        for _ in range(choose.randint(1, 7)):
            yield row("lineitem", *LINE_ITEM)
        yield "</order>"
    yield "</orders></tpch>"


LINE_ITEM = (
    "partkey suppkey linenumber quantity extendedprice discount tax returnflag linestatus "
    "shipdate commitdate receiptdate shipinstruct shipmode comment"
).split()
NAMES = (
    "Abacus Birch Cinder Dapple Ember Fathom Gable Harrow Ibis Juniper Kestrel Lattice Meadow"
    " Nettle".split()
)
