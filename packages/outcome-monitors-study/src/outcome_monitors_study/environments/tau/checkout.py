"""What is read from a checkout of tau-bench: tasks, tables, policies, prompts, and the words of tools.

Python files of a checkout are parsed, and never run: tasks, descriptions and prompts are literals or docstrings.
(https://github.com/sierra-research/tau-bench)
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import read_json
from outcome_monitors.model import Json

RETAIL = Path("tau_bench", "envs", "retail")
NEEDED: Mapping[str, tuple[str, ...]] = {
    "orders": ("order_id", "user_id", "items", "status", "payment_history", "address"),
    "products": ("name", "product_id", "variants"),
    "users": ("name", "address", "email", "payment_methods", "orders"),
}
"""The tables, and the fields without which the tools could not do their work."""
Tables = dict[str, dict[str, dict[str, Json]]]


class Action(NamedTuple):
    """A call of the task's solution."""

    tool: str
    arguments: Mapping[str, Json]


class TauTask(NamedTuple):
    """A task; `actions` and `outputs` are for the judge, and for scripts, which cannot read a request."""

    name: str
    instruction: str
    actions: tuple[Action, ...]
    outputs: tuple[str, ...]
    user_id: str
    """Whom it is about."""


class TauCheckout:
    """A checkout of tau-bench."""

    def __init__(self, folder: Path) -> None:
        self._retail = folder / RETAIL

    @cached_property
    def tables(self) -> Tables:
        """The public database."""
        return read_tables(self._retail / "data")

    def tasks(self, split: str) -> list[TauTask]:
        """Return the tasks of a split."""
        return read_tasks(self._retail / f"tasks_{split}.py")

    @cached_property
    def system_prompt(self) -> str:
        """The policy."""
        return _text(self._retail / "wiki.md")

    @cached_property
    def specs(self) -> dict[str, Json]:
        """What tools say of themselves and take, by their names, as their `get_info` returns it."""
        found = (_spec_of(file) for file in sorted((self._retail / "tools").glob("*.py")))
        return {spec["name"]: spec for spec in found if spec}

    @cached_property
    def user_words(self) -> tuple[str, str]:
        """What stands before and after the instruction in the prompt of the model that plays the user."""
        file = self._retail.parent / "user.py"
        found = _user_prompt(ast.parse(_text(file)))
        if found is None:
            raise SourceError(f"{file} has no prompt of LLMUserSimulationEnv; give a checkout of tau-bench")
        return found

    def user_prompt(self, instruction: str) -> str:
        """Return the prompt of the model that plays the user."""
        return f"{self.user_words[0]}\n\nInstruction: {instruction}\n{self.user_words[1]}"


def read_tables(folder: Path) -> Tables:
    """Read a file for each table; each record must have the fields without which the tools could not work."""
    found: Tables = {}
    for table, needed in NEEDED.items():
        file = folder / f"{table}.json"
        records = read_json(file)
        if not isinstance(records, dict) or not records:
            raise SourceError(f"{file} is no object of records by id; give the data unaltered")
        for name, record in records.items():
            lacking = [field for field in needed if not isinstance(record, dict) or field not in record]
            if lacking:
                raise SourceError(f"{file}: {table} {name} lacks {lacking[0]}; give the data unaltered")
        found[table] = records
    return found


def read_tasks(file: Path) -> list[TauTask]:
    """Read a list of `Task(...)`, whose parts are literals and `Action(...)`."""
    try:
        tree = ast.parse(_text(file))
    except SyntaxError as error:
        raise SourceError(f"{file}, line {error.lineno}: not Python ({error.msg})") from None
    assigned = (node.value for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    listed = [item for value in assigned if isinstance(value, ast.List) for item in value.elts]
    if not listed:
        raise SourceError(f"{file} holds no list of Task(...); give a task file of tau-bench's retail domain")
    return [_task(file, number, node) for number, node in enumerate(listed)]


def _task(file: Path, number: int, node: ast.expr) -> TauTask:
    try:
        task = ast.literal_eval(_AsDict().visit(node))
        actions = tuple(Action(str(each["name"]), dict(each["kwargs"])) for each in task["actions"])
        user, instruction, outputs = task["user_id"], task["instruction"], task.get("outputs", [])
        if isinstance(user, str) and isinstance(instruction, str) and isinstance(outputs, list):
            name = f"retail/{number}"
            return TauTask(name, instruction, actions, tuple(map(str, outputs)), user)
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise SourceError(
        f"{file}, line {node.lineno}: not of the form Task(user_id=..., instruction=...,"
        " actions=[Action(name=..., kwargs={...})], outputs=[...]), all of it literals"
    )


class _AsDict(ast.NodeTransformer):
    """Makes an object of its fields of `Task(...)` and `Action(...)`."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not isinstance(node.func, ast.Name) or node.func.id not in {"Task", "Action"} or node.args:
            return node
        named = [keyword for keyword in node.keywords if keyword.arg]
        return ast.Dict(
            [ast.Constant(each.arg) for each in named], [self.visit(each.value) for each in named]
        )


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
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(
            f"cannot read {file}: {error}; give a checkout, as `study fetch tau-bench` makes one"
        ) from error
