"""What is read from a checkout of tau-bench (https://github.com/sierra-research/tau-bench): tasks, tool descriptions, prompts.

Its Python files are parsed, and never run: tasks and descriptions are literals.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.model import Json

__all__ = ["Action", "Checkout", "RetailTask", "read_tasks"]

RETAIL = Path("tau_bench", "envs", "retail")


class Action(NamedTuple):
    """A call of the task's solution."""

    tool: str
    arguments: Mapping[str, Json]


class RetailTask(NamedTuple):
    """A task; `actions` and `outputs` are for the judge, and for scripts, which cannot read a request."""

    name: str
    user_id: str
    instruction: str
    actions: tuple[Action, ...]
    outputs: tuple[str, ...]


class Checkout:
    """A checkout, or its folder `tau_bench/envs/retail` alone."""

    def __init__(self, folder: Path) -> None:
        self._retail = folder / RETAIL if (folder / RETAIL).is_dir() else folder

    @property
    def data(self) -> Path:
        """Where its tables are."""
        return self._retail / "data"

    def tasks(self, split: str) -> list[RetailTask]:
        """Return the tasks of a split."""
        return read_tasks(self._retail / f"tasks_{split}.py")

    @cached_property
    def policy(self) -> str:
        """The policy that is the agent's system prompt; empty where there is none."""
        file = self._retail / "wiki.md"
        return _text(file) if file.is_file() else ""

    @cached_property
    def described(self) -> dict[str, Json]:
        """The function spec of each tool, by name, as its `get_info` returns it."""
        found = (_spec_of(file) for file in sorted((self._retail / "tools").glob("*.py")))
        return {spec["name"]: spec for spec in found if spec}

    @cached_property
    def user_prompt(self) -> tuple[str, str] | None:
        """What stands before and after the instruction in the prompt of the model that plays the user."""
        file = self._retail.parent / "user.py"
        return _user_prompt(ast.parse(_text(file))) if file.is_file() else None


def read_tasks(file: Path) -> list[RetailTask]:
    """Read a list of `Task(...)`, whose parts are literals and `Action(...)`."""
    try:
        tree = ast.parse(_text(file))
    except SyntaxError as error:
        raise SourceError(f"{file}, line {error.lineno}: not Python ({error.msg})") from None
    listed = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.List)
    ]
    tasks = [
        _task(file, number, node) for number, node in enumerate(item for each in listed for item in each.elts)
    ]
    if not tasks:
        raise SourceError(f"{file} holds no list of Task(...); give a task file of tau-bench's retail domain")
    return tasks


def _task(file: Path, number: int, node: ast.expr) -> RetailTask:
    fields = _fields(file, node, "Task")
    actions = fields.get("actions")
    if not isinstance(actions, ast.List):
        raise SourceError(f"{file}, line {node.lineno}: the task has no list of actions")
    user, instruction = (_literal(file, node, fields, name, str) for name in ("user_id", "instruction"))
    outputs = _literal(file, node, fields, "outputs", list) if "outputs" in fields else []
    return RetailTask(
        f"retail/{number}",
        user,
        instruction,
        tuple(_action(file, action) for action in actions.elts),
        tuple(map(str, outputs)),
    )


def _action(file: Path, node: ast.expr) -> Action:
    fields = _fields(file, node, "Action")
    return Action(_literal(file, node, fields, "name", str), _literal(file, node, fields, "kwargs", dict))


def _fields(file: Path, node: ast.expr, name: str) -> dict[str, ast.expr]:
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == name
        and not node.args
    ):
        raise SourceError(f"{file}, line {node.lineno}: not of the form {name}(field=...)")
    return {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}


def _literal(file: Path, node: ast.expr, fields: Mapping[str, ast.expr], name: str, kind: type) -> Json:
    try:
        value = ast.literal_eval(fields[name])
    except (KeyError, ValueError):
        value = None
    if not isinstance(value, kind):
        raise SourceError(f"{file}, line {node.lineno}: `{name}` is not a literal {kind.__name__}")
    return value


def _spec_of(file: Path) -> Json:
    """Return what a tool's `get_info` returns; None where it is no literal of that form."""
    for returned in _returned(ast.parse(_text(file)), "get_info"):
        try:
            spec = ast.literal_eval(returned)["function"]
            if {"name", "description", "parameters"} <= spec.keys():
                return spec
        except (KeyError, TypeError, ValueError):
            continue
    return None


def _returned(tree: ast.AST, function: str) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            yield from (
                each.value
                for each in ast.walk(node)
                if isinstance(each, ast.Return) and each.value is not None
            )


def _user_prompt(tree: ast.Module) -> tuple[str, str] | None:
    """Return the text around the one gap of `LLMUserSimulationEnv.build_system_prompt`."""
    plain = [
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "LLMUserSimulationEnv"
    ]
    for returned in (each for node in plain for each in _returned(node, "build_system_prompt")):
        parts = returned.values if isinstance(returned, ast.JoinedStr) else []
        match parts:
            case [ast.Constant(value=str(before)), ast.FormattedValue(), ast.Constant(value=str(after))]:
                return before, after
    return None


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise SourceError(
            f"cannot read {file}: {error.strerror or error}; give a checkout of tau-bench, as `study fetch tau-bench` makes one"
        ) from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{file} is not UTF-8: {error.reason}") from None
