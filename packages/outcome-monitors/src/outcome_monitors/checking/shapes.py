"""Results of tools without a contract, held against shapes: object by object, that which each is most like and that of anything."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from outcome_monitors.alerting.policy import BrokenClause
from outcome_monitors.contracts.shapes import ALIKE, Shape
from outcome_monitors.jsonvalue.paths import ROOT, at_index, below, parse, render
from outcome_monitors.model import Clause, Contract, Json, Violation
from outcome_monitors.rules import KINDS, evaluate_everywhere

from .compiled import FastCheck, compile_contract

DEEPEST = 12
MOST_OBJECTS = 5000
"""Objects of one result that are looked at."""
REMEMBERED = 4096
"""Lists of field names whose shape is remembered."""

Failed = Callable[[Clause, Exception], None]


class CompiledShape(Shape):
    """A shape with its compiled check, made when it is first needed."""

    @cached_property
    def fast_check(self) -> FastCheck:
        """Return the compiled check."""
        return compile_contract(Contract("shape", self.clauses))

    def passes(self, arguments: Mapping[str, Json], value: Json) -> bool:
        """Say whether a value violates nothing; False where the compiled check cannot say."""
        try:
            return self.fast_check(arguments, value)
        except Exception:  # noqa: BLE001 - a form that the fast test was not written for
            return False


class UncoveredTools:
    """Checks results by the shapes of their objects."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        compiled = [CompiledShape(shape.fields, shape.tools, shape.clauses) for shape in shapes]
        self._shapes = tuple(shape for shape in compiled if shape.fields)
        self._anything = tuple(shape for shape in compiled if not shape.fields)
        self._with_field: dict[str, list[int]] = {}
        for index, shape in enumerate(self._shapes):
            for field in shape.fields:
                self._with_field.setdefault(field, []).append(index)
        self._found: dict[tuple[str, ...], tuple[CompiledShape, ...]] = {}

    def shapes_of(self, value: Json) -> tuple[CompiledShape, ...]:
        """Return the shape that an object is most like, if it is like any, and that of anything."""
        if not isinstance(value, dict):
            return self._anything
        names = tuple(value)
        found = self._found.get(names)
        if found is None:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            found = self._found[names] = (*self._most_like(names), *self._anything)
        return found

    def _most_like(self, names: tuple[str, ...]) -> tuple[CompiledShape, ...]:
        common = Counter(index for name in names for index in self._with_field.get(name, ()))
        best: tuple[float, tuple[CompiledShape, ...]] = (0.0, ())
        for index in sorted(common):
            shape, shared = self._shapes[index], common[index]
            alike = shared / (len(names) + len(shape.fields) - shared)
            if alike >= ALIKE and alike > best[0]:
                best = (alike, (shape,))
        return best[1]

    def covers(self, result: Json) -> bool:
        """Say whether a shape speaks of anything in a result, beyond its type."""
        return any(
            _speaks(clause, value)
            for _, value in _parts(result)
            for shape in self.shapes_of(value)
            for clause in shape.clauses
        )

    def passes(self, arguments: Mapping[str, Json], result: Json) -> bool:
        """Say whether a result violates nothing; False where the compiled checks cannot say."""
        return all(
            shape.passes(arguments, value) for _, value in _parts(result) for shape in self.shapes_of(value)
        )

    def check(self, arguments: Mapping[str, Json], result: Json, failed: Failed) -> tuple[BrokenClause, ...]:
        """Return the violated clauses: of each code and field one, at its first object."""
        found: dict[tuple[str, str], BrokenClause] = {}
        for steps, value in _parts(result):
            for shape in self.shapes_of(value):
                if not shape.passes(arguments, value):
                    for clause, violation, _ in evaluate_everywhere(shape.clauses, arguments, value, failed):
                        moved = BrokenClause(clause, _moved(violation, steps))
                        found.setdefault((violation.code, clause.path), moved)
        return tuple(found.values())


_Steps = tuple[str | int, ...]


def _parts(result: Json) -> Iterator[tuple[_Steps, Json]]:
    """Yield the result, and each object in it, with the way there; level by level, so many and so deep."""
    yield (), result
    level: list[tuple[_Steps, Json]] = [((), result)] if isinstance(result, (dict, list)) else []
    looked = 1
    for _ in range(DEEPEST):
        inner: list[tuple[_Steps, Json]] = []
        for steps, value in level:
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            for key, item in pairs:
                if isinstance(item, dict):
                    looked += 1
                    if looked > MOST_OBJECTS:
                        return
                    yield (*steps, key), item
                    inner.append(((*steps, key), item))
                elif isinstance(item, list):
                    inner.append(((*steps, key), item))
        level = inner


def _moved(violation: Violation, steps: _Steps) -> Violation:
    """Return a violation in an object as one of the result."""
    place = ROOT
    for step in steps:
        place = at_index(place, step) if isinstance(step, int) else below(place, str(step))
    whole = render([*parse(place), *parse(violation.path)])
    named = violation.path or "(the result)"
    return replace(violation, path=whole, detail=violation.detail.replace(named, whole or named, 1))


def _speaks(clause: Clause, value: Json) -> bool:
    """Say whether a clause has something to look at in a value."""
    kind = KINDS[clause.kind]
    steps = parse(kind.stands_at(clause.path))
    if not steps:
        return kind.covers(value)
    if isinstance(steps[0], str):
        return isinstance(value, dict) and steps[0] in value
    return isinstance(value, list) and bool(value)
