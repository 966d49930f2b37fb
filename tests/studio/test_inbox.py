"""The inbox in a browser: walked by keys, dealt with, called noise, and taken back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.studio.conftest import Studio, started
from treelace.cli import program
from treelace.site import Site


@pytest.fixture(scope="module")
def own(tea: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(tea, tmp_path_factory.mktemp("inbox") / "own"))


@pytest.fixture(scope="module")
def mine(own: Path) -> Iterator[Studio]:
    with started(own) as running:
        yield running


def test_changed_cells_are_walked_dealt_with_and_called_noise(mine: Studio, own: Path, visit: Any):
    with Site(own, read_only=True) as site:
        before = [it.id for it in site.inbox()]
    page = visit(mine.link)
    page.goto(f"{mine.origin}/s/own/inbox")
    assert page.locator("[data-rows] tbody tr").count() == len(before) > 2
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.wait_for_selector(".notice")
    with Site(own, read_only=True) as site:
        assert [it.id for it in site.inbox()] == [before[0], *before[2:]]
    page.click("button >> text=Undo")
    with Site(own, read_only=True) as site:
        assert [it.id for it in site.inbox()] == before
        trials = site.noise_like(before[0])
    page.goto(f"{mine.origin}/s/own/inbox")
    page.keyboard.press("j")
    page.keyboard.press("n")
    page.wait_for_url("**/noise?id=*")
    said = page.locator("section p b").first.inner_text()
    assert said == str(trials[0].hidden)
    page.locator("section").last.locator("button").click()
    page.wait_for_selector(".notice")
    with Site(own, read_only=True) as site:
        assert len(site.inbox()) == len(before) - trials[-1].hidden
        assert site.noise()[0] == trials[-1].noise
    page.click("button >> text=Undo")
    with Site(own, read_only=True) as site:
        assert [it.id for it in site.inbox()] == before and not site.noise()


def test_the_same_in_a_terminal(own: Path):
    def run(*words: str) -> str:
        done = CliRunner().invoke(program, ["inbox", *words, "--site", str(own)])
        assert done.exit_code == 0, done.output
        return done.output

    with Site(own, read_only=True) as site:
        first = site.inbox()[0]
    assert first.id in run("--to", "csv")
    assert "dealt with" in run("done", first.id) and first.id not in run("--to", "csv")
    assert "open again" in run("reopen", first.id)
    assert f"every change of {first.column}" in run("noise", first.id, "--try", "--like", "any")
    assert "hidden from now on" in run("noise", first.id, "--like", "any")
    assert first.id not in run("--to", "csv") and first.column in run("noises")
    assert "shown again" in run("noises", "--forget", "1")
