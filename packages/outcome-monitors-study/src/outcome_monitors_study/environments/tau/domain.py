"""A domain of tau-bench or tau2-bench: its tools, its faults, and the clean traffic that contracts are learned from."""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from outcome_monitors.model import Json

from .records import Records, Tables, answered

__all__ = ["TEXT", "Caution", "Domain", "Fault", "Step", "Takes"]

Fault = Callable[[Json, random.Random], Json]
Step = tuple[str, dict[str, Json]]
Takes = Mapping[str, tuple[str, Mapping[str, Json]]]
TEXT: Json = {"type": "string"}


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
    takes: Takes
    """What each tool takes, in words of our own where a checkout has none."""
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
