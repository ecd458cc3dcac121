"""What is read from a checkout of tau2-bench (https://github.com/sierra-research/tau2-bench): tables, tasks, policy, prompts, words.

Tasks and tables are JSON. Of its Python files the docstrings and prompts are read; none is run.
"""

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.model import Json
from outcome_monitors.values.documents import read_json

from ._checkout import Action

__all__ = ["JUDGED", "Described", "Tau2Checkout", "Tau2Task"]

JUDGED = ("DB", "COMMUNICATE")
"""What a reward is made of, where a task does not say otherwise; other parts need a model, or the user's own tools."""


class Tau2Task(NamedTuple):
    """A task; `actions` and `outputs` are for the judge, and for scripts, which cannot read a request."""

    name: str
    instruction: str
    actions: tuple[Action, ...]
    outputs: tuple[str, ...]
    basis: tuple[str, ...]


class Described(NamedTuple):
    """A tool in the words of its docstring."""

    words: str
    arguments: Mapping[str, str]


class Tau2Checkout:
    """A checkout, of which one domain is taken."""

    def __init__(self, folder: Path, domain: str) -> None:
        self._data = folder / "data" / "tau2"
        self._code = folder / "src" / "tau2"
        self._domain = domain
        self._here = self._data / "domains" / domain

    def tables(self, needed: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, dict[str, Json]]]:
        """Return the domain's tables; each record must have the fields without which the tools could not work."""
        file = self._here / "db.json"
        found = _read(file)
        for table, fields in needed.items():
            records = found.get(table) if isinstance(found, dict) else None
            if not isinstance(records, dict) or not records:
                raise SourceError(f"{file} has no table {table!r}; give tau2-bench's data unaltered")
            for name, record in records.items():
                lacking = [field for field in fields if not isinstance(record, dict) or field not in record]
                if lacking:
                    raise SourceError(f"{file}: {table} {name} lacks {lacking[0]}; give the data unaltered")
        return {table: found[table] for table in needed}

    def tasks(self, split: str) -> list[Tau2Task]:
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

    def _task(self, file: Path, number: int, task: Json) -> Tau2Task:
        try:
            criteria = task["evaluation_criteria"] or {}
            actions = [_action(each) for each in criteria.get("actions") or ()]
            if task.get("initial_state") or None in actions:
                raise SourceError(
                    f"{file}: task {task['id']} begins in a state of its own, or has actions of the user's; those are not run here"
                )
            return Tau2Task(
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
    def guidelines(self) -> str | None:
        """What the model that plays the user is told before the scenario; None where the checkout has none."""
        file = self._data / "user_simulator" / "simulation_guidelines.md"
        return _text(file).replace("<PERSONA_GUIDELINES>", "").strip() if file.is_file() else None

    @cached_property
    def described(self) -> dict[str, Described]:
        """The tools in the words of their docstrings, by name; none where there is no code."""
        file = self._code / "domains" / self._domain / "tools.py"
        tree = ast.parse(_text(file)) if file.is_file() else ast.Module([], [])
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        return {node.name: _described(text) for node in functions if (text := ast.get_docstring(node))}


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


def _described(docstring: str) -> Described:
    """Return what a docstring in Google's style says of a function and of its arguments."""
    words, _, rest = docstring.partition("\nArgs:\n")
    words = re.split(r"\n(?:Returns|Raises):\n", words)[0].strip()
    arguments = re.split(r"\n\S", rest)[0]
    named = re.findall(r"^    (\w+): (.*(?:\n {8,}.*)*)", arguments, re.MULTILINE)
    return Described(words, {name: " ".join(text.split()) for name, text in named})


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
        raise SourceError(f"cannot read {file}: {error}; give a checkout of tau2-bench") from error
