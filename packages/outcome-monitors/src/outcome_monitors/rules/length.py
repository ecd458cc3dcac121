"""`length`: the text, or the list, is not far shorter or longer than clean ones: not empty, not cut off, not swollen."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping

from outcome_monitors.jsonvalue.paths import select
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence, Place

from .base.kind import TEXTS, Beside, Bind, Candidate, ValueKind, witnesses
from .base.severity import Severity
from .base.texts import Looks, looks
from .base.traits import Determined, Drift, Mining, Traits
from .config import CONFIG
from .range import Numbers, bounds

_UNITS = {"text": "characters", "list": "items"}
_LENGTH = re.compile(r"(\d{1,18}) ")


def _needless_where(params: Mapping[str, Json]) -> Determined:
    """Add nothing where texts are listed, or their form tells how long they are."""
    return Determined.VALUES | Determined.LENGTH if params["of"] == "text" else Determined.NOTHING


class Length(ValueKind):
    """Every text or list at the path has a length between two bounds."""

    name = "length"
    code = "unusual_length"
    traits = Traits(drift=Drift.BOUNDED, own_words=True)
    mining = Mining(pools=True, of_the_answer=True, grades="room", redundant_given=_needless_where)
    identity = ("of",)
    sentence = "{path} has {expected}"
    wrong = "field {place} is far shorter or longer than in clean results"
    params = {
        "room": lambda v: isinstance(v, str) and v in CONFIG.range_rooms,
        "of": lambda v: isinstance(v, str) and v in _UNITS,
        "least": lambda v: type(v) is int and v >= 0,
        "most": lambda v: type(v) is int and v >= 0,
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the shortest and longest, with each room; what was never empty stays so."""
        for path, place in sorted(evidence.places.items()):
            tasks = evidence.tasks(path)
            for of in _UNITS if tasks >= CONFIG.range_tasks else ():
                if of == "text" and looks(path, place, tasks) is Looks.OPEN:
                    continue
                lengths = sorted(_lengths(place, of))
                entities = len(place.texts) if of == "text" else None
                for room in CONFIG.range_rooms if lengths else ():
                    params, fired = _params(lengths, tasks, of, room)
                    clause = Clause(self.name, path, params, place.count, tasks, "traces")
                    yield Candidate(clause, "", fired, entities=entities)

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        python = str if params["of"] == "text" else list
        least, most = params["least"], params["most"]
        return lambda value: type(value) is not python or least <= len(value) <= most

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        place = evidence.places.get(clause.path)
        if place is None:
            return {}
        least, most = clause.params["least"], clause.params["most"]
        lengths = _lengths(place, clause.params["of"])
        return witnesses(witness for length, witness in lengths if not least <= length <= most)

    def expected(self, params: Mapping[str, Json]) -> Json:
        unit = _UNITS[params["of"]]
        if params["most"] == sys.maxsize:
            return f"at least {params['least']} {unit}"
        return f"{params['least']} to {params['most']} {unit}"

    def observed(self, value: Json) -> Json:
        return f"{len(value)} {_UNITS['text' if isinstance(value, str) else 'list']}"

    def closest(self, clause: Clause, observed: Json) -> Json:
        written = _LENGTH.match(observed) if isinstance(observed, str) else None
        if written is None:
            return None
        bound = min(max(int(written[1]), clause.params["least"]), clause.params["most"])
        return f"{bound} {_UNITS[clause.params['of']]}"

    def severity(self, clause: Clause, violation: Violation, result: Json) -> Severity:
        """Make little of what is up to twice as long, or half as long."""
        length = next((len(value) for _, value in select(result, violation.path)), 0)
        return (
            Severity.LOW
            if clause.params["least"] <= 2 * length and length <= 2 * clause.params["most"]
            else Severity.MEDIUM
        )

    def speaks_of(self, params: Mapping[str, Json]) -> frozenset[type]:
        return TEXTS if params["of"] == "text" else frozenset({list})

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        return f"{bind(clause.params['least'])} <= len({{v}}) <= {bind(clause.params['most'])}"


def _lengths(place: Place, of: str) -> Numbers:
    return place.sizes.items() if of == "text" else place.lengths.items()


def _params(lengths: Numbers, tasks: int, of: str, room: str) -> tuple[dict[str, Json], dict[int, int]]:
    """Return the parameters of a clause, and the tasks that would have fired."""
    low, high, fired = bounds(lengths, tasks, CONFIG.range_rooms[room])
    never_empty = all(length for length, _ in lengths)
    # How few rows there are is the filter's business, and none at all that of `non_empty`.
    least = 0 if of == "list" else max(1 if never_empty else 0, int(low))
    return {"room": room, "of": of, "least": least, "most": int(high) + CONFIG.length_spare[of]}, fired
