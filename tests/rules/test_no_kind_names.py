"""No module outside `rules` knows a kind by its name: what differs by kind stands in the kind's own class."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from outcome_monitors.rules import KINDS
from tests.places import CORE

PACKAGE = CORE
SPEAKS_OF_A_KIND = ("kind", "name")
"""What an expression ends in that is compared with the name of a kind: `clause.kind`, `kind.name`."""
MEANS_SOMETHING_ELSE = {
    "contracts/sources/json_schema.py": {"required", "type"},  # keywords of JSON Schema
    "traces/reader.py": {"error"},  # a key of a trace line
    "traces/imports/mcp.py": {"json", "time"},  # keys that loggers wrap a message in
    "traces/imports/_json_records.py": {"rows"},  # a key that answers of web APIs hold records under
    "traces/imports/table.py": {"error", "time", "type"},  # headings of tables, keys of other logs
    "traces/imports/_joining.py": {"time"},  # a key of a log line
    "cli/_findings.py": {"json"},  # a format of output
    "events/rows.py": {"time"},  # a column of a store
    "audit/figures.py": {"argument"},  # the rule that a fault needs (`audit.faults`)
    "audit/faults/drift_answers.py": {"error"},  # a state that an answer may have
    "audit/faults/drift_values.py": {"time"},  # a word in the name of a field
    "recovery/mining/domains.py": {"time"},  # a domain of parameters
}
"""Words in tables that are names of kinds, too, by module."""


def modules() -> list[Path]:
    rules = PACKAGE / "rules"
    return [path for path in sorted(PACKAGE.rglob("*.py")) if rules not in path.parents]


def names_in(node: ast.AST) -> set[str]:
    """Return the names of kinds that stand in an expression as texts."""
    texts = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return {text for text in texts if isinstance(text, str) and text in KINDS}


def is_of_a_kind(node: ast.AST) -> bool:
    """Say whether an expression gives the name of a kind, as far as its own name tells."""
    named = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return named in SPEAKS_OF_A_KIND


def compared(tree: ast.AST) -> Iterator[str]:
    """Yield the names of kinds that a kind is compared with, looked up among, or looked up by."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if (
                any(map(is_of_a_kind, sides))
                or "KINDS" in ast.unparse(node)
                or ".clauses" in ast.unparse(node)
            ):
                yield from (name for side in sides for name in names_in(side))
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(("KINDS", ".clauses")):
            yield from names_in(node.slice)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("KINDS.get", ".clauses.get")):
            yield from (name for argument in node.args for name in names_in(argument))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Clause":
            # Whoever makes clauses takes the name from the class.
            yield from (name for argument in node.args[:1] for name in names_in(argument))
        elif isinstance(node, ast.Match) and is_of_a_kind(node.subject):
            yield from (name for case in node.cases for name in names_in(case.pattern))


def tabled(tree: ast.Module) -> Iterator[str]:
    """Yield the names of kinds in the tables of a module: keys of mappings, members of sets, tuples and lists."""
    for statement in tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        if "__all__" in ast.unparse(statement).split("=")[0]:
            continue
        for node in ast.walk(statement.value):
            if isinstance(node, ast.Dict):
                yield from (name for key in node.keys if key is not None for name in names_in(key))
            elif isinstance(node, ast.Set | ast.Tuple | ast.List):
                yield from (
                    name for one in node.elts if isinstance(one, ast.Constant) for name in names_in(one)
                )


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_kind_is_known_by_its_name(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    place = path.relative_to(PACKAGE)
    assert set(compared(tree)) == set()
    # The tables of studies are tasks and tools of worlds: schemas, fields, faults.
    if place.parts[0] != "study":
        assert set(tabled(tree)) <= MEANS_SOMETHING_ELSE.get(place.as_posix(), set())


def test_what_is_allowed_is_there():
    for name, words in MEANS_SOMETHING_ELSE.items():
        found = set(tabled(ast.parse((PACKAGE / name).read_text(encoding="utf-8"))))
        assert words <= found, name
