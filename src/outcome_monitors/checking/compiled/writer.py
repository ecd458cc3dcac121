"""What generated code is written with: the clauses by their paths, the lines so far, and the test of one clause.

`contract` walks the paths and says what to write.
"""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from outcome_monitors.model import Clause
from outcome_monitors.records.features import ABSENT
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Build, Subject
from outcome_monitors.values.paths import ROOT, Step, below
from outcome_monitors.values.types import NUMBER_TYPES

__all__ = [
    "PathNode",
    "Writer",
    "about",
    "beside_record",
    "demand_column",
    "demand_one",
    "demand_types",
    "demand_values",
    "others",
    "told_by_another",
]


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
            clause for kind, found in self.clauses.items() if KINDS[kind].build is build for clause in found
        ]


class Writer:
    """Writes the function, and keeps the objects it names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"M": ABSENT, "chain": itertools.chain.from_iterable}
        self.columns: dict[tuple[str, str], tuple[str, int]] = {}
        """The variable of each column of rows, by the variable of the rows and the field, and how deep it was written."""
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


def about(node: PathNode, what: Subject) -> list[Clause]:
    """Return the clauses of a path that speak of a `value`, an `object` or a `record`."""
    return [clause for kind, found in node.clauses.items() if KINDS[kind].about == what for clause in found]


def demand_types(writer: Writer, values: list[tuple[str, PathNode]], indent: int) -> None:
    """Test the types of several values; those of one type, and numbers, are compared in one chain."""
    chains: dict[type, list[str]] = {}
    numbers: list[str] = []
    for value, node in values:
        types, clauses = node.types(), node.saying(Build.TYPES)
        if told_by_another(node):
            continue
        if types is not None and len(types) == 1 == len(clauses):
            chains.setdefault(types[0], []).append(f"type({value})")
        elif types is not None and set(types) == NUMBER_TYPES and len(clauses) == 1:
            numbers.append(f"type({value})")
        else:
            for clause in clauses:
                demand_one(writer, node, clause, value, indent)
    for python, chain in chains.items():
        writer.demand(indent, " is ".join([writer.bind(python), *chain]))
    if numbers:
        # Most numbers are no whole ones, and then one chain will do.
        either = " and ".join(f"{number} in {writer.bind(NUMBER_TYPES)}" for number in numbers)
        writer.demand(indent, f"{' is '.join([writer.bind(float), *numbers])} or {either}")


def demand_values(
    writer: Writer, node: PathNode, column: str, types: tuple[type, ...] | None, indent: int
) -> None:
    """Test what is said of each value of a column by itself, of those that it is said of."""
    chosen: dict[str, str] = {}
    for clause in about(node, "value"):
        of, test = column, ""
        if others(clause, types):
            test = f"type(x) in {writer.bind(_speaks_of(clause))}"
        elif (types is None or type(None) in types) and not KINDS[clause.kind].of_null:
            test = "x is not None"
        if test:
            of = chosen.get(test) or writer.variable()
            if test not in chosen:
                writer.write(indent, f"{of} = [x for x in {column} if {test}]")
                chosen[test] = of
        demand_column(writer, node, clause, of, indent)


def demand_one(
    writer: Writer,
    node: PathNode,
    clause: Clause,
    value: str,
    indent: int,
    names: Mapping[str, str] | None = None,
    *,
    others: bool = False,
) -> None:
    """Test a clause; `others` says that there may be values that it says nothing of."""
    fast = KINDS[clause.kind].fast(clause, writer.bind, _beside(node))
    if fast is None:
        writer.write(indent, "return False")
    elif not fast.fields:
        passing = f"type({value}) not in {writer.bind(_speaks_of(clause))} or " if others else ""
        writer.demand(indent, passing + fast.one.format(v=value))
    elif names is not None and all(field in names for field in fast.fields):
        writer.demand(indent, fast.one.format(*(names[field] for field in fast.fields)))
    else:
        writer.demand(indent, fast.column.format(c=f"({value},)"))


def demand_column(writer: Writer, node: PathNode, clause: Clause, column: str, indent: int) -> None:
    """Test a clause of every value of a column."""
    fast = KINDS[clause.kind].fast(clause, writer.bind, _beside(node))
    if fast is None:
        writer.write(indent, "return False")
    else:
        writer.demand(indent, fast.column.format(c=column))


def _beside(node: PathNode) -> dict[str, Clause]:
    return {kind: clauses[0] for kind, clauses in node.clauses.items()}


def beside_record(fields: Mapping[str, PathNode], names: Mapping[str, str]) -> dict[str, Clause]:
    """Return the clauses of those fields that a record is tested to have."""
    return {
        f"{kind}.{below(ROOT, name)}": clause
        for name in names
        for kind, clause in _beside(fields[name]).items()
    }


def told_by_another(node: PathNode) -> bool:
    """Say whether there is but one type clause, and another one that only texts pass makes it needless."""
    texts = any(KINDS[kind].texts_alone for kind in node.clauses)
    return texts and node.types() == (str,) and len(node.saying(Build.TYPES)) == 1


def _speaks_of(clause: Clause) -> frozenset[type]:
    return KINDS[clause.kind].speaks_of(clause.params)


def others(clause: Clause, types: tuple[type, ...] | None) -> bool:
    """Say whether values of these types, or of any, may be of none that a clause speaks of."""
    of = _speaks_of(clause)
    return bool(of) and (types is None or not of.union({type(None)}).issuperset(types))
