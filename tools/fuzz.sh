#!/bin/sh
# fuzz.sh SECONDS: runs every fuzz target for so long, one after the other. A crash stops it and leaves its input in fuzz/artifacts.

set -e
sh tools/need.sh cargo 1.88
cargo fuzz --version >/dev/null 2>&1 || {
  echo "treelace: no cargo-fuzz here: cargo install cargo-fuzz" >&2
  exit 1
}
# The sanitizers want a nightly compiler; a stable one does the same when it is told that it may.
rustc --version | grep -q nightly || export RUSTC_BOOTSTRAP=1
python=".venv/bin/python"
[ -x "$python" ] || python="python3"
"$python" fuzz/seeds.py
for target in $(cargo fuzz list); do
  echo "fuzzing $target for $1 s"
  words="fuzz/dictionaries/$target.dict"
  # without -print_funcs=0 the name of every new function is looked up, which takes a second each
  cargo fuzz run "$target" -- -print_funcs=0 $([ -e "$words" ] && echo "-dict=$words") -max_total_time="$1" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1
done
# Wrapper files, settings and WARC files are read by Python: atheris, where it is installed.
"$python" -c "import atheris" 2>/dev/null || {
  echo "treelace: no atheris here, so the targets in Python are left out: $python -m pip install atheris" >&2
  exit 0
}
for target in wrapper settings warc; do
  echo "fuzzing $target for $1 s"
  "$python" fuzz/seams.py "$target" -max_total_time="$1" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix=fuzz/artifacts/
done
