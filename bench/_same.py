"""The peers' constraints as clauses, and the proof that all refuse the same: a comparison of unequal checks says nothing."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from outcome_monitors import Clause, Contract, Monitor, Registry
from outcome_monitors.contracts.sources import from_json_schema
from outcome_monitors.jsonvalue.paths import ROOT, below, each_item

from ._peers import Validator, accepts
from ._results import Subject

__all__ = ["damaged", "refuse_the_unequal", "same_constraints"]


def same_constraints(subject: Subject) -> Registry:
    """Return a subject's schema as clauses: what schemas give of types, presence and listed values, the rest as databases do."""
    [contract] = from_json_schema(subject.schema, subject.name, "bench").accepted
    clauses = (*contract.clauses, *_beyond_types(subject.schema, ROOT))
    return Registry({subject.name: Contract(subject.name, clauses)})


def _beyond_types(schema: Mapping[str, Any], path: str) -> Iterator[Clause]:
    if "exclusiveMinimum" in schema:
        yield _clause("positive", path)
    if "properties" in schema:
        yield _clause("closed_fields", path, fields=sorted(schema["properties"]))
        for name, inner in schema["properties"].items():
            yield from _beyond_types(inner, below(path, name))
    if "items" in schema:
        yield from _beyond_types(schema["items"], each_item(path))


def _clause(kind: str, path: str, **params: Any) -> Clause:
    return Clause(kind, path, params, 0, 0, "database:bench")


def damaged(subject: Subject, result: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield copies of a result, each with one thing wrong, named; it is the last row that is hit, where there are rows."""
    for name in ("missing field", "extra field", "unknown category", "zero", "wrong type"):
        copy = deepcopy(dict(result))
        record, schema = (
            (copy["rows"][-1], subject.schema["properties"]["rows"]["items"])
            if "rows" in copy
            else (copy, subject.schema)
        )
        fields = schema["properties"]
        if name == "missing field":
            del record[next(iter(fields))]
        elif name == "extra field":
            record["never_seen"] = 1
        elif name == "unknown category":
            record[_first(fields, "enum")] = "never seen"
        elif name == "zero":
            record[_first(fields, "exclusiveMinimum")] = 0
        else:
            record[_first(fields, "exclusiveMinimum")] = "3"
        yield name, copy


def _first(fields: Mapping[str, Mapping[str, Any]], keyword: str) -> str:
    return next(name for name, schema in fields.items() if keyword in schema)


def refuse_the_unequal(
    subject: Subject, result: Mapping[str, Any], monitor: Monitor, validators: Mapping[str, Validator]
) -> None:
    """Raise RuntimeError where one of them takes a damaged result, or refuses the clean one."""
    for name, validator in validators.items():
        if not accepts(validator, result):
            raise RuntimeError(f"{name} refuses the clean result of {subject.name}")
    for damage, wrong in damaged(subject, result):
        taken = [name for name, validator in validators.items() if accepts(validator, wrong)]
        if taken or not monitor.check(subject.name, {}, wrong):
            raise RuntimeError(f"{taken or ['outcome-monitors']} take a {subject.name} with a {damage}")
