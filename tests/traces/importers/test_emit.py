"""The fixtures are what the libraries emit: where a library is installed, it emits them again."""

import runpy
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from outcome_monitors import Call
from outcome_monitors.traces.importers import import_traces
from tests.traces.importers.test_sources import RECORDED

EMIT = runpy.run_path(str(RECORDED / "emit" / "__main__.py"))


def heard(path: Path) -> list[tuple[object, ...]]:
    """Return the calls of a file, without what differs from run to run."""
    calls: list[Call] = list(import_traces([path]))
    return sorted(
        (call.tool, str(call.arguments), "" if call.error else str(call.result), call.error) for call in calls
    )


def missing(script: Path) -> str:
    for requirement in EMIT["requirements"](script):
        name, _, pinned = requirement.partition("==")
        try:
            found = version(name)
        except PackageNotFoundError:
            return f"{name} is not installed"
        if found != pinned:
            return f"{name} is {found}, not {pinned}"
    return ""


@pytest.mark.parametrize("script", EMIT["scripts"](), ids=lambda script: script.stem)
def test_the_library_emits_what_the_fixture_holds(script, tmp_path):
    why = missing(script)
    if why:
        pytest.skip(
            f"{why}; python tests/fixtures/imports/emit {script.stem} makes its fixture in an environment of its own"
        )
    EMIT["emit"](script, sys.executable, tmp_path)
    made = sorted(tmp_path.iterdir())
    assert made
    for file in made:
        assert heard(file) == heard(RECORDED / file.name)


def test_every_fixture_is_emitted_by_a_script():
    sources = "".join(script.read_text(encoding="utf-8") for script in EMIT["scripts"]())
    fixtures = list(RECORDED.glob("*.*"))
    assert fixtures
    for fixture in fixtures:
        assert fixture.name in sources or fixture.name.startswith("mcp_run-")
