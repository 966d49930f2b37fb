"""A pytest plugin that collects the tests once and forks for every mutant.

MUTANTS_JOBS names a file with a list of jobs; the tests that failed on each go to
MUTANTS_RESULTS, one line of JSON a job.
In the child the code of the mutated functions is exchanged in place, so nothing is imported again;
a mutant at module level gets a fresh interpreter. The mutated file is also on disk, for processes
that a test starts. The first test that fails kills the mutant, and so does running out of time.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import CodeType, FunctionType
from typing import TypedDict

import pytest

WALL_FACTOR = 15  # how many times its processor time a child may wait, on a busy machine


class Job(TypedDict):
    """One mutant: what to write where, and the tests to run, in order."""

    path: str
    source: str
    at_import: bool
    tests: list[str]
    seconds: int
    stop: bool  # at the first failure


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Instead of running the tests: all jobs, or in a fresh interpreter the tests of one job."""
    items = {item.nodeid: item for item in session.items}
    only = os.environ.get("MUTANTS_ONLY")
    if only:
        _run_tests(items, json.loads(Path(only).read_text()))
        return True
    gc.collect()
    gc.freeze()
    with Path(os.environ["MUTANTS_RESULTS"]).open("a") as results:
        for job in json.loads(Path(os.environ["MUTANTS_JOBS"]).read_text()):
            results.write(json.dumps(_judge(job, items)) + "\n")
            results.flush()
    return True


def _judge(job: Job, items: dict[str, pytest.Item]) -> list[str]:
    """The tests that failed on a mutant; ["time"] if it ran out of time."""
    path = Path(job["path"])
    original = path.read_bytes()
    reader, writer = os.pipe()
    path.write_text(job["source"])
    try:
        child = os.fork()
        if child == 0:
            os.close(reader)
            _child(job, items, writer)
        os.close(writer)
        is_over = _wait(child, job["seconds"] * WALL_FACTOR)
        with os.fdopen(reader, "rb") as answers:
            failed = answers.read().decode().split("\n")[:-1]
    finally:
        path.write_bytes(original)
    if "done" in failed:
        failed.remove("done")
    elif not failed or not is_over:
        failed = ["time"]
    return failed


def _wait(child: int, seconds: float) -> bool:
    """Whether a child ended in time; what is left of its process group is ended in any case."""
    until = time.monotonic() + seconds
    is_over = False
    while not is_over and time.monotonic() < until:
        is_over = os.waitpid(child, os.WNOHANG)[0] == child
        if not is_over:
            time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if not is_over:
        os.waitpid(child, 0)
    return is_over


def _child(job: Job, items: dict[str, pytest.Item], writer: int) -> None:
    """Runs the tests on the mutant and ends the process."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + 1))
    os.set_inheritable(writer, True)
    os.environ["MUTANTS_ANSWERS"] = str(writer)
    os.environ["MUTANTS_STOP"] = str(int(job["stop"]))
    try:
        if job["at_import"]:
            _start_again(job)
        else:
            _exchange(job)
            _run_tests(items, job["tests"])
    finally:
        os._exit(0)


def _start_again(job: Job) -> None:
    """A fresh interpreter with the tests of one job."""
    only = Path(os.environ["MUTANTS_JOBS"]).with_suffix(".only.json")
    only.write_text(json.dumps(job["tests"]))
    files = sorted({test.partition("::")[0] for test in job["tests"]}, reverse=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.mutants.executor"]
    folder = f"--basetemp={os.environ['MUTANTS_FOLDER']}"
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", folder, *files],
        env={**os.environ, "MUTANTS_ONLY": str(only)},
        close_fds=False,
        capture_output=True,
        check=False,
    )
    if done.returncode not in (0, 1, 5):  # the mutant cannot even be imported
        os.write(int(os.environ["MUTANTS_ANSWERS"]), b"import\n")


def _exchange(job: Job) -> None:
    """Give every function of the mutated file its mutated code."""
    file = str(Path(job["path"]).resolve())
    codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(job["source"], file)}
    gc.unfreeze()
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename == file:
            old = thing.__code__
            new = codes.get((old.co_qualname, old.co_firstlineno))
            if new is not None and new.co_freevars == old.co_freevars:
                thing.__code__ = new


def _codes(source: str, file: str) -> list[CodeType]:
    """All code objects of a source."""
    found = [compile(source, file, "exec")]
    for code in found:
        found.extend(const for const in code.co_consts if isinstance(const, CodeType))
    return found


def _run_tests(items: dict[str, pytest.Item], tests: list[str]) -> None:
    """Run them in order. The last word is `done`."""
    answers = int(os.environ["MUTANTS_ANSWERS"])
    found = [items[test] for test in tests if test in items]
    for item, following in zip(found, [*found[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    os.write(answers, b"done\n")
    os._exit(0)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A test file that cannot be imported kills the mutant of a fresh interpreter."""
    if report.failed and "MUTANTS_ONLY" in os.environ:
        os.write(int(os.environ["MUTANTS_ANSWERS"]), b"import\n")
        os._exit(0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The first failure is the answer."""
    if report.failed and "MUTANTS_ANSWERS" in os.environ:
        os.write(int(os.environ["MUTANTS_ANSWERS"]), report.nodeid.encode() + b"\n")
        if os.environ["MUTANTS_STOP"] == "1":
            os._exit(0)
