# GNU make reads the next line as a rule that nobody calls; every BSD make stops there and says it.
.error : this Makefile needs GNU make. Install it (FreeBSD has it as gmake) and run gmake in place of make.

SHELL = /bin/sh
VENV  = .venv
READY = $(VENV)/.ready
BIN   = $(VENV)/bin
PY    = $(BIN)/python

# Wins over the search for an interpreter: make PYTHON=/opt/python3.12/bin/python3
PYTHON =
# Passed on: make demo ARGS=--once, make test ARGS="-k reply"
ARGS =
# The length of `make soak`, what its faults and kills are dealt from, and how many bots share one ledger.
MENTIONS = 300
SEED = 1
BOTS = 1
# What `make eval` lets build the forty asks: template, llm or command, set up by SKYWRIGHT_LANE_….
GENERATOR = template

# One worker a core; the tests of the real network stay together in one of them.
PYTEST = $(PY) -m pytest -n logical --dist loadgroup

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:
.PHONY: help demo test test-fast soak drills eval bench check fmt cover lifecycle rules settings lock network browser clean

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

demo: $(READY) ## Run the whole thing on this machine, with a small Bluesky of its own (ARGS=--once: one reply, then end)
	@exec $(BIN)/skywright demo $(ARGS)

test: $(READY) network ## Run every test; what this machine lacks is skipped and named
	$(PYTEST) $(ARGS)

# The rules and the ledger; the jobs, the client, the stories, the commands and the lane take longer and are in `test`.
FAST = tests/guardrails tests/bot/ledger tests/bot/test_texts.py

test-fast: $(READY) ## Run the quick tests only: rules and ledger, on SQLite
	$(PYTEST) -m "not (network or browser or postgres or slow)" --ignore=tests/bot/ledger/test_machine.py $(FAST) $(ARGS)

soak: $(READY) network ## Answer many mentions over a faulty network, with bots and lanes killed (MENTIONS=, SEED=, BOTS=)
	$(PY) -m tests.soak --mentions '$(MENTIONS)' --seed '$(SEED)' --bots '$(BOTS)' $(ARGS)

drills: $(READY) ## Carry out every section of the runbook, deploy/README.md (ARGS="disk-full dns-gone" for some)
	$(PY) -m tests.drills $(ARGS)

eval: $(READY) ## Let a generator build the forty asks of the evaluation set, and count (GENERATOR=)
	$(PY) -m tests.eval --generator '$(GENERATOR)' $(ARGS)

bench: $(READY) ## Measure, as ratios, into one table and bench.json (ARGS="--only ingest,life --quick" for a short look)
	$(PY) -m tests.bench $(ARGS)

check: $(READY) ## Check format, lint, types and the arrows between the packages
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

fmt: $(READY) ## Format the code and mend what the linter can
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

cover: $(READY) network ## Run every test and demand branch coverage: all of guardrails and the store, 90 % of the rest
	$(PYTEST) --both-databases --cov --cov-report= $(ARGS)
	$(BIN)/coverage report --include='guardrails/*,bot/ledger/store.py' --fail-under=100
	$(BIN)/coverage report --fail-under=90

lifecycle: $(READY) ## Print guardrails/LIFECYCLE.md anew from the table of moves
	$(PY) -m guardrails.lifecycle > $(VENV)/LIFECYCLE.md
	mv $(VENV)/LIFECYCLE.md guardrails/LIFECYCLE.md

rules: $(READY) ## Print deploy/guardrails.example.toml anew from the rules
	$(PY) -m guardrails.rules_example > $(VENV)/guardrails.example.toml
	mv $(VENV)/guardrails.example.toml deploy/guardrails.example.toml

settings: $(READY) ## Print the settings of README.md and deploy/env.example anew
	$(PY) -m tests.settings_docs

lock: $(READY) ## Resolve the dependencies anew into requirements.lock (ARGS=--upgrade: newest of all)
	CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/pip-compile --quiet --all-extras --build-deps-for editable --allow-unsafe \
	  --generate-hashes --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
	  --output-file requirements.lock $(ARGS) pyproject.toml
	$(PY) -m tests.deploy.part_lock lane > $(VENV)/lane.lock
	mv $(VENV)/lane.lock deploy/github/lane.lock
	$(PY) -m tests.deploy.part_lock bot > $(VENV)/bot.lock
	mv $(VENV)/bot.lock deploy/containers/bot.lock

network: $(READY) ## Fetch the real AT network that the tests start (npm packages, kept in .cache)
	@$(PY) -m tests.network.install || echo 'The real network is not set up: the tests that need it are skipped.'

browser: $(READY) ## Download Playwright's own Chromium, for machines without one
	$(BIN)/playwright install chromium-headless-shell

clean: ## Remove the virtual environment and every cache
	rm -rf $(VENV) .cache .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find bot builder guardrails tests -type d -name __pycache__ -prune -exec rm -rf {} +

# The set-up. Everything is in one environment: a demo alone would save a few seconds, once.
$(READY): pyproject.toml requirements.lock
	@if [ -n '$(PYTHON)' ]; then names='$(PYTHON)'; else names='python3 python3.13 python3.12 python3.11'; fi; \
	python=; unfit=; \
	for name in $$names; do \
	  if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; \
	  found=`"$$name" --version 2>/dev/null` && unfit="$$unfit ($$name is $$found)"; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "Skywright needs Python 3.11 or newer, and none of these is: $$names.$$unfit" >&2; \
	  echo "Debian 12, Ubuntu 24.04, WSL: sudo apt install python3 python3-venv.  macOS: brew install python@3.13." >&2; \
	  echo "Or name one yourself: make PYTHON=/path/to/python3" >&2; exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	  echo "$$python cannot make virtual environments: its venv module is missing." >&2; \
	  echo "Debian, Ubuntu, WSL: sudo apt install python3-venv (for a Python beside the system's: pythonX.Y-venv)." >&2; exit 1; \
	fi; \
	if ! $(PY) -m pip --version >/dev/null 2>&1; then \
	  echo "Setting up $(VENV) with $$python; about a minute, the first time only."; \
	  "$$python" -m venv --clear $(VENV); \
	fi
	@$(PY) -m pip install -qq --disable-pip-version-check --require-hashes --requirement requirements.lock
	@$(PY) -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
