"""An event: one tool result, and what was made of it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from outcome_monitors.model import ClauseName, Json, Violation

__all__ = [
    "CLEAN",
    "EVALUATION",
    "FAILED",
    "FLAGGED",
    "LABELS",
    "NOT_CHECKED",
    "NOT_COVERED",
    "OUTCOMES",
    "SCORES",
    "Event",
    "Payload",
    "explained",
    "found_in",
    "to_json",
]

CLEAN = "clean"
FLAGGED = "flagged"
NOT_COVERED = "not_covered"
NOT_CHECKED = "not_checked"
FAILED = "failed"

OUTCOMES: Mapping[str, str] = {
    CLEAN: "the result was checked, and breaks nothing",
    FLAGGED: "the result breaks its contract",
    NOT_COVERED: "there is no contract for the tool",
    NOT_CHECKED: "there was nothing to check, or it was not allowed to take so long",
    FAILED: "the check went wrong inside; the result stands as it came",
}
"""Every outcome, and what it says. A result has exactly one of them."""


EVALUATION = "outcome_contract"
"""What a check is called as an evaluation, in observability."""
LABELS = {CLEAN: "pass", FLAGGED: "fail"}
SCORES = {CLEAN: 1.0, FLAGGED: 0.0}


class Payload(NamedTuple):
    """What went in and what came out, as JSON text, redacted and bounded."""

    arguments: str
    result: str


class Event(NamedTuple):
    """One tool result, and what was made of it."""

    time: float
    """Seconds since 1970, in UTC."""
    session: str | None
    """The conversation, where it is known."""
    tool: str
    outcome: str
    """One of `OUTCOMES`."""
    violations: tuple[Violation, ...] = ()
    receipt: Json = None
    """What the agent was told, or would have been."""
    advised: bool = False
    """Whether the agent was told."""
    duration: float = 0.0
    """Seconds that the check took."""
    why: str = ""
    """Why the result was not checked, what went wrong, or why the agent was not told; empty where nothing is to be said."""
    payload: Payload | None = None
    """Kept only where the host asked for it."""
    trace: str | None = None
    """The W3C `traceparent` of the call, where it brought one."""
    clauses: tuple[ClauseName, ...] = ()
    """What the broken clauses are called, in the order of the violations."""
    version: int | None = None
    """The version of the contracts that judged it, where there are versions."""


def to_json(event: Event) -> dict[str, Any]:
    """Return an event as an object; what says nothing is left out."""
    body: dict[str, Any] = {
        "time": datetime.fromtimestamp(event.time, UTC).isoformat(timespec="milliseconds"),
        "session": event.session,
        "tool": event.tool,
        "outcome": event.outcome,
        "duration_us": round(event.duration * 1e6, 1),
        "told": event.advised,
        "clauses": [name.address for name in event.clauses],
    }
    if event.version is not None:
        body["version"] = event.version
    if event.violations:
        body |= {"violations": found_in(event), "receipt": event.receipt, "advised": event.advised}
    return body | ({"why": event.why} if event.why else {})


def found_in(event: Event) -> list[dict[str, Json]]:
    """Return the violations of an event as objects, each with the id and the address of its clause, where they are known.

    Each says which version of the contracts it breaks, too: so stores of any age can hold that.
    """
    version = {} if event.version is None else {"version": event.version}
    names = [{"id": name.id, "clause": name.address, **version} for name in event.clauses]
    bare = [violation.to_json() for violation in event.violations]
    return [{**found, **name} for found, name in zip(bare, names or [{}] * len(bare), strict=True)]


def explained(event: Event) -> str:
    """Return codes and places, or why a result was not checked; no value of a result."""
    found = (f"{found.code} at {found.path or '(the result)'}" for found in event.violations)
    return "; ".join(found) or event.why
