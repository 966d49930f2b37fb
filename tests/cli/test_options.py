"""Every option of every measure, matcher and extractor can be written on the command line."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from treelace.cli import main
from treelace.cli.families import NOT_WRITTEN, as_written, default_of
from treelace.cli.options import read_options
from treelace.extract.extractors import EXTRACTORS
from treelace.matching.matchers import MATCHERS
from treelace.named import make
from treelace.similarity import MEASURES

FAMILIES: dict[str, dict[str, type]] = {
    "measure": dict(MEASURES),
    "matcher": dict(MATCHERS),
    "extractor": dict(EXTRACTORS),
}
OPTIONS = [
    (family, name, option)
    for family, members in FAMILIES.items()
    for name, member in members.items()
    for option in fields(member)
    if option.name not in NOT_WRITTEN
]
OLD = "<ul><li>one</li><li>two</li><li>three</li></ul>"
NEW = "<ul><li>two</li><li>three</li><li>one</li></ul>"


@dataclass(frozen=True)
class Answer:
    exit_code: int
    output: str


def run(*words: object) -> Answer:
    held = io.BytesIO()
    out = io.TextIOWrapper(held, encoding="utf-8", write_through=True)
    with redirect_stdout(out), redirect_stderr(out), pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    return Answer(int(end.value.code or 0), held.getvalue().decode())


@pytest.fixture
def pages(tmp_path: Path) -> tuple[Path, Path]:
    for name, text in (("old.html", OLD), ("new.html", NEW)):
        (tmp_path / name).write_text(text)
    return tmp_path / "old.html", tmp_path / "new.html"


@pytest.mark.parametrize(("family", "name", "option"), OPTIONS)
def test_a_default_written_as_an_option_is_the_default(family: str, name: str, option: Any) -> None:
    options = read_options([f"{option.name}={as_written(default_of(option))}"])
    made = make(family, FAMILIES[family], name, options)
    assert getattr(made, option.name) == getattr(FAMILIES[family][name](), option.name)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_list_shows_no_python(family: str) -> None:
    for name in FAMILIES[family]:
        told = run(f"{family}s", name).output
        assert "MISSING" not in told
        assert "(" not in told.partition("Options and their defaults:")[2], name


def test_options_of_a_matcher_reach_diff_and_merge(pages: tuple[Path, Path]) -> None:
    for command in (("diff", *pages), ("merge", pages[0], *pages)):
        assert run(*command, "--matcher", "buld", "--option", "depth=3").exit_code in (0, 1)
        wrong = run(*command, "--matcher", "buld", "--option", "deepness=3")
        assert wrong.exit_code == 2
        assert "no option 'deepness'" in wrong.output


def test_options_of_an_extractor_reach_extract(pages: tuple[Path, Path]) -> None:
    command = ("extract", pages[0], "--extractor", "depta", "--option")
    assert run(*command, "alignment=centre").exit_code in (0, 1)
    assert run(*command, "alignment=middle").exit_code == 2


def test_options_of_a_measure_reach_what_compares_pages(
    pages: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "labels.csv").write_text("file,class\nold.html,a\nnew.html,b\n")
    for command in (
        ("similarity", *pages),
        ("matrix", *pages),
        ("cluster", *pages),
        ("classify", *pages, "--train", tmp_path / "labels.csv"),
    ):
        chosen = (*command, "--measure", "fourier", "--option", "scheme=nested", "--option")
        assert run(*chosen, "scaling=z-score").exit_code == 0
        assert run(*chosen, "ends=null").exit_code == 0
        assert run(*chosen, "scaling=loud").exit_code == 2


def test_options_of_an_index_are_those_of_its_plan(
    pages: tuple[Path, Path], tmp_path: Path
) -> None:
    command = ("index", "build", tmp_path / "pages.index", *pages, "--option")
    assert run(*command, "slots=8").exit_code == 0
    assert run(*command, "depth=8").exit_code == 2
