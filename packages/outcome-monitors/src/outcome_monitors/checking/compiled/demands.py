"""The tests of clauses as generated code has them: each of one value."""

from collections.abc import Sequence

from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Build, Subject

from .writer import PathNode, Writer

__all__ = [
    "about",
    "demand_one",
    "demand_types",
    "demand_value",
]


def about(node: PathNode, what: Subject) -> list[Clause]:
    """Return the clauses of a path that speak of a `value`, an `object` or a `record`."""
    return [
        clause for kind, found in node.clauses.items() if KINDS[kind].traits.about == what for clause in found
    ]


def demand_types(writer: Writer, values: list[tuple[str, PathNode]], indent: int) -> None:
    """Test the types of several values; those of one type are compared in one chain."""
    chains: dict[type, list[str]] = {}
    for value, node in values:
        types, clauses = node.types(), node.saying(Build.TYPES)
        if types is not None and len(types) == 1 == len(clauses):
            chains.setdefault(types[0], []).append(f"type({value})")
        else:
            for clause in clauses:
                demand_one(writer, node, clause, value, indent)
    for python, chain in chains.items():
        writer.demand(indent, " is ".join([writer.bind(python), *chain]))


def demand_value(writer: Writer, node: PathNode, clauses: Sequence[Clause], value: str, indent: int) -> None:
    """Test what clauses say of one value by itself, where it is one that they speak of."""
    types = node.types()
    of_null = [clause for clause in clauses if KINDS[clause.kind].traits.of_null]
    for clause in of_null:
        demand_one(writer, node, clause, value, indent, others=others(clause, types))
    if (types is None or type(None) in types) and len(of_null) < len(clauses):
        writer.write(indent, f"if {value} is not None:")
        writer.write(indent + 1, "pass")
        indent += 1
    for clause in clauses:
        if clause not in of_null:
            demand_one(writer, node, clause, value, indent, others=others(clause, types))


def demand_one(
    writer: Writer, node: PathNode, clause: Clause, value: str, indent: int, *, others: bool = False
) -> None:
    """Test a clause; `others` says that there may be values that it says nothing of."""
    fast = KINDS[clause.kind].fast(clause, writer.bind, _beside(node))
    if fast is None:
        writer.write(indent, "return False")
    else:
        passing = f"type({value}) not in {writer.bind(_speaks_of(clause))} or " if others else ""
        writer.demand(indent, passing + fast.format(v=value))


def _beside(node: PathNode) -> dict[str, Clause]:
    return {kind: clauses[0] for kind, clauses in node.clauses.items() if clauses}


def _speaks_of(clause: Clause) -> frozenset[type]:
    return KINDS[clause.kind].speaks_of(clause.params)


def others(clause: Clause, types: tuple[type, ...] | None) -> bool:
    """Say whether values of these types, or of any, may be of none that a clause speaks of."""
    of = _speaks_of(clause)
    return bool(of) and (types is None or not of.union({type(None)}).issuperset(types))
