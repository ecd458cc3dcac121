"""What the kinds have in common that relate the features of a record to each other (`records.features`)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard

from outcome_monitors.evidence.evidence import Evidence
from outcome_monitors.evidence.table import Table
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.features import ABSENT, is_answer
from outcome_monitors.records.identity import names_a_thing
from outcome_monitors.records.reader import reader
from outcome_monitors.values.paths import select

from .kind import Beside, Bind, Fast, witnesses
from .members import Get, MemberKind, is_feature, noun, place_of, said

__all__ = [
    "Get",
    "RecordKind",
    "finest",
    "is_feature",
    "is_of",
    "noun",
    "of_one_thing",
    "place_of",
    "said",
    "tables_of",
]

FINEST = 0.8
"""An identity that tells apart this share of what the finest one does names the thing itself, not what it belongs to."""


def is_of(value: Any, *sorts: Sort) -> TypeGuard[str]:
    """Say whether a value from a contract file names a feature of one of these sorts."""
    return is_feature(value) and Feature.parse(value).sort in sorts


def tables_of(evidence: Evidence) -> Iterator[tuple[str, Table]]:
    """Yield the distinct records of each path, feature by feature."""
    return ((path, evidence.table(path)) for path in sorted(evidence.records))


def finest(table: Table) -> list[Feature]:
    """Return the fields that name the thing itself that a record is about."""
    named = {
        name: column.values
        for name, column in table.columns.items()
        if name.sort is Sort.FIELD and names_a_thing(name)
    }
    distinct = {name: len({*values}) for name, values in named.items()}
    most = max(distinct.values(), default=0)
    return [name for name, count in distinct.items() if count >= FINEST * most]


def of_one_thing(key: Feature, name: Feature) -> bool:
    """Say whether a field is of the thing that a key names: the id of an owner says nothing of what it owns."""
    above = key.steps[:-1]
    return not above or not names_a_thing(key) or name.steps[: len(above)] == above


class RecordKind(MemberKind):
    """A kind that judges each record at a path by its features."""

    about = "record"

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Test every distinct record of other evidence."""
        if clause.path not in evidence.records:
            return {}
        broken = self.broken(clause.params)
        return witnesses(
            witness for found, witness in evidence.rows(clause.path) if broken(_getter(found)) is not None
        )

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each record that fails the test."""
        broken = self.broken(clause.params)
        for place, record in select(result, clause.path):
            # A scalar is a record only as the whole result or under a key that is data: no other was mined from.
            if not (isinstance(record, (dict, list)) or is_answer(place) or clause.path.endswith("*")):
                continue

            def get(feature: str, record: Any = record, place: str = place) -> Any:
                return reader(feature)(record, arguments, place)

            found = broken(get)
            if found is not None:
                feature, *values = found
                expected, observed = self.compared(clause, get, *values)
                yield Violation(
                    self.code_of(clause),
                    place_of(place, feature),
                    expected,
                    observed,
                    self.detail(clause.params),
                )

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Run the test itself on the values of its features; kinds that can do better say so."""
        features, name = self.features(clause.params), bind(self.holding(clause.params))
        places = ", ".join(f"{{{index}}}" for index in range(len(features)))
        return Fast(f"{name}({places})", f"all(map({name}, {places}))", features=features)

    def holding(self, params: Mapping[str, Json]) -> Callable[..., bool]:
        """Return the test itself, of the values of its features."""
        features, broken = self.features(params), self.broken(params)
        if len(features) == 2:
            # As most have; to pair names with values takes longer than most tests.
            one, other = features
            return lambda a, b: broken({one: a, other: b}.__getitem__) is None
        return lambda *values: broken(dict(zip(features, values, strict=True)).__getitem__) is None


def _getter(found: Mapping[str, Any]) -> Get:
    return lambda feature: found.get(feature, ABSENT)
