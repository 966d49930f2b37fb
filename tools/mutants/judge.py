"""What becomes of each mutant of a package: the tests that have to kill it, and whether they do."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools.mutants import blocks, sample
from tools.mutants.executor import Job
from tools.mutants.sample import Mutant
from tools.mutants.scratch import Record, Scratch

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
PATIENCE = 4  # how many times the processor time of its tests a mutant may take, and
START_UP = 20  # seconds more: a fresh interpreter may be needed
CONTROL_SECONDS = 600


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: `killer` is the test that failed, `time`, `import`, or "" for none;
    `reason` says why a mutant is the same as the original.
    """

    mutant: Mutant
    tests: int
    killer: str
    reason: str


def judge(scratch: Scratch, package: str, mutants: list[Mutant], seconds: float) -> list[Outcome]:
    """All mutants of one package. Deaths are kept: a mutant of an unchanged file is judged again
    only if it survived or its killer is gone.
    """
    record = scratch.record(package)
    same = equivalent()
    kept = scratch.folder / f"dead-{package}.json"
    dead: dict[str, str] = json.loads(kept.read_text()) if kept.exists() else {}
    unsound: set[str] = set()
    while True:
        record = {test: seen for test, seen in record.items() if test not in unsound}
        jobs = {one: _job(one, record, seconds) for one in mutants if one.identity not in same}
        waiting = {one: job for one, job in jobs.items() if dead.get(_death(job)) not in record}
        for mutant, failed in zip(waiting, scratch.run(list(waiting.values())), strict=True):
            dead[_death(jobs[mutant])] = failed[0] if failed else ""
        unsound = _unsound(scratch, {dead[_death(job)] for job in jobs.values()})
        if not unsound:
            break
    kept.write_text(json.dumps(dead))
    return [
        Outcome(mutant, len(jobs[mutant]["tests"]), dead[_death(jobs[mutant])], "")
        if mutant in jobs
        else Outcome(mutant, 0, "", same[mutant.identity])
        for mutant in mutants
    ]


def equivalent() -> dict[str, str]:
    """Mutants that mean the same as the original, by identity, each with the reason."""
    entries = tomllib.loads(EQUIVALENT.read_text()).get("equivalent", [])
    return {entry["mutant"]: entry["reason"] for entry in entries}


def _unsound(scratch: Scratch, killers: set[str]) -> set[str]:
    """Those of the killers that fail, in the same surroundings, on the sources as they are."""
    tests = sorted(killer for killer in killers if "::" in killer)
    path = sample.SOURCES / "__init__.py"
    control = Job(
        path=str(path),
        source=path.read_text(),
        at_import=False,
        tests=tests,
        seconds=CONTROL_SECONDS,
        stop=False,
    )
    failed = {test for found in scratch.run([control] if tests else []) for test in found}
    return failed & set(tests)


def _job(mutant: Mutant, record: Record, seconds: float) -> Job:
    """The mutant with its tests: those that run its block, then the others of their files (a
    fixture or a cache may have run it for them), cheapest first. At module level: all tests, those
    that run anything of the file first.
    """
    source = Path(mutant.path).read_text()
    block = None if mutant.mutation.at_import else blocks.around(source, mutant.mutation.line)
    mark = f"{mutant.path}:{block.first if block else ''}"
    direct = {
        test
        for test, (_, seen) in record.items()
        if (mark in seen if block else any(one.startswith(mark) for one in seen))
    }
    files = {test.partition("::")[0] for test in direct}
    near = {test for test in record if not block or test.partition("::")[0] in files}
    tests: list[str] = []
    total = 0.0
    for test in sorted(near, key=lambda test: (test not in direct, record[test][0], test)):
        total += record[test][0]
        if total > seconds:
            break
        tests.append(test)
    return Job(
        path=mutant.path,
        source=mutant.mutation.applied(source),
        at_import=mutant.mutation.at_import,
        tests=tests,
        seconds=int(seconds * PATIENCE + START_UP),
        stop=True,
    )


def _death(job: Job) -> str:
    """The key under which a death is kept: the mutated file."""
    return f"{job['path']} {hashlib.sha256(job['source'].encode()).hexdigest()[:16]}"
