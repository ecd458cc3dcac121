"""Had a clause a chance to fire? Where a result has nothing that a clause speaks of, that it holds says nothing."""

from collections.abc import Callable, Mapping
from typing import Any

from outcome_monitors.model import Clause, Json
from outcome_monitors.records.features import ABSENT
from outcome_monitors.records.reader import reader
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.record import RecordKind
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.values.paths import parent, select

__all__ = ["Applies", "applies"]

Applies = Callable[[Mapping[str, Json], Json], bool]
"""Says whether a call gives a clause something to judge."""


def applies(clause: Clause) -> Applies:
    """Return the test of whether a clause has something to judge; of what a session remembers it is always true."""
    kind = KINDS[clause.kind]
    if isinstance(kind, SessionKind):
        return lambda _arguments, _result: True
    if isinstance(kind, RecordKind):
        return _of_record(clause)
    # Only where the object is can a field be missing.
    path = parent(clause.path) if clause.kind == "required" else clause.path
    return lambda _arguments, result: next(select(result, path), None) is not None


def _of_record(clause: Clause) -> Applies:
    wanted = _wanted(clause)
    facts = clause.params.get("facts") if clause.kind == "fact" else None

    def test(arguments: Mapping[str, Json], result: Json) -> bool:
        for place, record in select(result, clause.path):
            values = [reader(feature)(record, arguments, place) for feature in wanted]
            if ABSENT not in map(_plain, values) and (facts is None or _known(values[0], facts)):
                return True
        return False

    return test


def _wanted(clause: Clause) -> tuple[str, ...]:
    """Return the features that must be there, the key of a fact first."""
    names = {"when": ("given",), "fact": ("key", "field"), "template": ("field",)}.get(clause.kind)
    if names is not None:
        return tuple(clause.params[name] for name in names)
    kind = KINDS[clause.kind]
    assert isinstance(kind, RecordKind)
    return kind.features(clause.params)


def _plain(value: Any) -> Any:
    """Return what can be compared with ABSENT whatever it is."""
    return ABSENT if value is ABSENT else None


def _known(key: Any, facts: Mapping[str, Json]) -> bool:
    return str(key) in facts
