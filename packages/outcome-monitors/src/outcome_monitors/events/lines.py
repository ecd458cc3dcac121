"""Reading events from JSON lines: those of a file, and those that another program sends.

The form is that of `event.line_of` and of `events --format jsonl`. Nothing is believed: what has not the form is refused, with the field
that is at fault, and a field that nobody knows is passed over.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from outcome_monitors.files import storable
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.times import seconds_of
from outcome_monitors.storage.labels import LONGEST as LONGEST_LABEL, Labels

from .event import FLAGGED, OUTCOMES, SUPPRESSED, Row

__all__ = ["BadLine", "IncomingEvent", "RefusedLine", "incoming_events", "read_line"]

LONGEST_NAME = 400
"""Characters of a tool and of a session that another program may send: there are indices of them."""
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


class RefusedLine(ValueError):  # noqa: N818 - what is wrong is the line's
    """A line is no event: which field is not as it should be, if it is one."""

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
            events.append(read_line(line, LONGEST_NAME))
        except RefusedLine as refused:
            bad.append(BadLine(number, refused.field, str(refused)))
    return events, bad


def read_line(line: bytes, longest: int = LONGEST_TEXT) -> IncomingEvent:
    """Read a line; the name of a tool or a session has at most so many characters."""
    body = _object(line)
    outcome = _text(body, "outcome", required=True)
    if outcome not in (*OUTCOMES, SUPPRESSED):
        raise RefusedLine("outcome", f"it cannot be {clip_text(outcome)!r}; one of {', '.join(OUTCOMES)}")
    violations = _violations(body)
    if violations and outcome != FLAGGED:
        raise RefusedLine("violations", f"a result that breaks its contract is {FLAGGED}, not {outcome}")
    row = (
        _time(body),
        _text(body, "session", longest) if body.get("session") is not None else None,
        _text(body, "tool", longest, required=True),
        outcome,
        int(_truth(body, "told") or _truth(body, "advised")),
        _duration(body),
        _text(body, "why"),
        json.dumps(violations),
        json.dumps(body.get("receipt")),
        *(json.dumps(body[side]) if side in body else None for side in ("arguments", "result")),
    )
    return IncomingEvent(row, Labels(**{name: _text(body, name, LONGEST_LABEL) for name in Labels._fields}))


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except UnicodeDecodeError:
        raise RefusedLine("", "it is not UTF-8") from None
    except RecursionError:
        raise RefusedLine("", "it is nested too deeply") from None
    except ValueError as error:
        raise RefusedLine("", f"it is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise RefusedLine("", f"an event is an object, not {clip(found)!r}")
    return found


def _text(body: Mapping[str, Any], field: str, longest: int = LONGEST_TEXT, *, required: bool = False) -> str:
    if field not in body and not required:
        return ""
    value = body.get(field)
    if not isinstance(value, str):
        raise RefusedLine(field, "it is missing" if field not in body else f"it is no text: {clip(value)!r}")
    if len(value) > longest:
        raise RefusedLine(field, f"it has {len(value):,} characters, and {longest:,} are possible")
    if required and not value:
        raise RefusedLine(field, "it is empty")
    return storable(value).replace("\x00", "\\x00")


def _truth(body: Mapping[str, Any], field: str) -> bool:
    value = body.get(field, False)
    if not isinstance(value, bool):
        raise RefusedLine(field, f"it is neither true nor false: {clip(value)!r}")
    return value


def _time(body: Mapping[str, Any]) -> float:
    text = _text(body, "time", required=True)
    try:
        return seconds_of(text)
    except (ValueError, OverflowError):
        raise RefusedLine("time", f"it is no time as in 2026-03-01T10:00:00Z: {clip_text(text)!r}") from None


def _duration(body: Mapping[str, Any]) -> float:
    value = body.get("duration_us", 0)
    try:
        seconds = float(value) / 1e6
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if isinstance(value, bool | str) or not (math.isfinite(seconds) and seconds >= 0):
        raise RefusedLine("duration_us", f"it is no number of microseconds: {clip(value)!r}")
    return seconds


def _violations(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = body.get("violations", [])
    if not isinstance(found, list) or len(found) > MOST_VIOLATIONS:
        raise RefusedLine("violations", f"it is no list of at most {MOST_VIOLATIONS:,}")
    version = dict(_version(body))
    return [{**_violation(one, number), **version} for number, one in enumerate(found)]


def _violation(one: Any, number: int) -> dict[str, Any]:
    if not isinstance(one, dict):
        raise RefusedLine(f"violations[{number}]", f"it is no object: {clip(one)!r}")
    try:
        texts = {name: _text(one, name, required=name in ("code", "path")) for name in _TEXTS}
    except RefusedLine as refused:
        raise RefusedLine(f"violations[{number}].{refused.field}", str(refused)) from None
    named = {name: text for name, text in texts.items() if text or name == "detail"}
    if ("clause" in named) != ("id" in named):
        raise RefusedLine(
            f"violations[{number}]", "a clause is named by its address and its id, or not at all"
        )
    return {**named, "expected": one.get("expected"), "observed": one.get("observed")}


def _version(body: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    version = body.get("version")
    if version is None:
        return
    if type(version) is not int or not 0 < version < 2**63:
        raise RefusedLine("version", f"it is no number of a version: {clip(version)!r}")
    yield "version", version
