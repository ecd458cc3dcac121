"""`closed_fields`: no field that was never seen before.

One clause an object: the names of all fields that clean results had there.
"""

from collections.abc import Iterator, Mapping

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import below, each_value, parent, parse, select
from outcome_monitors.jsonvalue.text import last_word
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence, Place
from outcome_monitors.rules.evidence.samples import NO_TASK, Witness
from outcome_monitors.rules.evidence.tasks import kept

from .base.kind import Beside, Bind, Candidate, Counting, State, named
from .base.severity import Severity
from .base.support import Ground, close
from .base.traits import Build, Drift, Mining, Traits
from .config import CONFIG

FAILURE = frozenset({"error", "errors", "exception", "failure", "traceback"})
"""Last words of fields that come with a failure."""


class ClosedFields(Counting):
    """Every field of the object is one that clean results had."""

    name = "closed_fields"
    code = "unexpected_field"
    traits = Traits(
        about="object", build=Build.FIELDS, change="is a new field", drift=Drift.LISTED, of_the_day=True
    )
    mining = Mining(profiles=frozenset({"full", "paper"}), budget_weight=2.0)
    params = {
        "fields": lambda v: isinstance(v, list) and all(isinstance(f, str) for f in v),
    }

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept the names seen in any object."""
        fields: dict[str, list[str]] = {path: [] for path in sorted(ground.presence.objects)}
        for path in ground.fields():
            field = parse(path)[-1]
            if isinstance(field, str):
                fields.setdefault(parent(path), []).append(field)
        for path, names in fields.items():
            if names:
                clause = ground.clause(
                    self.name, path, {"fields": sorted(names)}, ground.presence.objects.get(path, 0)
                )
                yield Candidate(clause, "" if len(names) <= CONFIG.closed_fields_max else "the keys are data")

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the fields that more than one task brought."""
        fields: dict[str, list[tuple[str, Witness]]] = {}
        for path, field, place in _fields(evidence):
            first, *more = kept(place.tasks)
            witness = Witness(place.calls, first, more[0] if more else NO_TASK)
            fields.setdefault(path, []).append((field, witness))
        for path, found in sorted(fields.items()):
            tasks = evidence.tasks(path)
            closed = close(found, tasks)
            data = closed.seen > CONFIG.closed_fields_max or each_value(path) in evidence.places
            refused = "the keys are data" if data else "" if tasks > 1 else "one task only"
            params = {"fields": sorted(closed.admitted)}
            clause = Clause(self.name, path, params, evidence.places[path].with_objects, tasks, "traces")
            yield Candidate(clause, refused, closed.fired, len(closed.admitted))

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        fields = frozenset(clause.params["fields"])
        return {
            min(place.tasks): place.calls
            for path, field, place in _fields(evidence)
            if path == clause.path and field not in fields
        }

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each field that is not among the known ones."""
        fields = frozenset(clause.params["fields"])
        for place, value in select(result, clause.path):
            for field in value if isinstance(value, dict) else ():
                if field not in fields:
                    path = below(place, str(field))
                    detail = f"field absent from nominal traces: {clip_text(path)}"
                    yield Violation(self.code, path, "absent", "present", detail)

    def severity(self, clause: Clause, violation: Violation, result: Json) -> Severity:
        """Make little of one field more, and much of an object that has hardly a known one."""
        found: Json = next((value for _, value in select(result, parent(violation.path))), {})
        unknown = [field for field in found if field not in frozenset(clause.params["fields"])]
        if any(last_word(str(field)) in FAILURE for field in unknown):
            return Severity.HIGH
        return Severity.MEDIUM if 2 * len(unknown) >= len(found) else Severity.INFO

    def novel_value(self, violation: Violation) -> str:
        return str(parse(violation.path)[-1])

    def texts(self, params: Mapping[str, Json]) -> Iterator[tuple[str | None, str]]:
        """Yield the names of fields, data where keys are; that they are those of personal fields says nothing."""
        return ((None, name) for name in params["fields"])

    def explain(self, clause: Clause) -> str:
        return f"{named(clause.path)} has no fields but {', '.join(map(clip_text, clause.params['fields']))}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        return f"{bind(frozenset(clause.params['fields']))}.issuperset({{v}})"


def _fields(evidence: Evidence) -> Iterator[tuple[str, str, Place]]:
    """Yield the path of an object, the name of a field of it, and what stood there, for every field."""
    for path, place in evidence.places.items():
        field = parse(path)[-1] if path else None
        if isinstance(field, str):
            yield parent(path), field, place
