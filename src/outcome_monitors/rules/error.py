"""`error`: no field that bears an error, in a result that was delivered as a success.

The names are those of `ERROR_FIELDS`; a name that carried something in clean traces is left out, for then it is data.
"""

from collections.abc import Iterator, Mapping

from .._evidence import Evidence
from .._model import Clause, Json, Violation
from .._paths import ROOT, below, select
from .._seen import Seen
from .._values import clip, clip_text
from ._ground import Ground
from ._kind import Beside, Bind, Candidate, Fast, Kind, State

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
    profiles = frozenset({"full", "paper"})
    trusted = True
    about = "object"
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
        for path, place in sorted(evidence.places.items()):
            if place.with_objects:
                fields = [field for field in ERROR_FIELDS if not _in_use(evidence, path, field)]
                clause = Clause(
                    self.name, path, {"fields": fields}, place.with_objects, evidence.tasks(path), "traces"
                )
                yield Candidate(clause, "" if fields else "all are in use")

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Say nothing: a field that is new is `known`'s business."""
        return {}

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield one violation that names the error-bearing fields."""
        fields = frozenset(clause.params["fields"])
        for place, value in select(result, clause.path):
            if isinstance(value, dict):
                bearing = _bearing(value, fields)
                if bearing:
                    names = clip_text(", ".join(sorted(bearing)))
                    observed = clip(value[bearing[0]])
                    yield Violation(
                        self.code,
                        below(place, bearing[0]),
                        "absent",
                        observed,
                        f"error-bearing field(s): {names}",
                    )

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return "no field bears an error"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Nothing to test where all known fields have other names; `known` is tested before."""
        fields = frozenset(clause.params["fields"])
        if "known" in beside and fields.isdisjoint(
            field.lower() for field in beside["known"].params["fields"]
        ):
            return Fast("True", "True")
        name = bind(lambda value: not _bearing(value, fields))
        return Fast(f"{name}({{v}})", f"all(map({name}, {{c}}))")


def _in_use(evidence: Evidence, path: str, field: str) -> bool:
    return any(
        below(path, name) in evidence.places
        for name in (field, field.upper(), field.title(), field.capitalize())
    )


def _bearing(value: Mapping[str, Json], fields: frozenset[str]) -> list[str]:
    return [key for key in value if isinstance(key, str) and key.lower() in fields and value[key]]
