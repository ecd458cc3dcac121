"""`required`: the field is always there.

Mined when every object that could have the field had it. Derived from a schema that lists it as required.
"""

from collections.abc import Iterator, Mapping

from .._model import Clause, Json, Violation
from .._paths import below, parent, parse, select
from .._seen import Seen
from ._ground import Ground
from ._kind import Candidate, Kind, State

__all__ = ["Required"]


class Required(Kind):
    """The field is present in every object at its parent's path."""

    name = "required"
    code = "missing_learned_field"
    schema_code = "missing_required_field"
    profiles = frozenset({"paper"})
    about = "shape"

    def observe(self, state: State, seen: Seen) -> None:
        """Keep nothing: `Ground` counts presence for all kinds."""

    def merge(self, state: State, other: State) -> None:
        """Keep nothing."""

    def accept(self, state: State, ground: Ground) -> Iterator[Candidate]:
        """Accept a field that was in every object."""
        for path in ground.fields():
            if isinstance(parse(path)[-1], str):
                clause = ground.clause(self.name, path, {}, ground.samples(path))
                yield Candidate(clause, "" if ground.required(path) else "absent from some results")

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each object that lacks the field."""
        field = parse(clause.path)[-1]
        assert isinstance(field, str)
        code = self.code_of(clause)
        word = "required" if code == self.schema_code else "nominal"
        for place, value in select(result, parent(clause.path)):
            if isinstance(value, dict) and field not in value:
                missing = below(place, field)
                yield Violation(code, missing, "present", "absent", f"missing {word} field {missing}")

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"{clause.path} is always present"
