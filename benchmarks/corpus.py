"""Outside data for benchmarks: the folder that TREELACE_CORPUS names."""

from __future__ import annotations

from pathlib import Path


class NeedsCorpusError(Exception):
    """A benchmark that cannot run without outside data."""


def part(corpus: Path | None, *names: str) -> Path:
    """A file or folder of it."""
    if corpus is None:
        raise NeedsCorpusError("needs outside data: set TREELACE_CORPUS to its folder")
    found = corpus.joinpath(*names)
    if not found.exists():
        raise FileNotFoundError(f"{found} should be in TREELACE_CORPUS and is not")
    return found


def bundle(paths: list[Path], megabytes: float) -> list[bytes]:
    """The first files, in the order given, until so many megabytes are together: work of a fixed
    size.
    """
    taken: list[bytes] = []
    size = 0
    for path in paths:
        data = path.read_bytes()
        taken.append(data)
        size += len(data)
        if size >= megabytes * 1e6:
            break
    return taken
