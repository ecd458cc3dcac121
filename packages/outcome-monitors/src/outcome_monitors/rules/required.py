"""`required`: the field is always there.

In profile `paper`, when every object that could have the field had it; in profile `full`, when all but few had it. Derived from a
schema that lists it as required.
"""

from collections.abc import Iterator, Mapping

from outcome_monitors.jsonvalue.paths import below, each_value, parent, parse, select
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence, Place

from .base.kind import Candidate, Counting, State
from .base.severity import Severity
from .base.support import Ground
from .base.traits import Build, Drift, Mining, Traits
from .config import CONFIG

_UNKNOWN = -1
"""Stands for the tasks whose results lacked a field: how many calls did is kept, not which."""


class Required(Counting):
    """The field is present in every object at its parent's path."""

    name = "required"
    code = "missing_learned_field"
    traits = Traits(
        schema_code="missing_required_field",
        about="shape",
        build=Build.PRESENCE,
        change="is gone",
        drift=Drift.BOUNDED,
    )
    mining = Mining(
        profiles=frozenset({"full", "paper"}),
        trusted=True,
        budget_weight=5.0,
    )

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept a field that was in every object."""
        for path in ground.fields():
            if isinstance(parse(path)[-1], str):
                clause = ground.clause(self.name, path, {}, ground.samples(path))
                yield Candidate(clause, "" if ground.required(path) else "absent from some results")

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest every field that was in all objects of all calls, or in all but few."""
        optional = {parent(path) for path, place in evidence.places.items() if _absent(evidence, path, place)}
        for path, place in sorted(evidence.places.items()):
            if path and isinstance(parse(path)[-1], str) and each_value(parent(path)) not in evidence.places:
                absent = _absent(evidence, path, place)
                least = (
                    CONFIG.required_tasks_among_optional
                    if parent(path) in optional
                    else CONFIG.required_tasks
                )
                if absent <= CONFIG.required_absent * place.calls:
                    tasks = evidence.tasks(path)
                    clause = Clause(self.name, path, {}, place.count, tasks, "traces")
                    refused = "too few tasks" if tasks < least else ""
                    yield Candidate(clause, refused, {_UNKNOWN: absent} if absent else {})

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        objects = evidence.places.get(parent(clause.path))
        place = evidence.places.get(clause.path)
        absent = objects.with_objects - (place.complete if place else 0) if objects else 0
        return {_UNKNOWN: absent} if absent else {}

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each object that lacks the field."""
        steps = parse(clause.path)
        field = steps[-1] if steps else None
        if not isinstance(field, str):
            # A file may say it of a place that is no field: that is nothing to miss.
            return
        code = self.code_of(clause)
        word = "required" if code == self.traits.schema_code else "nominal"
        for place, value in select(result, parent(clause.path)):
            if isinstance(value, dict) and field not in value:
                missing = below(place, field)
                yield Violation(code, missing, "present", "absent", f"missing {word} field {missing}")

    def severity(self, clause: Clause, violation: Violation, result: Json) -> Severity:
        """Make more of an object that has little else."""
        found: Json = next((value for _, value in select(result, parent(violation.path))), {})
        return Severity.MEDIUM if len(found) > CONFIG.severity_few_fields else Severity.HIGH

    def explain(self, clause: Clause) -> str:
        return f"{clause.path} is always present"


def _absent(evidence: Evidence, path: str, place: Place) -> int:
    """Return in how many calls an object at the parent lacked the field."""
    return evidence.places[parent(path)].with_objects - place.complete if path else 0
