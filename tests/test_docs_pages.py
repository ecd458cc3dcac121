"""The examples of pages run, every requirement is argued, and the reference is whole."""

import importlib
import re
import tomllib

import pytest

import outcome_monitors
from outcome_monitors import exceptions, study
from outcome_monitors_study import plugins
from tests.page_examples import holds
from tests.places import CORE, DOCS, PACKAGES, ROOT


@pytest.mark.parametrize(
    "name",
    [
        "guides/acceptance.md",
        "guides/alerts.md",
        "guides/databases.md",
        "guides/drift.md",
        "guides/relations.md",
        "guides/retention.md",
        "guides/scale.md",
        "guides/schemas.md",
        "guides/shapes.md",
        "guides/traces.md",
        "internals/how-it-works.md",
        "reference/canonical-form.md",
        "reference/contracts.md",
        "reference/recovery.md",
    ],
)
def test_the_examples_of_a_page_print_what_it_shows(name, tmp_path):
    holds(DOCS / name, tmp_path)


IMPORT = re.compile(r"^(?:>>> )?from (outcome_monitors[\w.]*) import ([\w, ]+)$", re.MULTILINE)


def test_pages_import_public_names_only():
    public = {
        "outcome_monitors": outcome_monitors.__all__,
        "outcome_monitors.exceptions": exceptions.__all__,
        "outcome_monitors.study": study.__all__,
        "outcome_monitors_study.plugins": plugins.__all__,
    }
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    imports = {found for page in pages for found in IMPORT.findall(page.read_text(encoding="utf-8"))}
    assert len(imports) > 10
    for module, names in imports:
        if module.startswith("outcome_monitors.adapters."):
            text = (CORE / "adapters" / f"{module.rpartition('.')[2]}.py").read_text(encoding="utf-8")
            exported = re.findall(r'"(\w+)"', text.partition("__all__ = [")[2].partition("]")[0])
        else:
            exported = public.get(module, [])
        assert {*names.replace(" ", "").split(",")} <= {*exported}, module


def test_every_requirement_is_argued():
    page = (DOCS / "internals" / "dependencies.md").read_text(encoding="utf-8")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    projects = [tomllib.loads(file.read_text(encoding="utf-8")) for file in PACKAGES.glob("*/pyproject.toml")]
    extras = {
        name: packages
        for project in projects
        for name, packages in project["project"].get("optional-dependencies", {}).items()
    }
    required = [
        *(package for project in projects for package in project["project"]["dependencies"]),
        *(package for packages in (*extras.values(), *groups.values()) for package in packages),
    ]
    names = {re.split(r"[<>=~!\[; ]", package)[0] for package in required if isinstance(package, str)}
    missing = [f"`{name}`" for name in names - {"outcome-monitors"}]
    missing += [*(f"[{extra}]`" for extra in extras), *(f"| `{group}` |" for group in groups)]
    assert [name for name in missing if name not in page] == []


@pytest.mark.parametrize(
    ("page", "module"),
    [
        ("python.md", "outcome_monitors"),
        ("python.md", "outcome_monitors.exceptions"),
        ("python-study.md", "outcome_monitors_study"),
        ("python-study.md", "outcome_monitors_study.plugins"),
        *(
            ("python-adapters.md", f"outcome_monitors.adapters.{file.stem}")
            for file in sorted((CORE / "adapters").glob("[a-z]*.py"))
        ),
    ],
)
def test_every_public_name_is_in_the_reference(page, module):
    text = (DOCS / "reference" / page).read_text(encoding="utf-8")
    if f"\n::: {module}\n" in text:
        return
    names = [name for name in importlib.import_module(module).__all__ if name != "exceptions"]
    assert [name for name in names if f"\n::: {module}.{name}\n" not in text] == []


def test_the_reference_has_the_tree_of_exceptions():
    tree = (exceptions.__doc__ or "").split("\n\n")[1]
    assert tree in (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    assert {*exceptions.__all__} <= {*re.findall(r"\w+", tree)}
