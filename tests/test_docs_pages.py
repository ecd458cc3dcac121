"""The examples of pages run, every requirement is argued, and the reference is whole."""

import re
import tomllib

import pytest

import outcome_monitors
from outcome_monitors import exceptions, study
from outcome_monitors.cli import COMMANDS
from outcome_monitors_study import plugins
from tests.page_examples import holds
from tests.places import CORE, DOCS, PACKAGES, ROOT

PACKAGE = CORE


@pytest.mark.parametrize(
    "name",
    [
        "guides/alerts.md",
        "guides/drift.md",
        "guides/retention.md",
        "guides/scale.md",
        "guides/shapes.md",
        "internals/how-it-works.md",
        "reference/canonical-form.md",
        "reference/contracts.md",
    ],
)
def test_the_examples_give_what_the_page_says(name, tmp_path):
    holds(DOCS / name, tmp_path)


def test_every_requirement_is_argued():
    page = (DOCS / "internals" / "dependencies.md").read_text(encoding="utf-8")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    projects = [tomllib.loads(file.read_text(encoding="utf-8")) for file in PACKAGES.glob("*/pyproject.toml")]
    extras = {
        name: packages
        for project in projects
        for name, packages in project["project"].get("optional-dependencies", {}).items()
    }
    several = (
        *(project["project"]["dependencies"] for project in projects),
        *(project["build-system"]["requires"] for project in projects),
        *extras.values(),
        *groups.values(),
    )
    required = [package for packages in several for package in packages if isinstance(package, str)]
    names = {re.split(r"[<>=~!\[; ]", package)[0] for package in required} - {"outcome-monitors"}
    assert {name for name in names if f"`{name}`" not in page} == set()
    assert {extra for extra in extras if f"[{extra}]`" not in page} == set()
    assert {group for group in groups if f"| `{group}` |" not in page} == set()


REFERENCE = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in outcome_monitors.__all__ if name != "exceptions"])
def test_every_public_name_is_in_the_reference(name):
    assert f"\n::: outcome_monitors.{name}\n" in REFERENCE


@pytest.mark.parametrize("name", exceptions.__all__)
def test_so_is_every_exception(name):
    assert f"\n::: outcome_monitors.exceptions.{name}\n" in REFERENCE
    assert f" {name} " in (exceptions.__doc__ or "").replace("\n", " ")
    assert (exceptions.__doc__ or "").split("\n\n")[1] in REFERENCE


@pytest.mark.parametrize("name", [*study.__all__, *(f"plugins.{name}" for name in plugins.__all__)])
def test_so_is_every_name_of_studies(name):
    page = (DOCS / "reference" / "python-study.md").read_text(encoding="utf-8")
    assert f"\n::: outcome_monitors_study.{name}\n" in page


def test_so_is_every_adapter():
    page = (DOCS / "reference" / "python-adapters.md").read_text(encoding="utf-8")
    modules = {file.stem for file in (PACKAGE / "adapters").glob("[a-z]*.py")}
    assert modules
    assert {name for name in modules if f"\n::: outcome_monitors.adapters.{name}\n" not in page} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_section_and_a_row(name):
    page = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    assert f"\n## `{name}`\n" in page
    assert f"\n| [`{name}`](#{name}) |" in page
