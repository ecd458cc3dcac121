"""What is taken from a checkout of tau-bench: its retail tools, tables, policy, tasks, and the prompt of its user.

The tools are run as they are. Tasks and the prompt are parsed: the modules that hold them ask for clients of models.
(https://github.com/sierra-research/tau-bench)
"""

import ast
import copy
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import read_json
from outcome_monitors.model import Json
from outcome_monitors_study._json import files_digest, files_in

PACKAGE = "tau_bench"
RETAIL = Path(PACKAGE, "envs", "retail")
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
        """The public database, not to be changed."""
        return read_tables(self._retail / "data")

    @cached_property
    def _written(self) -> str:
        return json.dumps(self.tables)

    def fresh(self) -> Tables:
        """Return the database for one episode, which its tools change."""
        tables: Tables = json.loads(self._written)
        return tables

    @cached_property
    def tools(self) -> dict[str, Any]:
        """The benchmark's own tools, by their names."""
        return load_tools(self._retail)

    @cached_property
    def code(self) -> str:
        """A digest of the tools' source."""
        folder = self._retail / "tools"
        return files_digest(folder, files_in(folder, "*.py"))

    def call(self, tables: Tables, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool as the benchmark does; every failure is a text that begins with `Error`."""
        if tool not in self.tools:
            return f"Error: there is no tool {tool}"
        try:
            answer = self.tools[tool].invoke(data=tables, **copy.deepcopy(dict(arguments)))
        except Exception as error:  # noqa: BLE001 - arguments of any kind come in, and tau-bench answers them all so
            return f"Error: {error}"
        return parsed(answer)

    def tasks(self, split: str) -> list[TauTask]:
        """Return the tasks of a split."""
        return read_tasks(self._retail / f"tasks_{split}.py")

    @cached_property
    def system_prompt(self) -> str:
        """The policy."""
        return _text(self._retail / "wiki.md")

    @property
    def specs(self) -> dict[str, Json]:
        """What tools say of themselves and take, by their names."""
        return {name: tool.get_info()["function"] for name, tool in self.tools.items()}

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


def load_tools(retail: Path) -> dict[str, Any]:
    """Load the tools of the domain, and no more of the benchmark's package than they stand on."""
    try:
        with _importable(retail):
            found = import_module(f"{PACKAGE}.envs.retail.tools").ALL_TOOLS
        return {tool.get_info()["function"]["name"]: tool for tool in found}
    except Exception as error:
        raise SourceError(
            f"the tools in {retail / 'tools'} cannot be loaded: {error}; give a checkout, as `study fetch tau-bench` makes one"
        ) from error


@contextmanager
def _importable(retail: Path) -> Iterator[None]:
    """Let this checkout's tools be imported; what else has the package's name is left as it was."""
    kept = _modules_removed()
    for name, folder in (("", retail.parents[1]), (".envs", retail.parent), (".envs.retail", retail)):
        package = ModuleType(PACKAGE + name)
        package.__path__ = [str(folder)]
        sys.modules[package.__name__] = package
    base: Any = ModuleType(f"{PACKAGE}.envs.tool")
    base.Tool = object
    sys.modules[base.__name__] = base
    invalidate_caches()
    try:
        yield
    finally:
        _modules_removed()
        sys.modules.update(kept)


def _modules_removed() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.partition(".")[0] == PACKAGE]
    return {name: sys.modules.pop(name) for name in names}


def parsed(answer: str) -> Json:
    """Return what a tool answers: records are written as JSON, all else is a text."""
    try:
        return json.loads(answer)
    except ValueError:
        return answer


def failed(result: Json) -> bool:
    """Say whether a call failed openly."""
    return isinstance(result, str) and result.startswith("Error")


def changed(tables: Tables, others: Tables) -> list[str]:
    """Return the records in which two states of the database differ, by table and id."""
    return sorted(
        f"{table}/{name}"
        for table, records in tables.items()
        for name in records.keys() | others[table].keys()
        if records.get(name) != others[table].get(name)
    )


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


def _user_prompt(tree: ast.Module) -> tuple[str, str] | None:
    """Return the text around the one gap of what `LLMUserSimulationEnv` returns as its prompt."""
    made = (
        node.value
        for owner in tree.body
        if isinstance(owner, ast.ClassDef) and owner.name == "LLMUserSimulationEnv"
        for node in ast.walk(owner)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.JoinedStr)
    )
    for returned in made:
        match returned.values:
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
