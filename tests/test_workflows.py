"""The workflows are what GitHub reads, name what there is, and cover the Pythons that the package is for."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from typing import Any

import pytest
import yaml

from tests.places import PROJECT, ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
MATRIX = ROOT / ".ci" / "matrix"

EVERY = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def read(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((FOLDER / name).read_text(encoding="utf-8")))


def pythons() -> list[str]:
    """The versions of Python that the package says it is for."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    found = (
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in project["classifiers"]
    )
    return [version[1] for version in found if version]


def schema_takes(schema: str, *paths: Any) -> None:
    pytest.importorskip("check_jsonschema", reason="has GitHub's schemas: pip install --group package")
    done = subprocess.run(
        (sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *paths),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_schemas_of_github_take_them():
    schema_takes("vendor.github-workflows", *WORKFLOWS)
    schema_takes("vendor.github-actions", ROOT / "action.yml")


@EVERY
def test_every_action_is_pinned_to_a_commit(path):
    used = re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8"))
    assert used
    assert [name for name in used if not re.fullmatch(r"\./.*|[\w./-]+@[0-9a-f]{40}", name)] == []


@EVERY
def test_nothing_may_write_but_what_publishes(path):
    workflow = read(path.name)
    assert workflow["permissions"] == {"contents": "read"}
    more = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    assert more == ({"publish": {"id-token": "write"}} if path.stem == "release" else {})


@EVERY
def test_the_targets_and_groups_that_are_named_are_there(path):
    text = path.read_text(encoding="utf-8")
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert set(re.findall(r"run: make (\w+)", text)) <= set(targets)
    assert set(re.findall(r"--group (\w+)", text)) <= set(groups)


def test_every_python_and_every_system_is_tried():
    matrix = read("ci.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == pythons() == ["3.11", "3.12", "3.13", "3.14"]
    assert [system.partition("-")[0] for system in matrix["system"]] == ["ubuntu", "macos", "windows"]


def matrix(tmp_path, *versions):
    """Run the script on a machine that has no Python but what is in a folder."""
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    tools = tmp_path / "bin"
    tools.mkdir(exist_ok=True)
    for name in ("bash", "dirname", "env"):
        if not (tools / name).exists():
            (tools / name).symlink_to(str(shutil.which(name)))
    return subprocess.run(
        (tools / "bash", MATRIX, *versions),
        env={**os.environ, "PATH": str(tools), "HOME": str(tmp_path), "PYENV_ROOT": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_python_that_is_not_there_has_not_passed(tmp_path):
    done = matrix(tmp_path)
    said = [f"{version} not run: there is no python{version} on this machine" for version in pythons()]
    assert done.stdout.splitlines() == said
    assert done.returncode == 1
