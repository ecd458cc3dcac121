# `make demo` and `make test` are all a newcomer needs; both set up .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo study test bench compat lint format clean

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,yaml]'
	touch $@

$(VENV)/.bench: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	touch $@

demo: $(VENV)/.ready  ## the main job, start to finish, on the built-in tool world
	$(BIN)/outcome-monitors demo --out demo-out

study: $(VENV)/.ready  ## a frozen study on the tool world, by scripts: 80 workflows, five arms, a report
	test -f study-out/manifest.json || $(BIN)/outcome-monitors study freeze study-out \
	  --arms baseline,advisory-v2,generic,stripped,always-warn --agents scripted-careful,scripted-follows:0.7
	$(BIN)/outcome-monitors study run study-out
	$(BIN)/outcome-monitors study analyze study-out --html study-out/report.html --json study-out/figures.json

test: $(VENV)/.ready  ## lint, types, tests, and how much of the code they run
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --cov --cov-report=

bench: $(VENV)/.bench  ## speed beside the peers, as ratios
	$(BIN)/python -m bench

compat: $(VENV)/.ready  ## adapters in their frameworks, the proxy between real clients and servers; needs npm, writes a page
	$(BIN)/python -m compat

format: $(VENV)/.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .compat demo-out study-out .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.*
