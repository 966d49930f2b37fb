#!/bin/sh
# need.sh: says in one line which tool is missing and how to get it, before a build says it in fifty.
#
#   need.sh python COMMAND     Python 3.11 or newer, with the means to make a virtual environment
#   need.sh linker             a C compiler driver, which Rust links with
#   need.sh cargo VERSION      a Rust toolchain of at least VERSION

stop() {
  echo "treelace: $*" >&2
  exit 1
}

case $1 in
python)
  command -v "$2" >/dev/null 2>&1 || stop "no '$2' here: install Python 3.11 or newer, or name one with make PYTHON=python3.12"
  "$2" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    stop "'$2' is $("$2" --version 2>&1 | head -n 1), but 3.11 or newer is needed: install one, or name it with make PYTHON=python3.12"
  "$2" -c 'import venv, ensurepip' 2>/dev/null || stop "'$2' cannot make virtual environments: install its venv module (on Debian: apt-get install python3-venv)"
  ;;
linker)
  command -v "${CC:-cc}" >/dev/null 2>&1 || stop "no C compiler (cc) here, and Rust links with it: install gcc or clang (on Debian: apt-get install build-essential)"
  ;;
cargo)
  command -v cargo >/dev/null 2>&1 || stop "no cargo here, and this needs a Rust toolchain ($2 or newer): install Rust by rustup or from your distribution"
  have=$(cargo --version 2>/dev/null | cut -d ' ' -f 2)
  [ -n "$have" ] || stop "cargo is here but does not run: cargo --version says why (often: no default toolchain, rustup default stable)"
  lower=$(printf '%s\n%s\n' "$2" "$have" | sort -t . -k 1,1n -k 2,2n | head -n 1)
  [ "$lower" = "$2" ] || stop "the Rust toolchain is $have, but $2 or newer is needed: rustup update"
  ;;
*)
  stop "need.sh knows python, linker and cargo, not '$1'"
  ;;
esac
