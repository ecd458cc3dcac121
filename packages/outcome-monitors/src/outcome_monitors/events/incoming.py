"""Events that another program has written, one JSON object a line: held against the form, each fault by its line and field.

The form is that of a file of JSON lines (`rows.line_of`) and of `events --format jsonl`. Nothing is believed: what has not the form is
refused, what is too long is refused, and a field that nobody knows is passed over.
"""

import json
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from outcome_monitors.state.labels import LONGEST as LONGEST_LABEL, Labels
from outcome_monitors.values.database_files import storable
from outcome_monitors.values.display import clip, clip_text

from .event import FLAGGED, OUTCOMES
from .rows import Row

__all__ = ["BadLine", "IncomingEvent", "incoming_events"]

LONGEST_NAME = 400
"""Characters of a tool and of a session, of which there are indices."""
LONGEST_TEXT = 20_000
MOST_VIOLATIONS = 1000
_TEXTS = ("code", "path", "detail", "clause", "id")


class BadLine(NamedTuple):
    """What is wrong with a line."""

    line: int
    """Counted from 1."""
    field: str
    """Empty where it is the whole line."""
    said: str

    def __str__(self) -> str:
        field = f", {self.field}" if self.field else ""
        return f"line {self.line}{field}: {self.said}"


class IncomingEvent(NamedTuple):
    """An event as a row of a store, and the labels that its writer claims."""

    row: Row
    labels: Labels


class _Refused(ValueError):  # noqa: N818 - what is wrong is the field's
    """A field is not as it should be."""

    def __init__(self, field: str, said: str) -> None:
        super().__init__(said)
        self.field = field


def incoming_events(data: bytes) -> tuple[list[IncomingEvent], list[BadLine]]:
    """Read lines; return the events, and what is wrong with the lines that are none."""
    events: list[IncomingEvent] = []
    bad: list[BadLine] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            events.append(_event(_object(line)))
        except _Refused as refused:
            bad.append(BadLine(number, refused.field, str(refused)))
    return events, bad


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except UnicodeDecodeError:
        raise _Refused("", "it is not UTF-8") from None
    except RecursionError:
        raise _Refused("", "it is nested too deeply") from None
    except ValueError as error:
        raise _Refused("", f"it is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise _Refused("", f"an event is an object, not {clip(found)!r}")
    return found


def _event(body: Mapping[str, Any]) -> IncomingEvent:
    outcome = _text(body, "outcome", required=True)
    if outcome not in OUTCOMES:
        raise _Refused("outcome", f"it cannot be {clip_text(outcome)!r}; one of {', '.join(OUTCOMES)}")
    violations = _violations(body)
    if violations and outcome != FLAGGED:
        raise _Refused("violations", f"a result that breaks its contract is {FLAGGED}, not {outcome}")
    row = (
        _time(body),
        _text(body, "session", LONGEST_NAME) if body.get("session") is not None else None,
        _text(body, "tool", LONGEST_NAME, required=True),
        outcome,
        int(_truth(body, "told") or _truth(body, "advised")),
        _duration(body),
        _text(body, "why"),
        json.dumps(violations),
        json.dumps(body.get("receipt")),
        *(json.dumps(body[side]) if side in body else None for side in ("arguments", "result")),
    )
    return IncomingEvent(row, Labels(**{name: _text(body, name, LONGEST_LABEL) for name in Labels._fields}))


def _text(body: Mapping[str, Any], field: str, longest: int = LONGEST_TEXT, *, required: bool = False) -> str:
    if field not in body and not required:
        return ""
    value = body.get(field)
    if not isinstance(value, str):
        raise _Refused(field, "it is missing" if field not in body else f"it is no text: {clip(value)!r}")
    if len(value) > longest:
        raise _Refused(field, f"it has {len(value):,} characters, and {longest:,} are possible")
    if required and not value:
        raise _Refused(field, "it is empty")
    return storable(value).replace("\x00", "\\x00")


def _truth(body: Mapping[str, Any], field: str) -> bool:
    value = body.get(field, False)
    if not isinstance(value, bool):
        raise _Refused(field, f"it is neither true nor false: {clip(value)!r}")
    return value


def _time(body: Mapping[str, Any]) -> float:
    text = _text(body, "time", required=True)
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise _Refused("time", f"it is no time as in 2026-03-01T10:00:00Z: {clip_text(text)!r}") from None


def _duration(body: Mapping[str, Any]) -> float:
    value = body.get("duration_us", 0)
    try:
        seconds = float(value) / 1e6
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if isinstance(value, bool | str) or not (math.isfinite(seconds) and seconds >= 0):
        raise _Refused("duration_us", f"it is no number of microseconds: {clip(value)!r}")
    return seconds


def _violations(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = body.get("violations", [])
    if not isinstance(found, list) or len(found) > MOST_VIOLATIONS:
        raise _Refused("violations", f"it is no list of at most {MOST_VIOLATIONS:,}")
    version = dict(_version(body))
    return [{**_violation(one, number), **version} for number, one in enumerate(found)]


def _violation(one: Any, number: int) -> dict[str, Any]:
    if not isinstance(one, dict):
        raise _Refused(f"violations[{number}]", f"it is no object: {clip(one)!r}")
    try:
        texts = {name: _text(one, name, required=name in ("code", "path")) for name in _TEXTS}
    except _Refused as refused:
        raise _Refused(f"violations[{number}].{refused.field}", str(refused)) from None
    named = {name: text for name, text in texts.items() if text or name == "detail"}
    if ("clause" in named) != ("id" in named):
        raise _Refused(f"violations[{number}]", "a clause is named by its address and its id, or not at all")
    return {**named, "expected": one.get("expected"), "observed": one.get("observed")}


def _version(body: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    version = body.get("version")
    if version is None:
        return
    if type(version) is not int or not 0 < version < 2**63:
        raise _Refused("version", f"it is no number of a version: {clip(version)!r}")
    yield "version", version
