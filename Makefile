# Every target sets itself up in .venv from the pinned, hashed requirements; a second run installs nothing.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# NAMES picks what `release` builds, such as NAMES=git-status; all three without it.
NAMES ?=

.PHONY: help demo test check protos lock bench fuzz release test-release clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "python3 is %d.%d; 3.11 or newer is needed: make PYTHON=python3.12 …" % sys.version_info[:2])'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## play the demo session on the sample repository
	@$(BIN)/context-host demo

test: $(READY) ## run all tests
	$(BIN)/python -m pytest

check: $(READY) ## lint, types, layers, generated code
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	PYTHONPATH=common:providers/claude_md:providers/agents_md:providers/git_status:host $(BIN)/lint-imports
	$(BIN)/python -m pytest tests/common/test_wire.py

protos: $(READY) ## generate the wire messages anew from the .proto files
	$(BIN)/python -m grpc_tools.protoc -I common --python_out=common --pyi_out=common common/context_common/wire/*.proto

lock: ## pin every dependency anew, with hashes and without an index
	$(PYTHON) -m venv --clear .venv-lock
	.venv-lock/bin/pip install --quiet pip-tools
	.venv-lock/bin/pip-compile --quiet --upgrade --strip-extras --extra dev --allow-unsafe --generate-hashes --no-header \
		--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --output-file requirements/dev.txt pyproject.toml
	.venv-lock/bin/pip-compile --quiet --upgrade --strip-extras --allow-unsafe --generate-hashes --no-header \
		--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --output-file requirements/release.txt requirements/release.in

bench: $(READY) ## measure, side by side, what the documents promise
	@for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

fuzz: $(READY) ## the properties with many more examples
	HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest --timeout 3600 tests/common

.venv-release/.ready: requirements/release.txt
	$(PYTHON) -m venv --clear .venv-release
	.venv-release/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/release.txt
	@touch $@

release: .venv-release/.ready ## build one file per provider for this platform into dist/
	rm -rf build/release dist
	.venv-release/bin/python packaging/build.py $(NAMES)

test-release: $(READY) release ## run the acceptance tests against the release files
	CONTEXT_PROGRAMS=$(CURDIR)/build/release/bin $(BIN)/python -m pytest tests/acceptance

clean: ## remove what the targets made
	rm -rf .venv .venv-lock .venv-release dist build
