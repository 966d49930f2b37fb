"""Checks what is locked against a database of known vulnerabilities (OSV), and says so where the
database cannot be had.

Looked at: `requirements/*.lock` (PyPI), `Cargo.lock` and `fuzz/Cargo.lock` (crates.io). Exit code
0: nothing is known against any of it; 1: something is, named line by line; 5: the database did not
answer, and nothing is known.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path

DATABASE = os.environ.get("TREELACE_OSV", "https://api.osv.dev")
"""Another place with the same interface, where the usual one is out of reach."""
IN_ONE_REQUEST = 500
SECONDS = 30
Package = tuple[str, str, str]
"""Ecosystem, name, version."""


def locked(top: Path) -> list[Package]:
    """Every package of every lock file, once."""
    found: dict[Package, None] = {}
    for file in sorted((top / "requirements").glob("*.lock")):
        found |= dict.fromkeys(python_packages(file.read_text(encoding="utf-8")))
    for file in (top / "Cargo.lock", top / "fuzz" / "Cargo.lock"):
        found |= dict.fromkeys(rust_packages(file.read_text(encoding="utf-8")))
    return list(found)


def python_packages(text: str) -> Iterator[Package]:
    """The packages of a lock file of Python.

    >>> list(python_packages("click==8.1.7 ; python_version >= '3.11'\\n    --hash=sha256:0"))
    [('PyPI', 'click', '8.1.7')]
    """
    for name, version in re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==([^\s;\\]+)", text, re.MULTILINE):
        yield "PyPI", name, version


def rust_packages(text: str) -> Iterator[Package]:
    """The packages of a lock file of Rust that come from a registry.

    >>> list(rust_packages('[[package]]\\nname = "a"\\nversion = "1.0.0"\\nsource = "x"\\n'))
    [('crates.io', 'a', '1.0.0')]
    """
    for package in tomllib.loads(text).get("package", ()):
        if "source" in package:
            yield "crates.io", package["name"], package["version"]


def known_against(packages: list[Package], database: str = DATABASE) -> dict[Package, list[str]]:
    """The names of vulnerabilities by package; `OSError` where the database does not answer."""
    found: dict[Package, list[str]] = {}
    for start in range(0, len(packages), IN_ONE_REQUEST):
        part = packages[start : start + IN_ONE_REQUEST]
        queries = [
            {"package": {"ecosystem": place, "name": name}, "version": version}
            for place, name, version in part
        ]
        request = urllib.request.Request(
            f"{database}/v1/querybatch",
            data=json.dumps({"queries": queries}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            results = json.load(answer)["results"]
        for package, result in zip(part, results, strict=True):
            if result.get("vulns"):
                found[package] = [one["id"] for one in result["vulns"]]
    return found


def main() -> int:
    """Prints what is known; the exit code."""
    packages = locked(Path(__file__).parents[1])
    try:
        found = known_against(packages)
    except (OSError, ValueError, KeyError) as error:
        print(
            f"not checked: {DATABASE} does not answer ({error}): run this where it can be reached,"
            " or name another place with TREELACE_OSV",
            file=sys.stderr,
        )
        return 5
    for (place, name, version), names in found.items():
        print(f"{place} {name} {version}: {', '.join(names)}")
    print(f"{len(packages):,} locked packages, {len(found):,} with known vulnerabilities")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
