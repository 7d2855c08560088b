# What a developer or a newcomer types. `make install` needs PostgreSQL and any Python 3.10+; the others make .venv.
PG_CONFIG ?=
DESTDIR ?= /
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(PYTHON) -m madtree.install $(if $(PG_CONFIG),--pg-config $(PG_CONFIG)) --destdir $(DESTDIR)

.PHONY: help all pgxn wheel dist deb sbom setup demo test test-all test-faults docs bench lint install uninstall clean

help:
	@echo "make setup      system packages (if allowed) and .venv"
	@echo "make demo       a private server, and trees trained on real data in it"
	@echo "make test       the whole suite against a real server (ARGS=... for pytest)"
	@echo "make test-all   the same, with all combinations of what it tries in shares; hours"
	@echo "make test-faults  servers broken on purpose: killed, full, out of locks; minutes"
	@echo "make docs       the documentation as a site, in build/site"
	@echo "make bench      the benchmarks (ARGS=--quick, ARGS=--list, ARGS=parallel, ...)"
	@echo "make lint       ruff, mypy, sqlfluff"
	@echo "make install    the extension into PostgreSQL (PG_CONFIG, DESTDIR); make uninstall"
	@echo "make wheel      dist/madtree-VERSION-py3-none-any.whl, for pip"
	@echo "make pgxn       dist/madtree-VERSION.zip for PGXN"
	@echo "make deb        dist/*.deb for this Debian (as root, ARGS=--setup installs what that needs)"
	@echo "make sbom       dist/madtree-VERSION.cdx.json, what madtree consists of and needs"
	@echo "make dist       all of these but the packages for Debian"

# What PGXN's client calls before `make install`: there is nothing to compile.
all:

setup:
	@scripts/setup

demo: setup
	$(BIN)/madtree up
	$(BIN)/madtree demo

# Tests wait for servers and programs more than they compute: two processes a core. Files begin in order of their names:
# the short ones of tests/unit come last, so that no worker is left with a long one when the others have done theirs.
# Each process that a test starts would compile madtree again if byte code were not kept.
test: export PYTHONDONTWRITEBYTECODE =
test: setup
	@scripts/test-programs
	$(BIN)/pytest -n $(or $(WORKERS),$(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN))) --dist loadfile --no-loadscope-reorder $(ARGS)

# What `share` and its kind (tests/shares.py) leave out of every run.
test-all: export MADTREE_TESTS = all
test-all: test

test-faults: setup
	$(BIN)/pytest tests/faults -m faults $(ARGS)

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "build/site/index.html; with search: $(BIN)/python -m http.server -d build/site"

bench: setup
	@scripts/setup bench
	$(BIN)/python benchmarks/bench.py $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/sqlfluff lint --disable-progress-bar sql migrations/*.sql docker

install:
	@$(INSTALL)

uninstall:
	@$(INSTALL) --uninstall

# For machines without a clone: pip install 'dist/madtree-...whl[engine]'.
wheel: setup
	SOURCE_DATE_EPOCH=$$(scripts/source-date) $(BIN)/python -m build --wheel --no-isolation --outdir dist .

pgxn:
	@scripts/pgxn

sbom:
	@scripts/sbom

deb:
	@scripts/deb $(ARGS)

# Needs the package build for $(PYTHON). The same commit gives the same bytes.
dist: pgxn sbom
	SOURCE_DATE_EPOCH=$$(scripts/source-date) $(PYTHON) -m build --outdir dist .

clean:
	rm -rf build dist .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
