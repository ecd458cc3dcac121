"""What the generated function is written with (`compiled`): its lines and names, and the features of a record as variables."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from outcome_monitors.features.feature import ABSENT, Feature, Sort
from outcome_monitors.features.reader import OF_VALUE, reader
from outcome_monitors.jsonvalue.paths import ROOT, render
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.record import RecordKind


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
        if sort is Sort.KEY:
            return self._key
        if sort.of_call:
            asked = f"{self.writer.bind(reader(feature))}(M, arguments, '')"
            return self.writer.of_call.setdefault(asked, f"asked{len(self.writer.of_call)}")
        if sort not in OF_VALUE or not all(isinstance(step, str) for step in feature.steps):
            return self.keep(feature, f"{self.writer.bind(_of_record(feature))}({self.record})")
        value = self.at(feature)
        if sort is Sort.FIELD and feature.path:
            # Handed over as it is, a list or an object too: tests of scalars take it as none.
            return value
        return self.keep(feature, f"{self.writer.bind(OF_VALUE[sort])}({value})")

    def keep(self, name: str, expression: str) -> str:
        """Put an expression into a variable, once."""
        if name not in self._known:
            self._known[name] = self.writer.variable()
            self.writer.write(self.indent, f"{self._known[name]} = {expression}")
        return self._known[name]

    def at(self, feature: Feature) -> str:
        """Return the value at a path of plain fields."""
        value = self.record
        for depth, name in enumerate(feature.steps, 1):
            key = self.writer.bind(name)
            got = f"({value}.get({key}, M) if isinstance({value}, dict) else M)"
            known = self.fields.get(str(name)) if depth == 1 else None
            value = known or self.keep(Sort.FIELD.of(render(feature.steps[:depth])), got)
        return value


def _of_record(feature: Feature) -> Callable[[Any], Any]:
    read = reader(feature)
    return lambda record: read(record, {}, ROOT)
