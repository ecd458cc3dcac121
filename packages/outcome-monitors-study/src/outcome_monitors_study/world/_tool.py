"""A tool: its definition, which is data, and the function that answers it."""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ._schema import Schema, Types, obj
from ._state import TODAY, State
from .data import FieldPlace, Fields, document, vocabulary

__all__ = ["DIALECT", "WorldTool", "tools", "tools_from_json"]

Json = Any
Run = Callable[..., Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_CATEGORIES = ("source", "processor", "action")
_PARAMETER = re.compile(r"(?P<type>[^:]*?)(?P<left_out>\?| = (?P<default>[^: ]+))?(?P<about>: .*)?")


@dataclass(frozen=True, slots=True)
class WorldTool:
    """One tool of the world."""

    name: str
    domain: str
    category: str
    """`source` reads, `processor` computes from its arguments, `action` changes something."""
    description: str
    inputs: Schema
    output: Schema
    idempotent: bool
    """Calling it again with the same arguments changes nothing more."""
    defaults: Mapping[str, Json]
    """What stands for arguments that are left out."""
    run: Run

    @property
    def read_only(self) -> bool:
        """Say whether it leaves the world as it was."""
        return self.category != "action"

    def answer(self, state: State, arguments: Mapping[str, Json]) -> Json:
        """Answer a call whose arguments fit the input schema."""
        return self.run(state, **{**self.defaults, **arguments})


def tools(domain: str, *modules: ModuleType) -> tuple[WorldTool, ...]:
    """Return the tools of a domain, each with the function of its name in one of the modules."""
    functions = {name: getattr(module, name) for module in modules for name in module.__all__}
    file = f"{domain}/tools.json"
    return tools_from_json(document(domain, "tools.json"), domain, vocabulary(domain), functions, file)


def tools_from_json(
    content: Json, domain: str, words: Mapping[str, Json], functions: Mapping[str, Run], file: str
) -> tuple[WorldTool, ...]:
    """Return the tools that a file defines; definition and function must not drift apart."""
    top = Fields(content, FieldPlace(file))
    types = Types(words)
    for part in top.parts("types"):
        types.define(*part)
    found = tuple(
        _tool(domain, name, Fields(value, place), types, functions)
        for name, value, place in top.parts("tools")
    )
    top.end()
    lost = functions.keys() - {tool.name for tool in found}
    if lost:
        raise FieldPlace(file, "tools").wrong(f"does not define {', '.join(sorted(lost))}")
    return found


def _tool(domain: str, name: str, fields: Fields, types: Types, functions: Mapping[str, Run]) -> WorldTool:
    if name not in functions:
        raise fields.place.wrong("has no function of its name")
    category = fields.word("category", _CATEGORIES)
    takes = [_Parameter.read(*part, types) for part in fields.parts("takes")]
    _check_signature(functions[name], [each.name for each in takes], fields.place)
    tool = WorldTool(
        name=name,
        domain=domain,
        category=category,
        description=fields.text("description"),
        inputs=obj({p.name: p.schema for p in takes}, [p.name for p in takes if p.required]),
        output={"$schema": DIALECT, **types.schema(fields.required("gives"), fields.place.below("gives"))},
        idempotent=fields.flag("idempotent") or category != "action",
        defaults={p.name: p.default for p in takes if not p.required},
        run=functions[name],
    )
    fields.end()
    return tool


def _check_signature(run: Run, names: list[str], place: FieldPlace) -> None:
    taken = list(inspect.signature(run).parameters)[1:]  # the first is the state
    if taken != names:
        raise place.below("takes").wrong(f"is {', '.join(names)}, and its function takes {', '.join(taken)}")


@dataclass(frozen=True, slots=True)
class _Parameter:
    """An argument of a tool: `day` must be given, `day?` may be left out, `whole 1 20 = 5` is then 5."""

    name: str
    schema: Schema
    required: bool
    default: Json

    @classmethod
    def read(cls, name: str, notation: Json, place: FieldPlace, types: Types) -> "_Parameter":
        parts = _PARAMETER.fullmatch(notation) if isinstance(notation, str) else None
        if parts is None or not parts["left_out"]:
            return cls(name, types.schema(notation, place), required=True, default=None)
        schema = types.schema(parts["type"] + (parts["about"] or ""), place)
        if parts["default"] is None:
            return cls(name, schema, required=False, default=None)
        default = _value(parts["default"])
        return cls(name, {**schema, "default": default}, required=False, default=default)


def _value(text: str) -> Json:
    """Read a default: a number or a flag as JSON has them, `today`, or the word as it stands."""
    try:
        return json.loads(text)
    except ValueError:
        return TODAY if text == "today" else text
