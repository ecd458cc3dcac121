"""A contract as one generated function that says, fast, "surely nothing is wrong".

The function may be wrong only in the safe direction: where it says yes, no clause is broken. Where it cannot say so, for a
violation or for a shape it was not written for, the plain evaluator (`rules.evaluate`) decides. So a clean result costs a
few builtin calls, and the meaning of a clause stands in one place.

Single values are tested one by one; the rows of a list are tested a column at a time, with builtins that loop in C. Nothing
from a contract file becomes source text: values and names are bound as objects.
"""

from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter

from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.records.feature import Sort
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.kind import Fast
from outcome_monitors.rules.base.record import RecordKind
from outcome_monitors.rules.base.traits import Build
from outcome_monitors.values.json_in_text import json_in
from outcome_monitors.values.paths import Each, InText, parse

from .demands import (
    about,
    beside_record,
    demand_column,
    demand_one,
    demand_types,
    demand_value,
    demand_values,
    told_by_another,
)
from .loop import light_clauses, loop_tells_types, row_loop
from .records import record_clauses, rows_clauses
from .writer import PathNode, RowColumn, Writer

__all__ = ["FastCheck", "compile_contract"]

FastCheck = Callable[[Mapping[str, Json], Json], bool]

_KEY = Sort.KEY.of()


def compile_contract(contract: Contract) -> FastCheck:
    """Return the function that says whether a result surely fits a contract."""
    root = PathNode()
    for clause in contract.clauses:
        root.at(parse(clause.path)).clauses.setdefault(clause.kind, []).append(clause)
    for clause in contract.clauses:
        root.read_columns(clause)
    root.gather()
    writer = Writer()
    writer.write(0, "def passes(arguments, result):")
    _one(writer, root, "result", 1)
    writer.write(1, "return True")
    namespace = dict(writer.names)
    exec(compile("\n".join(writer.lines), f"<contract of {contract.tool!r}>", "exec"), namespace)  # noqa: S102 - the source is ours: see above
    fast_check: FastCheck = namespace["passes"]
    return fast_check


def _one(
    writer: Writer,
    node: PathNode,
    value: str,
    indent: int,
    *,
    typed: bool = False,
) -> None:
    """Test one value; `typed` says that its type clause has been tested already."""
    types = node.types()
    if not typed:
        for clause in node.saying(Build.TYPES):
            demand_one(writer, node, clause, value, indent)
    _by_index(writer, node, indent)
    demand_value(writer, node, about(node, "value"), value, indent)
    fields = node.fields()
    names: dict[str, str] = {}
    if fields or about(node, "object"):
        inner = _guard(writer, value, dict, types, indent)
        names = _object(writer, node, value, fields, inner)
        if inner > indent:
            names = {}
    if _by_key(about(node, "record")):
        # Under what name one record stands is told by its path, which is the evaluator's affair.
        writer.write(indent, "return False")
    record_clauses(writer, about(node, "record"), value, names, indent, beside_record(fields, names))
    if Each.VALUE in node.below:
        inner = _guard(writer, value, dict, types, indent)
        column, keys = writer.variable(), writer.variable()
        writer.write(inner, f"{column} = list({value}.values())")
        writer.write(inner, f"{keys} = list({value})")
        _column(writer, node.below[Each.VALUE], column, inner, keys, keyed=True)
    if Each.ITEM in node.below:
        inner = _guard(writer, value, list, types, indent)
        _column(writer, node.below[Each.ITEM], value, inner)
    if _speaks_of_json(node):
        _in_text(writer, node, value, _guard(writer, value, str, types, indent))


def _by_index(writer: Writer, node: PathNode, indent: int) -> None:
    """Leave what is said of one item of a list, which only people write, to the evaluator."""
    if any(isinstance(step, int) for step in node.below):
        writer.write(indent, "return False")


def _in_text(writer: Writer, node: PathNode, text: str, indent: int) -> None:
    """Read the JSON in a text once, and test all that is said of it."""
    found = writer.variable()
    writer.write(indent, f"{found} = {writer.bind(json_in)}({text})")
    for fast in _said_of_json(writer, node):
        writer.demand(indent, fast.one.format(found, v=text))
    if InText.JSON in node.below:
        writer.write(indent, f"if {found} is not None:")
        writer.write(indent + 1, "pass")
        _one(writer, node.below[InText.JSON], found, indent + 1)


def _in_texts(writer: Writer, node: PathNode, texts: str, indent: int) -> None:
    """Do the same for a column of texts."""
    found = writer.variable()
    writer.write(indent, f"{found} = [*map({writer.bind(json_in)}, {texts})]")
    for fast in _said_of_json(writer, node):
        writer.demand(indent, fast.column.format(found, c=texts))
    if InText.JSON in node.below:
        answers = writer.variable()
        writer.write(indent, f"{answers} = [x for x in {found} if x is not None]")
        _column(writer, node.below[InText.JSON], answers, indent, answers=True)


def _said_of_json(writer: Writer, node: PathNode) -> Iterator[Fast]:
    for clause in node.saying(Build.JSON):
        fast = KINDS[clause.kind].fast(clause, writer.bind, {})
        assert fast is not None
        yield fast


def _speaks_of_json(node: PathNode) -> bool:
    return bool(node.saying(Build.JSON)) or InText.JSON in node.below


def _guard(writer: Writer, value: str, python: type, types: tuple[type, ...] | None, indent: int) -> int:
    """Go on only where the value is of a type, unless that is known already; subclasses count, as they do in `select`."""
    if types == (python,):
        return indent
    writer.write(indent, f"if isinstance({value}, {python.__name__}):")
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
            demand_one(writer, node, clause, value, indent)
    if required:
        # A missing field is a KeyError, caught by the caller.
        targets = ", ".join(names.values()) + ("," if len(required) == 1 else "")
        getter = writer.bind(itemgetter(*required))
        writer.write(
            indent,
            f"{targets} = {getter}({value})" if len(required) > 1 else f"{targets} = ({getter}({value}),)",
        )
        values = [(names[name], fields[name]) for name in required]
        demand_types(writer, values, indent)
        for value_of, field in values:
            _one(writer, field, value_of, indent, typed=True)
    for clause in about(node, "object"):
        if KINDS[clause.kind].build is None:
            demand_one(writer, node, clause, value, indent, names)
    for name, child in fields.items():
        if name not in names:
            variable = writer.variable()
            writer.write(indent, f"{variable} = {value}.get({writer.bind(name)}, M)")
            writer.write(indent, f"if {variable} is not M:")
            writer.write(indent + 1, "pass")
            _one(writer, child, variable, indent + 1)
    return names


def _column(
    writer: Writer,
    node: PathNode,
    column: str,
    indent: int,
    keys: str | None = None,
    *,
    keyed: bool = False,
    answers: bool = False,
    looped: bool = False,
) -> None:
    """Test every value of a column at once.

    `keyed` says that they stand under keys that are data, which `keys` names; `answers` that each is an answer as a whole; `looped`
    that a loop over the rows has tested what is quick to test.
    """
    types = node.types()
    tested = looped or told_by_another(node) or loop_tells_types(node)
    for clause in node.saying(Build.TYPES) if not tested else ():
        demand_column(writer, node, clause, column, indent)
    _by_index(writer, node, indent)
    of_values = about(node, "value")
    done = light_clauses(node) if looped else []
    demand_values(writer, node, [clause for clause in of_values if clause not in done], column, indent)
    records = about(node, "record")
    if answers:
        # Whatever an answer is, it is a record.
        writer.write(indent, f"if {column}:")
        writer.write(indent + 1, "pass")
        rows_clauses(writer, records, column, {}, None, indent + 1, {})
        records = []
    if node.fields() or about(node, "object") or records:
        rows = _only(writer, column, dict, types, indent)
        writer.write(indent, f"if {rows}:")
        _rows(writer, node, rows, records, indent + 1, keys if rows == column else None)
    if keyed and records:
        _scalars(writer, records, column, types, keys, indent)
    if records and (types is None or list in types):
        _lists(writer, records, _only(writer, column, list, types, indent), indent)
    if Each.VALUE in node.below:
        maps = _only(writer, column, dict, types, indent)
        values = writer.variable()
        writer.write(indent, f"{values} = list(chain(x.values() for x in {maps}))")
        _column(writer, node.below[Each.VALUE], values, indent, keyed=True)
    if Each.ITEM in node.below:
        lists = _only(writer, column, list, types, indent)
        items = writer.variable()
        writer.write(indent, f"{items} = list(chain({lists}))")
        _column(writer, node.below[Each.ITEM], items, indent)
    if _speaks_of_json(node):
        _in_texts(writer, node, _only(writer, column, str, types, indent), indent)


def _only(writer: Writer, column: str, python: type, types: tuple[type, ...] | None, indent: int) -> str:
    """Return a column of those values that are of a type."""
    if types == (python,):
        return column
    chosen = writer.variable()
    writer.write(indent, f"{chosen} = [x for x in {column} if isinstance(x, {python.__name__})]")
    return chosen


def _rows(
    writer: Writer, node: PathNode, rows: str, records: list[Clause], indent: int, keys: str | None
) -> None:
    writer.write(indent, "pass")
    fields = node.fields()
    required = [name for name, child in fields.items() if child.saying(Build.PRESENCE)]
    known = node.saying(Build.FIELDS)
    closed = len(known) == 1 and set(known[0].params["fields"]) == set(required)
    for clause in known if not closed else ():
        demand_column(writer, node, clause, rows, indent)
    columns, looped = row_loop(writer, node, rows, required if closed else None, indent)
    for name in required:
        if name not in columns and name not in looped:
            columns[name] = writer.variable()
            getter = writer.bind(itemgetter(name))
            writer.write(indent, f"{columns[name]} = [*map({getter}, {rows})]")
        if name in columns:
            writer.columns[rows, name] = RowColumn(columns[name], indent, fields[name].types())
            _column(writer, fields[name], columns[name], indent, looped=name in looped)
    if keys is None and _by_key(records):
        writer.write(indent, "return False")
    rows_clauses(writer, records, rows, columns, keys, indent, beside_record(fields, required))
    for clause in about(node, "object"):
        if KINDS[clause.kind].build is None:
            demand_column(writer, node, clause, rows, indent)
    for name, child in fields.items():
        if name not in required:
            column, key = writer.variable(), writer.bind(name)
            writer.write(indent, f"{column} = [x[{key}] for x in {rows} if {key} in x]")
            # Where no row has it, there is nothing that could be wrong with it.
            writer.write(indent, f"if {column}:")
            writer.write(indent + 1, "pass")
            _column(writer, child, column, indent + 1)


def _scalars(
    writer: Writer,
    records: list[Clause],
    column: str,
    types: tuple[type, ...] | None,
    keys: str | None,
    indent: int,
) -> None:
    """Test the relations of scalars with the keys that they stand under; where not all are scalars, leave it to the evaluator."""
    if types is not None and not {dict, list}.intersection(types):
        if keys is None:
            writer.demand(indent, f"not {column}")
        else:
            rows_clauses(writer, records, column, {}, keys, indent, {})
    elif types is None or not {dict, list}.issuperset(types):
        writer.demand(indent, f"all(isinstance(x, (dict, list)) for x in {column})")


def _lists(writer: Writer, records: list[Clause], lists: str, indent: int) -> None:
    """Test the relations of rows that are lists themselves."""
    writer.write(indent, f"if {lists}:")
    writer.write(indent + 1, "pass")
    if _by_key(records):
        writer.write(indent + 1, "return False")
    rows_clauses(writer, records, lists, {}, None, indent + 1, {})


def _by_key(records: list[Clause]) -> bool:
    """Say whether a clause reads the key that a record stands under."""
    kinds = ((KINDS[clause.kind], clause.params) for clause in records)
    return any(isinstance(kind, RecordKind) and _KEY in kind.features(params) for kind, params in kinds)
