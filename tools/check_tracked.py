"""Looks through every tracked file for what must not leave a developer's machine: its paths, keys,
registry addresses, huge files.

A path counts as this machine's if it exists here outside the folders that every system has, or
stands under a home folder. So the check is different on each machine, and that is the point: each
developer's own paths are found on that developer's machine.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SYSTEM = ("/bin", "/dev", "/etc", "/lib", "/opt", "/proc", "/run", "/sbin", "/sys", "/usr", "/var")
ABSOLUTE = re.compile(r"(?<![\w.~:/<)\]}*-])/[A-Za-z_][\w.-]*(?:/[\w.-]+)+")
HOME = re.compile(r"(?:/home/|/Users/|\b[A-Z]:\\Users\\)\w+")
SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE"
    r" KEY|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{30,}|\bpypi-[\w-]{50,}|://[^\s/:@]+:(?!\$\{)[^\s/:@]+@[\w.-]+\.\w+"
)
REGISTRY = re.compile(
    r"^\s*(?:--(?:extra-)?index-url|--find-links|-i\b|-f\b|--trusted-host)|://", re.MULTILINE
)
LARGEST = 1_000_000  # bytes


def tracked_files(top: Path) -> list[Path]:
    """What git knows."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=top, capture_output=True, check=True
    ).stdout
    return [top / name for name in listing.decode().split("\0") if name]


def is_of_this_machine(path: str) -> bool:
    """Whether the first two steps of a path lead somewhere here."""
    start = Path(*Path(path).parts[:3])
    return not path.startswith(SYSTEM) and start.exists()


def findings(path: Path, name: str) -> Iterator[str]:
    """One line for each thing that should not be in this file."""
    data = path.read_bytes()
    if len(data) > LARGEST:
        yield (
            f"{name}: {len(data):,} bytes; outside data belongs in the folder that TREELACE_CORPUS"
            " names"
        )
    if b"\0" in data[:8000]:
        return
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        for found in HOME.findall(line):
            yield f"{name}:{number}: a home folder: {found}"
        for found in ABSOLUTE.findall(line):
            if is_of_this_machine(found):
                yield f"{name}:{number}: a path of this machine: {found}"
        if SECRET.search(line):
            yield f"{name}:{number}: looks like a key or a password"
        if name.startswith("requirements/") and REGISTRY.search(line):
            yield (
                f"{name}:{number}: a lock file holds names, versions and hashes, never an address:"
                f" {line.strip()}"
            )


def main() -> int:
    """Prints what was found; 1 if there was anything."""
    top = Path(__file__).resolve().parents[1]
    found = [
        line
        for path in tracked_files(top)
        if path.is_file()
        for line in findings(path, path.relative_to(top).as_posix())
    ]
    print(
        "\n".join(found)
        if found
        else "tracked files: no path of this machine, no key, no registry address"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
