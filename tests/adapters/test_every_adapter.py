"""What holds for every adapter: an extra, a page, and a sentence where its framework is missing."""

import importlib
import re
import subprocess
import sys
import tomllib

import pytest

from outcome_monitors.exceptions import MissingExtra
from tests.adapters.frameworks import FRAMEWORKS
from tests.places import CORE, DOCS, PROJECT

PACKAGE = CORE / "adapters"
MODULES = {
    **FRAMEWORKS,
    "google_adk": "google.adk.plugins",
    "langgraph": "langchain_core",
    "openai_agents": "agents",
}
"""What each adapter imports first."""
EVERY = pytest.mark.parametrize("name", FRAMEWORKS)


def test_every_module_is_listed_here():
    modules = {path.stem for path in PACKAGE.glob("[a-z]*.py")}
    assert modules == {*FRAMEWORKS, "functions"}


@EVERY
def test_a_missing_framework_is_one_sentence_with_the_line_that_installs_it(name, monkeypatch):
    monkeypatch.delitem(sys.modules, f"outcome_monitors.adapters.{name}", raising=False)
    monkeypatch.setitem(sys.modules, MODULES[name], None)
    with pytest.raises(MissingExtra) as raised:
        importlib.import_module(f"outcome_monitors.adapters.{name}")
    extra = name.replace("_", "-")
    assert str(raised.value).endswith(f": pip install 'outcome-monitors[{extra}]'")
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    assert extra in project["optional-dependencies"]


@EVERY
def test_the_page_has_the_line_that_the_module_opens_with(name):
    opening = (PACKAGE / f"{name}.py").read_text(encoding="utf-8").partition('"""')[2]
    [line, *_] = re.findall(r"`(.+?)`", opening)
    page = (DOCS / "guides" / "adapters.md").read_text(encoding="utf-8")
    assert f"from outcome_monitors.adapters.{name} import" in page
    assert line in page


def test_importing_adapters_loads_no_framework():
    program = "import sys, outcome_monitors.adapters.functions; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "outcome_monitors" in loaded
    assert not loaded & {name.partition(".")[0] for name in (*MODULES.values(), "mcp", "pydantic")}
