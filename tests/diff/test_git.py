"""treelace in git: external diff, difftool, merge driver, with a real git."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = shutil.which("treelace", path=Path(sys.executable).parent)
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def git(tmp_path):
    surroundings = {
        **os.environ,
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }

    def run(*arguments: str, ok: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=tmp_path,
            env=surroundings,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in ok, done.stderr
        return done.stdout + done.stderr

    run("init", "-q", "-b", "main")
    run("config", "user.name", "t")
    run("config", "user.email", "t@example.org")
    (tmp_path / ".gitattributes").write_text("*.xml diff=treelace merge=treelace\n")
    run("config", "diff.treelace.command", "treelace git-diff")
    run("config", "merge.treelace.driver", "treelace merge --format xml %O %A %B -o %A")
    run("config", "difftool.treelace.cmd", "treelace diff $LOCAL $REMOTE")
    return run


def commit(git, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.xml").write_text(text)
    git("add", "-A")
    git("commit", "-q", "-m", message)


def test_external_diff_and_difftool(git, tmp_path):
    commit(git, tmp_path, "<a><b>one red apple</b></a>", "first")
    (tmp_path / "a.xml").write_text("<a><b>one green apple</b></a>")
    assert "one [-red-]{+green+} apple" in git("diff")
    assert "one [-red-]{+green+} apple" in git(
        "difftool", "--no-prompt", "--tool=treelace", ok=(0, 1)
    )
    commit(git, tmp_path, "<a><b>one green apple</b></a>", "second")
    assert "[-red-]{+green+}" in git("log", "-p", "--ext-diff", "-1")
    (tmp_path / "new.xml").write_text("<n/>")
    git("add", "new.xml")
    assert "new.xml" in git("diff", "--cached")


def test_merge_driver(git, tmp_path):
    base = "<a><b>one</b><c>two</c><d>three</d></a>"
    commit(git, tmp_path, base, "base")
    git("checkout", "-q", "-b", "side")
    commit(git, tmp_path, base.replace("three", "drei"), "side")
    git("checkout", "-q", "main")
    commit(git, tmp_path, base.replace("one", "eins"), "main")
    git("merge", "-q", "-m", "both", "side")
    assert (tmp_path / "a.xml").read_text() == "<a><b>eins</b><c>two</c><d>drei</d></a>"
    git("checkout", "-q", "-b", "other", "HEAD~2")
    commit(git, tmp_path, base.replace("one", "uno"), "other")
    told = git("merge", "-m", "clash", "main", ok=(1,))
    assert "conflict: /a/b/text()" in told and "CONFLICT" in told
