"""What the generated function is written with (`compiled`): its lines and names, and the features of a record as variables.

What only few clauses need and what costs (a hash of a list) is put into its variable where it is first needed, so that it is computed
only if a test gets so far.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from outcome_monitors.features.aggregates import digest
from outcome_monitors.features.feature import ABSENT, Feature, Sort
from outcome_monitors.features.reader import OF_ARGUMENT, OF_COLUMN, OF_END, OF_VALUE, end_row, inside, reader
from outcome_monitors.jsonvalue.paths import ROOT, Each, Step, parse, render
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.record import RecordKind

__all__ = ["RecordFeatures", "Writer"]


class Writer:
    """Writes the function, and keeps the objects it names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.of_call: dict[str, str] = {}
        """What is read of the call, once whatever the number of records: expressions, and their variables."""
        self.names: dict[str, Any] = {"M": ABSENT}
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


class RecordFeatures:
    """The features of one record as variables; `fields` are those of its fields, where they have one, `key` that of its name."""

    def __init__(
        self, writer: Writer, record: str, fields: Mapping[str, str], indent: int, key: str | None = None
    ) -> None:
        self.writer = writer
        self.record = record
        self.fields = fields
        self.indent = indent
        self._key = key or "M"
        self._known: dict[str, str] = {}

    def demand(self, clauses: Sequence[Clause]) -> None:
        """Write the tests of all clauses."""
        for clause in clauses:
            kind = KINDS[clause.kind]
            fast = kind.fast(clause, self.writer.bind, {})
            if fast is None or not isinstance(kind, RecordKind):
                self.writer.write(self.indent, "return False")
                return
            names = [self.feature(Feature.parse(name)) for name in kind.features(clause.params)]
            self.writer.demand(self.indent, fast.format(*names))

    def feature(self, feature: Feature) -> str:
        """Return a feature as an expression, its parts in variables."""
        sort = feature.sort
        if sort.of_call:
            expression = self._of_call(feature)
            return self.writer.of_call.setdefault(expression, f"asked{len(self.writer.of_call)}")
        if sort is Sort.KEY:
            return self._key
        if not _plain(feature):
            return self.keep(feature, f"{self.writer.bind(_read(feature))}({self.record})")
        if sort not in OF_VALUE:
            return self.over_rows(feature)
        value = self.at(feature.path)
        if sort is Sort.FIELD and feature.path:
            # Handed over as it is, a list or an object too: tests of scalars take it as none.
            return value
        # What costs (a hash of a list) is computed where a test first needs it.
        keep = self.keep_late if sort in _LATE else self.keep
        return keep(feature, f"{self.writer.bind(OF_VALUE[sort])}({value})")

    def keep(self, name: str, expression: str) -> str:
        """Put an expression into a variable, once."""
        if name not in self._known:
            self._known[name] = self.writer.variable()
            self.writer.write(self.indent, f"{self._known[name]} = {expression}")
        return self._known[name]

    def keep_late(self, name: str, expression: str) -> str:
        """Put an expression into a variable, once, and not before a test gets so far."""
        kept = self.keep(name, "None")
        return f"({kept} or ({kept} := {expression}))"

    def at(self, path: str) -> str:
        """Return the value at a path of plain fields."""
        steps = parse(path)
        if not steps:
            return self.record
        value = self.fields.get(steps[0]) if isinstance(steps[0], str) else None
        if value is None:
            value = self._field(self.record, steps[:1])
        for depth in range(2, len(steps) + 1):
            value = self._field(value, steps[:depth])
        return value

    def _field(self, above: str, steps: Sequence[Step]) -> str:
        key = self.writer.bind(steps[-1])
        got = f"({above}.get({key}, M) if isinstance({above}, dict) else M)"
        return self.keep(Sort.FIELD.of(render(steps)), got)

    def over_rows(self, feature: Feature) -> str:
        """Return what is made of a list's rows, or of a field of theirs."""
        sort, steps = feature.sort, feature.steps
        depth = next(index for index, step in enumerate(steps) if isinstance(step, Each))
        items = self.at(render(steps[:depth]))
        key = steps[depth + 1] if len(steps) > depth + 1 else None
        function = self.writer.bind(_OVER_ROWS[sort])
        return self.keep(feature, f"{function}({items}, {self.writer.bind(key)})")

    def _of_call(self, feature: Feature) -> str:
        """Return what is read of the arguments."""
        if feature.sort is Sort.ARGUMENTS:
            return f"{self.writer.bind(digest)}(arguments)"
        if feature.sort is Sort.ARGUMENT_INSIDE:
            return f"{self.writer.bind(inside)}(arguments, {self.writer.bind(feature.path)})"
        value = f"arguments.get({self.writer.bind(feature.path)}, M)"
        if feature.sort is Sort.ARGUMENT:
            return value
        return f"{self.writer.bind(OF_ARGUMENT[feature.sort])}({value})"


_LATE = frozenset({Sort.WHOLE, Sort.MEMBERS})
"""Sorts that cost."""


def _plain(feature: Feature) -> bool:
    """Say whether a feature is of the sort that mining finds, which is written out; any other is read by its name."""
    steps = feature.steps
    if feature.sort not in OF_VALUE:
        depth = next((index for index, step in enumerate(steps) if isinstance(step, Each)), len(steps))
        if not depth < len(steps) <= depth + 2:
            return False
        steps = steps[:depth] + steps[depth + 1 :]
    return all(isinstance(step, str) for step in steps)


def _read(feature: Feature) -> Callable[[Any], Any]:
    read = reader(feature)
    return lambda record: read(record, {}, ROOT)


def _column(items: Any, key: Any) -> list[Any]:
    """Return a field of each row; a row that is none, or has none, sends the result to the plain evaluator."""
    values = items.values() if isinstance(items, dict) else items if isinstance(items, list) else ()
    return list(values) if key is None else [value[key] for value in values]


def _of_column(made: Callable[[list[Any]], Any]) -> Callable[[Any, Any], Any]:
    return lambda items, key: made(_column(items, key))


def _of_end(index: int) -> Callable[[Any, Any], Any]:
    """Return what reads a field of the first row, or the last, as `features.reader` does."""

    def read(items: Any, key: Any) -> Any:
        row = end_row(items, index)
        if key is not None:
            row = row.get(key, ABSENT) if isinstance(row, dict) else ABSENT
        return ABSENT if isinstance(row, (dict, list)) else row

    return read


_OVER_ROWS: dict[Sort, Callable[[Any, Any], Any]] = {
    **{sort: _of_column(made) for sort, made in OF_COLUMN.items()},
    **{sort: _of_end(index) for sort, index in OF_END.items()},
}
"""What is made of rows, by a field of theirs."""
