"""What people say of single results, afterwards: that an alarm was wrong, or that a result was a fault without an alert.

It is evidence. A clause that was called wrong in two distinct tasks is suppressed until someone accepts it; a result that
was a fault is not learned from, and one whose alarm was wrong is.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from outcome_monitors.exceptions import ContractError
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.times import seconds_of, when
from outcome_monitors.model import Call, Json

from .identity import short_address

VERDICTS: Mapping[str, str] = {
    "wrong": "the alarm was wrong: the result is right",
    "missed": "the result was a fault without an alert",
}
TASKS_CALLED_WRONG = 2
"""Distinct tasks in which a clause was called wrong, before its alerts are suppressed."""
NEAR = 1.0
"""Seconds between an event and the recorded call that it is of, at most: they are written one after the other."""


class Feedback(NamedTuple):
    """What was said of one result."""

    verdict: str
    """One of `VERDICTS`."""
    tool: str
    session: str | None
    time: str
    """When the result came, as its event has it."""
    clauses: tuple[str, ...] = ()
    """The clauses that it broke, each as its address with the whole id: `get_order.total/positive#f3e21b31bc`."""
    note: str = ""

    @property
    def task(self) -> str:
        """What it counts as a witness for: its conversation, or without one itself."""
        return self.session if self.session is not None else f"at {self.time}"

    @property
    def result(self) -> tuple[str, str | None, str]:
        """Which result it is said of; the last word on one counts."""
        return self.tool, self.session, self.time

    def to_json(self) -> dict[str, Json]:
        """Return it as a line of the file."""
        return {**self._asdict(), "clauses": list(self.clauses)}

    @classmethod
    def from_json(cls, body: Any, where: str) -> "Feedback":
        """Read it back; raise ContractError, naming the field, where it cannot be used."""
        if not isinstance(body, dict):
            raise ContractError(f"{where} must be an object, not {clip(body)!r}")
        said = {"session": None, "note": "", **body}
        for field in ("verdict", "tool", "session", "time", "note"):
            if not isinstance(said.get(field), str) and (field != "session" or said[field] is not None):
                raise ContractError(f"{where}: {field} cannot be {clip(said.get(field))!r}")
        clauses = body.get("clauses", [])
        if body["verdict"] not in VERDICTS:
            raise ContractError(
                f"{where}: verdict cannot be {clip(body['verdict'])!r}; one of {', '.join(VERDICTS)}"
            )
        if not isinstance(clauses, list) or not all(isinstance(name, str) for name in clauses):
            raise ContractError(f"{where}: clauses must be a list of addresses")
        return cls(body["verdict"], body["tool"], said["session"], body["time"], tuple(clauses), said["note"])


def called_wrong(feedback: Iterable[Feedback]) -> dict[str, set[str]]:
    """Return, of each clause that was called wrong, by its id, the tasks in which it was."""
    found: dict[str, set[str]] = {}
    for one in feedback:
        for name in one.clauses if one.verdict == "wrong" else ():
            found.setdefault(name.rpartition("#")[2], set()).add(one.task)
    return found


def verdict_of(call: Call, feedback: Mapping[tuple[str, str | None], list[Feedback]]) -> str:
    """Return what was said of a recorded call, by its tool and session; nothing where nothing was."""
    among = feedback.get((call.tool, call.session))
    moment = _seconds(call.extra.get("time")) if among else None
    if not among or moment is None:
        return ""
    apart = [(abs(moment - theirs), one) for one in among if (theirs := _seconds(one.time)) is not None]
    near = [(gap, one) for gap, one in apart if gap <= NEAR and _speaks_of(one, _breaks(call))]
    return min(near, key=lambda pair: pair[0])[1].verdict if near else ""


def _speaks_of(said: Feedback, broken: set[str]) -> bool:
    """Say whether what was said can be of a call that breaks this: other calls of the same session may have come within a second."""
    named = {*map(short_address, said.clauses)}
    return broken == named if said.verdict == "missed" else bool(broken & named)


def _breaks(call: Call) -> set[str]:
    """Return the addresses of what a recorded call is marked with."""
    findings = call.extra.get("findings")
    marked = findings if isinstance(findings, list) else ()
    return {str(one[0]) for one in marked if isinstance(one, list) and one}


def _seconds(text: Json) -> float | None:
    found = when(text)
    return None if found is None else seconds_of(found)
