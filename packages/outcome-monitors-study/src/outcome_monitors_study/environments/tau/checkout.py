"""What is read from a checkout of tau-bench or tau2-bench: tasks, tables, policies, prompts, and the words of tools.

Python files of a checkout are parsed, and never run: tasks, descriptions and prompts are literals or docstrings.
(https://github.com/sierra-research/tau-bench, https://github.com/sierra-research/tau2-bench)
"""

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import read_json
from outcome_monitors.model import Json

RETAIL = Path("tau_bench", "envs", "retail")
JUDGED = ("DB", "COMMUNICATE")
"""What a reward is made of, where a task does not say otherwise; other parts need a model, or the user's own tools."""
PROMPT = (
    "You play a customer who talks with a shop's assistant.",
    """
How to play:
- Write the customer's next message only, a single line.
- Give what the assistant needs for the step at hand, and not the whole instruction at once.
- Never invent what the instruction does not say: if you are asked for something that is not in it, say that you do not know it.
- Put things in your own words, in the temper that the instruction describes; do not recite it.
- Once all that the instruction wants is done, write ###STOP### and nothing else.""",
)
"""What stands before and after the instruction of the model that plays the user, where a checkout has no words for it."""

Needed = Mapping[str, tuple[str, ...]]
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
    basis: tuple[str, ...] = JUDGED
    user_id: str = ""
    """Whom it is about, where the benchmark says so."""


class TauCheckout:
    """A checkout of tau-bench, or its folder `tau_bench/envs/retail` alone; the tables may lie elsewhere."""

    def __init__(self, folder: Path, data: str = "") -> None:
        self._retail = folder / RETAIL if (folder / RETAIL).is_dir() else folder
        self._data = Path(data) if data else self._retail / "data"

    def tables(self, needed: Needed) -> Tables:
        """Return the tables, each of a file of its own."""
        return read_tables(self._data, needed)

    def tasks(self, split: str) -> list[TauTask]:
        """Return the tasks of a split."""
        return read_tasks(self._retail / f"tasks_{split}.py")

    @cached_property
    def system_prompt(self) -> str:
        """The policy; empty where there is none."""
        file = self._retail / "wiki.md"
        return _text(file) if file.is_file() else ""

    @cached_property
    def _specs(self) -> dict[str, Json]:
        found = (_spec_of(file) for file in sorted((self._retail / "tools").glob("*.py")))
        return {spec["name"]: spec for spec in found if spec}

    def described(self, tool: str, words: str, schema: Json) -> tuple[str, Json]:
        """Return what a tool says of itself and takes, as its `get_info` returns it; else what is given."""
        spec = self._specs.get(tool)
        return (words, schema) if spec is None else (spec["description"], spec["parameters"])

    @cached_property
    def user_words(self) -> tuple[str, str]:
        """What stands before and after the instruction in the prompt of the model that plays the user."""
        file = self._retail.parent / "user.py"
        return (_user_prompt(ast.parse(_text(file))) if file.is_file() else None) or PROMPT

    def user_prompt(self, instruction: str) -> str:
        """Return the prompt of the model that plays the user."""
        return f"{self.user_words[0]}\n\nInstruction: {instruction}\n{self.user_words[1]}"


def read_tables(folder: Path, needed: Needed) -> Tables:
    """Read a file for each table."""
    found = {}
    for table, fields in needed.items():
        file = folder / f"{table}.json"
        found[table] = _table(file, table, read_json(file), fields)
    return found


def _table(file: Path, table: str, records: Json, needed: tuple[str, ...]) -> dict[str, dict[str, Json]]:
    """Return a table; each record must have the fields without which the tools could not work."""
    if not isinstance(records, dict) or not records:
        raise SourceError(
            f"{file} has no table {table!r}, an object of records by id; give the data unaltered"
        )
    for name, record in records.items():
        lacking = [field for field in needed if not isinstance(record, dict) or field not in record]
        if lacking:
            raise SourceError(f"{file}: {table} {name} lacks {lacking[0]}; give the data unaltered")
    return records


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
            return TauTask(name, instruction, actions, tuple(map(str, outputs)), user_id=user)
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


class Tau2Checkout:
    """A checkout of tau2-bench, of which one domain is taken."""

    def __init__(self, folder: Path, domain: str) -> None:
        self._data = folder / "data" / "tau2"
        self._code = folder / "src" / "tau2"
        self._domain = domain
        self._here = self._data / "domains" / domain

    def tables(self, needed: Needed) -> Tables:
        """Return the domain's tables, which stand in one file."""
        file = self._here / "db.json"
        found = _read(file)
        listed = found if isinstance(found, dict) else {}
        return {table: _table(file, table, listed.get(table), fields) for table, fields in needed.items()}

    def tasks(self, split: str) -> list[TauTask]:
        """Return the tasks of a split, in the order of their file."""
        file = self._here / "tasks.json"
        listed = _read(file)
        if not isinstance(listed, list) or not listed:
            raise SourceError(f"{file} is no list of tasks; give tau2-bench's data unaltered")
        made = [self._task(file, number, task) for number, task in enumerate(listed)]
        wanted = self._split(split)
        return [task for task in made if wanted is None or task.name.partition("/")[2] in wanted]

    def _split(self, split: str) -> frozenset[str] | None:
        file = self._here / "split_tasks.json"
        if not file.is_file():
            return None
        splits = _read(file)
        if not isinstance(splits, dict) or not isinstance(splits.get(split), list):
            raise SourceError(f"{file} has no split {split!r}; it has {', '.join(splits)}")
        return frozenset(map(str, splits[split]))

    def _task(self, file: Path, number: int, task: Json) -> TauTask:
        try:
            criteria = task["evaluation_criteria"] or {}
            actions = [_action(each) for each in criteria.get("actions") or ()]
            if task.get("initial_state") or None in actions:
                raise SourceError(
                    f"{file}: task {task['id']} begins in a state of its own, or has actions of the user's; those are not run here"
                )
            return TauTask(
                f"{self._domain}/{task['id']}",
                _scenario(task["user_scenario"]),
                tuple(each for each in actions if each is not None),
                tuple(map(str, criteria.get("communicate_info") or ())),
                tuple(criteria.get("reward_basis") or JUDGED),
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise SourceError(f"{file}: task {number + 1} is not of tau2-bench's form ({error})") from None

    @cached_property
    def system_prompt(self) -> str:
        """The policy, in the frame that tau2-bench's own agent puts it in."""
        policy = _text(self._here / "policy.md")
        file = self._code / "agent" / "llm_agent.py"
        texts = dict(_texts(ast.parse(_text(file)))) if file.is_file() else {}
        frame, instruction = texts.get("SYSTEM_PROMPT"), texts.get("AGENT_INSTRUCTION")
        if frame is None or instruction is None:
            return policy
        return frame.replace("{agent_instruction}", instruction).replace("{domain_policy}", policy)

    @cached_property
    def user_words(self) -> str | None:
        """What the model that plays the user is told before the scenario; None where the checkout has none."""
        file = self._data / "user_simulator" / "simulation_guidelines.md"
        return _text(file).replace("<PERSONA_GUIDELINES>", "").strip() if file.is_file() else None

    def user_prompt(self, instruction: str) -> str:
        """Return what the model that plays the user is told, as tau2-bench tells it."""
        if self.user_words is None:
            return f"{PROMPT[0]}\n\nInstruction: {instruction}\n{PROMPT[1]}"
        return f"{self.user_words}\n\n<scenario>\n{instruction}\n</scenario>"

    def described(self, tool: str, words: str, schema: Json) -> tuple[str, Json]:
        """Return what a tool says of itself and of its arguments in its docstring; else what is given."""
        if tool not in self._docstrings:
            return words, schema
        said, arguments = _described(self._docstrings[tool])
        properties = {
            name: {**each, "description": arguments[name]} if name in arguments else each
            for name, each in schema["properties"].items()
        }
        return said, {**schema, "properties": properties}

    @cached_property
    def _docstrings(self) -> dict[str, str]:
        file = self._code / "domains" / self._domain / "tools.py"
        tree = ast.parse(_text(file)) if file.is_file() else ast.Module([], [])
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        return {node.name: text for node in functions if (text := ast.get_docstring(node))}


def _action(action: Json) -> Action | None:
    """Return an action of the agent's; None for one of the user's."""
    if action.get("requestor", "assistant") != "assistant":
        return None
    return Action(str(action["name"]), dict(action["arguments"]))


def _scenario(scenario: Json) -> str:
    """Return what the user is told, as tau2-bench prints it."""
    given = scenario["instructions"]
    persona = scenario.get("persona")
    parts = [f"Persona:\n{_under(persona)}"] if persona else []
    return "\n".join(
        [*parts, f"Instructions:\n{_under(given if isinstance(given, str) else _fields(given))}"]
    )


def _fields(given: Mapping[str, Json]) -> str:
    titles = {
        "reason_for_call": "Reason for call",
        "known_info": "Known info",
        "unknown_info": "Unknown info",
        "task_instructions": "Task instructions",
    }
    told = [
        f"{title}:\n{_under(given[name])}" for name, title in titles.items() if given.get(name) is not None
    ]
    return "\n".join([f"Domain: {given['domain']}", *told])


def _under(text: str) -> str:
    return textwrap.indent(text, "\t")


def _texts(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the texts that a module gives names to, stripped where it strips them."""
    for node in tree.body:
        value = node.value if isinstance(node, ast.Assign) else None
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr == "strip"
        ):
            value = value.func.value
        if isinstance(node, ast.Assign) and isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield from ((name.id, value.value.strip()) for name in node.targets if isinstance(name, ast.Name))


def _described(docstring: str) -> tuple[str, dict[str, str]]:
    """Return what a docstring in Google's style says of a function and of its arguments."""
    words, _, rest = docstring.partition("\nArgs:\n")
    words = re.split(r"\n(?:Returns|Raises):\n", words)[0].strip()
    arguments = re.split(r"\n\S", rest)[0]
    named = re.findall(r"^    (\w+): (.*(?:\n {8,}.*)*)", arguments, re.MULTILINE)
    return words, {name: " ".join(text.split()) for name, text in named}


def _read(file: Path) -> Json:
    if not file.is_file():
        raise SourceError(
            f"there is no {file}; give a checkout of tau2-bench, as `study fetch tau2-bench` makes one"
        )
    return read_json(file)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(
            f"cannot read {file}: {error}; give a checkout, as `study fetch tau-bench` or `tau2-bench` makes one"
        ) from error
