"""What tasks need to know or to have done, and the ways to get it.

A need has parameters (`want`) and gives facts under its own names, whichever way is taken. Two ways of one need are
substitutes for each other: that is all there is to substitution in this world.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._templates import check, references
from ._tool import WorldTool
from .data import FieldPlace, Fields

__all__ = ["Need", "Use", "Way", "needs_from_json"]

Json = Any
Template = Any


@dataclass(frozen=True, slots=True)
class Use:
    """One call: a tool, and arguments as templates over `want` and the earlier results `r1`, `r2`, ... of the way."""

    tool: str
    arguments: Mapping[str, Template]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to meet a need: calls in order, and where in their results the facts are."""

    uses: tuple[Use, ...]
    facts: Mapping[str, Template]

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools, in order."""
        return tuple(use.tool for use in self.uses)


@dataclass(frozen=True, slots=True)
class Need:
    """What is wanted, and every way to it; the first is the usual one."""

    name: str
    ways: tuple[Way, ...]

    @property
    def wants(self) -> dict[str, bool]:
        """The parameters, and whether each must be given."""
        ways = [template for way in self.ways for template in (way.facts, *(u.arguments for u in way.uses))]
        found = [path for path, _ in references(ways) if path.startswith("want.")]
        named = {path.split(".")[1].rstrip("?") for path in found}
        return {name: f"want.{name}?" not in found for name in sorted(named)}

    @property
    def kind(self) -> str:
        """Say how the ways stand to each other, in ToolMaze's words; `none` where there is only one."""
        if len(self.ways) == 1:
            return "none"
        if any(len(way.uses) > 1 for way in self.ways):
            return "many_to_many"
        return "one_to_one" if len(self.ways) == 2 else "one_to_many"


def needs_from_json(content: Json, tools: Mapping[str, WorldTool], file: str) -> tuple[Need, ...]:
    """Return the needs of a tasks.json: `{"stock": [{"calls": [["check_stock", {...}]], "facts": {...}}, ...]}`."""
    top = Fields(content, FieldPlace(file))
    found = tuple(_need(name, value, place, tools) for name, value, place in top.parts("needs"))
    top.take("episodes")
    top.end()
    return found


def _need(name: str, value: Json, place: FieldPlace, tools: Mapping[str, WorldTool]) -> Need:
    if not isinstance(value, list) or not value:
        raise place.wrong("is not a list of ways")
    ways = tuple(_way(Fields(each, place.below(index)), tools) for index, each in enumerate(value))
    if len({frozenset(way.facts) for way in ways}) > 1:
        raise place.wrong("has ways that give different facts")
    return Need(name, ways)


def _way(fields: Fields, tools: Mapping[str, WorldTool]) -> Way:
    uses = tuple(_use(*row, tools) for row in fields.rows("calls"))
    if not uses:
        raise fields.place.below("calls").wrong("is empty")
    facts, known = fields.object("facts"), {"want"}
    for number, use in enumerate(uses):
        check(use.arguments, known, fields.place.below("calls").below(number))
        known.add(f"r{number + 1}")
    check(facts, known, fields.place.below("facts"))
    fields.end()
    return Way(uses, facts)


def _use(value: Json, place: FieldPlace, tools: Mapping[str, WorldTool]) -> Use:
    match value:
        case [str(tool), dict(arguments)] if tool in tools:
            inputs = tools[tool].inputs
        case [str(tool), dict()]:
            raise place.wrong(f"calls {tool}, which is no tool")
        case _:
            raise place.wrong("is not a tool with its arguments")
    odd = arguments.keys() - inputs["properties"].keys() or set(inputs["required"]) - arguments.keys()
    if odd:
        raise place.wrong(f"does not fit the arguments of {tool}: {', '.join(sorted(odd))}")
    return Use(tool, arguments)
