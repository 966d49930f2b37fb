# treelace: everything a person or a machine does with the repository, one word each. `make` alone lists them.
#
# The first target that needs it makes .venv, installs the locked dependencies into it and builds the kernel
# (by maturin); stamp files under .venv/stamps keep that from happening twice. A changed source or lock file makes
# its step happen again. The first kernel is a release, and setup, demo, bench and wheel always have one; where
# tests and checks find a changed Rust source, they compile only that, by the development profile (Cargo.toml).

PYTHON ?= python3
JOBS ?= auto
PYTEST_FLAGS ?=

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
STORAGE := build/storage-venv
NEEDED_RUST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
KERNEL_SOURCES := $(shell find crates -name '*.rs' -o -name '*.bin' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml
PYTHON_SOURCES := src tests tools $(wildcard benchmarks experiments)
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-annotate --no-header --quiet

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup dev demo test test-long test-storage test-rust check format wheel bench mutants fuzz audit lock docs docs-site pictures screens clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | awk -F'\t' '{ printf "  make %-10s %s\n", $$1, $$2 }'

setup: $(STAMPS)/release  ## make .venv with everything in it; the command is then .venv/bin/treelace
	@echo "ready: $(BIN)/treelace"

dev: $(STAMPS)/kernel  ## after a change in crates/: a module to try in seconds, nearly as fast as the release

demo: $(STAMPS)/release  ## the whole story on a small site of our own making
	@$(BIN)/treelace demo

test: $(STAMPS)/kernel test-rust  ## all tests but the long ones (kernel tests, then Python's)
	$(BIN)/python -m pytest -q -n $(JOBS) -m "not slow" $(PYTEST_FLAGS)

test-long: $(STAMPS)/kernel test-rust  ## all tests, the long ones too
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -q -n $(JOBS) $(PYTEST_FLAGS)

test-storage: $(STAMPS)/kernel $(STAMPS)/storage  ## bulk on a real S3 server on loopback, in an environment of its own
	PYTHONPATH=src $(STORAGE)/bin/python -m pytest -q tests/bulk/test_object_storage.py $(PYTEST_FLAGS)

test-rust: $(STAMPS)/kernel
	@if command -v cargo >/dev/null; then cargo test --locked --quiet --workspace --exclude treelace-python; \
	else echo "no cargo here: the kernel's own tests are left out, the Python tests run"; fi

check: $(STAMPS)/kernel  ## format, lint, types, stubs, clippy, layers, links of the docs, stray paths
	@sh tools/need.sh cargo $(NEEDED_RUST)
	cargo fmt --all --check
	$(BIN)/ruff format --check $(PYTHON_SOURCES)
	$(BIN)/ruff check $(PYTHON_SOURCES)
	$(BIN)/mypy $(PYTHON_SOURCES)
	MYPYPATH=src $(BIN)/stubtest treelace._kernel --concise --ignore-disjoint-bases --allowlist tools/kernel_stubs.allow
	$(BIN)/python tools/check_tracked.py
	$(BIN)/python tools/write_reference.py --check
	$(BIN)/python tools/write_licences.py --check
	$(BIN)/python -m pytest -q tests/test_layers.py tests/test_docs.py -k 'not block'
	cargo clippy --locked --quiet --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings -D missing_docs -A rustdoc::private_intra_doc_links" cargo doc --locked --quiet --workspace --no-deps

format: $(STAMPS)/packages  ## rewrite the sources as `make check` wants them
	cargo fmt --all
	$(BIN)/ruff format $(PYTHON_SOURCES)
	$(BIN)/ruff check --fix $(PYTHON_SOURCES)

docs: $(STAMPS)/kernel  ## write the generated part of the docs (docs/reference) again
	$(BIN)/python tools/write_reference.py

docs-site: $(STAMPS)/docs  ## the docs as a web site in build/docs-site; a dead link fails it
	$(BIN)/python tools/build_docs.py

pictures: $(STAMPS)/kernel  ## the pictures of README and docs, from real runs (Chromium for two of them)
	$(BIN)/python tools/write_pictures.py

screens: $(STAMPS)/kernel  ## a picture of every screen of the studio, wide and narrow, in build/screens (Chromium)
	$(BIN)/python -m tests.studio.screens build/screens

wheel: $(STAMPS)/packages  ## a wheel in dist/, proved in a clean environment without Rust
	@sh tools/need.sh cargo $(NEEDED_RUST)
	rm -rf dist
	$(BIN)/maturin build --release --locked --quiet --out dist
	sh tools/prove_wheel.sh dist/treelace-*.whl $(BIN)/python

bench: $(STAMPS)/release $(STAMPS)/bench  ## the benchmarks: ratios against peers (TREELACE_CORPUS names the pages)
	$(BIN)/python -m benchmarks

mutants: $(STAMPS)/kernel  ## 300 small mistakes in the sources: how many of them do the tests notice?
	$(BIN)/python -m tools.mutants -o benchmarks/results/mutants.md

audit: $(STAMPS)/packages  ## the locked packages against a database of known vulnerabilities, where it can be reached
	$(BIN)/python tools/audit.py

fuzz:  ## ten minutes of each fuzz target (SECONDS=… for less); needs cargo-fuzz, and atheris for those in Python
	@sh tools/fuzz.sh $(or $(SECONDS),600)

lock: $(STAMPS)/packages  ## resolve the dependencies of pyproject.toml again into requirements/*.lock
	$(BIN)/python -m pip install -q uv
	$(BIN)/$(LOCK) -o requirements/core.lock
	$(BIN)/$(LOCK) --all-extras --group dev -c requirements/core.lock -o requirements/dev.lock
	$(BIN)/$(LOCK) --all-extras --group dev --group bench -c requirements/dev.lock -o requirements/bench.lock
	$(BIN)/$(LOCK) --all-extras --group dev --group docs -c requirements/dev.lock -o requirements/docs.lock
	$(BIN)/$(LOCK) requirements/storage.in --extra crawl --extra parquet --extra cluster -o requirements/storage.lock
	$(BIN)/python tools/check_tracked.py

clean:  ## remove everything that make made
	rm -rf $(VENV) target dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -f src/treelace/_kernel*.so src/treelace/_kernel*.pyd

$(STAMPS)/venv:
	@sh tools/need.sh python "$(PYTHON)" && sh tools/need.sh linker
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/packages: requirements/dev.lock $(STAMPS)/venv
	$(BIN)/python -m pip install -q --require-hashes -r requirements/dev.lock
	@touch $@

$(STAMPS)/bench: requirements/bench.lock $(STAMPS)/packages
	$(BIN)/python -m pip install -q --require-hashes -r requirements/bench.lock
	@touch $@

$(STAMPS)/docs: requirements/docs.lock $(STAMPS)/packages
	$(BIN)/python -m pip install -q --require-hashes -r requirements/docs.lock
	@touch $@

# Not in .venv: its packages want an older python-dateutil.
$(STAMPS)/storage: requirements/storage.lock $(STAMPS)/venv
	$(PYTHON) -m venv $(STORAGE)
	$(STORAGE)/bin/python -m pip install -q --require-hashes -r requirements/storage.lock
	@touch $@

# A module of these sources, by the release profile.
$(STAMPS)/release: $(KERNEL_SOURCES) $(STAMPS)/packages
	@sh tools/build_kernel.sh $(BIN)/python $(NEEDED_RUST) release
	@touch $(STAMPS)/kernel $@

# A module of these sources, by either profile: development where only crates changed, release where there was
# no module yet or the package must be installed again.
$(STAMPS)/kernel: $(KERNEL_SOURCES) $(STAMPS)/packages
	@if [ -e $@ ] && [ -z "$(filter-out crates/% Cargo.%,$?)" ]; then \
	  rm -f $(STAMPS)/release; sh tools/build_kernel.sh $(BIN)/python $(NEEDED_RUST) development; \
	else \
	  sh tools/build_kernel.sh $(BIN)/python $(NEEDED_RUST) release && touch $(STAMPS)/release; \
	fi
	@touch $@
