"""A contract as one generated function that says, fast, that a result violates nothing.

The function is conservative: `True` guarantees that no clause is violated. Where it cannot say so, for a violation or for a form that
it was not written for, the evaluator (`rules.evaluate`) decides. So a clean result costs a few builtin calls, and the meaning of a
clause stands in one place.

Nothing from a contract file becomes source text: values and names are bound as objects.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter

from outcome_monitors.features.feature import Sort
from outcome_monitors.jsonvalue.paths import Each, InText, Step, parse
from outcome_monitors.jsonvalue.text import json_in
from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.record import RecordKind
from outcome_monitors.rules.base.traits import Build, Subject
from outcome_monitors.rules.type import python_types

from .compiled_writer import RecordFeatures, Writer

FastCheck = Callable[[Mapping[str, Json], Json], bool]

_KEY = Sort.KEY.of()


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
        return python_types(clauses[0].params["kinds"]) if clauses else None

    def about(self, what: Subject) -> list[Clause]:
        """Return the clauses that speak of a `value`, an `object` or a `record`."""
        return [
            clause
            for kind, found in self.clauses.items()
            if KINDS[kind].traits.about == what
            for clause in found
        ]

    def saying(self, build: Build) -> list[Clause]:
        """Return the clauses that say this of how a result is built."""
        return [
            clause
            for kind, found in self.clauses.items()
            if KINDS[kind].traits.build is build
            for clause in found
        ]


def compile_contract(contract: Contract) -> FastCheck:
    """Return the function that says, conservatively, whether a result violates nothing."""
    root = PathNode()
    for clause in contract.clauses:
        root.at(parse(clause.path)).clauses.setdefault(clause.kind, []).append(clause)
    root.gather()
    writer = Writer()
    _one(writer, root, "result", 1)
    writer.write(1, "return True")
    # Bound as defaults, names are looked up as fast as variables.
    bound = ", ".join(f"{name}={name}" for name in writer.names)
    of_call = [f"    {name} = {expression}" for expression, name in writer.of_call.items()]
    lines = [f"def passes(arguments, result, {bound}):", *of_call, *writer.lines]
    namespace = dict(writer.names)
    exec(compile("\n".join(lines), f"<contract of {contract.tool!r}>", "exec"), namespace)  # noqa: S102 - the source is ours: see above
    fast_check: FastCheck = namespace["passes"]
    return fast_check


def _one(
    writer: Writer,
    node: PathNode,
    value: str,
    indent: int,
    *,
    typed: bool = False,
    item: bool = False,
    key: str | None = None,
) -> None:
    """Test one value.

    `typed` says that its type clause has been tested already, `item` that it is one of many, `key` under which name that is data.
    """
    types = node.types()
    if not typed:
        _demand_types(writer, [(value, node)], indent)
    _by_index(writer, node, indent)
    _demand_value(writer, node, node.about("value"), value, indent)
    fields = node.fields()
    names: dict[str, str] = {}
    if fields or node.about("object"):
        inner = _guard(writer, value, "dict", types, indent)
        names = _object(writer, node, value, fields, inner)
        if inner > indent:
            names = {}
    records = node.about("record")
    if records:
        _records(writer, records, value, names, indent, types, item=item, key=key)
    if Each.VALUE in node.below:
        inner = _guard(writer, value, "dict", types, indent)
        name, each = writer.variable(), writer.variable()
        writer.write(inner, f"for {name}, {each} in {value}.items():")
        writer.write(inner + 1, "pass")
        _one(writer, node.below[Each.VALUE], each, inner + 1, item=True, key=name)
    if Each.ITEM in node.below:
        inner = _guard(writer, value, "list", types, indent)
        each = writer.variable()
        writer.write(inner, f"for {each} in {value}:")
        writer.write(inner + 1, "pass")
        _one(writer, node.below[Each.ITEM], each, inner + 1, item=True)
    if node.saying(Build.JSON) or InText.JSON in node.below:
        _in_text(writer, node, value, _guard(writer, value, "str", types, indent))


def _records(
    writer: Writer,
    clauses: list[Clause],
    value: str,
    names: dict[str, str],
    indent: int,
    types: tuple[type, ...] | None,
    *,
    item: bool,
    key: str | None,
) -> None:
    """Test the relations of one record; of many values a scalar is one only where its name is data."""
    if key is None and any(map(_reads_key, clauses)):
        # Under what name one record stands is told by its path, which is the evaluator's affair.
        writer.write(indent, "return False")
        return
    if any(map(_reads_key, clauses)):
        # A name that is no text, which JSON has not but Python, is read as one by the evaluator.
        writer.write(indent, f"if {key}.__class__ is not str: return False")
    if item and key is None and (types is None or not {dict, list}.issuperset(types)):
        writer.write(indent, f"if isinstance({value}, (dict, list)):")
        writer.write(indent + 1, "pass")
        indent += 1
    RecordFeatures(writer, value, names, indent, key).demand(clauses)


def _by_index(writer: Writer, node: PathNode, indent: int) -> None:
    """Leave what is said of one item of a list, which only people write, to the evaluator."""
    if any(isinstance(step, int) for step in node.below):
        writer.write(indent, "return False")


def _in_text(writer: Writer, node: PathNode, text: str, indent: int) -> None:
    """Read the JSON in a text once, and test all that is said of it."""
    found = writer.variable()
    writer.write(indent, f"{found} = {writer.bind(json_in)}({text})")
    for clause in node.saying(Build.JSON):
        fast = KINDS[clause.kind].fast(clause, writer.bind, {})
        assert fast is not None
        writer.demand(indent, fast.format(found, v=text))
    if InText.JSON in node.below:
        writer.write(indent, f"if {found} is not None:")
        writer.write(indent + 1, "pass")
        _one(writer, node.below[InText.JSON], found, indent + 1)


def _guard(writer: Writer, value: str, python: str, types: tuple[type, ...] | None, indent: int) -> int:
    """Go on only where the value is of a type, unless that is known already; subclasses count, as they do in `select`."""
    if types is not None and [one.__name__ for one in types] == [python]:
        return indent
    writer.write(indent, f"if isinstance({value}, {python}):")
    writer.write(indent + 1, "pass")
    return indent + 1


def _object(
    writer: Writer, node: PathNode, value: str, fields: dict[str, PathNode], indent: int
) -> dict[str, str]:
    """Test an object; return the variables of its required fields."""
    required = [name for name, child in fields.items() if child.saying(Build.PRESENCE)]
    names = dict(zip(required, (writer.variable() for _ in required), strict=True))
    known = node.saying(Build.FIELDS)
    if len(known) == 1 and set(known[0].params["fields"]) == set(required):
        # All names are looked up below; no others are there if there are as many as that.
        writer.demand(indent, f"len({value}) == {len(required)}")
    else:
        for clause in known:
            _demand_one(writer, node, clause, value, indent)
    if required:
        # A missing field is a KeyError, caught by the caller.
        targets = ", ".join(names.values()) + ("," if len(required) == 1 else "")
        getter = writer.bind(itemgetter(*required))
        writer.write(
            indent,
            f"{targets} = {getter}({value})" if len(required) > 1 else f"{targets} = ({getter}({value}),)",
        )
        values = [(names[name], fields[name]) for name in required]
        _demand_types(writer, values, indent)
        for value_of, field in values:
            _one(writer, field, value_of, indent, typed=True)
    for clause in node.about("object"):
        if KINDS[clause.kind].traits.build is None:
            _demand_one(writer, node, clause, value, indent)
    for name, child in fields.items():
        if name not in names:
            variable = writer.variable()
            writer.write(indent, f"{variable} = {value}.get({writer.bind(name)}, M)")
            writer.write(indent, f"if {variable} is not M:")
            writer.write(indent + 1, "pass")
            _one(writer, child, variable, indent + 1)
    return names


def _reads_key(clause: Clause) -> bool:
    """Say whether a clause reads the key that a record stands under."""
    kind = KINDS[clause.kind]
    return isinstance(kind, RecordKind) and _KEY in kind.features(clause.params)


def _demand_types(writer: Writer, values: list[tuple[str, PathNode]], indent: int) -> None:
    """Test the types of several values; those of one type are compared in one chain."""
    chains: dict[type, list[str]] = {}
    for value, node in values:
        types, clauses = node.types(), node.saying(Build.TYPES)
        if types is not None and len(types) == 1 == len(clauses):
            chains.setdefault(types[0], []).append(f"type({value})")
        else:
            for clause in clauses:
                _demand_one(writer, node, clause, value, indent)
    for python, chain in chains.items():
        writer.demand(indent, " is ".join([writer.bind(python), *chain]))


def _demand_value(writer: Writer, node: PathNode, clauses: Sequence[Clause], value: str, indent: int) -> None:
    """Test what clauses say of one value by itself, where it is one that they speak of."""
    types = node.types()
    of_null = [clause for clause in clauses if KINDS[clause.kind].traits.of_null]
    for clause in of_null:
        _demand_one(writer, node, clause, value, indent, others=_may_be_other(clause, types))
    if (types is None or type(None) in types) and len(of_null) < len(clauses):
        writer.write(indent, f"if {value} is not None:")
        writer.write(indent + 1, "pass")
        indent += 1
    for clause in clauses:
        if clause not in of_null:
            _demand_one(writer, node, clause, value, indent, others=_may_be_other(clause, types))


def _demand_one(
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


def _may_be_other(clause: Clause, types: tuple[type, ...] | None) -> bool:
    """Say whether values of these types, or of any, may be of none that a clause speaks of."""
    of = _speaks_of(clause)
    return bool(of) and (types is None or not of.union({type(None)}).issuperset(types))
