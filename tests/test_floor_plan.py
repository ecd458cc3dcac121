"""The floor plan: few modules at the door, one name for one thing, and what is private to a room stays in it."""

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from outcome_monitors.cli import COMMANDS
from tests.places import ROOT

SOURCE = ROOT / "src"
PACKAGE = SOURCE / "outcome_monitors"

SAME_ON_PURPOSE = {"OutcomeMiddleware"}
"""Each framework calls it a middleware, and users import one of them by its module."""

SHORT = 60
FAMILIES = ("rules", "reports", "study.statistics", "cli")
"""Rooms where a module is one of a family, however short: a rule kind, a part of a page, a statistic, a command."""
BY_THEMSELVES = {
    "contracts.sources._place": "its reader is as long as a module may be",
    "contracts.sources._vocabulary": "its reader is as long as a module may be",
    "events.shared_store": "one of the stores of events, in a room below that of its reader",
    "mining.spark.export": "what Spark reads is Spark's affair; its reader is about jobs",
    "proxy.shared_documents": "its reader is as long as a module may be",
    "study.environments._toolmaze_prompt": "its reader is as long as a module may be",
    "study.environments.appworld._faults": "its reader is as long as a module may be",
    "traces.imports.adk": "each convention of spans is a module; this one has no name of its own to import by",
    "values.arithmetic": "an expression is a value; its reader is about records",
}

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


def test_at_most_six_modules_stand_at_the_door():
    assert len(list(PACKAGE.glob("*.py"))) <= 6


def test_a_class_name_is_used_once(trees):
    names = Counter(
        node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    assert len(names) > 300
    assert {name for name, times in names.items() if times > 1} == SAME_ON_PURPOSE


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


def test_a_short_module_with_one_reader_is_part_of_that_reader(imports):
    readers: defaultdict[str, set[str]] = defaultdict(set)
    for name, others in imports.items():
        for other in others:
            readers[other].add(name)
    short = {
        name.removeprefix("outcome_monitors.")
        for name, path in MODULES.items()
        if path.name != "__init__.py"
        and len(readers[name]) == 1
        and len(path.read_text(encoding="utf-8").splitlines()) < SHORT
    }
    alone = {name for name in short if not name.startswith(tuple(f"{family}." for family in FAMILIES))}
    assert alone == set(BY_THEMSELVES)


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


@pytest.mark.parametrize("command", sorted({*COMMANDS} - {"demo", "study"}))
def test_a_command_loads_nothing_of_studies(command):
    module = "import_" if command == "import" else command
    program = (
        f"import sys, outcome_monitors.cli.{module};"
        "print([name for name in sys.modules if name.startswith('outcome_monitors.study')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
