"""`decimals`: the number has no more decimal places than clean ones: whole numbers stay whole, money stays in cents."""

from collections.abc import Callable, Iterator, Mapping

from outcome_monitors.evidence.evidence import Evidence
from outcome_monitors.model import Clause, Json
from outcome_monitors.values.types import finite

from .base.closed_set import close
from .base.kind import NUMBERS, Beside, Bind, Candidate, Fast, ValueKind, are_whole
from .base.traits import Drift

__all__ = ["Decimals"]

LEAST_TASKS = 5
LEAST_VALUES = 4
MOST = 4
"""More places than this are the noise of a computation, not a format."""

_LARGEST = 1e12
"""Beyond this a float has no decimal places to speak of."""
_NOISE = 1e-6
_WHOLE = 1.5 * 2.0**52
"""Added and taken away, it leaves a whole number of a float below 2**51; of a larger one `holds` demands nothing."""


class Decimals(ValueKind):
    """Every number at the path has at most so many decimal places."""

    name = "decimals"
    code = "too_many_decimals"
    light = True
    profiles = frozenset({"full"})
    pools = True
    of_the_answer = True
    drift = Drift.LISTED
    params = {"places": lambda v: type(v) is int and 0 <= v <= MOST}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the most places that more than one task brought."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            if tasks < LEAST_TASKS or len(place.numbers) < LEAST_VALUES:
                continue
            closed = close(place.numbers.items(), tasks, decimal_places)
            most = max(closed.admitted, default=MOST + 1)
            if most <= MOST:
                clause = Clause(self.name, path, {"places": most}, place.count, tasks, "traces")
                # A task that alone brought fewer places than others would not have fired.
                longest = [(n, w) for n, w in place.numbers.items() if decimal_places(n) >= most]
                fired = close(longest, tasks, decimal_places).fired
                yield Candidate(clause, "", fired, entities=len(place.numbers))

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Test that a number has no more places than that, but for the noise of binary arithmetic."""
        scale = 10 ** params["places"]

        def holds(value: Json) -> bool:
            if type(value) is not float or not abs(value) <= _LARGEST:
                return True
            scaled: float = value * scale
            return abs(scaled - round(scaled)) < _NOISE * max(1.0, abs(scaled) * 1e-6)

        return holds

    def speaks_of(self, params: Mapping[str, Json]) -> frozenset[type]:
        """Speak of numbers alone."""
        return NUMBERS

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Compare with the nearest number of so many places; any other goes through the test, and what is no number to the evaluator."""
        slow = super().fast(clause, bind, beside)
        if slow is None:
            return None
        if are_whole(beside):
            return Fast("True", "True")
        scale = float(10 ** clause.params["places"])
        near = f"({{v}} * {scale} + {_WHOLE} - {_WHOLE}) / {scale} == {{v}}"
        return Fast(f"({near} or {slow.one})", f"({bind(_all_rounded(scale))}({{c}}) or {slow.column})")

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name the number of places."""
        return f"at most {params['places']} decimal place{'' if params['places'] == 1 else 's'}"

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"field {place} has more decimal places than clean results"

    def closest(self, clause: Clause, observed: Json) -> Json:
        """Round it."""
        return round(observed, clause.params["places"]) if finite(observed) else None

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        whole = not clause.params["places"]
        return f"{clause.path} is whole" if whole else f"{clause.path} has {self.expected(clause.params)}"


def _all_rounded(scale: float) -> Callable[[list[float]], bool]:
    """Return the test of a column."""

    def all_rounded(column: list[float]) -> bool:
        return not [n for n in column if (n * scale + _WHOLE - _WHOLE) / scale != n]

    return all_rounded


def decimal_places(value: float) -> int:
    """Return how many decimal places a number is written with; an exponent stands for too many, and so do inf and nan."""
    if type(value) is int:
        return 0
    written = repr(value)
    if "e" in written or "n" in written:
        return MOST + 1
    places = written.partition(".")[2]
    return 0 if places == "0" else len(places)
