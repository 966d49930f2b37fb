"""Measures how long a changed line of the kernel takes until Python can import the module.

`.venv/bin/python tools/time_rebuild.py` changes one constant of the matcher lace, builds the
module, imports it, puts the constant back and builds again. Both builds are printed, in seconds
of the clock and of the processors; on a busy machine only the latter say much. Run `make dev`
first, so that nothing else has to be compiled.
"""

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHANGED = ROOT / "crates/matching/src/lace/context.rs"
LINE = "const SAMPLE: usize = 8;"
OTHER_LINE = "const SAMPLE: usize = 9;"


def main() -> None:
    """Times the change and its way back."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--profile", default="development", choices=("development", "release"))
    profile = parser.parse_args().profile
    source = CHANGED.read_text()
    if source.count(LINE) != 1:
        sys.exit(f"{CHANGED.relative_to(ROOT)} has no single line '{LINE}'")
    try:
        CHANGED.write_text(source.replace(LINE, OTHER_LINE))
        report("changed", profile)
    finally:
        CHANGED.write_text(source)
    report("changed back", profile)


def report(what: str, profile: str) -> None:
    """Builds, imports, and prints what that cost."""
    clock, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    build = ["sh", "tools/build_kernel.sh", sys.executable, "1.88", profile]
    subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, "-c", "import treelace._kernel"], cwd=ROOT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    seconds = time.monotonic() - clock
    sys.stdout.write(f"{profile}, {what}: {seconds:.1f} s, {processor:.1f} s of processors\n")


if __name__ == "__main__":
    main()
