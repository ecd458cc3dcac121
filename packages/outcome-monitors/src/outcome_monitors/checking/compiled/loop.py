"""The part of generated code that tests the rows of a list one by one.

To put a field of all rows into a column costs more than to look at it and compare it. So what is quick to test of a value by itself
(`Traits.light`) is tested in one loop over the rows; the loop fills the columns that other tests want besides.
"""

from collections.abc import Collection

from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Build

from .demands import about, demand_types, demand_value
from .writer import PathNode, Writer

__all__ = ["light_clauses", "loop_tells_types", "row_loop"]


def light_clauses(node: PathNode) -> list[Clause]:
    """Return the clauses of a path that a loop tests as fast as anything can."""
    return [clause for clause in about(node, "value") if KINDS[clause.kind].light]


def row_loop(
    writer: Writer, node: PathNode, rows: str, closed: Collection[str] | None, indent: int
) -> tuple[dict[str, str], Collection[str]]:
    """Write the loop over rows that are objects; return the columns that it fills, and all fields that it tests.

    `closed` are the fields that every row has, where it has no others.
    """
    fields = _looped(node)
    values = {name: writer.variable() for name in fields}
    if not values:
        if closed is not None:
            writer.demand(indent, f"set(map(len, {rows})) == {writer.bind({len(closed)})}")
        return {}, ()
    columns = {name: writer.variable() for name in values if name in node.columns or _has_more(fields[name])}
    for column in columns.values():
        writer.write(indent, f"{column} = []")
    row = writer.variable()
    writer.write(indent, f"for {row} in {rows}:")
    if loop_tells_types(node):
        writer.demand(indent + 1, f"type({row}) is dict")
    if closed is not None:
        writer.demand(indent + 1, f"len({row}) == {len(closed)}")
    for name, value in values.items():
        writer.write(indent + 1, f"{value} = {row}[{writer.bind(name)}]")
    demand_types(writer, [(value, fields[name]) for name, value in values.items()], indent + 1)
    for name, value in values.items():
        demand_value(writer, fields[name], light_clauses(fields[name]), value, indent + 1)
    for name, column in columns.items():
        writer.write(indent + 1, f"{column}.append({values[name]})")
    return columns, values


def loop_tells_types(node: PathNode) -> bool:
    """Say whether a loop over rows tests that they are objects, before all else that is said of them."""
    alone = len(node.saying(Build.TYPES)) == 1 and not about(node, "value")
    return alone and node.types() == (dict,) and bool(_looped(node))


def _looped(node: PathNode) -> dict[str, PathNode]:
    """Return the fields of rows that are tested in a loop."""
    fields = ((name, child) for name, child in node.fields().items() if child.saying(Build.PRESENCE))
    return {name: child for name, child in fields if _belongs(child)}


def _belongs(field: PathNode) -> bool:
    """Say whether the loop has something to test of a field that would cost more elsewhere."""
    return bool(light_clauses(field)) or not _has_more(field)


def _has_more(field: PathNode) -> bool:
    """Say whether more is said of a field than the loop tests."""
    others = (KINDS[kind] for kind in field.clauses)
    return bool(field.below) or any(
        not kind.light and kind.build not in (Build.TYPES, Build.PRESENCE) and kind.about != "session"
        for kind in others
    )
