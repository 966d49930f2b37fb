"""What holds the project together from outside: versions, locks, and messages about missing
tools.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import treelace

TOP = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
PIN = re.compile(r"^(?P<name>[a-z0-9][a-z0-9.-]*)==(?P<version>[\w.!+]+)(?: ; [^\\]+)? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")

needs_sh = pytest.mark.skipif(
    shutil.which("sh") is None or os.name == "nt", reason="needs a POSIX shell"
)


def test_there_is_one_version():
    cargo = tomllib.loads((TOP / "Cargo.toml").read_text(encoding="utf-8"))
    assert (
        treelace.__version__
        == PYPROJECT["project"]["version"]
        == cargo["workspace"]["package"]["version"]
    )


def pinned(lock: str) -> set[str]:
    """Names in a lock file; a line that is neither a pin nor a hash (an address, a path) is an
    error.
    """
    names = set()
    for line in (TOP / "requirements" / lock).read_text(encoding="utf-8").splitlines():
        pin = PIN.match(line)
        assert pin or HASH.match(line), (
            f"requirements/{lock} holds more than names, versions and hashes: {line}"
        )
        if pin:
            names.add(pin["name"])
    return names


def required(requirements: list[str]) -> set[str]:
    names = {
        re.split(r"[\s<>=!~;\[]", line)[0].lower().replace("_", "-").replace(".", "-")
        for line in requirements
    }
    return names - {"treelace"}


def test_locks_hold_what_is_required_and_nothing_but_pins():
    groups, extras = PYPROJECT["dependency-groups"], PYPROJECT["project"]["optional-dependencies"]
    core = required(PYPROJECT["project"]["dependencies"])
    developer = (
        core
        | required(groups["dev"])
        | required([line for extra in extras.values() for line in extra])
    )
    for lock, wanted in {
        "core.lock": core,
        "dev.lock": developer,
        "bench.lock": developer | required(groups["bench"]),
    }.items():
        assert wanted <= pinned(lock), f"requirements/{lock} is behind pyproject.toml: make lock"


def test_all_means_every_extra():
    extras = PYPROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(re.findall(r"[a-z]+", everything.partition("[")[2])) == extras.keys() - {"all"}


@needs_sh
@pytest.mark.parametrize(
    ("arguments", "commands", "says"),
    [
        (["python", "no-such-python"], {}, "no 'no-such-python' here"),
        (
            ["python", "old-python"],
            {"old-python": 'case $1 in --version) echo "Python 3.9.1";; *) exit 1;; esac'},
            "is Python 3.9.1, but 3.11 or newer",
        ),
        (["linker"], {}, "no C compiler"),
        (["cargo", "1.88"], {}, "no cargo here"),
        (
            ["cargo", "1.88"],
            {"cargo": 'echo "cargo 1.70.0 (abc 2023-01-01)"'},
            "is 1.70.0, but 1.88 or newer",
        ),
        (["cargo", "1.88"], {"cargo": "exit 1"}, "does not run"),
        (["cargo", "1.88"], {"cargo": 'echo "cargo 1.100.2 (abc 2027-01-01)"'}, ""),
        (["cargo", "1.88"], {"cargo": 'echo "cargo 1.88.0 (abc 2025-06-01)"'}, ""),
        (["linker"], {"cc": "true"}, ""),
    ],
)
def test_a_missing_tool_is_one_line(
    tmp_path: Path, arguments: list[str], commands: dict[str, str], says: str
):
    for name, body in commands.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    for tool in ("sh", "head", "cut", "sort"):
        found = shutil.which(tool)
        assert found
        (tmp_path / tool).symlink_to(found)
    done = subprocess.run(
        ["sh", "tools/need.sh", *arguments],
        cwd=TOP,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == (1 if says else 0)
    assert says in done.stderr
    assert done.stderr.count("\n") == (1 if says else 0)


@needs_sh
def test_make_alone_lists_every_command():
    make = shutil.which("make")
    if make is None:
        pytest.skip("no make here")
    listed = subprocess.run(
        [make, "--no-print-directory"],
        cwd=TOP,
        capture_output=True,
        text=True,
        env={**os.environ, "MAKEFLAGS": ""},
    ).stdout
    for command in (
        "setup",
        "demo",
        "test",
        "test-long",
        "check",
        "wheel",
        "bench",
        "fuzz",
        "lock",
        "clean",
    ):
        assert f"make {command} " in listed


def test_stray_paths_and_keys_are_found(tmp_path: Path):
    sys.path.insert(0, str(TOP / "tools"))
    try:
        import check_tracked
    finally:
        sys.path.pop(0)
    page = tmp_path / "page.txt"
    page.write_text(
        "\n".join(
            [
                f"see {tmp_path}/x",
                "/home/" + "somebody/x",
                "https://u:" + "secret@host.example/",
                "/root/item, //a/b, /usr/bin/env and https://u:${PASSWORD}@host.example are fine",
            ]
        )
    )
    found = list(check_tracked.findings(page, "page.txt"))
    assert [line.split(": ")[0] for line in found] == ["page.txt:1", "page.txt:2", "page.txt:3"]
    in_a_lock = [
        line
        for line in check_tracked.findings(page, "requirements/x.lock")
        if "never an address" in line
    ]
    assert in_a_lock[0].startswith("requirements/x.lock:3")
