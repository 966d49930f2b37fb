"""Builds the docs as a web site: `make docs-site`, or `python tools/build_docs.py`.

Pages link to each other and to results all over the repository, so the site mirrors it: every
tracked page, picture and other file that a page links to is copied to `build/docs` as it stands,
and Zensical makes `build/docs-site` of that. A link that leads nowhere fails the build.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).parents[1]
COPY = TOP / "build" / "docs"
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


def tracked_pages() -> list[Path]:
    """The Markdown files that git knows, without those that only guide a folder's tests."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "*.md"], cwd=TOP, capture_output=True, check=True
    ).stdout
    return [TOP / name for name in listing.decode().split("\0") if name and "tests/" not in name]


def linked_files(page: Path) -> Iterator[Path]:
    """The files of the repository that a page links to or shows, other pages left out."""
    for found in LINK.finditer(page.read_text(encoding="utf-8")):
        target = found["target"].partition("#")[0]
        file = page.parent / target
        if target and "://" not in target and file.is_file() and file.suffix != ".md":
            yield file.resolve()


def main() -> int:
    """Copies what the site is made of and builds it; the exit code is Zensical's."""
    shutil.rmtree(COPY, ignore_errors=True)
    pages = tracked_pages()
    for file in [*pages, *{file for page in pages for file in linked_files(page)}]:
        place = COPY / file.relative_to(TOP)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    zensical = Path(sys.executable).with_name("zensical")
    return subprocess.run(
        [zensical, "build", "--clean", "--strict"], cwd=TOP, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
