"""An event: one tool result, what was made of it, and its form as an object, a line of a file and a row of a store.

Names and texts are what servers and clients say: half a surrogate pair, a number of ten thousand digits, an object that is no JSON.
`storable_event` makes of such an event one that any store takes.
"""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from outcome_monitors.files import storable
from outcome_monitors.model import ClauseName, Json, Violation

CLEAN = "clean"
FLAGGED = "flagged"
NOT_COVERED = "not_covered"
NOT_CHECKED = "not_checked"
FAILED = "failed"

OUTCOMES: Mapping[str, str] = {
    CLEAN: "checked; no clause is violated",
    FLAGGED: "checked; at least one clause is violated",
    NOT_COVERED: "the tool has no contract",
    NOT_CHECKED: "nothing to check, or the check timed out",
    FAILED: "internal error in the check; the result is passed on unmodified",
}
"""Every outcome, and what it says. A result has exactly one of them."""
SUPPRESSED = "suppressed"
"""Stands in the place of the outcome in an event that is of no result: from now on agents are alerted no more of what its clause flags."""


EVALUATION = "outcome_contract"
"""What a check is called as an evaluation, in observability."""
LABELS = {CLEAN: "pass", FLAGGED: "fail"}
SCORES = {CLEAN: 1.0, FLAGGED: 0.0}


BOUNDS = (0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Seconds that checks took: where the buckets of histograms end."""
COLUMNS = (
    "time",
    "session",
    "tool",
    "outcome",
    "advised",
    "duration",
    "why",
    "violations",
    "receipt",
    "arguments",
    "result",
)
"""Those of a row that is written, in its order; the store numbers it (`id`)."""

LONGEST = 1000
"""Characters that are kept of what is no text where one belongs."""

Row = tuple[Any, ...]


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
    call: str | None = None
    """The id that the model gave the call, where the framework tells; it is for traces, and kept in no store."""


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
        body |= {"violations": violations_of(event), "receipt": event.receipt, "advised": event.advised}
    return body | ({"why": event.why} if event.why else {})


def violations_of(event: Event) -> list[dict[str, Json]]:
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


def row_of(event: Event) -> Row:
    """Return the values of an event, in the order of the store's columns."""
    arguments, result = (None, None) if event.payload is None else event.payload
    return (
        event.time,
        event.session,
        event.tool,
        event.outcome,
        int(event.advised),
        event.duration,
        event.why,
        json.dumps(violations_of(event), default=repr),
        json.dumps(event.receipt, default=repr),
        arguments,
        result,
    )


def storable_row(event: Event) -> tuple[Row, bool]:
    """Return the row of an event as any store takes it, and whether it had no such form as it was."""
    try:
        time, session, tool, outcome, advised, duration, *texts = row_of(event)
        "".join([tool, outcome, *(text for text in (session, *texts) if text is not None)]).encode()
        if math.isfinite(time) and math.isfinite(duration):
            return (float(time), session, tool, outcome, advised, float(duration), *texts), False
    except Exception:  # noqa: BLE001, S110 - what one event holds is not the others' affair
        pass
    return row_of(storable_event(event)), True


def line_of(event: Event) -> str:
    """Return an event as a line of JSON; raise where it has none in UTF-8."""
    if not (isinstance(event.tool, str) and math.isfinite(event.duration)):
        raise TypeError("the tool's name is no text, or the duration no number")
    text = json.dumps(to_json(event), default=repr)
    if event.payload is not None:
        # They are JSON already.
        text = f'{text[:-1]}, "arguments": {event.payload.arguments}, "result": {event.payload.result}}}'
    text.encode()
    return text


def storable_event(event: Event) -> Event:
    """Return an event that any store takes; what has no form in JSON is left out, and `why` says so."""
    payload = event.payload
    plain = event._replace(
        time=dated(event.time),
        session=None if event.session is None else _text(event.session),
        tool=_text(event.tool),
        outcome=_text(event.outcome),
        why=_text(event.why),
        duration=event.duration if math.isfinite(event.duration) else 0.0,
        payload=None if payload is None else Payload(*map(storable, payload)),
    )
    try:
        row_of(plain)
    except Exception as error:  # noqa: BLE001 - whatever it is, the event is one
        why = f"{plain.why}; " if plain.why else ""
        return plain._replace(
            violations=(), clauses=(), receipt=None, why=f"{why}the rest has no form: {type(error).__name__}"
        )
    return plain


def dated(time: Any) -> float:
    """Return a time that has a date, or that of the beginning."""
    try:
        datetime.fromtimestamp(time, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return 0.0
    return float(time)


def _text(value: Any) -> str:
    try:
        return storable(value if type(value) is str else repr(value)[:LONGEST])
    except Exception:  # noqa: BLE001 - a name may be any object, and say nothing of itself
        return type(value).__name__
