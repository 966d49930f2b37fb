"""How strong the tests are: small mistakes put into the sources, and how many a test notices.

    python -m tools.mutants                      # 300 mutants over all packages
    python -m tools.mutants --packages diff tree --seed 2

A mutant runs only against the tests of its package (`sample.tests_of`) that run its block of code,
cheapest first, up to `--seconds` of recorded processor time. It is dead when a test fails, or when
it takes several times as long as the tests should. Mutants that mean the same as the original
stand in `equivalent.toml`, each with the reason, and do not count.

Kept between runs in `--scratch`: the records of tests and the deaths, by the content of the files.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.mutants import report, sample
from tools.mutants.judge import Outcome, judge
from tools.mutants.scratch import Scratch


def main() -> None:
    """Draw, record, judge, tell."""
    options = _options()
    drawn = sample.draw(options.seed, options.count)
    chosen = {package: drawn[package] for package in options.packages or drawn}
    if options.list:
        for mutants in chosen.values():
            print(*mutants, sep="\n")
        return
    scratch = Scratch(options.scratch)
    outcomes: list[Outcome] = []
    for package, mutants in chosen.items():
        found = judge(scratch, package, mutants, options.seconds)
        print(report.row(package, found), *report.alive(found), sep="\n", flush=True)
        outcomes += found
    print(report.row("all", outcomes))
    if options.output:
        options.output.write_text(report.text(outcomes, options.seed))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="mutants over all packages")
    parser.add_argument("--packages", nargs="*", help="judge only these packages")
    parser.add_argument("--seconds", type=float, default=20, help="of tests for one mutant")
    parser.add_argument("--scratch", type=Path, default=Path("build/mutants"))
    parser.add_argument("--list", action="store_true", help="name the mutants, judge none")
    parser.add_argument("-o", "--output", type=Path, help="write the report here")
    return parser.parse_args()


if __name__ == "__main__":
    main()
