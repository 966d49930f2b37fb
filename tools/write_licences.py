"""Writes `docs/licences.md`: the licences of what is shipped (crates built into the kernel) and of
what is installed beside it (the locked packages of the core). `--check`: is it as it should be?

Crates come from `cargo metadata`, for the crate of the kernel alone, without what only builds or
tests need.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from importlib import metadata
from pathlib import Path
from typing import Any

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "licences.md"
KERNEL = "treelace-python"
SHARE_ALIKE = "MPL-2.0"
_PYTHON = "## Python packages that the core needs"


def crates() -> dict[str, str]:
    """The licence of each crate that is built into the kernel, by name and version."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--quiet"]
    said = subprocess.run(command, cwd=TOP, capture_output=True, check=True, text=True).stdout
    return linked_crates(json.loads(said))


def linked_crates(said: dict[str, Any]) -> dict[str, str]:
    """What the kernel links, from what cargo says of the workspace."""
    packages = {one["id"]: one for one in said["packages"]}
    needs = {
        node["id"]: [
            dep["pkg"]
            for dep in node["deps"]
            if any(kind["kind"] is None for kind in dep["dep_kinds"])
        ]
        for node in said["resolve"]["nodes"]
    }
    [start] = [one["id"] for one in said["packages"] if one["name"] == KERNEL]
    found, waiting = {start}, [start]
    while waiting:
        new = [one for one in needs[waiting.pop()] if one not in found]
        found.update(new)
        waiting += new
    return {
        f"{packages[one]['name']} {packages[one]['version']}": packages[one]["license"] or "?"
        for one in sorted(found)
        if packages[one]["source"]
    }


def packages() -> dict[str, str]:
    """The licence of each locked package of the core, by name and version."""
    text = (TOP / "requirements" / "core.lock").read_text(encoding="utf-8")
    found = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE):
        try:
            known = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue  # for another system or another Python
        found[f"{name} {version}"] = _licence(known)
    return found


def _licence(known: Any) -> str:
    if said := known.get("License-Expression"):
        return str(said)
    classifiers = [one for one in known.get_all("Classifier") or () if one.startswith("License ::")]
    named = [one.rsplit(" :: ", 1)[1] for one in classifiers if not one.endswith("OSI Approved")]
    short = (known.get("License") or "?").strip().splitlines()[0]
    return ", ".join(named) or short


def page(crates_: dict[str, str], packages_: dict[str, str]) -> str:
    """The page."""
    weak = [name for name, licence in crates_.items() if SHARE_ALIKE in licence]
    return (
        "# Licences of what is shipped\n\n"
        "Written by `tools/write_licences.py`, held by `make check`.\n\n"
        f"Under {SHARE_ALIKE}, unchanged, in the kernel: {', '.join(weak) or 'none'}."
        " Their sources are on crates.io under these names and versions; whoever changes one of"
        " their files publishes that file.\n\n"
        f"## Crates in the kernel\n\n{_table(crates_)}\n"
        f"{_PYTHON}\n\n{_table(packages_)}"
    )


def _table(found: dict[str, str]) -> str:
    by_licence = defaultdict(list)
    for name, licence in found.items():
        by_licence[licence.replace("/", " OR ")].append(name)
    rows = (
        f"| {licence} | {', '.join(sorted(by_licence[licence]))} |"
        for licence in sorted(by_licence)
    )
    return "| licence | which |\n|---|---|\n" + "".join(f"{row}\n" for row in rows)


def main() -> int:
    """Writes the page, or compares it."""
    made = page(crates(), packages())
    if "--check" not in sys.argv:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") != made:
        print(
            f"{PAGE.name} is not what is shipped: python tools/write_licences.py", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
