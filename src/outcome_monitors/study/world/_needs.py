"""What tasks need to know or to have done, and the ways to get it.

A need has parameters (`want`) and gives facts under its own names, whichever way is taken. Two ways of one need are
substitutes for each other: that is all there is to substitution in this world.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Need", "Use", "Way", "need", "way"]

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
    def kind(self) -> str:
        """Say how the ways stand to each other, in ToolMaze's words; `none` where there is only one."""
        if len(self.ways) == 1:
            return "none"
        if any(len(way.uses) > 1 for way in self.ways):
            return "many_to_many"
        return "one_to_one" if len(self.ways) == 2 else "one_to_many"


def way(*uses: tuple[str, Mapping[str, Template]], **facts: Template) -> Way:
    """Write a way: calls as pairs of a tool and its arguments, then the facts."""
    return Way(tuple(Use(tool, arguments) for tool, arguments in uses), facts)


def need(name: str, *ways: Way) -> Need:
    """Write a need; all its ways give the same facts."""
    assert len({frozenset(each.facts) for each in ways}) == 1, name
    return Need(name, ways)
