"""What someone meets who has just arrived: no arguments, no records, a page that is not there yet;
one clear line that says what to do.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

from treelace.cli import COMMANDS, SECTIONS, main, program
from treelace.cli.common import Output
from treelace.site import Site
from treelace.store import FetchedPage

SHOP = "https://shop.example/"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def treelace(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return treelace


def test_without_arguments_there_is_help_that_can_be_read(run):
    code, _, err = run()
    assert code == 2 and err.startswith("Usage: treelace") and "\n  extract  " in err
    code, _, err = run("wrap")
    assert code == 2 and err.startswith("Usage: treelace wrap")


def test_help_shows_every_command_once():
    shown = [name for section in SECTIONS.values() for name in section]
    assert len(shown) == len(set(shown)) == len(COMMANDS)
    for name in shown:
        command = program.get_command(click.Context(program), name)
        assert command is not None and command.name == name


def test_an_empty_site_says_what_comes_next(run):
    assert "next: treelace crawl --site s" in run("init", "s", SHOP)[2]
    assert "`treelace classes list` shows" in run("records", "--site", "s")[2]
    code, _, err = run("alerts", "--site", "s")
    assert code == 0 and "treelace alerts rules" in err
    assert run("classes", "--site", "s")[1].startswith("class ")
    code, _, err = run(
        "subscribe", "cheap", "--records", "list", "--when", "price < 5", "--site", "s"
    )
    assert code == 0 and "there are no records yet" in err


def test_a_rule_is_checked_when_it_is_made(run):
    run("init", "s", SHOP)
    code, _, err = run("subscribe", "hours", "--page", SHOP, "--select", "a[", "--site", "s")
    assert code == 2 and "a[" in err
    code, _, err = run("subscribe", "hours", "--page", SHOP, "--select", ".hours", "--site", "s")
    assert code == 0 and "has not been fetched yet" in err
    assert (
        "--records KIND, --page URL, or --drift CLASS"
        in run("subscribe", "nothing", "--site", "s")[2]
    )


def test_one_page_makes_no_class_and_that_is_said(run):
    run("init", "s", SHOP)
    with Site("s") as site:
        site.add_pages(
            [
                FetchedPage(
                    SHOP, datetime(2026, 3, 1, tzinfo=UTC), 200, b"<ul><li>Tea<li>Milk", "text/html"
                )
            ]
        )
    Path("saved").mkdir()
    Path("saved/a.html").write_text("<ul><li>Tea<li>Milk")
    assert 'wrapper = "extract"' in run("crawl", "--from", "saved", "--site", "s")[2]


def test_a_table_that_is_not_sure_is_said_to_be(run, monkeypatch):
    Path("page.html").write_text("<ul><li>Tea<li>Milk<li>Jam</ul>")
    assert "not sure" not in run("extract", "page.html")[2]
    monkeypatch.setattr("treelace.cli.extract.MIN_SURE_CONFIDENCE", 1.1)
    code, shown, said = run("extract", "page.html")
    assert (code, shown) == (1, "")
    assert "page.html: no list that a person would want" in said
    assert "--all" in said
    code, shown, said = run("extract", "page.html", "--all")
    assert code == 0
    assert "Milk" in shown
    assert "page.html: not sure of this table" in said
    code, shown, _ = run("extract", "page.html", "--to", "json")
    assert code == 0
    assert "Milk" in shown


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        (("index", "add", "pages.index"), "PATHS"),
        (("index", "build", "pages.index"), "PATHS"),
        (("mutate", "page.html"), "--output-folder"),
        (("simulate", "page.xml"), "--output-folder"),
        (("classify", "page.html"), "--train"),
    ],
)
def test_what_a_command_cannot_do_without_is_named(run, command, missing):
    code, _, err = run(*command)
    assert code == 2 and missing in err


def test_an_output_is_neither_loud_nor_quiet_unless_told():
    output = Output("-")
    assert not (output.is_quiet or output.is_verbose or output.shows_progress)
