"""The pages on contract files, on how it works and on dependencies are true."""

import doctest
import re
import tomllib

import pytest

from outcome_monitors.rules import KINDS
from tests.pages import DOCS, ROOT, keep, table, with_part


@pytest.mark.parametrize("name", ["contracts.md", "how-it-works.md", "scale.md"])
def test_the_examples_give_what_the_page_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8")
    assert done.attempted > 5
    assert done.failed == 0


def test_the_table_of_parameters_is_current():
    page = DOCS / "contracts.md"
    rows = [(f"`{kind.name}`", ", ".join(f"`{name}`" for name in kind.params)) for kind in KINDS.values()]
    text = page.read_text(encoding="utf-8")
    keep(page, with_part(text, "parameters", table(("kind", "parameters"), rows)))


def test_the_modules_that_are_named_are_there():
    page = (DOCS / "how-it-works.md").read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    package = ROOT / "src" / "outcome_monitors"
    named = set(re.findall(r"`(_\w+|[a-z]+/(?:__init__)?|exceptions)`", prose))
    assert len(named) > 15
    assert {
        name for name in named if not (package / name).is_dir() and not (package / f"{name}.py").is_file()
    } == set()


def test_every_requirement_is_argued():
    page = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras, groups = told["project"]["optional-dependencies"], told["dependency-groups"]
    several = (
        told["project"]["dependencies"],
        told["build-system"]["requires"],
        *extras.values(),
        *groups.values(),
    )
    required = [package for packages in several for package in packages if isinstance(package, str)]
    names = {re.split(r"[<>=~!\[; ]", package)[0] for package in required}
    assert {name for name in names if f"`{name}`" not in page} == set()
    assert {extra for extra in extras if f"`[{extra}]`" not in page} == set()
    assert {group for group in groups if f"| `{group}` |" not in page} == set()
