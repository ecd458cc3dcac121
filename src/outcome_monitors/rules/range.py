"""`range`: the number is not far outside what was seen."""

from collections.abc import Callable, Iterator, Mapping

from .._evidence import NO_TASK, Evidence, Witness
from .._model import Clause, Json
from .._values import finite, is_number
from ._closed import TELLS_DIRT_FROM
from ._kind import Beside, Bind, Candidate, Fast, ValueKind

__all__ = ["Range"]

LEAST_TASKS = 6
LEAST_VALUES = 2


ROOMS = {"narrow": 0.5, "wide": 2.0, "widest": 9.0}
"""How far beyond the extremes a number may be, in spans between them; the narrowest that raises no alarms is taken."""


class Range(ValueKind):
    """Every number at the path is between two bounds, which leave room beyond the extremes seen."""

    name = "range"
    code = "out_of_range"
    profiles = frozenset({"full"})
    pools = True
    of_the_answer = True
    grades = "room"
    params = {"low": finite, "high": finite, "room": lambda v: v in ROOMS}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the extremes, with room; an extreme far out that one task alone brought is taken for dirt."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            numbers = [(value, witness) for value, witness in place.numbers.items() if finite(value)]
            if tasks < LEAST_TASKS or len(numbers) < LEAST_VALUES:
                continue
            for room in ROOMS:
                low, high, fired = bounds(numbers, tasks, ROOMS[room])
                clause = Clause(
                    self.name, path, {"low": low, "high": high, "room": room}, place.count, tasks, "traces"
                )
                yield Candidate(clause, "", fired, entities=len(numbers))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Test that a number is within the bounds."""
        low, high = params["low"], params["high"]
        return lambda value: not is_number(value) or low <= value <= high

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name the bounds."""
        return f"{params['low']:g} to {params['high']:g}"

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"field {place} is far outside the range of clean results"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{clause.path} is from {clause.params['low']:g} to {clause.params['high']:g}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Compare with the bounds; the sum is there because `min` and `max` can pass over a NaN."""
        low, high = bind(clause.params["low"]), bind(clause.params["high"])
        column = f"(not {{c}} or ({low} <= min({{c}}) and max({{c}}) <= {high} and sum({{c}}) == sum({{c}})))"
        return Fast(f"{low} <= {{v}} <= {high}", column)


def bounds(
    numbers: list[tuple[float, Witness]], tasks: int, room: float
) -> tuple[float, float, dict[int, int]]:
    """Return the extremes with room beyond them, and the tasks that would have been outside had they been left out."""
    numbers = sorted(numbers)
    values = [value for value, _ in numbers]
    fired: dict[int, int] = {}
    while True:
        low, high = _with_room(values[0], values[-1], room)
        outer = _alone_outside(numbers, room)
        if outer is None or tasks < TELLS_DIRT_FROM or len(fired) >= 2:
            break
        task, calls, numbers = outer
        fired[task] = fired.get(task, 0) + calls
        values = [value for value, _ in numbers]
    outer = _alone_outside(numbers, room)
    if outer is not None:
        fired[outer[0]] = fired.get(outer[0], 0) + outer[1]
    return low, high, fired


def _with_room(low: float, high: float, spans: float) -> tuple[float, float]:
    room = spans * max(high - low, abs(high) / 2, abs(low) / 2)
    # What was never negative stays so; what was never positive too.
    below = low - room if low < 0 else max(0, low - room)
    above = high + room if high > 0 else min(0, high + room)
    return _neat(below), _neat(above)


def _neat(value: float) -> float:
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else float(f"{value:.6g}")


def _alone_outside(
    numbers: list[tuple[float, Witness]], room: float
) -> tuple[int, int, list[tuple[float, Witness]]] | None:
    """Find a task whose numbers would be out of range of all the others', and what is left without them."""
    for extreme in (numbers[-1], numbers[0]):
        if extreme[1].second != NO_TASK:
            continue
        task = extreme[1].first
        rest = [found for found in numbers if found[1].second != NO_TASK or found[1].first != task]
        if not rest:
            return None
        low, high = _with_room(rest[0][0], rest[-1][0], room)
        if not low <= extreme[0] <= high:
            calls = sum(
                w.calls
                for v, w in numbers
                if w.second == NO_TASK and w.first == task and not low <= v <= high
            )
            return task, calls, rest
    return None
