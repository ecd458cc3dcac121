"""`decimals`: the number has no more decimal places than clean ones: whole numbers stay whole, money stays in cents."""

from collections.abc import Callable, Iterator, Mapping

from .._evidence import Evidence
from .._model import Clause, Json
from .._values import finite
from ._closed import close
from ._kind import Candidate, ValueKind

__all__ = ["Decimals"]

LEAST_TASKS = 5
LEAST_VALUES = 4
MOST = 4
"""More places than this are the noise of a computation, not a format."""


class Decimals(ValueKind):
    """Every number at the path has at most so many decimal places."""

    name = "decimals"
    code = "too_many_decimals"
    profiles = frozenset({"full"})
    pools = True
    of_the_answer = True
    params = {"places": lambda v: type(v) is int and 0 <= v <= MOST}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the most places that more than one task brought."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            if tasks < LEAST_TASKS or len(place.numbers) < LEAST_VALUES:
                continue
            closed = close(place.numbers.items(), tasks, decimal_places)
            if closed.admitted and max(closed.admitted) <= MOST:
                most = max(closed.admitted)
                fired = closed.fired
                yield Candidate(
                    Clause(self.name, path, {"places": most}, place.count, tasks, "traces"),
                    "",
                    fired,
                    entities=len(place.numbers),
                )

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Test that a number has no more places than that."""
        scale = 10 ** params["places"]

        def holds(value: Json) -> bool:
            if type(value) is not float or not finite(value):
                return True
            scaled = value * scale
            return abs(scaled - round(scaled)) < 1e-6 * max(1.0, abs(scaled) * 1e-6) or abs(value) > 1e12

        return holds

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name the number of places."""
        return f"at most {params['places']} decimal places"

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"field {place} has more decimal places than clean results"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        places = clause.params["places"]
        return (
            f"{clause.path} is whole" if not places else f"{clause.path} has at most {places} decimal places"
        )


def decimal_places(value: float) -> int:
    """Return how many decimal places a number is written with."""
    if type(value) is int:
        return 0
    text = repr(value)
    if "e" in text or "n" in text:
        return MOST + 1
    whole, _, places = text.partition(".")
    return 0 if places == "0" else len(places)
