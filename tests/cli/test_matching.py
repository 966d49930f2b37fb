"""`treelace match`: options, texts, standard input, and what wrong use gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

OLD = "<!DOCTYPE html><title>t</title><ul><li class=a>one<li class=b>two</ul><p>gone</p>"
NEW = "<!DOCTYPE html><title>t</title><ul><li class=b>two<li class=a>one<li>three</ul>"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    (tmp_path / "old.html").write_text(OLD, encoding="utf-8")
    (tmp_path / "new.html").write_text(NEW, encoding="utf-8")
    return tmp_path


def test_text_tells_pairs_strangers_and_numbers(treelace: Any, pages: Path) -> None:
    lines = treelace("match", "old.html", "new.html", "--to", "text").stdout.splitlines()
    assert any(line.endswith("/html/body/ul/li[1]  =  /html/body/ul/li[2]") for line in lines)
    assert lines[-5:-1] == [
        "only in the old page:",
        "  /html/body/p",
        "only in the new page:",
        "  /html/body/ul/li[3]",
    ]
    assert lines[-1] == "7 pairs; 1 element only in the old page, 1 only in the new page"


@pytest.mark.parametrize(
    "matcher",
    ["lace", "sftm", "same-path", "flexible-tree-matching", "tree-edit-distance", "top-down"],
)
def test_without_text_other_texts_change_nothing(treelace: Any, pages: Path, matcher: str) -> None:
    (pages / "other.html").write_text(
        NEW.replace("two", "zwei").replace("one", "eins"), encoding="utf-8"
    )
    answers = [
        treelace("match", "old.html", new, "--matcher", matcher, "--no-text")
        for new in ("new.html", "other.html")
    ]
    assert answers[0].returncode == 0, answers[0].stderr
    assert answers[0].stdout == answers[1].stdout


@pytest.mark.parametrize("matcher", ["document", "buld", "auto"])
def test_a_matcher_that_reads_texts_says_so(treelace: Any, pages: Path, matcher: str) -> None:
    ran = treelace("match", "old.html", "new.html", "--matcher", matcher, "--no-text")
    assert ran.returncode == 2
    assert "always looks at texts" in ran.stderr


def test_costs_on_the_command_line(treelace: Any, pages: Path) -> None:
    def pairs(costs: str) -> list[list[float]]:
        ran = treelace(
            "match",
            "old.html",
            "new.html",
            "--matcher",
            "tree-edit-distance",
            "--option",
            f"costs={costs}",
        )
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)["pairs"]  # type: ignore[no-any-return]

    (pages / "new.html").write_text(
        OLD.replace("<p>", "<div>").replace("</p>", "</div>"), encoding="utf-8"
    )
    assert (
        len(pairs("null")) == len(pairs("{}")) == 8
    )  # to rename the p is cheaper than to delete and insert it
    assert len(pairs('{"rename": 3}')) == 7
    assert len(pairs('{"rename": 3, "rename_tag": [["p", "div", 0.5]]}')) == 8
    assert len(pairs('{"rename": 3, "insert_tag": {"div": 9}}')) == 8


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("alpha=abc", "'alpha' of matcher 'sftm' is a number"),
        ("seed=1.5", "'seed' of matcher 'sftm' is a whole number"),
        ("as_printed=yes", "'as_printed' of matcher 'sftm' is true or false"),
        ("seed=-1", "seed is a whole number from 0"),
        ("from_parents=0.4", "both have the same length"),
        ("limits=3", "--limit NAME=VALUE"),
        ("alpha", "NAME=VALUE"),
    ],
)
def test_a_wrong_option_is_named(treelace: Any, pages: Path, option: str, words: str) -> None:
    ran = treelace("match", "old.html", "new.html", "--matcher", "sftm", "--option", option)
    assert ran.returncode == 2
    assert words in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "costs",
    [
        "3",
        '{"x": 1}',
        '{"insert": "much"}',
        '{"insert": -1}',
        '{"rename_tag": [["a", 1]]}',
        '{"graded": 1}',
        "{",
    ],
)
def test_wrong_costs_are_wrong_use(treelace: Any, pages: Path, costs: str) -> None:
    ran = treelace(
        "match",
        "old.html",
        "new.html",
        "--matcher",
        "tree-edit-distance",
        "--option",
        f"costs={costs}",
    )
    assert ran.returncode == 2
    assert "cost" in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_standard_input_is_read_once(treelace: Any, pages: Path) -> None:
    from_file = treelace("match", "old.html", "new.html").stdout
    assert treelace("match", "-", "new.html", stdin=OLD).stdout == from_file
    assert treelace("match", "old.html", "-", stdin=NEW).stdout == from_file
    for command in (["match"], ["diff"], ["similarity"]):
        twice = treelace(*command, "-", "-", stdin=OLD)
        assert twice.returncode == 2, command
        assert "only once" in twice.stderr


def test_a_limit_names_the_matcher_and_a_way_out(treelace: Any, tmp_path: Path) -> None:
    for name, number in (("old", 200), ("new", 199)):
        (tmp_path / f"{name}.xml").write_text(f"<r>{'<a/>' * number}</r>", encoding="utf-8")
    ran = treelace("match", "old.xml", "new.xml", "--matcher", "alignment", "--limit", "memory=1e5")
    assert ran.returncode == 4
    assert "alignment, for 202 and 201 nodes" in ran.stderr
    assert "such as lace" in ran.stderr


def test_verbose_says_how_long_it_took(treelace: Any, pages: Path) -> None:
    said = treelace("match", "old.html", "new.html", "-v").stderr
    assert said.startswith("treelace: lace took ")
    assert "pairs of 14 old and 14 new nodes" in said
    assert treelace("match", "old.html", "new.html").stderr == ""


def test_a_file_that_cannot_be_written_is_named_as_it_was_given(treelace: Any, pages: Path) -> None:
    ran = treelace("match", "old.html", "new.html", "-o", "nowhere/pairs.json")
    assert ran.returncode == 3
    assert "nowhere/pairs.json: No such file" in ran.stderr


def test_one_member_of_a_family_is_told_with_its_options(treelace: Any) -> None:
    told = treelace("matchers", "sftm").stdout
    assert "IDF(t)    = ln(|N| / |N with t|)" in told
    assert "  from_parents  0.4,0.04,0.004\n" in told
    assert "  as_printed    false\n" in told
    assert ">>>" not in told
    assert treelace("matchers", "same-path").stdout.endswith("No options.\n")
    assert "window  3" in treelace("measures", "path-shingles").stdout
    assert "threshold     0.3" in treelace("extractors", "mdr").stdout
    near = treelace("matchers", "sftn")
    assert near.returncode == 2
    assert "did you mean 'sftm'?" in near.stderr


def test_every_default_can_be_written_as_an_option(treelace: Any, pages: Path) -> None:
    plain = treelace("match", "old.html", "new.html", "--matcher", "sftm").stdout
    rows = treelace("matchers", "sftm").stdout.split("defaults:\n", 1)[1].splitlines()
    given = [part for row in rows for part in ("--option", "=".join(row.split()))]
    assert len(rows) == 16
    assert treelace("match", "old.html", "new.html", "--matcher", "sftm", *given).stdout == plain
