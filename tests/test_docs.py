"""The docs are true: their Python and `$ treelace` blocks run, in order, page by page, and their
links lead somewhere.

Each page runs in a fresh folder with copies of docs/samples; its blocks share one namespace, as a
reader would type them.

    ```python     with >>> an example whose answer is compared; without, a script that must run
    ```console    `$ treelace …` and what it prints (`...` stands for anything); `[exit 1]` as last
    line where it does not end with 0
    ```sh ```text and other languages are shown, not run
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

TOP = Path(__file__).parents[1]
PAGES = sorted(
    [
        TOP / "README.md",
        TOP / "ARCHITECTURE.md",
        TOP / "CONTRIBUTING.md",
        TOP / "CHANGELOG.md",
        *(TOP / "docs").rglob("*.md"),
    ]
)
MADE = {
    TOP / "docs/reference/cli.md",
    TOP / "docs/reference/python.md",
}  # their examples run where they stand, in the sources
SHOWN = {"bash", "css", "html", "json", "make", "rust", "sh", "sql", "text", "toml", "xml"}
RUN = {"python", "console"}
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w-]*)[^\n`]*\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A code block, and the line its first line stands on."""

    language: str
    body: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        body = "".join(
            line.removeprefix(found["indent"]) for line in found["body"].splitlines(keepends=True)
        )
        yield Block(found["language"], body, text.count("\n", 0, found.start("body")) + 1)


def name(page: Path) -> str:
    return page.relative_to(TOP).as_posix()


def run_python(block: Block, page: Path, names: dict[str, Any]) -> None:
    if ">>>" not in block.body:
        exec(
            compile("\n" * (block.line - 1) + block.body, str(page), "exec", dont_inherit=True),
            names,
        )
        return
    example = doctest.DocTestParser().get_doctest(
        block.body, names, name(page), str(page), block.line - 1
    )
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(example, out=said.append, clear_globs=False)
    names.update(example.globs)
    assert not runner.failures, "".join(said)


def run_console(block: Block, page: Path, folder: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    surroundings = {
        **os.environ,
        "PATH": path,
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
        "TZ": "UTC",
    }
    for session in re.split(r"^(?=\$ )", block.body, flags=re.MULTILINE):
        if not session.strip():
            continue
        command, _, wanted = session.partition("\n")
        place = f"{name(page)}, the block at line {block.line}: {command}"
        assert command.startswith("$ treelace"), (
            f"{place}: a console block starts with `$ treelace`; ```sh is for what is only shown"
        )
        exit_line = re.search(r"^\[exit (\d+)\]\s*\Z", wanted, re.MULTILINE)
        wanted = wanted[: exit_line.start()] if exit_line else wanted
        done = subprocess.run(
            ["sh", "-c", command[2:]],
            cwd=folder,
            env=surroundings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
        )
        assert done.returncode == (int(exit_line[1]) if exit_line else 0), (
            f"{place}: ended with {done.returncode}\n{done.stdout}"
        )
        if wanted.strip():
            got = "\n".join(line.rstrip() for line in done.stdout.splitlines())
            assert doctest.OutputChecker().check_output(
                wanted.strip() + "\n", got.strip() + "\n", OPTIONS
            ), f"{place}: printed\n{got}\ninstead of\n{wanted}"


@pytest.mark.parametrize(
    "page",
    [
        page
        for page in PAGES
        if page not in MADE and any(block.language in RUN for block in blocks(page))
    ],
    ids=name,
)
def test_every_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for sample in (TOP / "docs/samples").iterdir():
        if sample.suffix != ".md":
            shutil.copy(sample, tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__docs__"}
    for block in blocks(page):
        if block.language == "python":
            run_python(block, page, names)
        elif block.language == "console":
            run_console(block, page, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_says_what_it_is(page: Path):
    known = SHOWN | RUN | ({"pycon"} if page in MADE else set())
    unknown = [
        f"{name(page)}:{block.line}: ```{block.language}"
        for block in blocks(page)
        if block.language not in known
    ]
    assert not unknown, "blocks whose language is not known would not be run: " + ", ".join(unknown)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path):
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    targets = [
        found["target"].partition("#")[0]
        for found in LINK.finditer(prose)
        if "://" not in found["target"]
    ]
    dead = [target for target in targets if target and not (page.parent / target).exists()]
    assert not dead, f"{name(page)} links to {', '.join(dead)}"


def test_every_page_can_be_found():
    linked = {
        page.parent.joinpath(found["target"].partition("#")[0]).resolve()
        for page in PAGES
        for found in LINK.finditer(page.read_text(encoding="utf-8"))
    }
    lost = [
        name(page)
        for page in PAGES
        if page.name not in {"README.md", "0000-template.md"} and page.resolve() not in linked
    ]
    assert not lost, f"no page links to {', '.join(lost)}"


def test_the_runner_of_blocks_can_fail(tmp_path: Path):
    page = TOP / "docs/index.md"
    with pytest.raises(AssertionError, match="Expected"):
        run_python(Block("python", ">>> 1 + 1\n3\n", 1), page, {})
    with pytest.raises(ZeroDivisionError):
        run_python(Block("python", "1 / 0\n", 1), page, {})
    with pytest.raises(AssertionError, match="ended with"):
        run_console(Block("console", "$ treelace --no-such-option\n", 1), page, tmp_path)
    with pytest.raises(AssertionError, match="only shown"):
        run_console(Block("console", "$ ls\n", 1), page, tmp_path)
