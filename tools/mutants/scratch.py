"""Two copies of the project beside the working tree, which is never touched: one with marks in its
blocks, in which the tests are recorded, and one in which mutants are written and judged.
"""

from __future__ import annotations

import compileall
import hashlib
import json
import os
import py_compile
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tools.mutants import blocks, sample
from tools.mutants.executor import Job

Record = dict[str, tuple[float, list[str]]]  # test: seconds of processor time, blocks it runs


class Scratch:
    """The copies, and what is known of the tests: kept between runs, by the content of files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.marked = self._copy("marked")
        blocks.mark_tree(self.marked, sample.SOURCES)
        self.mutated = self._copy("mutated")
        # By hash: a mutant of the same size, written in the same second, is seen.
        compileall.compile_dir(
            self.mutated / "src",
            quiet=2,
            invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH,
        )

    def _copy(self, name: str) -> Path:
        """A fresh copy of all files that git knows or could know, and the compiled kernel."""
        top = self.folder / name
        shutil.rmtree(top, ignore_errors=True)
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listing = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        kernel = map(str, sample.SOURCES.glob("_kernel*"))
        for path in {*listing.split("\0")[:-1], *kernel}:
            if Path(path).is_file():
                (top / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, top / path)
        return top

    def record(self, package: str) -> Record:
        """What each test of a package costs and runs; only test files that changed run again."""
        kept = self.folder / f"record-{package}.json"
        known: dict[str, Record] = json.loads(kept.read_text()) if kept.exists() else {}
        sources = _digest(sample.packages()[package])
        files = {f"{path} {sources} {_digest([path])}": path for path in _test_files(package)}
        missing = [str(path) for digest, path in files.items() if digest not in known]
        if missing:
            target = self.folder / "record.json"
            target.unlink(missing_ok=True)
            self._pytest(self.marked, "recorder", missing, {"MUTANTS_RECORD": str(target)})
            record: Record = json.loads(target.read_text())
            for digest, path in files.items():
                if str(path) in missing:
                    known[digest] = {
                        test: seen
                        for test, seen in record.items()
                        if test.partition("::")[0] == str(path)
                    }
        known = {digest: known[digest] for digest in files}
        kept.write_text(json.dumps(known))
        return {test: seen for tests in known.values() for test, seen in tests.items()}

    def run(self, jobs: list[Job]) -> list[list[str]]:
        """Judge mutants: for each the tests that failed."""
        if not jobs:
            return []
        results, file = self.folder / "results.jsonl", self.folder / "jobs.json"
        results.unlink(missing_ok=True)
        file.write_text(json.dumps(jobs))
        files = in_order(test.partition("::")[0] for job in jobs for test in job["tests"])
        names = {"MUTANTS_JOBS": str(file), "MUTANTS_RESULTS": str(results)}
        self._pytest(self.mutated, "executor", files, names)
        return [json.loads(line) for line in results.read_text().splitlines()]

    def _pytest(self, top: Path, plugin: str, files: list[str], names: dict[str, str]) -> None:
        """One run of pytest in a copy, with a plugin of ours."""
        folder = str(self.folder / "tmp")
        paths = os.pathsep.join([str(top / "src"), str(top)])
        surroundings = {**os.environ, **names, "PYTHONPATH": paths, "MUTANTS_FOLDER": folder}
        surroundings["HYPOTHESIS_PROFILE"] = "quick"
        command = [sys.executable, "-m", "pytest", "-q", "-p", f"tools.mutants.{plugin}"]
        options = ["-p", "no:cacheprovider", "-m", "not slow", f"--basetemp={folder}"]
        with (self.folder / f"{plugin}.log").open("w") as log:
            subprocess.run(
                [*command, *options, *files],
                cwd=top,
                env=surroundings,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            )


def in_order(files: Iterable[str]) -> list[str]:
    """Tests before doctests, as `make test` has them: pytest may import a source a second time for
    its doctests, and what was imported before stays as it was.
    """
    return sorted(set(files), key=lambda file: (file.startswith("src"), file))


def _test_files(package: str) -> list[Path]:
    """The files with tests and doctests of a package."""
    found: dict[Path, None] = {}
    for name in sample.tests_of(package):
        path = Path(name)
        pattern = "test_*.py" if path.parts[0] == "tests" else "*.py"
        for file in [path] if path.is_file() else sorted(path.rglob(pattern)):
            if path.parts[0] == "tests" or ">>> " in file.read_text():
                found[file] = None
    return list(found)


def _digest(paths: list[Path]) -> str:
    """Of the contents of files."""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:16]
