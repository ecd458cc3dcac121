"""Pages import what is public, and nothing else: other modules may move."""

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import outcome_monitors
from outcome_monitors import exceptions, study
from outcome_monitors_study import plugins
from tests.places import CORE, DOCS, ROOT

PAGES = sorted([ROOT / "README.md", *DOCS.rglob("*.md")])
BLOCK = re.compile(r"^```(?:python|pycon|py)\n(.*?)^```", re.DOTALL | re.MULTILINE)
IMPORT = re.compile(r"^(?:>>> |\.\.\. )?\s*((?:from|import) .*)$", re.MULTILINE)
PUBLIC = {
    "outcome_monitors": outcome_monitors.__all__,
    "outcome_monitors.exceptions": exceptions.__all__,
    "outcome_monitors.study": study.__all__,
    "outcome_monitors_study.plugins": plugins.__all__,
}
ADAPTERS = CORE / "adapters"


def imported(text: str) -> Iterator[tuple[str, str]]:
    """Yield the modules of ours that a page imports from, each with the name it takes."""
    for block in BLOCK.findall(text):
        for line in IMPORT.findall(block):
            [statement] = ast.parse(textwrap.dedent(line)).body
            if isinstance(statement, ast.ImportFrom):
                yield from ((statement.module or "", alias.name) for alias in statement.names)
            elif isinstance(statement, ast.Import):
                yield from ((alias.name, "") for alias in statement.names)


def is_public(module: str, name: str) -> bool:
    """Say whether users may rely on a name of a module of ours; a module of somebody else's is not our matter."""
    if not module.startswith("outcome_monitors"):
        return True
    if module.startswith("outcome_monitors.adapters."):
        file = ADAPTERS / f"{module.rpartition('.')[2]}.py"
        return file.name[0] != "_" and file.is_file() and f'"{name}"' in file.read_text(encoding="utf-8")
    return module in PUBLIC and (not name or name in PUBLIC[module])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_imports_public_names_alone(page: Path):
    found = list(imported(page.read_text(encoding="utf-8")))
    assert [(module, name) for module, name in found if not is_public(module, name)] == []
