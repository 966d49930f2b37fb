"""A page that is one record and has a list inside: both are tables, and neither is lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treelace.classes.pages import Fetched
from treelace.site import Site

HOST = "https://work.example"
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
TRADES = ("Baker", "Cooper", "Dyer", "Fuller", "Glover", "Mason", "Potter")
ROLES = ("Head", "Junior", "Night", "Second", "Travelling", "Visiting", "Senior", "Old")


def jobs_of(number: int) -> list[tuple[str, str]]:
    """The jobs of a company with their towns; two companies look for an Accountant."""
    some = [(f"{ROLES[at]} {TRADES[number]}", f"Town {number}{at}") for at in range(3 + number % 4)]
    return [*some, ("Accountant", f"Town {number}")] if number < 2 else some


def company(number: int, jobs: list[tuple[str, str]], related: str = "") -> str:
    cards = "".join(
        f"<div class=card><h3 class=role>{role}</h3><span class=town>{town}</span></div>"
        for role, town in jobs
    )
    return (
        f"<html><body><nav class=top><a href=/>home</a></nav><main class=company>"
        f"<h1>{TRADES[number]} and Sons</h1><div class=since>Since {1900 + 7 * number}</div>"
        f"<div class=seat>Their seat is the old house of {TRADES[number]} street</div>"
        f"<section class=jobs>{cards}</section>{related}</main><footer class=end>Imprint</footer>"
        "</body></html>"
    )


def day(number: int, pages: list[str]) -> list[Fetched]:
    time = MONDAY + timedelta(days=number)
    return [
        Fetched(f"{HOST}/companies/{name.lower()}", time, 200, page.encode(), "text/html")
        for name, page in zip(TRADES, pages, strict=True)
    ]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site.create(tmp_path / "work", f"{HOST}/")
    pages = [company(number, jobs_of(number)) for number in range(len(TRADES))]
    made.crawl(source=day(0, pages), auto_accept=True)
    return made


def test_a_company_is_a_record_and_its_jobs_are_a_table_inside(site):
    assert len(site.records("companies").values) == len(TRADES)
    jobs = site.records("companies_2")
    assert len(jobs.values) == sum(len(jobs_of(number)) for number in range(len(TRADES)))
    keys = {row[jobs.heads.index("key")] for row in jobs.values}
    assert {f"{HOST}/companies/{name} · Accountant" for name in ("baker", "cooper")} <= keys


def test_the_list_of_tables_says_inside_which_pages_a_table_is(site):
    rows = {item.name: item for item in site.records()}
    assert [rows[name].is_inside for name in ("companies", "companies_2")] == [False, True]
    heads, shown = site.records().rows_for("json")
    inside = {row[0]: (row[heads.index("class")], row[heads.index("inside")]) for row in shown}
    assert inside["companies"] == ("companies", None)
    assert inside["companies_2"] == ("companies_2", "companies")


def test_a_job_that_comes_goes_or_moves_is_told_and_the_order_is_not(site):
    for when in ("new", "gone", "changed"):
        site.subscribe(f"jobs-{when}", records="companies_2", when=when)
    changed = {number: jobs_of(number)[::-1] for number in range(len(TRADES))}
    changed[0] = [*changed[0][1:], ("Oven keeper", "Town 9")]  # the Accountant is gone
    changed[3] = [(role, "New town" if role.startswith("Head") else t) for role, t in changed[3]]
    site.crawl(source=day(1, [company(at, jobs) for at, jobs in changed.items()]))
    told = sorted((alert.kind, alert.why) for alert in site.alerts())
    assert [kind for kind, _ in told] == ["changed", "gone", "new"]
    assert "New town" in told[0][1]
    assert "Accountant" in told[1][1]
    assert "Oven keeper" in told[2][1]


def test_a_strip_of_other_pages_of_the_class_is_no_table(tmp_path):
    def related(number: int) -> str:
        others = [TRADES[(number + step) % len(TRADES)] for step in (1, 2, 3)]
        return "".join(
            f"<div class=more><a href=/companies/{name.lower()}><b>{name} and Sons</b></a>"
            f"<i>{len(name)} jobs</i></div>"
            for name in others
        )

    site = Site.create(tmp_path / "strip", f"{HOST}/")
    pages = [company(number, [], related(number)) for number in range(len(TRADES))]
    site.crawl(source=day(0, pages), auto_accept=True)
    assert [item.name for item in site.records()] == ["companies"]


@pytest.mark.parametrize(
    ("place", "word", "is_table"),
    [
        ("companies", "more", False),  # they stand where the pages of the class do
        ("firms", "related-card", False),  # they are called so
        ("firms", "more", True),
    ],
)
def test_a_strip_of_a_site_that_is_known_in_part_is_no_table(
    tmp_path: Path, place: str, word: str, is_table: bool
):
    """One card in three leads to a page that was fetched, the others to some that were not."""

    def related(number: int) -> str:
        known = TRADES[(number + 1) % len(TRADES)]
        cards = [
            (f"/companies/{known.lower()}", f"{known} and Sons"),
            (f"/{place}/{number}-north", f"North {TRADES[number]} Works"),
            (f"/{place}/{number}-south", f"South {TRADES[number]} Works"),
        ]
        story = "".join(
            f"<p>In year {at} the {role} of the {TRADES[number]} house wrote to the town</p>"
            for at, role in enumerate(ROLES, number)
        )
        return f"<div class=story>{story}</div><section>" + "".join(
            f"<div class={word}><a href={link}><b>{name}</b></a><i>{len(name)} jobs</i></div>"
            for link, name in cards
        )

    site = Site.create(tmp_path / "strip", f"{HOST}/")
    pages = [company(number, [], related(number)) for number in range(len(TRADES))]
    site.crawl(source=day(0, pages), auto_accept=True)
    names = [item.name for item in site.records()]
    assert names == (["companies", "companies_2"] if is_table else ["companies"])
