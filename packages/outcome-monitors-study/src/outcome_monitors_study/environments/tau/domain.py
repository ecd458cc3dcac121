"""A domain of tau-bench or tau2-bench: its records and tools, its faults, the clean traffic that contracts are learned from, a script.

An episode changes copies of single records, so that opening one costs next to nothing, and what it changed is at hand.
"""

import copy
import inspect
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Unpack, get_args, get_origin, get_type_hints, is_typeddict

from outcome_monitors.model import Json
from outcome_monitors_study._json import canonical
from outcome_monitors_study.world.agents import Run, Visit

from .checkout import Action

Fault = Callable[[Json, random.Random], Json]
Step = tuple[str, dict[str, Json]]
Tables = Mapping[str, Mapping[str, dict[str, Json]]]


class RefusedError(Exception):
    """What a tool says no with."""


class Records:
    """The records of one episode, over those that all share."""

    def __init__(self, tables: Tables) -> None:
        self._base = tables
        self._own: dict[str, dict[str, dict[str, Json]]] = {name: {} for name in tables}

    def find(self, table: str, name: Json) -> dict[str, Json] | None:
        """Return a record, not to be changed; None where there is none."""
        own = self._own[table].get(name)
        return own if own is not None else self._base[table].get(name)

    def record(self, table: str, name: str) -> dict[str, Json]:
        """Return the episode's own copy of a record, to be changed."""
        if name not in self._own[table]:
            self._own[table][name] = copy.deepcopy(self._base[table][name])
        return self._own[table][name]

    def add(self, table: str, name: str, record: dict[str, Json]) -> None:
        """Put a new record in."""
        self._own[table][name] = record

    def names(self, table: str) -> list[str]:
        """Return the ids of a table's records, in its order."""
        return list(self._base[table])

    def changed(self) -> dict[str, dict[str, Json]]:
        """Return the records that are not as they were, by table and id."""
        return {
            f"{table}/{name}": record
            for table, own in self._own.items()
            for name, record in sorted(own.items())
            if canonical(record) != canonical(self._base[table].get(name))
        }


def answered(
    tools: Mapping[str, Callable[..., Json]], records: Records, tool: str, arguments: Mapping[str, Json]
) -> Json:
    """Call one of some tools and return a copy of what it gives; every failure is a text that begins with `Error`."""
    if tool not in tools:
        return f"Error: there is no tool {tool}"
    try:
        return copy.deepcopy(tools[tool](records, **arguments))
    except RefusedError as refusal:
        return f"Error: {refusal}"
    except Exception as error:  # noqa: BLE001 - arguments of any kind come in, and tau-bench answers them all so
        return f"Error: {error}"


def failed(result: Json) -> bool:
    """Say whether a call failed openly."""
    return isinstance(result, str) and result.startswith("Error")


JSON_TYPES = {str: "string", int: "integer"}


def described(tool: Callable[..., Json]) -> tuple[str, Json]:
    """Return what a tool says of itself and the schema of what it takes: for checkouts that have no words for it."""
    hints = get_type_hints(tool)
    properties: dict[str, Json] = {}
    for name in list(inspect.signature(tool).parameters)[1:]:
        schema = _schema_of(hints[name])
        properties |= schema["properties"] if name == "address" else {name: schema}
    takes = {"type": "object", "properties": properties, "required": list(properties)}
    return inspect.getdoc(tool) or "", takes


def _schema_of(kind: Any) -> Json:
    if kind in JSON_TYPES:
        return {"type": JSON_TYPES[kind]}
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": list(get_args(kind))}
    if is_typeddict(kind):
        fields = {name: _schema_of(each) for name, each in get_type_hints(kind).items()}
        return {"type": "object", "properties": fields, "required": list(fields)}
    (item,) = get_args(kind)
    return _schema_of(item) if get_origin(kind) is Unpack else {"type": "array", "items": _schema_of(item)}


class Caution(NamedTuple):
    """What is looked at before anything is changed."""

    writes: frozenset[str]
    look: str
    """The tool that shows what is to be changed: faults are put on what it shows."""
    by: str
    """The argument that names it."""
    allows: Callable[[str, Mapping[str, Json]], bool]
    """Says of a change and of what was shown whether to go on."""


class Domain(NamedTuple):
    """A domain."""

    name: str
    needed: Mapping[str, tuple[str, ...]]
    """The tables, and the fields without which the tools could not do their work."""
    tools: Mapping[str, Callable[..., Json]]
    faults: Mapping[str, Fault | None]
    """By stratum. They persist: every look shows them. Records and judge know nothing of them."""
    caution: Caution
    table: str
    """Whose records the faults are put on."""
    visit: Callable[[Tables, str, random.Random], Iterator[Step]]
    """What is done for a customer in a walk through the public records: no request is read for it, and no solution."""
    again: frozenset[str]
    """The writes that change nothing more when they are called again."""
    capitals: bool = True
    """Refusals begin with a capital letter."""

    def call(self, records: Records, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool; every failure is a text that begins with `Error`."""
        result = answered(self.tools, records, tool, arguments)
        if self.capitals and isinstance(result, str) and result.startswith("Error: "):
            return f"Error: {result[7:8].upper()}{result[8:]}"
        return result


def clerk(plan: Sequence[Action], visit: Visit, caution: Caution) -> Run:
    """Carry a task's own actions out, as a script that can't read a request.

    It looks at an order before it changes it, as the policy says, and leaves it alone where what it sees does not allow the change.
    Where nothing comes without a receipt it relies on nothing: the change is tried, and the shop itself says whether it is allowed.
    """
    shown: dict[str, Json] = {}

    def look(tool: str, arguments: Mapping[str, Json]) -> Json:
        found = visit.call(tool, arguments) if tool in caution.writes else visit.checked(tool, arguments)
        if tool == caution.look:
            shown[str(arguments.get(caution.by))] = found
        return found

    def allowed(tool: str, name: str | None) -> bool:
        if name is None:
            return True
        if name not in shown:
            look(caution.look, {caution.by: name})
        return not isinstance(shown[name], dict) or caution.allows(tool, shown[name])

    for tool, arguments in plan:
        name = arguments.get(caution.by)
        if tool in caution.writes and not allowed(tool, name):
            visit.run.answer[f"{tool} {name}"] = {"left alone": True}
        else:
            look(tool, arguments)
    return visit.run
