"""What may be left out is asked for by `is None`: an empty collection was given all the same."""

import ast
from collections.abc import Iterator
from pathlib import Path

import outcome_monitors

SOURCES = Path(outcome_monitors.__file__).parent
SCALARS = {"str", "int", "float", "bool", "Path", "FilePath"}
"""What may be tested for truth: nobody means anything by an empty name or path."""


def _maybe(arguments: ast.arguments) -> set[str]:
    """Return the parameters that are something or None, and hold more than a scalar."""
    found = set()
    for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        parts = ast.unparse(each.annotation).split(" | ") if each.annotation is not None else []
        if "None" in parts and not SCALARS & set(parts):
            found.add(each.arg)
    return found


def _tested(node: ast.AST) -> list[ast.expr]:
    """Return what a node asks the truth of."""
    if isinstance(node, ast.BoolOp):
        return node.values[:-1] if isinstance(node.op, ast.Or) else node.values
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return [node.test]
    return [node.operand] if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else []


def _by_truth(text: str) -> Iterator[str]:
    """Yield where code asks whether a parameter was given by whether it is true."""
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            maybe = _maybe(function.args)
            for node in ast.walk(function):
                for asked in _tested(node):
                    if isinstance(asked, ast.Name) and asked.id in maybe:
                        yield f"line {asked.lineno}: {asked.id}"


def test_whether_something_was_given_is_not_asked_by_its_truth():
    wrong = {
        path.relative_to(SOURCES).as_posix(): list(_by_truth(path.read_text(encoding="utf-8")))
        for path in SOURCES.rglob("*.py")
    }
    assert {path: found for path, found in wrong.items() if found} == {}


def test_the_question_is_found():
    wrong = "def f(relations: Relations | None, name: str | None):\n    return relations or Relations(), name or ''"
    assert list(_by_truth(wrong)) == ["line 2: relations"]
