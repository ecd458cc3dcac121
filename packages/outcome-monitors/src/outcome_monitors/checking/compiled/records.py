"""The part of generated code that tests relations between the features of a record (`records.features`).

A feature becomes a variable: of one record its value, of rows the column of its values. What only few clauses need and what costs
(a hash of a list) is put there where it is first asked for, so that it is computed only if a test gets so far.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from outcome_monitors.model import Clause
from outcome_monitors.records.aggregates import digest, standing_of_scalars, total_of_numbers
from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.features import ABSENT
from outcome_monitors.records.reader import OF_ARGUMENT, OF_COLUMN, OF_END, OF_VALUE, end_row, inside, reader
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.kind import Beside
from outcome_monitors.values.paths import ROOT, Each, Step, parse, render
from outcome_monitors.values.types import NUMBER_TYPES

if TYPE_CHECKING:
    from .writer import RowColumn, Writer

__all__ = ["record_clauses", "rows_clauses"]


def record_clauses(
    writer: "Writer",
    clauses: Sequence[Clause],
    value: str,
    fields: Mapping[str, str],
    indent: int,
    beside: Beside,
) -> None:
    """Test the relations of one record; `fields` are the variables of its fields, where they have one."""
    _Single(writer, value, fields, indent).demand(clauses, beside)


def rows_clauses(
    writer: "Writer",
    clauses: Sequence[Clause],
    rows: str,
    fields: Mapping[str, str],
    keys: str | None,
    indent: int,
    beside: Beside,
) -> None:
    """Test the relations of rows; `fields` are their columns, `keys` the column of their keys, where keys are data."""
    _Rows(writer, rows, fields, indent, keys).demand(clauses, beside)


class _Single:
    """The features of one record as variables."""

    def __init__(self, writer: "Writer", record: str, fields: Mapping[str, str], indent: int) -> None:
        self.writer = writer
        self.record = record
        self.fields = fields
        self.indent = indent
        self._known: dict[str, str] = {}

    def demand(self, clauses: Sequence[Clause], beside: Beside) -> None:
        """Write the tests of all clauses, kind by kind."""
        of_kind: dict[str, list[Clause]] = {}
        for clause in clauses:
            of_kind.setdefault(clause.kind, []).append(clause)
        for fast in chain(*(KINDS[kind].tests(of, self.writer.bind, beside) for kind, of in of_kind.items())):
            if fast is None:
                self.writer.write(self.indent, "return False")
                return
            names = [self.feature(Feature.parse(name)) for name in fast.features]
            self.writer.demand(self.indent, self.expression(fast.one, fast.column).format(*names))

    def expression(self, one: str, column: str) -> str:
        """Choose the form that fits."""
        return one

    def feature(self, feature: Feature) -> str:
        """Return a feature as an expression, its parts in variables."""
        sort = feature.sort
        if sort.of_call:
            return self.keep(feature, self.said(self._asked(feature)))
        if sort is Sort.KEY:
            return self.key()
        if not _plain(feature):
            return self.keep(feature, self.each(self.record, f"{self.writer.bind(_read(feature))}({{x}})"))
        if sort not in OF_VALUE:
            return self.over_rows(feature)
        value = self.at(feature.path)
        if sort is Sort.FIELD and feature.path:
            # Handed over as it is, a list or an object too: tests of scalars take it as none.
            return value
        keep = self.keep_late if sort in _LATE else self.keep
        return keep(feature, self.each(value, self._of_value(sort)))

    def _of_value(self, sort: Sort) -> str:
        """Return what is made of a value `{x}`."""
        return _WRITTEN_OUT.get(sort) or f"{self.writer.bind(OF_VALUE[sort])}({{x}})"

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
        got = f"({{x}}.get({key}, M) if isinstance({{x}}, dict) else M)"
        return self.keep(Sort.FIELD.of(render(steps)), self.each(above, got))

    def over_rows(self, feature: Feature) -> str:
        """Return what is made of a list's rows, or of a field of theirs."""
        sort, steps = feature.sort, feature.steps
        depth = next(index for index, step in enumerate(steps) if isinstance(step, Each))
        items = self.at(render(steps[:depth]))
        key = steps[depth + 1] if len(steps) > depth + 1 else None
        column = self.column(items, key) if steps[depth] is Each.ITEM and sort in OF_COLUMN else None
        if column is not None:
            return self.keep(feature, f"({self._of_column(sort, column, items)} else M)")
        function = self.writer.bind(_OVER_ROWS[sort])
        return self.keep(feature, self.each(items, f"{function}({{x}}, {self.writer.bind(key)})"))

    def _of_column(self, sort: Sort, column: "RowColumn", items: str) -> str:
        """Return what is made of a column, and if what; the types of its values, where they were tested, are not looked at again."""
        name, types = column.name, set(column.types or (object,))
        if sort is Sort.SUM and types <= NUMBER_TYPES:
            return f"{self.writer.bind(total_of_numbers)}({name}) if {items}"
        if sort is Sort.ORDER and (types == {str} or types <= NUMBER_TYPES):
            return f"{self.writer.bind(standing_of_scalars)}({name}) if len({items}) > 1"
        return f"{self.writer.bind(OF_COLUMN[sort])}({name}) if {items}"

    def column(self, items: str, key: Any) -> "RowColumn | None":
        """Return the column of a list's rows that is in a variable already, where there are rows."""
        found = self.writer.columns.get((items, key))
        # Any deeper, it was not written for all lists.
        return found if found is not None and found.depth == self.indent + 1 else None

    def each(self, value: str, expression: str) -> str:
        """Return an expression of `{x}`, said of the value."""
        return expression.format(x=value)

    def _asked(self, feature: Feature) -> str:
        """Return what is read of the arguments."""
        if feature.sort is Sort.ARGUMENTS:
            return f"{self.writer.bind(digest)}(arguments)"
        if feature.sort is Sort.ARGUMENT_INSIDE:
            return f"{self.writer.bind(inside)}(arguments, {self.writer.bind(feature.path)})"
        value = f"arguments.get({self.writer.bind(feature.path)}, M)"
        if feature.sort is Sort.ARGUMENT:
            return value
        return f"{self.writer.bind(OF_ARGUMENT[feature.sort])}({value})"

    def said(self, expression: str) -> str:
        """Return an expression of the call, said of the record."""
        return expression

    def key(self) -> str:
        """Return the key of the record."""
        return "M"


class _Rows(_Single):
    """The features of rows as columns."""

    def __init__(
        self, writer: "Writer", rows: str, fields: Mapping[str, str], indent: int, keys: str | None
    ) -> None:
        super().__init__(writer, rows, fields, indent)
        self._keys = keys

    def expression(self, one: str, column: str) -> str:
        return column

    def column(self, items: str, key: Any) -> "RowColumn | None":
        return None

    def each(self, value: str, expression: str) -> str:
        return f"[{expression.format(x='x')} for x in {value}]"

    def said(self, expression: str) -> str:
        return f"[{expression}] * len({self.record})"

    def key(self) -> str:
        if self._keys is None:
            return f"[M] * len({self.record})"
        return self._keys


_WRITTEN_OUT = {
    Sort.FIELD: "(M if isinstance({x}, (list, dict)) else {x})",
    Sort.NUMBER: "(len({x}) if isinstance({x}, (list, dict)) else M)",
}
"""What is made of a value, where that is so short that a call would cost more."""
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
    """Return what reads a field of the first row, or the last, as `records.reader` does."""

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
