"""What generated code is written with: the clauses by their paths, and the lines so far.

`contract` walks the paths and says what to write, `demands` writes the tests of clauses.
"""

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

from outcome_monitors.model import Clause
from outcome_monitors.records.feature import Feature
from outcome_monitors.records.features import ABSENT
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.members import MemberKind
from outcome_monitors.rules.base.traits import Build
from outcome_monitors.values.paths import ROOT, Step, parse

__all__ = ["PathNode", "RowColumn", "Writer"]

class PathNode:
    """The clauses of one path, and the paths below it."""

    def __init__(self) -> None:
        self.clauses: dict[str, list[Clause]] = {}
        self.below: dict[Step, PathNode] = {}
        self.columns: set[str] = set()
        """The fields that relations want as columns, where rows stand here."""

    def at(self, steps: Iterable[Step]) -> "PathNode":
        """Return the node at the end of the steps, made where it is missing."""
        node = self
        for step in steps:
            node = node.below.setdefault(step, PathNode())
        return node

    def read_columns(self, clause: Clause) -> None:
        """Note which fields of rows a clause wants as columns."""
        kind = KINDS[clause.kind]
        for name in kind.features(clause.params) if isinstance(kind, MemberKind) else ():
            *above, field = (*parse(clause.path), *Feature.parse(name).steps) or (ROOT,)
            rows = self._found(above)
            if rows is not None and isinstance(field, str):
                rows.columns.add(field)

    def _found(self, steps: Iterable[Step]) -> "PathNode | None":
        node: PathNode | None = self
        for step in steps:
            node = node.below.get(step) if node is not None else None
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
            clause for kind, found in self.clauses.items() if KINDS[kind].build is build for clause in found
        ]


class RowColumn(NamedTuple):
    """A field of rows: its variable, how deep that was written, and the types that its values were tested to have."""

    name: str
    depth: int
    types: tuple[type, ...] | None


class Writer:
    """Writes the function, and keeps the objects it names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"M": ABSENT, "chain": itertools.chain.from_iterable}
        self.columns: dict[tuple[str, str], RowColumn] = {}
        """Each column of rows, by the variable of the rows and the field."""
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
