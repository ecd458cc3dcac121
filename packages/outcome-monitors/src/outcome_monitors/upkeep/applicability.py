"""Had a clause a chance to fire? Where a result has nothing that a clause speaks of, that it holds says nothing."""

from collections.abc import Callable, Mapping
from typing import Any

from outcome_monitors.model import Clause, Json
from outcome_monitors.records.features import ABSENT
from outcome_monitors.records.reader import reader
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.record import RecordKind
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.values.paths import select

__all__ = ["Applies", "applies"]

Applies = Callable[[Mapping[str, Json], Json], bool]
"""Says whether a call gives a clause something to judge."""


def applies(clause: Clause) -> Applies:
    """Return the test of whether a clause has something to judge; of what a session remembers it is always true."""
    kind = KINDS[clause.kind]
    if isinstance(kind, SessionKind):
        return lambda _arguments, _result: True
    if isinstance(kind, RecordKind):
        return _of_record(clause, kind)
    path = kind.stands_at(clause.path)
    return lambda _arguments, result: next(select(result, path), None) is not None


def _of_record(clause: Clause, kind: RecordKind) -> Applies:
    wanted = kind.wanted(clause.params)

    def test(arguments: Mapping[str, Json], result: Json) -> bool:
        for place, record in select(result, clause.path):
            values = [reader(feature)(record, arguments, place) for feature in wanted]
            if ABSENT not in map(_plain, values) and kind.can_judge(clause.params, values):
                return True
        return False

    return test


def _plain(value: Any) -> Any:
    """Return what can be compared with ABSENT whatever it is."""
    return ABSENT if value is ABSENT else None
