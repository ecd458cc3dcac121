"""The floor plan: what is private to a package stays in it, and studies stand by themselves."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.places import ROOT

SOURCE = ROOT / "src"
PACKAGE = SOURCE / "outcome_monitors"

Imports = dict[str, set[str]]


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


@pytest.fixture(scope="module")
def imports(trees: dict[str, ast.Module]) -> Imports:
    """Every module with those of ours that it imports, for types too, at whatever place."""
    return {name: set(imported(name, tree)) for name, tree in trees.items()}


def imported(name: str, tree: ast.Module) -> Iterator[str]:
    package = name.split(".") if MODULES[name].name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            whole = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                found = f"{whole}.{alias.name}"
                if (found if found in MODULES else whole) in MODULES:
                    yield found if found in MODULES else whole


def test_what_is_private_to_a_package_is_imported_in_it_alone(imports):
    def owner(module: str) -> str:
        """Return the package that a module is private to; all of ours where it is not."""
        parts = module.split(".")
        private = [place for place, part in enumerate(parts) if part.startswith("_") and part[:2] != "__"]
        return ".".join(parts[: private[0]]) if private else "outcome_monitors"

    assert any(owner(module) != "outcome_monitors" for module in MODULES)
    assert [
        (name, other)
        for name, others in imports.items()
        for other in others
        if not f"{name}.".startswith(f"{owner(other)}.")
    ] == []


def test_every_package_says_what_it_is_for(trees):
    silent = [
        name
        for name, path in MODULES.items()
        if path.name == "__init__.py" and not ast.get_docstring(trees[name])
    ]
    assert silent == []


def test_nothing_but_its_own_commands_imports_studies(imports):
    own = {"outcome_monitors.cli.demo", "outcome_monitors.cli.study"}

    def is_of_studies(module: str) -> bool:
        return module == "outcome_monitors.study" or module.startswith("outcome_monitors.study.")

    readers = {
        name
        for name, others in imports.items()
        if not is_of_studies(name) and any(is_of_studies(other) for other in others)
    }
    assert own <= readers
    assert {name for name in readers - own if not name.startswith("outcome_monitors.cli._study_")} == set()
