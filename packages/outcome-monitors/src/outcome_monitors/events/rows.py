"""An event as a row of a store or a line of a file.

Names and texts are what servers and clients say: half a surrogate pair, a number of ten thousand digits, an object that is no JSON.
`storable_event` makes of such an event one that any store takes.
"""

import json
import math
from datetime import UTC, datetime
from typing import Any

from outcome_monitors.jsonvalue.files import storable

from .event import Event, Payload, found_in, to_json

__all__ = ["COLUMNS", "Row", "dated", "line_of", "row_of", "storable_event"]

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


def row_of(event: Event) -> Row:
    """Return the values of an event, in the order of the store's columns."""
    arguments, result = (None, None) if event.payload is None else event.payload
    return (
        event.time,
        event.session,
        event.tool,
        event.outcome,
        event.advised,
        event.duration,
        event.why,
        json.dumps(found_in(event), default=repr),
        json.dumps(event.receipt, default=repr),
        arguments,
        result,
    )


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
