"""The Dockerfile says what it should: nothing of root's, nothing that floats, and a check that can fail."""

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest

from outcome_monitors.mcp.readiness import Readiness
from outcome_monitors.mcp.status_server import StatusServer
from tests.deploy.given import DEPLOY, ran, tool
from tests.places import PROJECT

TEXT = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


def instructions(text: str = TEXT) -> list[tuple[str, str]]:
    """Read a Dockerfile: each instruction with what it says, in one line."""
    lines = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in lines if line.strip())]


def last_stage() -> list[tuple[str, str]]:
    found = instructions()
    return found[max(index for index, (name, _) in enumerate(found) if name == "FROM") :]


def value_of(name: str) -> str:
    [value] = [rest for each, rest in last_stage() if each == name]
    return value


def test_hadolint_has_nothing_to_say():
    ran(tool("hadolint", "make deploy installs it"), DEPLOY / "Dockerfile")


def test_it_runs_as_a_number_that_is_not_roots():
    user, group = value_of("USER").split(":")
    assert int(user) > 0 < int(group)
    after = [name for name, _ in last_stage()]
    assert "RUN" not in after[after.index("USER") :]
    assert f"install -d -o {user} -g {group} -m 0700 /state" in value_of("RUN")


def test_what_it_installs_and_starts_is_there():
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    [extras] = re.findall(r'"\./packages/outcome-monitors\[([a-z,-]+)\]"', TEXT)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    assert "proxy-http" in extras.split(",")
    assert "./packages/outcome-monitors-server" in TEXT
    assert json.loads(value_of("ENTRYPOINT")) == ["outcome-monitors"]
    assert "outcome-monitors" in project["scripts"]
    assert project["license"] in value_of("LABEL")


@pytest.mark.parametrize("lives", [True, False])
def test_its_check_of_health_finds_out(lives):
    command = json.loads(value_of("HEALTHCHECK").partition("CMD ")[2])
    assert command[0] == "python3"
    server = StatusServer("127.0.0.1:0", dict, readiness=Readiness())
    if not lives:
        server.close()
    try:
        probe = {"OUTCOME_MONITORS_PROBE": f"http://127.0.0.1:{server.port}/healthz"}
        done = subprocess.run(
            [sys.executable, *command[1:]], capture_output=True, check=False, env={**os.environ, **probe}
        )
        assert (done.returncode == 0) == lives
    finally:
        if lives:
            server.close()
