#!/bin/sh
# prove_wheel.sh WHEEL PYTHON: installs the wheel in a clean virtual environment where no Rust and no source can be found, and uses it.

set -e
wheel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
python=$2
lock=$(pwd)/requirements/core.lock
place=$(mktemp -d)
full_path=$PATH
trap 'PATH=$full_path; rm -rf "$place"' EXIT

"$python" -m venv "$place/venv"
cd "$place"
unset PYTHONPATH VIRTUAL_ENV
PATH=$place/venv/bin:/nowhere
export PATH
python -m pip install -q --only-binary :all: --require-hashes -r "$lock"
python -m pip install -q --only-binary :all: --no-deps "$wheel"
python -m pip check >/dev/null

treelace --version
printf '%s' '<ul><li>one<li>two</ul>' | treelace select - li >answer
printf 'one\ntwo\n' >expected
python -c 'import sys; sys.exit(open("answer").read() != open("expected").read())' || {
  echo "treelace: the wheel is installed but does not select what it should" >&2
  exit 1
}
python -c 'import treelace; assert treelace.parse("<p>a<p>b").root.tag == "html"; assert "site-packages" in treelace.__file__'
echo "proved: ${wheel##*/}"
