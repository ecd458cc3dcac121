"""`length`: the text, or the list, is not far shorter or longer than clean ones: not empty, not cut off, not swollen."""

from collections.abc import Callable, Iterator, Mapping

from .._evidence import Evidence, Place, Witness
from .._model import Clause, Json
from ._kind import Candidate, ValueKind, witnesses
from .range import ROOMS, bounds

__all__ = ["Length"]

LEAST_TASKS = 6


class Length(ValueKind):
    """Every text or list at the path has a length between two bounds."""

    name = "length"
    code = "unusual_length"
    profiles = frozenset({"full"})
    pools = True
    of_the_answer = True
    grades = "room"
    params = {
        "room": lambda v: v in ROOMS,
        "of": lambda v: v in ("list", "text"),
        "least": lambda v: type(v) is int and v >= 0,
        "most": lambda v: type(v) is int and v >= 0,
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the shortest and longest, with room; what was never empty stays so."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            if tasks < LEAST_TASKS:
                continue
            for of, sample in (("text", place.sizes), ("list", place.lengths)):
                if len(sample):
                    for room in ROOMS:
                        yield self._candidate(path, of, place, sample.items(), tasks, room)

    def _candidate(
        self, path: str, of: str, place: Place, lengths: list[tuple[int, Witness]], tasks: int, room: str
    ) -> Candidate:
        shortest = min(length for length, _ in lengths)
        low, high, fired = bounds(lengths, tasks, ROOMS[room])
        least = max(1 if shortest else 0, int(low))
        params = {"room": room, "of": of, "least": least, "most": int(high) + (8 if of == "text" else 1)}
        entities = len(place.texts) if of == "text" else None
        return Candidate(
            Clause(self.name, path, params, place.count, tasks, "traces"), "", fired, entities=entities
        )

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        """Test the length."""
        python = str if params["of"] == "text" else list
        least, most = params["least"], params["most"]
        return lambda value: type(value) is not python or least <= len(value) <= most

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Look at the lengths in other evidence."""
        place = evidence.places.get(clause.path)
        if place is None:
            return {}
        least, most = clause.params["least"], clause.params["most"]
        if clause.params["of"] == "list":
            return witnesses(
                witness for length, witness in place.lengths.items() if not least <= length <= most
            )
        return witnesses(witness for size, witness in place.sizes.items() if not least <= size <= most)

    def expected(self, params: Mapping[str, Json]) -> Json:
        """Name the bounds."""
        return f"{params['least']} to {params['most']} {'characters' if params['of'] == 'text' else 'items'}"

    def observed(self, value: Json) -> Json:
        """Name the length."""
        return f"{len(value)} {'characters' if isinstance(value, str) else 'items'}"

    def detail(self, place: str) -> str:
        """Say what is wrong."""
        return f"field {place} is far shorter or longer than in clean results"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{clause.path or '(the result)'} has {self.expected(clause.params)}"
