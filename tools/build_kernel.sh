#!/bin/sh
# build_kernel.sh PYTHON VERSION [PROFILE]: builds the kernel for the package that lies here.
#
# PROFILE is `release` (the default: installs the package, editable, where PYTHON lives) or `development`
# (compiles what changed and puts the module in its place; the package must be installed already).
# With a Rust toolchain of at least VERSION, the locked maturin drives it. Without one, pip gives the build
# backend an environment of its own, and there it fetches Rust by itself, where the network allows it.

set -e
python=$1
profile=${3:-release}
sh tools/need.sh linker
if command -v cargo >/dev/null 2>&1; then
  sh tools/need.sh cargo "$2"
  bin=$(cd "$(dirname "$python")" && pwd)
  if [ "$profile" = development ]; then
    echo "compiling what changed of the kernel (development profile; make setup for the release)"
    VIRTUAL_ENV=$(dirname "$bin") "$bin/maturin" develop --quiet --locked --skip-install --profile development
  else
    echo "building the kernel (a minute or two of one core the first time)"
    PATH=$bin:$PATH "$python" -m pip install -q --no-deps --no-build-isolation -C build-args=--locked -e .
  fi
else
  echo "no Rust toolchain here: the build backend fetches one now" \
    "(about 0.7 GB in the user cache, once; it needs the network)"
  "$python" -m pip install -q --no-deps -e . || {
    echo "treelace: the kernel was not built; install a Rust toolchain ($2 or newer) and run this again," \
      "or install a wheel, which needs none" >&2
    exit 1
  }
fi
