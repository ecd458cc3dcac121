"""What the tests of deployment share: the files, and whether a command that stands in one is a command of ours."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from outcome_monitors.cli import commands
from tests.places import PACKAGES, ROOT

DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm"
DSN = "postgresql://database/outcome_monitors"
OF_THE_FILES = {"OUTCOME_MONITORS_PROBE", "OUTCOME_MONITORS_DSN"}
"""Variables that the image and the chart read themselves."""


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8")))


def assert_is_ours(command: Sequence[str]) -> None:
    """Assert that the command line takes a command as it stands."""
    name, *arguments = command
    with click.Context(commands) as context:
        found = commands.get_command(context, name)
        assert found is not None
        found.make_context(name, [*arguments])


def assert_are_read(variables: Mapping[str, object] | Sequence[str]) -> None:
    """Assert that every variable of ours is one that something reads."""
    source = "".join(path.read_text(encoding="utf-8") for path in PACKAGES.rglob("*.py"))
    known = {*re.findall(r"OUTCOME_MONITORS_[A-Z_]+", source), *OF_THE_FILES}
    assert {name for name in variables if name.startswith("OUTCOME_MONITORS")} <= known


def option(command: Sequence[str], name: str) -> str:
    """Return the value of an option in a command."""
    [value] = [each.partition("=")[2] for each in command if each.startswith(f"{name}=")]
    return value


def tool(name: str, source: str) -> str:
    """Return a program beside this Python or on the path; `make deploy` brings it."""
    beside = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if beside is None:
        pytest.skip(f"{name} is not here: {source}")
    return beside


def ran(*command: object, **variables: str) -> str:
    """Run a program, and return what it prints."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
