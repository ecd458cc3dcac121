"""What generated code is written with: the clauses by their paths, and the lines so far.

`contract` walks the paths and says what to write, `demands` writes the tests of clauses.
"""

import itertools
from collections.abc import Iterable
from typing import Any

from outcome_monitors.features.feature import ABSENT
from outcome_monitors.jsonvalue.paths import Step
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Build

__all__ = ["PathNode", "Writer"]


class PathNode:
    """The clauses of one path, and the paths below it."""

    def __init__(self) -> None:
        self.clauses: dict[str, list[Clause]] = {}
        self.below: dict[Step, PathNode] = {}

    def at(self, steps: Iterable[Step]) -> "PathNode":
        """Return the node at the end of the steps, made where it is missing."""
        node = self
        for step in steps:
            node = node.below.setdefault(step, PathNode())
        return node

    def gather(self) -> None:
        """Have one test see to several clauses, where it can."""
        for kind, clauses in self.clauses.items():
            self.clauses[kind] = KINDS[kind].together(clauses)
        for node in self.below.values():
            node.gather()

    def fields(self) -> dict[str, "PathNode"]:
        """Return the nodes of named fields."""
        return {step: node for step, node in self.below.items() if isinstance(step, str)}

    def types(self) -> tuple[type, ...] | None:
        """Return the Python types that the value can have once its type clause is tested; None where any can come."""
        clauses = self.saying(Build.TYPES)
        return KINDS[clauses[0].kind].types(clauses[0].params) if clauses else None

    def saying(self, build: Build) -> list[Clause]:
        """Return the clauses that say this of how a result is built."""
        return [
            clause
            for kind, found in self.clauses.items()
            if KINDS[kind].traits.build is build
            for clause in found
        ]


class Writer:
    """Writes the function, and keeps the objects it names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.of_call: dict[str, str] = {}
        """What is read of the call, once whatever the number of records: expressions, and their variables."""
        self.names: dict[str, Any] = {"M": ABSENT, "chain": itertools.chain.from_iterable}
        self._variables = 0

    def bind(self, value: Any) -> str:
        """Return the name that generated code knows an object by."""
        for name, known in self.names.items():
            if known is value:
                return name
        name = f"K{len(self.names)}"
        self.names[name] = value
        return name

    def variable(self) -> str:
        """Return a name that is not used yet."""
        self._variables += 1
        return f"v{self._variables}"

    def write(self, indent: int, line: str) -> None:
        """Add a line."""
        self.lines.append("    " * indent + line)

    def demand(self, indent: int, expression: str) -> None:
        """Add the test of an expression that must be true."""
        if expression != "True":
            self.write(indent, f"if not ({expression}): return False")
