"""What a form asks for, done: the same small functions that the commands call."""

import time
from collections.abc import Callable, Mapping

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning import decisions as decide
from outcome_monitors.learning.folder import StateFolder

__all__ = ["decided"]


def _mute(state: StateFolder, fields: Mapping[str, str]) -> str:
    until = fields.get("until", "")
    ends = decide.read_until(until, time.time()) if until else ""
    return decide.mute(state, _clause(fields), ends, fields.get("reason", ""))


def _unmute(state: StateFolder, fields: Mapping[str, str]) -> str:
    return decide.unmute(state, _clause(fields))


def _accept(state: StateFolder, fields: Mapping[str, str]) -> str:
    return decide.accept(state, _clause(fields), fields.get("reason", ""))


def _wrong(state: StateFolder, fields: Mapping[str, str]) -> str:
    named = [fields["clause"]] if fields.get("clause") else []
    return decide.wrong(state, _event(fields), named, fields.get("reason", ""))


def _missed(state: StateFolder, fields: Mapping[str, str]) -> str:
    return decide.missed(state, _event(fields), fields.get("reason", ""))


DECISIONS: Mapping[str, Callable[[StateFolder, Mapping[str, str]], str]] = {
    "accept": _accept,
    "missed": _missed,
    "mute": _mute,
    "unmute": _unmute,
    "wrong": _wrong,
}


def decided(state: StateFolder, fields: Mapping[str, str]) -> str:
    """Do what a form asks for, and say what holds now; raise OutcomeMonitorsError where that cannot be."""
    what = DECISIONS.get(fields.get("what", ""))
    if what is None:
        raise OutcomeMonitorsError(f"a form asks for one of {', '.join(DECISIONS)}")
    return what(state, fields)


def _clause(fields: Mapping[str, str]) -> str:
    if not fields.get("clause"):
        raise OutcomeMonitorsError("the form names no clause")
    return fields["clause"]


def _event(fields: Mapping[str, str]) -> int:
    number = fields.get("event", "")
    if not number.isdecimal() or len(number) > 18:
        raise OutcomeMonitorsError("the form names no event")
    return int(number)
