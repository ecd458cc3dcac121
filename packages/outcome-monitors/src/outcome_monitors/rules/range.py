"""`range`: the number is not far outside what was seen."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf

from outcome_monitors.features.feature import Sort
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.jsonvalue.types import finite, is_number
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import Witness

from .base.kind import NUMBERS, Beside, Bind, Candidate, ValueKind
from .base.severity import Severity, beyond, one_more
from .base.traits import Drift, Mining, Traits
from .config import CONFIG

_LARGEST = 1e300
"""Beyond this a number is as good as infinite: there is no room left for more."""

Numbers = Sequence[tuple[float, Witness]]


def _is_bound(value: Json) -> bool:
    return finite(value) and abs(value) <= sys.float_info.max


class Range(ValueKind):
    """Every number at the path is between two bounds, which leave room beyond the extremes seen."""

    name = "range"
    code = "out_of_range"
    traits = Traits(
        types=NUMBERS,
        change="lies beyond what was seen",
        drift=Drift.BOUNDED,
        of_the_data=True,
        ambiguous_change=True,
        own_words=True,
    )
    mining = Mining(budget_weight=2.0, pools=True, of_the_answer=True, grades="room")
    wrong = "field {place} is far outside the range of clean results"
    params = {
        "low": _is_bound,
        "high": _is_bound,
        "room": lambda v: isinstance(v, str) and v in CONFIG.range_rooms,
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the extremes, with each room; an extreme far out that one task alone brought is taken for label noise."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            numbers = sorted((n, w) for n, w in place.numbers.items() if finite(n) and abs(n) <= _LARGEST)
            rooms = _rooms(tasks)
            # An id may be any number.
            enough = len(numbers) >= CONFIG.range_values and not names_a_thing(Sort.FIELD.of(path))
            for room, spans in rooms.items() if enough else ():
                low, high, fired = bounds(numbers, tasks, spans)
                params = {"low": low, "high": high, "room": room}
                clause = Clause(self.name, path, params, place.count, tasks, "traces")
                yield Candidate(clause, "", fired, entities=len(numbers))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        # What bounds only one side has the largest number at the other.
        low = -inf if params["low"] == -sys.float_info.max else params["low"]
        high = inf if params["high"] == sys.float_info.max else params["high"]
        return lambda value: not is_number(value) or low <= value <= high

    def expected(self, params: Mapping[str, Json]) -> Json:
        return _between(params)

    def closest(self, clause: Clause, observed: Json) -> Json:
        low, high = clause.params["low"], clause.params["high"]
        return min(max(observed, low), high) if finite(observed) else None

    def admits(self, clause: Clause, place: str, value: Json) -> bool:
        return place == clause.path and is_number(value) and self.holds(clause.params)(value)

    def severity(self, clause: Clause, violation: Violation, result: Json) -> Severity:
        """Go by how far beyond the bounds it is."""
        far = beyond(violation.observed, clause.params["low"], clause.params["high"])
        return max(far, one_more(1, clause.tasks))

    def explain(self, clause: Clause) -> str:
        return f"{clause.path} is {_between(clause.params, 'from ')}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        return f"{bind(clause.params['low'])} <= {{v}} <= {bind(clause.params['high'])}"


def _between(params: Mapping[str, Json], first: str = "") -> str:
    low, high = params["low"], params["high"]
    if high == sys.float_info.max:
        return f"at least {low:g}"
    return f"at most {high:g}" if low == -sys.float_info.max else f"{first}{low:g} to {high:g}"


def _rooms(tasks: int) -> Mapping[str, float]:
    if tasks >= CONFIG.range_tasks:
        return CONFIG.range_rooms
    return {"vast": CONFIG.range_rooms["vast"]} if tasks >= CONFIG.range_tasks_vast else {}


def bounds(numbers: Numbers, tasks: int, spans: float) -> tuple[float, float, dict[int, int]]:
    """Return the extremes with room beyond them, and the tasks that would have been outside had they been left out.

    Of many tasks, the numbers of such a task are left out of the extremes, as label noise; but only of the first few. The numbers are in order.
    """
    fired: dict[int, int] = {}
    while (outer := _alone_outside(numbers, spans)) is not None:
        task, calls, rest = outer
        fired[task] = calls
        if tasks < CONFIG.label_noise_tasks or len(fired) > CONFIG.range_noisy_tasks:
            break
        numbers = rest
    low, high = _with_room(numbers, spans)
    return low, high, fired


def _with_room(numbers: Numbers, spans: float) -> tuple[float, float]:
    low, high = numbers[0][0], numbers[-1][0]
    room = spans * max(high - low, abs(high) / 2, abs(low) / 2)
    # What was never negative stays so; what was never positive too.
    below = low - room if low < 0 else max(0, low - room)
    above = high + room if high > 0 else min(0, high + room)
    return _neat(below), _neat(above)


def _neat(value: float) -> float:
    """Write a bound with few digits: it is no measurement."""
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else float(f"{value:.6g}")


def _alone_outside(numbers: Numbers, spans: float) -> tuple[int, int, Numbers] | None:
    """Find a task whose numbers would be out of range of all the others'; return it, its calls, and the others."""
    for number, witness in (numbers[-1], numbers[0]):
        if not witness.alone:
            continue
        task = witness.first
        own = [(n, w) for n, w in numbers if w.alone and w.first == task]
        rest = [(n, w) for n, w in numbers if not (w.alone and w.first == task)]
        if not rest:
            return None
        low, high = _with_room(rest, spans)
        if not low <= number <= high:
            return task, sum(w.calls for n, w in own if not low <= n <= high), rest
    return None
