"""A second, smaller reading of what the clauses of schemas mean, to test the first by."""

from collections.abc import Iterator

from outcome_monitors.contracts.sources import Report
from outcome_monitors.jsonvalue.paths import parent, parse, select
from outcome_monitors.jsonvalue.types import kind_of
from outcome_monitors.model import Clause, Contract, Json

__all__ = ["broken", "said"]


def broken(contract: Contract, result: Json) -> Iterator[Clause]:
    """Yield the clauses that a result does not keep."""
    for clause in contract.clauses:
        if clause.kind == "required":
            objects = [value for _, value in select(result, parent(clause.path)) if isinstance(value, dict)]
            holds = all(parse(clause.path)[-1] in value for value in objects)
        else:
            holds = all(_fits(clause, value) for _, value in select(result, clause.path))
        if not holds:
            yield clause


def _fits(clause: Clause, value: Json) -> bool:
    params = clause.params
    if clause.kind == "type":
        return _is(value, params["kinds"])
    if clause.kind == "range":
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return not number or params["low"] <= value <= params["high"]
    if clause.kind == "length":
        sized = isinstance(value, str if params["of"] == "text" else list)
        return not sized or params["least"] <= len(value) <= params["most"]
    return not isinstance(value, str) or value.strip().lower() in params["values"]


def _is(value: Json, kinds: list[str]) -> bool:
    kind = kind_of(value)
    if kind == "number":
        return "number" in kinds or ("integer" in kinds and value.is_integer())
    return kind in kinds or (kind == "integer" and "number" in kinds)


def said(report: Report) -> dict[str, object]:
    """Return what the one contract of a report says: `path!` is required, `path` has these types."""
    (contract,) = report.accepted
    return {
        f"{clause.path}!" if clause.kind == "required" else clause.path: clause.params.get("kinds", True)
        for clause in contract.clauses
        if clause.kind in ("required", "type")
    }
