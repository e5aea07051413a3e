# Everything that a contributor types. `make demo` and `make test` need Python >= 3.11, pip, git and make, nothing else:
# what is missing is installed into .venv, in the versions of constraints.txt. On Linux plain pip takes a large CUDA
# build of torch; to save that, install the CPU build into .venv first, as PyTorch's own instructions say.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOG := $(VENV)/install.log
INSTALL := -e '.[all]' --group dev --group example --group docs
# worker processes of the tests; one file stays with one worker, so that its fixtures are made once
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test lint imports bench faults docs pages constraints clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## from nothing to a reconciled paper, in build/demo
	$(BIN)/python examples/digits/demo.py build/demo

test: $(READY) ## the whole test suite
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -rs

lint: $(READY) imports ## style, types, spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell

imports: $(READY) ## which part may import which
	$(BIN)/lint-imports

bench: $(READY) ## start-up and throughput, as ratios against a peer run beside them
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python -m benchmarks.store --quick

faults: $(READY) ## every fault tried against the product (minutes; as root for mounts); renews docs/faults.md
	$(BIN)/python -m benchmarks.faults --page docs/faults.md

docs: $(READY) ## the documentation as HTML, in build/docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs
	@echo "open build/docs/index.html"

pages: $(READY) ## renew the pages that are made from the product: commands, rules, outputs of the tutorial
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_tutorial.py

constraints: ## renew constraints.txt: what a fresh environment gets today; torch stays until it is raised by hand
	rm -rf build/constraints && $(PYTHON) -m venv build/constraints
	grep '^torch==' constraints.txt > build/constraints/torch.txt
	build/constraints/bin/python -m pip install --quiet --upgrade pip
	build/constraints/bin/python -m pip install --quiet $(INSTALL) -c build/constraints/torch.txt
	@{ sed -n '/^#/p' constraints.txt; build/constraints/bin/python -m pip freeze --all --exclude-editable \
	  | grep -E '^[A-Za-z0-9_.-]+==' | sed 's/+cpu$$//' | sort -f; } > build/constraints.txt
	mv build/constraints.txt constraints.txt && rm -rf build/constraints

clean: ## remove .venv, build, dist and caches
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is touched last, so an interrupted installation starts again.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "$(PYTHON) is $$($(PYTHON) --version); Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	@echo "installing into $(VENV) (a few minutes; $(LOG) has the details)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@{ $(BIN)/python -m pip install --upgrade pip -c constraints.txt \
	  && $(BIN)/python -m pip install $(INSTALL) -c constraints.txt; } > $(LOG) 2>&1 \
	  || { grep -v '^WARNING: Location' $(LOG) | tail -n 30; echo "installation failed; all of it is in $(LOG)"; exit 1; }
	@touch $@
