"""`error`: no field that bears an error, in a result that was delivered as a success.

The names are those of `ERROR_FIELDS`, whatever their case; a field bears an error where it says anything: not null, false, zero
or empty. A name that carried something in clean traces is left out, for then it is data.
"""

from collections.abc import Iterator, Mapping

from outcome_monitors.evidence.evidence import Evidence, Place
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.records.walk import Seen
from outcome_monitors.values.display import clip, clip_text
from outcome_monitors.values.paths import ROOT, below, parent, parse, select

from .base.gravity import Gravity
from .base.kind import Beside, Bind, Candidate, Fast, Kind, State
from .base.presence import Ground
from .base.refusal import refused
from .base.traits import LEAST_TOOLS, MANY_TOOLS, Cause, Tools

__all__ = ["ERROR_FIELDS", "Error"]

ERROR_FIELDS = (
    "error",
    "error_code",
    "error_description",
    "error_message",
    "error_type",
    "errors",
    "exception",
    "failure",
    "failures",
    "fault",
    "stack_trace",
    "stacktrace",
    "traceback",
)


class Error(Kind):
    """The object has no error-bearing field that says anything."""

    name = "error"
    code = "explicit_error"
    weighs = Gravity.USELESS
    profiles = frozenset({"full", "paper"})
    worth = 5.0
    exact = True
    trusted = True
    about = "object"
    cause = Cause.FAILURE
    tools = Tools(LEAST_TOOLS, MANY_TOOLS)
    own_words = True
    params = {
        "fields": lambda v: (
            isinstance(v, list) and bool(v) and all(isinstance(f, str) and f == f.lower() for f in v)
        ),
    }

    def observe(self, state: State, seen: Seen) -> None:
        """Keep the error names that carried something."""
        for result in seen.objects.get(ROOT, ()):
            for field in _bearing(result, frozenset(ERROR_FIELDS)):
                state[field.lower()] = True

    def merge(self, state: State, other: State) -> None:
        """Unite the names."""
        state.update(other)

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept the names that never carried anything."""
        objects = ground.presence.objects.get(ROOT, 0)
        if objects:
            fields = [field for field in ERROR_FIELDS if field not in state]
            yield Candidate(
                ground.clause(self.name, ROOT, {"fields": fields}, objects),
                "" if fields else "all are in use",
            )

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest, for every object, the names that never carried anything there."""
        in_use = _in_use(evidence)
        for path, place in sorted(evidence.places.items()):
            if place.with_objects:
                fields = [field for field in ERROR_FIELDS if field not in in_use.get(path, ())]
                tasks = evidence.tasks(path)
                clause = Clause(self.name, path, {"fields": fields}, place.with_objects, tasks, "traces")
                yield Candidate(clause, "" if fields else "all are in use")

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Say nothing: a name that carries something anywhere is not in the clause that all evidence suggests."""
        return {}

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield one violation an object, at the first of its error-bearing fields; the detail names them all."""
        fields = frozenset(clause.params["fields"])
        for place, value in select(result, clause.path):
            bearing = _bearing(value, fields) if isinstance(value, dict) else []
            if bearing:
                first, names = bearing[0], clip_text(", ".join(sorted(bearing)))
                detail = f"error-bearing field(s): {names}"
                yield Violation(self.code, below(place, first), "absent", clip(value[first]), detail)

    def excuses(self, clause: Clause, arguments: Mapping[str, Json], answer: Json) -> tuple[str, ...]:
        """Name the arguments that an answer as a whole refuses."""
        return () if clause.path else tuple(refused(arguments, answer, clause.params["fields"]))

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"no field of {clause.path} bears an error" if clause.path else "no field bears an error"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Nothing to test where all known fields have other names; `known` is tested before."""
        fields = frozenset(clause.params["fields"])
        known = beside.get("known")
        if known is not None and fields.isdisjoint(field.lower() for field in known.params["fields"]):
            return Fast("True", "True")
        name = bind(lambda value: not _bearing(value, fields))
        return Fast(f"{name}({{v}})", f"all(map({name}, {{c}}))")


def _in_use(evidence: Evidence) -> dict[str, set[str]]:
    """Return for each object the error names, in small letters, that carried something."""
    found: dict[str, set[str]] = {}
    for path, place in evidence.places.items():
        field = parse(path)[-1] if path else None
        if isinstance(field, str) and field.lower() in ERROR_FIELDS and _carried(place):
            found.setdefault(parent(path), set()).add(field.lower())
    return found


def _carried(place: Place) -> bool:
    """Say whether anything stood at a place but null, zero and the empty; of booleans and objects no values are kept."""
    samples = (place.texts, place.numbers, place.lengths)
    told = {"array", "integer", "null", "number", "string"}
    return any(value for sample in samples for value, _ in sample.items()) or any(
        kind not in told for kind, _ in place.kinds.items()
    )


def _bearing(value: Mapping[str, Json], fields: frozenset[str]) -> list[str]:
    """Return the names of the fields that bear an error, in document order."""
    return [key for key in value if isinstance(key, str) and key.lower() in fields and value[key]]
