#!/bin/sh
# build_kernel.sh PYTHON VERSION: builds the kernel (release) and installs the package, editable, where PYTHON lives.
#
# With a Rust toolchain of at least VERSION, maturin does it here and cargo's cache is used. Without one, the build backend fetches Rust
# by itself, where the network allows it.

set -e
python=$1
sh tools/need.sh linker
if command -v cargo >/dev/null 2>&1; then
  sh tools/need.sh cargo "$2"
  echo "building the kernel (a minute or two of one core the first time)"
  VIRTUAL_ENV=$(cd "$(dirname "$python")/.." && pwd)
  export VIRTUAL_ENV
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  "$python" -m maturin develop --release --locked >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
  }
else
  echo "no Rust toolchain here: the build backend fetches one now (about 0.7 GB in the user cache, once; it needs the network)"
  "$python" -m pip install -q --no-deps -e . || {
    echo "treelace: the kernel was not built; install a Rust toolchain ($2 or newer) and run this again, or install a wheel, which needs none" >&2
    exit 1
  }
fi
